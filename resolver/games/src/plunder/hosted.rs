//! A match of the naval game as a service has it: messages go in and come out, and what they mean stays inside.

use std::collections::BTreeSet;

use parley_core::digest::Digest;
use parley_core::game::LockError;
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_core::sight::Memory;
use parley_plunder::event::Event;
use parley_plunder::legality::LegalSheet;
use parley_plunder::ruleset::{Game, Outcome, SeenTurn, Step, Workspace};
use parley_plunder::view::{self, Viewer, Witness};
use parley_proto::v1;

use super::advice::{self, AdviceError};
use super::tally::{self, Combat, Counts, TickCounts};
use super::wire;

/// A match of the game, from its first turn on.
#[derive(Debug)]
pub struct HostedGame(Game);

/// Orders that are known to be legal in the turn that they were judged in.
#[derive(Clone, Debug)]
pub struct HostedSheet(LegalSheet);

/// Memory that turns leave to each other, one for each thread.
#[derive(Debug, Default)]
pub struct HostedWorkspace(Workspace);

/// What a turn came to.
#[derive(Debug)]
pub struct HostedOutcome(Box<Outcome>);

/// Where a turn stands.
#[derive(Debug)]
pub enum HostedStep {
    /// Players have to answer before the turn goes on.
    Asked,
    /// The turn is over.
    Resolved(HostedOutcome),
}

/// What happened in a turn so far, and what a player is asked.
#[derive(Clone, Debug)]
pub struct HostedPrompt {
    /// The number of the window among those of the turn in which the player is asked, counted from 1.
    pub window: u32,
    /// What happened, as far as the player may know.
    pub events: Vec<v1::Event>,
    /// The encounters of the tick, as far as the player may know of them.
    pub encounters: Vec<v1::Encounter>,
    /// What the player is asked, by number.
    pub questions: Vec<v1::Question>,
}

/// Events and shortfalls as messages.
pub type Told = (Vec<v1::Event>, Vec<v1::Shortfall>);

impl HostedWorkspace {
    /// A workspace without memory yet.
    pub const fn new() -> Self {
        Self(Workspace::new())
    }

    /// Takes in an outcome that nobody needs any more, so that the next one gets its memory.
    pub fn reclaim(&mut self, outcome: HostedOutcome) {
        self.0.reclaim(*outcome.0);
    }
}

impl HostedGame {
    pub(super) const fn new(game: Game) -> Self {
        Self(game)
    }

    /// The number of the turn that is planned or resolved.
    pub fn turn(&self) -> u32 {
        self.0.turn()
    }

    /// The digest before the turn.
    pub const fn digest(&self) -> Digest {
        self.0.digest()
    }

    /// The state before the turn, as its digest covers it.
    pub fn encode_state(&self) -> Vec<u8> {
        self.0.state().encode()
    }

    /// In fog, what a seat remembers.
    pub fn encode_memory(&self, seat: u8) -> Option<Vec<u8>> {
        self.0.memory(player(seat)?).map(Memory::to_bytes)
    }

    /// Whether the match has ended.
    pub fn is_over(&self) -> bool {
        self.0.state().result().is_some()
    }

    /// How the match ended, once it has.
    pub fn result(&self) -> Option<v1::MatchResult> {
        self.0.state().result().map(wire::result)
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.0.state().units().len()
    }

    /// The seats whose players are not eliminated.
    pub fn living(&self) -> impl Iterator<Item = u8> {
        self.0.state().players().iter().filter(|player| player.alive).map(|player| player.id.get())
    }

    /// Whether the player of a seat is not eliminated.
    pub fn is_alive(&self, seat: u8) -> bool {
        player(seat).and_then(|player| self.0.state().player(player)).is_some_and(|player| player.alive)
    }

    /// The legal part of a seat's orders, and everything that is wrong with them. `None` where there is no such seat.
    pub fn judge(&self, seat: u8, said: &v1::OrderSheet) -> Option<(HostedSheet, Vec<v1::Fault>)> {
        let (sheet, faults) = wire::sheet(self.0.rules(), player(seat)?, said);
        let verdict = self.0.judge(&sheet);
        let faults = faults.iter().chain(&verdict.faults).map(wire::fault).collect();
        Some((HostedSheet(verdict.legal), faults))
    }

    /// Freezes the orders of a seat.
    pub fn lock(&mut self, sheet: HostedSheet) -> Result<(), LockError> {
        self.0.lock(sheet.0)
    }

    /// Goes on with the turn: from its sheets, or from the answers of seats to what it asked, which were checked.
    pub fn advance(
        &mut self,
        workspace: &mut HostedWorkspace,
        answers: &[(u8, v1::Answer)],
    ) -> Result<HostedStep, String> {
        let read = |(seat, said): &(u8, v1::Answer)| {
            player(*seat).map(|player| wire::answer(player, said)).ok_or_else(|| no_seat(*seat))
        };
        let answers: Vec<Answer> = answers.iter().map(read).collect::<Result<_, _>>()?;
        match self.0.advance(&mut workspace.0, &answers) {
            Ok(Step::Asked) => Ok(HostedStep::Asked),
            Ok(Step::Resolved(outcome)) => Ok(HostedStep::Resolved(HostedOutcome(outcome))),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Throws a turn away that cannot be resolved.
    pub fn give_up(&mut self) {
        self.0.give_up();
    }

    /// The number of the window that is open among all windows of the turn, counted from 1; 0 where nothing is asked. It is
    /// not for players, because it tells that others were asked.
    pub fn window(&self) -> u32 {
        self.0.window()
    }

    /// The number of the open window among those of the turn in which a seat is asked, counted from 1; `None` where the
    /// seat is not asked in it.
    pub fn window_of(&self, seat: u8) -> Option<u32> {
        self.0.window_of(player(seat)?)
    }

    /// The tick that the turn asks about; 0 where it asks nothing.
    pub fn tick(&self) -> u32 {
        self.0.questions().first().map_or(0, |question| question.tick.into())
    }

    /// How many encounters the tick has that the turn asks about.
    pub fn encounters(&self) -> usize {
        self.0.open_turn().map_or(0, |turn| turn.encounters().len())
    }

    /// How many answers the turn waits for.
    pub fn questions(&self) -> usize {
        self.0.questions().len()
    }

    /// Whether a seat is asked anything.
    pub fn asks(&self, seat: u8) -> bool {
        self.window_of(seat).is_some()
    }

    /// Whether a seat is asked something that the answers which it has given leave open.
    pub fn waits_for(&self, seat: u8, given: &[v1::Answer]) -> bool {
        let given: BTreeSet<u32> = given.iter().map(|given| given.question).collect();
        self.0.questions().iter().any(|asked| asked.seat.get() == seat && !given.contains(&asked.id()))
    }

    /// Whether answers of a seat could be taken: they are right ones to what it is asked.
    pub fn takes(&self, seat: u8, answers: &[v1::Answer]) -> bool {
        let read = |player| answers.iter().map(|said| wire::answer(player, said)).collect::<Vec<Answer>>();
        player(seat).is_some_and(|player| self.0.check(&read(player)).is_ok())
    }

    /// Everything that is wrong with the answers of a seat, beside those that it has given before.
    pub fn check_answers(&self, seat: u8, said: &[v1::Answer], given: &[v1::Answer]) -> Vec<v1::Fault> {
        match player(seat) {
            Some(player) => wire::answer_faults(&self.0, player, said, given),
            None => vec![v1::Fault { subject: None, rule: "R1".to_owned(), text: no_seat(seat) }],
        }
    }

    /// What counts for every open question where nobody answers it, as a replay tells it.
    pub fn defaults(&self) -> Vec<v1::ReplayAnswer> {
        wire::replay_answers(self.0.questions(), &[])
    }

    /// What a seat is told when it is asked something.
    pub fn prompt(&self, seat: u8) -> Option<HostedPrompt> {
        prompt(&self.0, player(seat)?)
    }

    /// What a viewer sees of the state before the turn.
    pub fn view(&self, viewer: Viewer) -> v1::View {
        let (rules, state) = (self.0.rules(), self.0.state());
        let own = if let Viewer::Seat(player) = viewer { self.0.memory(player) } else { None };
        let blank;
        let memory = match own {
            Some(memory) => memory,
            None => {
                blank = Memory::new(state.map().grid());
                &blank
            }
        };
        wire::view(rules, &view::snapshot(rules, state, viewer, memory))
    }

    /// Whether everybody is told the same of a turn.
    pub fn is_alike(&self, HostedOutcome(outcome): &HostedOutcome) -> bool {
        outcome.shortfalls.is_empty() && !self.0.rules().fog() && view::are_alike(&outcome.events)
    }

    /// What a viewer is told of a turn.
    pub fn told(&self, HostedOutcome(outcome): &HostedOutcome, viewer: Viewer) -> Told {
        let own = outcome.seen.iter().find(|(player, _)| viewer == Viewer::Seat(*player));
        if let Some((_, seen)) = own {
            return self.encoded(seen);
        }
        let before = &outcome.before;
        let mut witness = Witness::new(self.0.rules(), before, viewer);
        // Memory is of tiles that fog hides, and here is no fog, or nobody who could lift it.
        let events = witness.follow(&outcome.events, &mut Memory::new(before.map().grid()));
        self.encoded(&SeenTurn { events, shortfalls: witness.shortfalls(&outcome.shortfalls) })
    }

    fn encoded(&self, seen: &SeenTurn) -> Told {
        let (rules, grid) = (self.0.rules(), self.0.state().map().grid());
        let events = seen.events.iter().map(|event| wire::event(rules, grid, event)).collect();
        (events, seen.shortfalls.iter().map(|shortfall| wire::shortfall(grid, shortfall)).collect())
    }

    /// The orders that could be given by a seat; see [`advice::legal_orders`].
    pub fn legal_orders(&self, seat: u8, request: &v1::ListLegalOrdersRequest) -> Option<v1::ListLegalOrdersResponse> {
        Some(advice::legal_orders(&self.0, player(seat)?, request))
    }

    /// The way of a ship of a seat to a hex.
    pub fn path(
        &self,
        seat: u8,
        request: &v1::PreviewPathRequest,
    ) -> Option<Result<v1::PreviewPathResponse, AdviceError>> {
        Some(advice::path(&self.0, player(seat)?, request))
    }

    /// The odds of a fight between two ships that a viewer sees.
    pub fn odds(
        &self,
        viewer: Viewer,
        request: &v1::PreviewCombatRequest,
    ) -> Result<v1::PreviewCombatResponse, AdviceError> {
        advice::odds(&self.0, viewer, request)
    }

    /// How much effort it is to list the orders of a seat, in tiles that are looked at.
    pub fn effort_of_orders(&self, seat: u8) -> usize {
        player(seat).map_or(0, |player| advice::effort_of_orders(&self.0, player))
    }

    /// How much effort it is to find a way, in tiles that are looked at.
    pub fn effort_of_path(&self) -> usize {
        advice::effort_of_path(&self.0)
    }

    /// How much effort the odds of a fight are, in tiles that could be looked at meanwhile.
    pub fn effort_of_odds(&self, request: &v1::PreviewCombatRequest) -> usize {
        advice::effort_of_odds(&self.0, request)
    }

    /// The ticks and the fights of a turn that waits for answers, as far as it has come.
    pub fn course_so_far(&self) -> (Vec<TickCounts>, Vec<Combat>) {
        course(self.0.so_far())
    }
}

impl HostedOutcome {
    /// The number of the turn that was resolved.
    pub fn turn(&self) -> u32 {
        self.0.before.turn()
    }

    /// How many units there were before the turn.
    pub fn units_before(&self) -> usize {
        self.0.before.units().len()
    }

    /// The seats whose players were not eliminated before the turn.
    pub fn living_before(&self) -> impl Iterator<Item = u8> {
        self.0.before.players().iter().filter(|player| player.alive).map(|player| player.id.get())
    }

    /// How many events the turn had.
    pub fn events(&self) -> usize {
        self.0.events.len()
    }

    /// How often things happened in the turn.
    pub fn counts(&self) -> Counts {
        tally::counts(&self.0.events)
    }

    /// The ticks and the fights of the turn.
    pub fn course(&self) -> (Vec<TickCounts>, Vec<Combat>) {
        course(&self.0.events)
    }
}

fn course(events: &[Event]) -> (Vec<TickCounts>, Vec<Combat>) {
    (tally::ticks(events), tally::combats(events))
}

fn player(seat: u8) -> Option<PlayerId> {
    PlayerId::new(seat.into())
}

fn no_seat(seat: u8) -> String {
    format!("there is no seat {seat}")
}

/// What a player is told when the turn asks them something; `None` where it does not.
pub fn prompt(game: &Game, player: PlayerId) -> Option<HostedPrompt> {
    let (window, turn) = (game.window_of(player)?, game.open_turn()?);
    let (rules, state) = (game.rules(), game.state());
    let grid = state.map().grid();
    let mut witness = Witness::new(rules, state, Viewer::Seat(player));
    let mut memory = game.memory(player).cloned().unwrap_or_else(|| Memory::new(grid));
    let events = witness.follow(game.so_far(), &mut memory);
    let encounters = witness.encounters(&turn.encounters());
    Some(HostedPrompt {
        window,
        events: events.iter().map(|event| wire::event(rules, grid, event)).collect(),
        questions: wire::questions(game.questions(), player, &encounters),
        encounters: encounters.iter().map(|encounter| wire::encounter(grid, encounter)).collect(),
    })
}

/// Leaves out the orders of everybody who has a fault, and those for numbers that nobody can have.
pub fn drop_faulty(sheet: &mut v1::OrderSheet, faults: &[v1::Fault]) {
    use v1::subject::Subject as What;
    let is_faulty = |what: What| {
        let of = |fault: &v1::Fault| fault.subject.as_ref().and_then(|subject| subject.subject.as_ref()) == Some(&what);
        faults.iter().any(of)
    };
    let exists = |id: u32| id < parley_core::ids::ID_BOUND;
    sheet.units.retain(|order| exists(order.unit) && !is_faulty(What::Unit(order.unit)));
    sheet.structures.retain(|order| exists(order.structure) && !is_faulty(What::Structure(order.structure)));
}

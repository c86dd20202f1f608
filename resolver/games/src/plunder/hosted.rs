//! A match of the naval game as a service has it: encoded messages go in and come out, and what they mean stays inside.

use std::collections::BTreeSet;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::game::{LockError, Ruleset};
use parley_core::ids::{ID_BOUND, PlayerId};
use parley_core::question::Answer;
use parley_core::sight::Memory;
use parley_plunder::event::Event;
use parley_plunder::legality::LegalSheet;
use parley_plunder::ruleset::{Game, Outcome, Plunder, Step, Workspace};
use parley_plunder::view::{self, Passage, SeenTurn, Viewer, Witness};
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

use super::advice::{self, AdviceError, SaidQuery};
use super::tally::{self, Combat, Counts, TickCounts};
use super::wire;

/// A match of the game, from its first turn on.
#[derive(Debug)]
pub struct HostedGame(Game);

/// Orders as a player said them, under the arm of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidSheet(v1::sheet::Game);

/// Orders that are known to be legal in the turn that they were judged in.
#[derive(Clone, Debug)]
pub struct HostedSheet(LegalSheet);

/// Memory that turns leave to each other, one for each thread.
#[derive(Debug, Default)]
pub struct HostedWorkspace(Workspace);

/// What a turn came to.
#[derive(Debug)]
pub struct HostedOutcome(Box<Outcome>);

/// What is told of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldTurn {
    /// The bytes of a `parley.v1.TurnNews`: what happened. `None` where nothing is told.
    pub news: Option<Bytes>,
    /// The bytes of a `parley.v1.Changes`: how the board changes with it. `None` where it does not.
    pub changes: Option<Bytes>,
}

/// Where a turn stands.
#[derive(Debug)]
pub enum HostedStep {
    /// Players have to answer before the turn goes on.
    Asked,
    /// The turn is over.
    Resolved(HostedOutcome),
}

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

impl SaidSheet {
    /// How many orders there are for units and structures.
    pub fn orders(&self) -> usize {
        let v1::sheet::Game::Plunder(sheet) = &self.0;
        sheet.units.len() + sheet.structures.len()
    }

    /// Whether the player gives up with these orders.
    pub fn concedes(&self) -> bool {
        let v1::sheet::Game::Plunder(sheet) = &self.0;
        sheet.concede
    }

    /// Lets the player give up with these orders.
    pub fn concede(&mut self) {
        let v1::sheet::Game::Plunder(sheet) = &mut self.0;
        sheet.concede = true;
    }

    /// Leaves out the orders of everybody who has a fault, and those for numbers that nobody can have.
    pub fn drop_faulty(&mut self, faults: &[common::Fault]) {
        use common::subject::Subject as What;
        let v1::sheet::Game::Plunder(sheet) = &mut self.0;
        let is_faulty = |what: What| {
            let of = |fault: &common::Fault| fault.subject.and_then(|subject| subject.subject) == Some(what);
            faults.iter().any(of)
        };
        let exists = |id: u32| id < ID_BOUND;
        sheet.units.retain(|order| exists(order.unit) && !is_faulty(What::Unit(order.unit)));
        sheet.structures.retain(|order| exists(order.structure) && !is_faulty(What::Structure(order.structure)));
    }

    /// The orders as bytes of a `parley.v1.Sheet`, which depend on nothing but the orders: whatever else stood in the bytes
    /// that they were read from is gone.
    pub fn encode(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(self.0.encoded_len());
        self.0.encode(&mut bytes);
        bytes.into()
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
    pub fn result(&self) -> Option<common::MatchResult> {
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

    /// Reads the bytes of a `parley.v1.Sheet`, or says in one sentence why they are no orders in this game.
    pub fn read_sheet(&self, said: &[u8]) -> Result<SaidSheet, String> {
        let sheet = v1::Sheet::decode(said).map_err(|error| format!("it cannot be read: {error}"))?;
        sheet.game.map(SaidSheet).ok_or_else(|| format!("it is not one of {}, the game of the match", Plunder::NAME))
    }

    /// Orders that say nothing.
    pub fn blank_sheet(&self) -> SaidSheet {
        SaidSheet(v1::sheet::Game::Plunder(Default::default()))
    }

    /// The legal part of a seat's orders, and everything that is wrong with them. `None` where there is no such seat.
    pub fn judge(&self, seat: u8, said: &SaidSheet) -> Option<(HostedSheet, Vec<common::Fault>)> {
        let v1::sheet::Game::Plunder(said) = &said.0;
        let (sheet, faults) = wire::sheet(self.0.rules(), player(seat)?, said);
        let verdict = self.0.judge(&sheet);
        let judged = verdict.faults.iter().map(|fault| wire::order_fault(self.0.rules(), said, fault));
        let faults = faults.into_iter().chain(judged).collect();
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
    pub fn check_answers(&self, seat: u8, said: &[v1::Answer], given: &[v1::Answer]) -> Vec<common::Fault> {
        match player(seat) {
            Some(player) => wire::answer_faults(&self.0, player, said, given),
            None => vec![common::Fault { rule: "R1".to_owned(), text: no_seat(seat), ..Default::default() }],
        }
    }

    /// What counts for every open question where nobody answers it, as a replay tells it.
    pub fn defaults(&self) -> Vec<v1::ReplayAnswer> {
        wire::replay_answers(self.0.questions(), &[])
    }

    /// What a seat is told when it is asked something, without a deadline: time is not the game's.
    pub fn prompt(&self, seat: u8) -> Option<opaque::Prompt> {
        let v1::Prompt { turn, window, so_far, deadline, questions, changes } = prompt(&self.0, player(seat)?)?;
        let so_far = so_far.map(|news| news.encode_to_vec().into());
        let changes = changes.map(|changes| changes.encode_to_vec().into());
        Some(opaque::Prompt { turn, window, so_far, deadline, questions, changes })
    }

    /// What a viewer sees of the state before the turn, as bytes of a `parley.v1.View`.
    pub fn view(&self, viewer: Viewer) -> Bytes {
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
        let view = wire::view(rules, &view::snapshot(rules, state, viewer, memory));
        v1::View { game: Some(v1::view::Game::Plunder(view)) }.encode_to_vec().into()
    }

    /// What all viewers are told alike of the turn that led to the state of the match. Under fog that is nothing.
    pub fn shared(&self, outcome: &HostedOutcome) -> ToldTurn {
        if self.0.rules().fog() { ToldTurn::default() } else { self.encode(outcome, &self.passage(outcome).shared()) }
    }

    /// What a viewer is told of that turn beside what all are told alike: under fog everything, otherwise what an owner alone
    /// knows, which may be nothing.
    pub fn own(&self, outcome: &HostedOutcome, viewer: Viewer) -> ToldTurn {
        if self.0.rules().fog() {
            return self.told(outcome, viewer);
        }
        let Viewer::Seat(player) = viewer else { return ToldTurn::default() };
        let own = self.passage(outcome).own(player);
        let ToldTurn { news, changes } = self.encode(outcome, &own);
        let is_news = !own.events.is_empty() || !own.shortfalls.is_empty();
        ToldTurn { news: news.filter(|_| is_news), changes: changes.filter(|_| !own.changes.is_empty()) }
    }

    /// Everything that a viewer is told of that turn, in one list.
    pub fn told(&self, outcome: &HostedOutcome, viewer: Viewer) -> ToldTurn {
        let seen = outcome.0.seen.iter().find(|(player, _)| viewer == Viewer::Seat(*player));
        match seen {
            Some((_, seen)) => self.encode(outcome, seen),
            // Memory is of tiles that fog hides, and here is no fog, or nobody who could lift it.
            None => {
                let mut memory = Memory::new(outcome.0.before.map().grid());
                self.encode(outcome, &self.passage(outcome).told(viewer, &mut memory))
            }
        }
    }

    /// A turn that has led to the state that the game is in.
    fn passage<'a>(&'a self, HostedOutcome(outcome): &'a HostedOutcome) -> Passage<'a> {
        let Outcome { before, events, shortfalls, .. } = &**outcome;
        Passage { rules: self.0.rules(), before, after: self.0.state(), events, shortfalls }
    }

    fn encode(&self, HostedOutcome(outcome): &HostedOutcome, seen: &SeenTurn) -> ToldTurn {
        let (rules, grid) = (self.0.rules(), outcome.before.map().grid());
        ToldTurn {
            news: Some(news_bytes(wire::news(rules, grid, seen))),
            changes: Some(changes_bytes(wire::changes(rules, grid, &seen.changes))),
        }
    }

    /// Reads the bytes of a `parley.v1.Query`, or says why they ask nothing about this game.
    pub fn read_query(&self, said: &[u8]) -> Result<SaidQuery, AdviceError> {
        SaidQuery::read(said)
    }

    /// How much effort it is to answer a viewer, in tiles that are looked at or could be meanwhile.
    pub fn effort_of(&self, viewer: Viewer, query: &SaidQuery) -> usize {
        advice::effort_of(&self.0, viewer, query)
    }

    /// The answer to a viewer, as far as they may know, as bytes of a `parley.v1.Advice`.
    pub fn advise(&self, viewer: Viewer, query: &SaidQuery) -> Result<Bytes, AdviceError> {
        let advice = advice::advise(&self.0, viewer, query)?;
        Ok(v1::Advice { game: Some(v1::advice::Game::Plunder(advice)) }.encode_to_vec().into())
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

fn news_bytes(news: plunder::TurnNews) -> Bytes {
    v1::TurnNews { game: Some(v1::turn_news::Game::Plunder(news)) }.encode_to_vec().into()
}

fn changes_bytes(changes: plunder::Changes) -> Bytes {
    v1::Changes { game: Some(v1::changes::Game::Plunder(changes)) }.encode_to_vec().into()
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

/// What a player is told when the turn asks them something, without a deadline; `None` where it asks nothing.
pub fn prompt(game: &Game, player: PlayerId) -> Option<v1::Prompt> {
    let (window, turn) = (game.window_of(player)?, game.open_turn()?);
    let (rules, state) = (game.rules(), game.state());
    let grid = state.map().grid();
    let mut witness = Witness::new(rules, state, Viewer::Seat(player));
    let mut memory = game.memory(player).cloned().unwrap_or_else(|| Memory::new(grid));
    let seen = witness.follow(game.so_far(), &mut memory);
    let met = witness.encounters(&turn.encounters());
    let encounters = met.iter().map(|encounter| wire::encounter(grid, encounter)).collect();
    let news = wire::news(rules, grid, &seen);
    let so_far = v1::turn_news::Game::Plunder(plunder::TurnNews { encounters, ..news });
    let changes = v1::changes::Game::Plunder(wire::changes(rules, grid, &seen.changes));
    Some(v1::Prompt {
        turn: game.turn(),
        window,
        so_far: Some(v1::TurnNews { game: Some(so_far) }),
        deadline: None,
        questions: wire::questions(game.questions(), player, &met),
        changes: Some(v1::Changes { game: Some(changes) }),
    })
}

//! A match of the naval game as a service has it: messages go in and come out, and what they mean stays inside.

use parley_core::digest::Digest;
use parley_core::game::LockError;
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;
use parley_plunder::event::{EncounterKind, Event, Subject};
use parley_plunder::legality::{Fault, LegalSheet};
use parley_plunder::order::{Choice, Decision};
use parley_plunder::ruleset::{Game, Outcome, SeenTurn, Step, Workspace};
use parley_plunder::stages::Participant;
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
    /// What happened, as far as the player may know.
    pub events: Vec<v1::Event>,
    /// The encounters that wait for decisions, as far as the player may know of them.
    pub encounters: Vec<v1::Encounter>,
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

    /// Goes on with the turn: from its sheets, or from the answers to what it asked, which were checked.
    pub fn advance(&mut self, workspace: &mut HostedWorkspace, answers: &[v1::Decision]) -> Result<HostedStep, String> {
        let answers = decisions(answers).map_err(|faults| sentences(&faults))?;
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

    /// The tick that the turn asks about; 0 where it asks nothing.
    pub fn tick(&self) -> u32 {
        self.0.questions().first().map_or(0, |encounter| encounter.tick.into())
    }

    /// How many encounters the turn asks about.
    pub fn encounters(&self) -> usize {
        self.0.questions().len()
    }

    fn asked(&self) -> impl Iterator<Item = &Participant> {
        self.0.questions().iter().flat_map(|encounter| &encounter.participants).filter(|ship| ship.asked)
    }

    /// How many answers the turn waits for.
    pub fn questions(&self) -> usize {
        self.asked().count()
    }

    /// Whether a seat is asked anything.
    pub fn asks(&self, seat: u8) -> bool {
        self.asked().any(|ship| ship.owner.get() == seat)
    }

    /// Whether a seat is asked something that these answers leave open.
    pub fn waits_for(&self, seat: u8, answers: &[v1::Decision]) -> bool {
        let is_answered = |ship: &Participant| answers.iter().any(|answer| answer.unit == ship.unit.get());
        self.asked().any(|ship| ship.owner.get() == seat && !is_answered(ship))
    }

    /// Whether answers could be taken: they are to what is asked, whoever gives them.
    pub fn takes(&self, answers: &[v1::Decision]) -> bool {
        decisions(answers).is_ok_and(|answers| self.0.check(&answers).is_ok())
    }

    /// Everything that is wrong with the answers of a seat, beside those that were given before.
    pub fn check_answers(&self, seat: u8, said: &[v1::Decision], given: &[v1::Decision]) -> Vec<v1::Fault> {
        let mut faults = Vec::new();
        let mut read: Vec<Decision> = Vec::new();
        for said in said {
            match wire::decision(said) {
                Ok(decision) => read.push(decision),
                Err(fault) => faults.push(fault),
            }
        }
        if let Err(found) = self.0.check(&read) {
            faults.extend(found);
        }
        let owns = |decision: &Decision| {
            let mut participants = self.0.questions().iter().flat_map(|encounter| &encounter.participants);
            participants.any(|ship| ship.unit == decision.unit && ship.owner.get() == seat)
        };
        let fault = |subject, text: &str| Fault { subject, rule: "R7.2", text: text.to_owned() };
        for decision in &read {
            let subject = Some(Subject::Unit(decision.unit));
            if !owns(decision) {
                faults.retain(|fault| fault.subject != subject);
                faults.push(fault(subject, "is not asked to decide"));
            } else if given.iter().any(|answer| answer.unit == decision.unit.get()) {
                faults.push(fault(subject, "has already decided"));
            }
        }
        if said.is_empty() {
            faults.push(fault(None, "no decision is given"));
        }
        faults.iter().map(wire::fault).collect()
    }

    /// What everybody who is asked answers by default, as a replay tells it.
    pub fn defaults(&self) -> Vec<v1::ReplayDecision> {
        let mut defaults = Vec::new();
        for encounter in self.0.questions() {
            let peaceful = match encounter.kind {
                EncounterKind::Passing => Choice::Proceed,
                EncounterKind::Entry => Choice::Yield,
            };
            let choice = wire::choice(peaceful).into();
            let asked = encounter.participants.iter().filter(|ship| ship.asked);
            defaults.extend(asked.map(|ship| v1::ReplayDecision { unit: ship.unit.get(), choice, defaulted: true }));
        }
        defaults
    }

    /// What a seat is told when it is asked something.
    pub fn prompt(&self, seat: u8) -> Option<HostedPrompt> {
        let player = player(seat).filter(|_| self.asks(seat))?;
        let (rules, state) = (self.0.rules(), self.0.state());
        let grid = state.map().grid();
        let mut witness = Witness::new(rules, state, Viewer::Seat(player));
        let mut memory = self.0.memory(player).cloned().unwrap_or_else(|| Memory::new(grid));
        let events = witness.follow(self.0.so_far(), &mut memory);
        let encounters = witness.encounters(self.0.questions());
        Some(HostedPrompt {
            events: events.iter().map(|event| wire::event(rules, grid, event)).collect(),
            encounters: encounters.iter().map(|encounter| wire::encounter(grid, encounter)).collect(),
        })
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

fn decisions(said: &[v1::Decision]) -> Result<Vec<Decision>, Vec<Fault>> {
    said.iter().map(wire::decision).collect::<Result<_, _>>().map_err(|fault| vec![fault])
}

fn sentences(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
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

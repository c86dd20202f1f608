//! A match that is being played.

use std::fmt;
use std::mem;
use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_plunder::event::Event;
use parley_plunder::legality::{self, LegalSheet};
use parley_plunder::mapgen::{MapRequest, generate};
use parley_plunder::order::Decision;
use parley_plunder::resolution::{Encounter, Resolution, Step, Workspace};
use parley_plunder::rules::Rules;
use parley_plunder::start::opening;
use parley_plunder::state::State;
use parley_plunder::view::{Viewer, Witness, sight_of, snapshot};
use parley_proto::v1;
use prost::Message;

use super::{ArenaError, Counts, Ending, FinishedMatch, Recording, Setup, Standing};
use crate::policy::{self, Policy};

/// A seat of the match, and the policy that plays it.
struct Seat {
    player: PlayerId,
    policy: Box<dyn Policy>,
    /// The tiles that it has seen; without fog nothing is hidden, and nothing is remembered.
    memory: Memory,
    eliminated: Option<u32>,
}

/// A match that is being played, for those who want to look at it turn by turn.
pub struct ArenaMatch {
    rules: Arc<Rules>,
    state: State,
    seed: Seed,
    digest: Digest,
    seats: Vec<Seat>,
    last_turn: u32,
    workspace: Workspace,
    counts: Counts,
    recording: Option<Recording>,
}

impl ArenaMatch {
    /// A match before its first turn, with a policy for each seat.
    pub fn new(setup: &Setup, policies: Vec<Box<dyn Policy>>) -> Result<Self, ArenaError> {
        let rules = Arc::clone(&setup.rules);
        let generated = generate(&rules, &MapRequest { players: policies.len(), ..setup.map })?;
        let state = opening(&rules, Arc::new(generated.map), &generated.starts)?;
        let digest = Digest::genesis(&rules, &state);
        let recording = setup.record.then(|| Recording::new(&rules, &state, digest, setup.secret));
        let seat = |(player, policy): (&parley_plunder::state::Player, Box<dyn Policy>)| {
            let mut memory = Memory::new(state.map().grid());
            if rules.fog() {
                memory.learn(&sight_of(&rules, &state, Viewer::Seat(player.id)));
            }
            Seat { player: player.id, policy, memory, eliminated: None }
        };
        let seats = state.players().iter().zip(policies).map(seat).collect();
        Ok(Self {
            seed: Seed::derive(&setup.secret, &[]),
            seats,
            rules,
            state,
            digest,
            last_turn: setup.turns,
            workspace: Workspace::new(),
            counts: Counts::default(),
            recording,
        })
    }

    /// The state that the next turn is planned in. No policy sees it.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// What has been counted so far.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What every seat has now.
    pub fn standings(&self) -> Vec<Standing> {
        let eliminated: Vec<Option<u32>> = self.seats.iter().map(|seat| seat.eliminated).collect();
        Standing::all(&self.state, &eliminated)
    }

    /// Plays a turn; false if there was none to play.
    pub fn turn(&mut self) -> Result<bool, ArenaError> {
        if self.state.result().is_some() || self.state.turn() > self.last_turn {
            return Ok(false);
        }
        if let Some(recording) = &mut self.recording {
            recording.begin(self.state.turn());
        }
        let sheets = self.sheets();
        let workspace = mem::take(&mut self.workspace);
        let begun = Resolution::begin_in(workspace, &self.rules, &self.state, &self.seed, self.digest, &sheets);
        let mut resolution = begun.map_err(|error| self.unresolved(&error))?;
        let mut answers = Vec::new();
        loop {
            let step = resolution.advance(&answers).map_err(|faults| match faults.first() {
                Some(fault) => self.unresolved(fault),
                None => self.unresolved(&"no reason is given"),
            })?;
            match step {
                Step::Awaiting(awaiting) => answers = self.answers(&resolution, &awaiting),
                Step::Resolved(outcome) => {
                    self.finish_turn(&outcome.events, &outcome.state, outcome.digest);
                    self.workspace = resolution.into_workspace();
                    let mut outcome = *outcome;
                    mem::swap(&mut self.state, &mut outcome.state);
                    self.workspace.reclaim(outcome);
                    return Ok(true);
                }
            }
        }
    }

    /// Ends the match as it stands now, and gives its outcome.
    pub fn finish(self) -> FinishedMatch {
        FinishedMatch {
            ending: self.state.result().cloned().map_or(Ending::OutOfTurns, Ending::Result),
            standings: self.standings(),
            counts: self.counts,
            recording: self.recording,
        }
    }

    /// The view that a seat has of the state.
    fn view(&self, seat: usize) -> v1::View {
        let Seat { player, memory, .. } = &self.seats[seat];
        wire::view(&self.rules, &snapshot(&self.rules, &self.state, Viewer::Seat(*player), memory))
    }

    /// Asks everybody who is still alive for a sheet, and judges it.
    fn sheets(&mut self) -> Vec<LegalSheet> {
        let mut sheets = Vec::with_capacity(self.seats.len());
        for seat in 0..self.seats.len() {
            if self.seats[seat].eliminated.is_some() {
                continue;
            }
            let view = self.view(seat);
            let said = self.seats[seat].policy.orders(&view);
            self.counts.orders += (said.units.len() + said.structures.len()) as u64;
            let (said, legal) = match self.judge(seat, &said) {
                Ok(legal) => (said, legal),
                Err(faults) => {
                    self.counts.refused_orders += faults as u64;
                    (v1::OrderSheet::default(), LegalSheet::empty(&self.state, self.seats[seat].player))
                }
            };
            if let Some(recording) = &mut self.recording {
                recording.note_sheet(seat as u32, said.encode_to_vec().into());
            }
            sheets.push(legal);
        }
        sheets
    }

    /// Judges a sheet: it stands as a whole, or the answer is how many faults it has.
    fn judge(&self, seat: usize, said: &v1::OrderSheet) -> Result<LegalSheet, usize> {
        let Seat { player, memory, .. } = &self.seats[seat];
        let (sheet, faults) = wire::sheet(&self.rules, *player, said);
        let verdict = if self.rules.fog() {
            legality::judge_charted(&self.rules, &self.state, &sheet, &|tile| memory.contains(tile))
        } else {
            legality::judge(&self.rules, &self.state, &sheet)
        };
        match faults.len() + verdict.faults.len() {
            0 => Ok(verdict.legal),
            faults => Err(faults),
        }
    }

    /// What the policies answer for those of their ships that are asked.
    fn answers(&mut self, resolution: &Resolution, awaiting: &[Encounter]) -> Vec<Decision> {
        let asked = |encounter: &&Encounter| encounter.participants.iter().any(|p| p.asked);
        self.counts.encounters += awaiting.iter().filter(asked).count() as u64;
        let mut answers = Vec::new();
        for seat in 0..self.seats.len() {
            let player = self.seats[seat].player;
            if !awaiting.iter().flat_map(|e| &e.participants).any(|p| p.asked && p.owner == player) {
                continue;
            }
            let prompt = self.prompt(seat, resolution, awaiting);
            let view = self.view(seat);
            let policy = &mut self.seats[seat].policy;
            let said = policy::decisions(&prompt, |asked| policy.decide(&view, asked));
            let read: Result<Vec<Decision>, _> = said.iter().map(wire::decision).collect();
            let accepted = read.ok().filter(|decisions| resolution.check(decisions).is_ok());
            let decisions = accepted.unwrap_or_else(|| {
                self.counts.refused_decisions += 1;
                let peaceful = policy::decisions(&prompt, |asked| asked.evasion());
                peaceful.iter().filter_map(|decision| wire::decision(decision).ok()).collect()
            });
            self.counts.decisions += decisions.len() as u64;
            answers.extend(decisions);
        }
        if let Some(recording) = &mut self.recording {
            recording.note_window(awaiting, &answers);
        }
        answers
    }

    /// What a seat is told when its ships are asked.
    fn prompt(&self, seat: usize, resolution: &Resolution, awaiting: &[Encounter]) -> v1::Prompt {
        let Seat { player, memory, .. } = &self.seats[seat];
        let grid = self.state.map().grid();
        let mut witness = Witness::new(&self.rules, &self.state, Viewer::Seat(*player));
        let events = witness.follow(resolution.events(), &mut memory.clone());
        let encounters = witness.encounters(awaiting);
        v1::Prompt {
            turn: self.state.turn(),
            tick: awaiting.first().map_or(0, |encounter| encounter.tick.into()),
            events: events.iter().map(|event| wire::event(&self.rules, grid, event)).collect(),
            encounters: encounters.iter().map(|encounter| wire::encounter(grid, encounter)).collect(),
            deadline_ms: 0,
        }
    }

    /// Counts, remembers and writes down what a turn came to, before its state takes the place of the one before.
    fn finish_turn(&mut self, events: &[Event], after: &State, digest: Digest) {
        if self.rules.fog() {
            for seat in &mut self.seats {
                Witness::new(&self.rules, &self.state, Viewer::Seat(seat.player)).follow(events, &mut seat.memory);
            }
        }
        for event in events {
            match *event {
                Event::Decided { defaulted: true, .. } => self.counts.defaulted_decisions += 1,
                Event::Eliminated { player, .. } => {
                    let fallen = self.seats.iter_mut().filter(|seat| seat.player == player);
                    fallen.for_each(|seat| seat.eliminated = Some(self.state.turn()));
                }
                _ => {}
            }
        }
        if let Some(recording) = &mut self.recording {
            recording.end(after, digest);
        }
        self.counts.turns += 1;
        self.digest = digest;
    }

    #[cold]
    fn unresolved(&self, reason: &dyn fmt::Display) -> ArenaError {
        ArenaError::Turn { turn: self.state.turn(), reason: reason.to_string() }
    }
}

impl fmt::Debug for ArenaMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("turn", &self.state.turn()).field("counts", &self.counts).finish_non_exhaustive()
    }
}

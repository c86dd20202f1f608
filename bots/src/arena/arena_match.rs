//! A match that is being played.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_core::sight::Memory;
use parley_games::plunder::hosted::prompt;
use parley_games::plunder::wire;
use parley_plunder::event::{Body, Event};
use parley_plunder::legality::LegalSheet;
use parley_plunder::mapgen::{MapRequest, generate};
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::start::opening;
use parley_plunder::state::State;
use parley_plunder::view::{Viewer, snapshot};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use prost::Message;

use super::{ArenaError, Counts, Ending, FinishedMatch, Recording, Setup, Standing};
use crate::arms::Arms;
use crate::policy::{self, Policy};

/// A seat of the match, and the policy that plays it.
struct Seat {
    player: PlayerId,
    policy: Box<dyn Policy>,
    eliminated: Option<u32>,
}

/// A match that is being played, for those who want to look at it turn by turn.
pub struct ArenaMatch {
    game: Game,
    /// What nobody remembers, where nothing is hidden.
    no_memory: Memory,
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
        let game = Game::new(rules, state, Seed::derive(&setup.secret, &[]));
        let recording = setup.record.then(|| Recording::new(&game, setup.secret));
        let seat = |(player, policy): (&parley_plunder::state::Player, Box<dyn Policy>)| Seat {
            player: player.id,
            policy,
            eliminated: None,
        };
        let seats = game.state().players().iter().zip(policies).map(seat).collect();
        Ok(Self {
            no_memory: Memory::new(game.state().map().grid()),
            seats,
            game,
            last_turn: setup.turns,
            workspace: Workspace::new(),
            counts: Counts::default(),
            recording,
        })
    }

    /// The state that the next turn is planned in. No policy sees it.
    pub const fn state(&self) -> &State {
        self.game.state()
    }

    /// What has been counted so far.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What every seat has now.
    pub fn standings(&self) -> Vec<Standing> {
        let eliminated: Vec<Option<u32>> = self.seats.iter().map(|seat| seat.eliminated).collect();
        Standing::all(self.game.state(), &eliminated)
    }

    /// Plays a turn; false if there was none to play.
    pub fn turn(&mut self) -> Result<bool, ArenaError> {
        if self.game.state().result().is_some() || self.game.turn() > self.last_turn {
            return Ok(false);
        }
        let turn = self.game.turn();
        if let Some(recording) = &mut self.recording {
            recording.begin(turn);
        }
        for sheet in self.sheets() {
            self.game.lock(sheet).map_err(|error| unresolved(turn, &error))?;
        }
        let mut answers = Vec::new();
        loop {
            let step = self.game.advance(&mut self.workspace, &answers);
            match step.map_err(|error| unresolved(turn, &error))? {
                Step::Asked => answers = self.answers(),
                Step::Resolved(outcome) => {
                    self.finish_turn(turn, &outcome.events);
                    self.workspace.reclaim(*outcome);
                    return Ok(true);
                }
            }
        }
    }

    /// Ends the match as it stands now, and gives its outcome.
    pub fn finish(self) -> FinishedMatch {
        FinishedMatch {
            ending: self.game.state().result().cloned().map_or(Ending::OutOfTurns, Ending::Result),
            standings: self.standings(),
            counts: self.counts,
            recording: self.recording,
        }
    }

    /// The view that a seat has of the state.
    fn view(&self, seat: usize) -> plunder::View {
        let (player, rules) = (self.seats[seat].player, self.game.rules());
        wire::view(rules, &snapshot(rules, self.game.state(), Viewer::Seat(player), self.memory(player)))
    }

    /// What a player remembers: without fog nothing is hidden, and nothing is remembered.
    fn memory(&self, player: PlayerId) -> &Memory {
        self.game.memory(player).unwrap_or(&self.no_memory)
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
                    (plunder::Sheet::default(), LegalSheet::empty(self.game.state(), self.seats[seat].player))
                }
            };
            if let Some(recording) = &mut self.recording {
                recording.note_sheet(seat as u32, v1::Sheet::of_plunder(said).encode_to_vec().into());
            }
            sheets.push(legal);
        }
        sheets
    }

    /// Judges a sheet: it stands as a whole, or the answer is how many faults it has.
    fn judge(&self, seat: usize, said: &plunder::Sheet) -> Result<LegalSheet, usize> {
        let (sheet, faults) = wire::sheet(self.game.rules(), self.seats[seat].player, said);
        let verdict = self.game.judge(&sheet);
        match faults.len() + verdict.faults.len() {
            0 => Ok(verdict.legal),
            faults => Err(faults),
        }
    }

    /// What the policies answer to the questions that are open.
    fn answers(&mut self) -> Vec<Answer> {
        let groups: BTreeSet<u32> = self.game.questions().iter().map(|question| question.group).collect();
        self.counts.encounters += groups.len() as u64;
        let mut answers = Vec::new();
        for seat in 0..self.seats.len() {
            let player = self.seats[seat].player;
            let Some(prompt) = prompt(&self.game, player) else { continue };
            let view = self.view(seat);
            let read = |said: Vec<v1::Answer>| said.iter().map(|said| wire::answer(player, said)).collect();
            let mut given: Vec<Answer> = read(policy::answers(&mut *self.seats[seat].policy, &view, &prompt));
            if self.game.check(&given).is_err() {
                self.counts.refused_answers += 1;
                given = read(policy::defaults(&prompt));
            }
            self.counts.answers += given.len() as u64;
            answers.extend(given);
        }
        if let Some(recording) = &mut self.recording {
            recording.note_window(self.game.questions(), &answers);
        }
        answers
    }

    /// Counts and writes down what a turn came to.
    fn finish_turn(&mut self, turn: u32, events: &[Event]) {
        for event in events {
            match event.body {
                Body::Decided { defaulted: true, .. } => self.counts.defaulted_answers += 1,
                Body::Eliminated { player, .. } => {
                    let fallen = self.seats.iter_mut().filter(|seat| seat.player == player);
                    fallen.for_each(|seat| seat.eliminated = Some(turn));
                }
                _ => {}
            }
        }
        if let Some(recording) = &mut self.recording {
            recording.end(&self.game);
        }
        self.counts.turns += 1;
    }
}

#[cold]
fn unresolved(turn: u32, reason: &dyn fmt::Display) -> ArenaError {
    ArenaError::Turn { turn, reason: reason.to_string() }
}

impl fmt::Debug for ArenaMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArenaMatch")
            .field("turn", &self.game.turn())
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

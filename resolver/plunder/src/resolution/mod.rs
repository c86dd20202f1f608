//! One turn from locked orders to its outcome: the only way in, and the list of stages.

mod broadsides;
mod combat;
mod contests;
mod economy;
mod encounters;
mod movement;
mod reckoning;
mod shipyards;
mod turn;

use std::fmt;
use std::sync::Arc;

use movement::{Movement, Pace};
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::{PlayerId, UnitId};
use turn::Turn;

use crate::event::{EncounterKind, Event, Shortfall, Site};
use crate::legality::{Fault, LegalSheet};
use crate::order::Decision;
use crate::rules::{Rules, Stage};
use crate::state::State;

/// The most exchanges of one turn. A round is an exchange of every pair of enemies, so two stacks of two thousand ships
/// reach it; a match under the default rules stays below one in a thousand of it.
pub const MAX_EXCHANGES: u64 = 4_194_304;

/// A ship in an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The ship that takes part.
    pub unit: UnitId,
    /// The owner of the ship.
    pub owner: PlayerId,
    /// Whether it stands on the tile that others want (always false in a passing encounter).
    pub holds: bool,
    /// Whether its owner is asked; otherwise its engagement has answered (R7.6).
    pub asked: bool,
}

/// An encounter that waits for decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The tick in which the ships met.
    pub tick: u8,
    /// Whether it is a passing or an entry.
    pub kind: EncounterKind,
    /// The edge or the tile where the ships met.
    pub site: Site,
    /// The ships in the encounter, by id.
    pub participants: Vec<Participant>,
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The state that the next turn is planned on.
    pub state: State,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Every order and route that did not do all it asked, and why.
    pub shortfalls: Vec<Shortfall>,
    /// The digest of the new state, chained with the one before (R13.3).
    pub digest: Digest,
}

/// Where a resolution stands after it was advanced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Owners must decide, or be given up waiting for, before it can go on. These are all encounters of the
    /// tick, in the order in which they will be settled (R7.3).
    Awaiting(Vec<Encounter>),
    /// The turn is over.
    Resolved(Box<Outcome>),
}

/// Why a resolution cannot begin with these sheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginError {
    /// The match has ended.
    Over,
    /// A sheet was made for another turn.
    OtherTurn {
        /// The player whose sheet it is.
        player: PlayerId,
        /// The turn that the sheet was made for.
        sheet: u32,
    },
    /// A player has two sheets.
    TwoSheets {
        /// The player who has two sheets.
        player: PlayerId,
    },
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the match is over (R12.2)"),
            Self::OtherTurn { player, sheet } => write!(f, "the sheet of player {player} is for turn {sheet} (R5.2)"),
            Self::TwoSheets { player } => write!(f, "player {player} has two sheets (R5.2)"),
        }
    }
}

impl std::error::Error for BeginError {}

/// Memory that one resolution leaves to the next. Nothing is read from it: with or without it, outcomes are the same.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    turn: Option<Box<Turn>>,
    movement: Option<Box<Movement>>,
    encoding: Vec<u8>,
}

impl Workspace {
    /// A workspace without memory yet.
    pub const fn new() -> Self {
        Self { turn: None, movement: None, encoding: Vec::new() }
    }

    /// Takes in an outcome that nobody needs any more, so that the next one gets its memory.
    pub fn reclaim(&mut self, outcome: Outcome) {
        if let Some(turn) = self.turn.as_mut() {
            turn.reclaim(outcome);
        }
    }
}

/// A turn being resolved. It can be thrown away at any moment and rebuilt from the same inputs.
#[derive(Clone, Debug)]
pub struct Resolution {
    turn: Box<Turn>,
    movement: Option<Box<Movement>>,
    workspace: Workspace,
    previous: Digest,
    stage: usize,
}

impl Resolution {
    /// Takes a turn's inputs and does nothing yet. A player without a sheet has ordered nothing.
    pub fn begin(
        rules: &Arc<Rules>,
        state: &State,
        seed: &Seed,
        previous: Digest,
        sheets: &[LegalSheet],
    ) -> Result<Self, BeginError> {
        Self::begin_in(Workspace::default(), rules, state, seed, previous, sheets)
    }

    /// Begins like [`Resolution::begin`], in memory that an earlier resolution used, which saves allocating it again.
    pub fn begin_in(
        mut workspace: Workspace,
        rules: &Arc<Rules>,
        state: &State,
        seed: &Seed,
        previous: Digest,
        sheets: &[LegalSheet],
    ) -> Result<Self, BeginError> {
        let turn = Turn::begin(workspace.turn.take(), rules, state, seed, sheets)?;
        Ok(Self { turn, movement: None, workspace, previous, stage: 0 })
    }

    /// Gives the memory back, for the next resolution.
    pub fn into_workspace(mut self) -> Workspace {
        self.workspace.turn = Some(self.turn);
        self.workspace
    }

    /// What has happened so far, in order. Once the turn is over the events are in its outcome, and no longer here.
    pub fn events(&self) -> &[Event] {
        &self.turn.events
    }

    /// Whether [`Resolution::advance`] would take these decisions, and everything that is wrong with them if not. They
    /// may answer for some of those who are asked only.
    pub fn check(&self, decisions: &[Decision]) -> Result<(), Vec<Fault>> {
        match self.movement.as_ref() {
            Some(movement) => movement.check(&self.turn, decisions),
            None => decisions.first().map_or(Ok(()), |decision| Err(vec![movement::not_asked(decision.unit)])),
        }
    }

    /// Goes on as far as it can. `decisions` answer the encounters that the last call returned; an asked ship
    /// without an answer proceeds or yields (R7.2). Faulty decisions change nothing. A turn of more than
    /// [`MAX_EXCHANGES`] is given up and stays so.
    pub fn advance(&mut self, decisions: &[Decision]) -> Result<Step, Vec<Fault>> {
        if let Some(movement) = self.movement.as_mut() {
            movement.decide(&self.turn, decisions)?;
        } else if let Some(fault) = decisions.first().map(|d| movement::not_asked(d.unit)) {
            return Err(vec![fault]);
        }
        while let Some(&stage) = self.turn.rules.stages().get(self.stage) {
            if self.turn.has_too_many_exchanges() {
                let text = format!("the turn has more than {MAX_EXCHANGES} exchanges");
                return Err(vec![Fault::new(None, "R8.1", text)]);
            }
            match stage {
                Stage::Income => economy::income(&mut self.turn),
                Stage::ShipyardWork => shipyards::work(&mut self.turn),
                Stage::Contests => contests::tick_zero(&mut self.turn),
                Stage::Movement => {
                    let earlier = &mut self.workspace.movement;
                    let mut movement =
                        self.movement.take().unwrap_or_else(|| Movement::begin(earlier.take(), &self.turn));
                    if let Pace::Awaiting(encounters) = movement.run(&mut self.turn) {
                        self.movement = Some(movement);
                        return Ok(Step::Awaiting(encounters));
                    }
                    movement.end(&mut self.turn);
                    self.workspace.movement = Some(movement);
                }
                Stage::Broadsides => broadsides::fire(&mut self.turn),
                Stage::Bombardment => shipyards::bombardment(&mut self.turn),
                Stage::Construction => shipyards::construction(&mut self.turn),
                Stage::Reckoning => reckoning::reckon(&mut self.turn),
            }
            self.turn.assert_invariant();
            self.stage += 1;
        }
        Ok(Step::Resolved(Box::new(self.turn.finish(self.previous, &mut self.workspace.encoding))))
    }
}

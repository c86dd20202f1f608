//! The turn as a list of stages (R5.6), each a function of the working copy that they share.

mod broadsides;
mod combat;
mod contests;
mod economy;
mod encounters;
mod movement;
mod reckoning;
mod shipyards;
mod turn;

use parley_core::game::{self, Stage};
use parley_core::ids::{PlayerId, UnitId};

use crate::event::{EncounterKind, Site};
use crate::rules;
use crate::ruleset::Plunder;

pub use turn::Turn;

/// How far a stage has come.
type Flow = game::Flow<Plunder>;

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

/// An encounter in a tick in which owners are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The tick in which the ships met.
    pub tick: u8,
    /// The number of its group of events.
    pub group: u32,
    /// Whether it is a passing or an entry.
    pub kind: EncounterKind,
    /// The edge or the tile where the ships met.
    pub site: Site,
    /// The ships in the encounter, by id.
    pub participants: Vec<Participant>,
}

/// The stage that rules call by a name.
pub(crate) const fn stage(stage: rules::Stage) -> Stage<Plunder> {
    match stage {
        rules::Stage::Income => Stage { name: "income", run: economy::income },
        rules::Stage::ShipyardWork => Stage { name: "shipyard_work", run: shipyards::work },
        rules::Stage::Contests => Stage { name: "contests", run: contests::tick_zero },
        rules::Stage::Movement => Stage { name: "movement", run: movement::run },
        rules::Stage::Broadsides => Stage { name: "broadsides", run: broadsides::fire },
        rules::Stage::Bombardment => Stage { name: "bombardment", run: shipyards::bombardment },
        rules::Stage::Construction => Stage { name: "construction", run: shipyards::construction },
        rules::Stage::Reckoning => Stage { name: "reckoning", run: reckoning::reckon },
    }
}

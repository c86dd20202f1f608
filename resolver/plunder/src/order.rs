//! Orders as somebody says them, unchecked, and what can be answered to an encounter.

use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};

use crate::ids::{ClassId, StructureId};
use crate::rules::Upgrade;
use crate::state::Engagement;

/// What a unit is asked to do (R5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Walk along these hexes; what is longer than the speed becomes the route.
    Move(Vec<Hex>),
    /// Stay on its tile.
    Hold,
    /// Be repaired to full hp at a shipyard.
    Repair,
    /// Be fitted with a piece at a shipyard.
    Upgrade(Upgrade),
    /// Become a shipyard, which consumes the ship.
    DeployShipyard,
    /// Fire on an adjacent structure.
    Bombard(StructureId),
    /// Stay in its contest.
    Press,
}

/// An order for one unit. Without an action the unit goes on with its route (R5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitOrder {
    /// The unit that the order is for.
    pub unit: UnitId,
    /// What the unit is to do; `None` lets it go on with its route.
    pub action: Option<Action>,
    /// Whether to fire after the last tick (R10).
    pub broadside: bool,
    /// How the unit is to answer encounters from now on; `None` changes nothing (R7.6).
    pub engagement: Option<Engagement>,
}

/// What a structure is asked to do (R5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Add a ship of this class to the queue.
    Build(ClassId),
    /// Take the build at this place out of the queue.
    CancelBuild(usize),
}

/// An order for one structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructureOrder {
    /// The structure that the order is for.
    pub structure: StructureId,
    /// What the structure is to do.
    pub work: Work,
}

/// All orders of one player for one turn, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSheet {
    /// The player whose orders these are.
    pub player: PlayerId,
    /// Orders for units, in any order.
    pub units: Vec<UnitOrder>,
    /// Orders for structures, in any order.
    pub structures: Vec<StructureOrder>,
    /// Whether the player gives up at the end of the turn (R12.3).
    pub concede: bool,
}

impl OrderSheet {
    /// A sheet that orders nothing.
    pub const fn empty(player: PlayerId) -> Self {
        Self { player, units: Vec::new(), structures: Vec::new(), concede: false }
    }
}

/// What is chosen for a ship in an encounter (R7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// Go on, in a passing encounter.
    Proceed,
    /// Let others have the tile, in an entry encounter.
    Yield,
    /// Fight for the passage or for the tile.
    Attack,
}

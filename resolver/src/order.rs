//! Orders and decisions as somebody says them, unchecked.

use crate::hex::Hex;
use crate::ids::{ClassId, PlayerId, StructureId, UnitId};
use crate::rules::Upgrade;
use crate::state::Engagement;

/// What a unit is asked to do (R5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Walk along these hexes; what is longer than the speed becomes the route.
    Move(Vec<Hex>),
    /// Stay.
    Hold,
    /// Be made whole at a shipyard.
    Repair,
    /// Be fitted with a piece at a shipyard.
    Upgrade(Upgrade),
    /// Become a shipyard.
    DeployShipyard,
    /// Fire on an adjacent structure.
    Bombard(StructureId),
    /// Stay in a contest.
    Press,
}

/// An order for one unit. Without an action the unit goes on with its route (R5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitOrder {
    /// Which.
    pub unit: UnitId,
    /// What to do, if anything new.
    pub action: Option<Action>,
    /// Whether to fire after the last tick (R10).
    pub broadside: bool,
    /// How to answer encounters from now on (R7.6).
    pub engagement: Option<Engagement>,
}

/// What a structure is asked to do (R5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Add one to the queue.
    Build(ClassId),
    /// Take this one out of the queue.
    CancelBuild(usize),
}

/// An order for one structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructureOrder {
    /// Which.
    pub structure: StructureId,
    /// What to do.
    pub work: Work,
}

/// All orders of one player for one turn, unchecked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderSheet {
    /// Who.
    pub player: PlayerId,
    /// Orders for units, in any order.
    pub units: Vec<UnitOrder>,
    /// Orders for structures, in any order.
    pub structures: Vec<StructureOrder>,
    /// Give up at the end of the turn (R12.3).
    pub concede: bool,
}

impl OrderSheet {
    /// A sheet that orders nothing.
    pub const fn empty(player: PlayerId) -> Self {
        Self { player, units: Vec::new(), structures: Vec::new(), concede: false }
    }
}

/// An answer to an encounter (R7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// In a passing encounter: go on.
    Proceed,
    /// In an entry encounter: do not insist.
    Yield,
    /// Fight for it.
    Attack,
}

/// A unit's answer in the open decision window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Which.
    pub unit: UnitId,
    /// What.
    pub choice: Choice,
}

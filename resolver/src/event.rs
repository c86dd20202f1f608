//! What happened in a turn, in the order in which it happened, and why.

use crate::hex::Direction;
use crate::ids::{ClassId, PlayerId, StructureId, UnitId};
use crate::map::Tile;
use crate::order::Choice;
use crate::rules::Upgrade;
use crate::state::MatchResult;

/// The two kinds of encounters (R7.1), in the order in which they are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EncounterKind {
    /// Two sides cross one edge in opposite directions.
    Passing,
    /// Ships want a tile that others want or hold.
    Entry,
}

/// Where an encounter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// The edge between two tiles, the one with the lesser hex first.
    Edge(Tile, Tile),
    /// A tile.
    Tile(Tile),
}

impl Site {
    /// Whether the site touches a tile.
    pub fn touches(&self, tile: Tile) -> bool {
        match *self {
            Self::Edge(a, b) => a == tile || b == tile,
            Self::Tile(t) => t == tile,
        }
    }
}

/// Why gold changed hands (R11.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldReason {
    /// R11.1.
    Income,
    /// R11.2.
    DeployShipyard,
    /// R11.2.
    Build,
    /// R11.2.
    CancelBuild,
    /// R11.2.
    Repair,
    /// R11.2.
    Upgrade,
    /// R8.4.
    Salvage,
}

/// How a contest ended (R9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContestEnd {
    /// One owner was left and took the tile.
    Claimed,
    /// Nobody was left.
    Emptied,
    /// The limit was reached.
    Expired,
}

/// An exchange of a round (R8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Who rolled three dice.
    pub attacker: UnitId,
    /// Who rolled two.
    pub defender: UnitId,
    /// Highest first.
    pub attacker_dice: [u8; 3],
    /// Highest first.
    pub defender_dice: [u8; 2],
    /// Hp, in full even where less was left.
    pub attacker_loses: u16,
    /// Hp, in full even where less was left.
    pub defender_loses: u16,
}

/// Who an order was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A unit.
    Unit(UnitId),
    /// A structure.
    Structure(StructureId),
}

/// Why something that was asked for did not happen, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The next tile of the path was contested (R6.2).
    Contested {
        /// Which tile.
        tile: Tile,
    },
    /// The next tile of the path carried a structure of another owner (R3.3, R6.2).
    ClosedHarbor {
        /// Which one.
        structure: StructureId,
    },
    /// A ship that wanted to leave the next tile of the path did not (R6.5, R6.7).
    WaitedFor {
        /// Which one, the first found where there are several.
        unit: UnitId,
    },
    /// The next tile of the path was closed by a passing encounter (R6.3, R6.5).
    WaitedForPassing {
        /// A ship that was crossing there.
        unit: UnitId,
    },
    /// An encounter ended its way for this turn (R7.4, R7.5).
    Halted {
        /// Of which kind.
        kind: EncounterKind,
        /// Where.
        site: Site,
        /// What the ship itself had chosen there.
        choice: Choice,
    },
    /// All proceeded, but an enemy stayed behind on the tile beyond (R7.4).
    NoRoomToCross {
        /// Which one.
        unit: UnitId,
    },
    /// It sank.
    Sunk,
    /// It is bound by a contest: it pressed or has just claimed (R9.5).
    Contending,
    /// There was not enough gold when its turn came (R11.3).
    Unpaid {
        /// What it costs.
        cost: u32,
        /// What there was.
        gold: i64,
    },
    /// The player had as many ships as allowed, queued ones included (R11.2).
    FleetFull,
    /// The player had as many shipyards as allowed (R11.2).
    ShipyardsFull,
    /// Another structure already stood on the harbor (R11.2).
    HarborTaken,
    /// The target was no longer adjacent when the guns were ready (R11.5).
    OutOfReach,
    /// No adjacent enemy to fire a broadside on (R10).
    NoTarget,
    /// It had fought in this turn and fires no broadside (R10).
    FoughtAlready,
    /// These rules have no broadsides (R10).
    BroadsidesOff,
}

/// Something that happened. Tick 0 is the contests', 1 and up are movement, 255 is the broadsides'.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A player's gold changed.
    Gold {
        /// Whose.
        player: PlayerId,
        /// By how much.
        change: i64,
        /// Why.
        reason: GoldReason,
        /// What it is now.
        balance: i64,
    },
    /// A ship became a shipyard.
    Deployed {
        /// The ship, which is no more.
        unit: UnitId,
        /// The new shipyard.
        structure: StructureId,
        /// Where.
        tile: Tile,
    },
    /// A shipyard took on a build.
    Queued {
        /// Which shipyard.
        structure: StructureId,
        /// What.
        class: ClassId,
    },
    /// A shipyard gave up a build.
    Cancelled {
        /// Which shipyard.
        structure: StructureId,
        /// What.
        class: ClassId,
    },
    /// A ship was made whole.
    Repaired {
        /// Which.
        unit: UnitId,
        /// Its hp now.
        hp: u16,
    },
    /// A ship was fitted with a piece.
    Upgraded {
        /// Which.
        unit: UnitId,
        /// With what.
        upgrade: Upgrade,
    },
    /// An order could not be carried out when its turn came (R11.3).
    Skipped {
        /// Whose order.
        subject: Subject,
        /// Why.
        cause: Cause,
    },
    /// A contender left its contest to move away (R9.2).
    Withdrew {
        /// Which.
        unit: UnitId,
        /// The contested tile.
        tile: Tile,
    },
    /// A ship moved one tile.
    Moved {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// Where to.
        to: Tile,
    },
    /// A ship waited (R6.5, R6.7).
    Waited {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// For whom.
        cause: Cause,
    },
    /// A ship could not go on and lost its path (R6.2).
    Blocked {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// By what.
        cause: Cause,
    },
    /// Ships met (R6.3, R6.7).
    Encounter {
        /// When.
        tick: u8,
        /// How.
        kind: EncounterKind,
        /// Where.
        site: Site,
        /// Who, by id.
        units: Box<[UnitId]>,
    },
    /// A ship's decision became known (R7.2).
    Decided {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// What.
        choice: Choice,
        /// Nobody answered in time.
        defaulted: bool,
    },
    /// A pair fought (R8).
    Exchanged {
        /// When.
        tick: u8,
        /// How it went.
        exchange: Exchange,
    },
    /// A ship sank.
    Sunk {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
    },
    /// A holder gave way (R7.5).
    GaveWay {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// Where to.
        to: Tile,
        /// In which direction.
        direction: Direction,
    },
    /// A tile became contested.
    ContestOpened {
        /// When.
        tick: u8,
        /// Where.
        tile: Tile,
        /// By whom, by id.
        contenders: Box<[UnitId]>,
    },
    /// A tile stopped being contested.
    ContestClosed {
        /// Where.
        tile: Tile,
        /// How.
        end: ContestEnd,
    },
    /// A ship fired on a structure (R11.5).
    Bombarded {
        /// Which ship.
        unit: UnitId,
        /// On what.
        structure: StructureId,
        /// Hp.
        damage: u16,
    },
    /// A structure changed hands (R11.5).
    Captured {
        /// Which.
        structure: StructureId,
        /// Who lost it.
        from: Option<PlayerId>,
        /// Who has it now.
        by: PlayerId,
    },
    /// A ship was finished.
    Spawned {
        /// The new ship.
        unit: UnitId,
        /// Whose.
        owner: PlayerId,
        /// What.
        class: ClassId,
        /// By which shipyard.
        structure: StructureId,
        /// Where.
        tile: Tile,
    },
    /// A finished ship found no place to appear (R11.4).
    SpawnDelayed {
        /// At which shipyard.
        structure: StructureId,
    },
    /// A ship left the game because its player gave up (R12.3).
    Removed {
        /// Which.
        unit: UnitId,
    },
    /// A player is out (R12.1, R12.3).
    Eliminated {
        /// Who.
        player: PlayerId,
        /// They gave up.
        conceded: bool,
    },
    /// A structure lost its owner (R12.1).
    Neutralised {
        /// Which.
        structure: StructureId,
    },
    /// The match is over (R12.2).
    Ended {
        /// How.
        result: MatchResult,
    },
}

/// An order, or a route, that did not do all it asked, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// Whose.
    pub subject: Subject,
    /// In which tick, where it was one.
    pub tick: Option<u8>,
    /// Why.
    pub cause: Cause,
}

//! What happened in a turn, in the order in which it happened, and why.

use parley_core::event;
use parley_core::grid::Tile;
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};

use crate::ids::{ClassId, StructureId};
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
    /// The tile that ships want and that others want or hold.
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
    /// Income at the start of a turn (R11.1).
    Income,
    /// The price of turning a ship into a shipyard (R11.2).
    DeployShipyard,
    /// The price of a ship that is put into a queue (R11.2).
    Build,
    /// The part of the price that a cancelled build gives back (R11.2).
    CancelBuild,
    /// The price of a repair (R11.2).
    Repair,
    /// The price of a piece that a ship is fitted with (R11.2).
    Upgrade,
    /// A share of what is paid for a sunk ship (R8.4).
    Salvage,
}

/// How a contest ended (R9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContestEnd {
    /// The contenders of one owner were left and took the tile.
    Claimed,
    /// No contender was left, and the tile is open again.
    Emptied,
    /// The limit of rounds was reached, and the tile is open again.
    Expired,
}

/// An exchange of a round (R8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The ship that rolled three dice.
    pub attacker: UnitId,
    /// The ship that rolled two dice.
    pub defender: UnitId,
    /// The attacker's dice, highest first.
    pub attacker_dice: [u8; 3],
    /// The defender's dice, highest first.
    pub defender_dice: [u8; 2],
    /// Hp that the attacker loses, told in full even where less was left (R8.1).
    pub attacker_loses: u16,
    /// Hp that the defender loses, told in full even where less was left (R8.1).
    pub defender_loses: u16,
}

/// The unit or structure that an order was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The order was for a unit.
    Unit(UnitId),
    /// The order was for a structure.
    Structure(StructureId),
}

/// Why something that was asked for did not happen, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The next tile of the path was contested (R6.2).
    Contested {
        /// The contested tile.
        tile: Tile,
    },
    /// The next tile of the path carried a structure of another owner (R3.3, R6.2).
    ClosedHarbor {
        /// The structure that closes the tile.
        structure: StructureId,
    },
    /// A ship that wanted to leave the next tile of the path did not (R6.5, R6.7).
    WaitedFor {
        /// The ship that did not leave, the one with the lowest id where there are several.
        unit: UnitId,
    },
    /// The next tile of the path was closed by a passing encounter (R6.3, R6.5).
    WaitedForPassing {
        /// The ship that was crossing there, the one with the lowest id where there are several.
        unit: UnitId,
    },
    /// An encounter ended the ship's way for this turn (R7.4, R7.5).
    Halted {
        /// Whether it was a passing or an entry.
        kind: EncounterKind,
        /// The edge or the tile of the encounter.
        site: Site,
        /// What the ship itself had chosen there.
        choice: Choice,
    },
    /// All proceeded, but an enemy stayed behind on the tile beyond (R7.4).
    NoRoomToCross {
        /// The enemy that stayed behind.
        unit: UnitId,
    },
    /// The unit sank.
    Sunk,
    /// The unit is bound by a contest: it pressed or has just claimed (R9.5).
    Contending,
    /// There was not enough gold when the order's turn came (R11.3).
    Unpaid {
        /// The price of the order, in gold.
        cost: u32,
        /// The gold that the player had.
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
    /// There was no adjacent enemy to fire a broadside on (R10).
    NoTarget,
    /// The ship had fought in this turn already and fires no broadside (R10).
    FoughtAlready,
    /// These rules have no broadsides (R10).
    BroadsidesOff,
}

/// Something that happened in a turn. Tick 0 is the contests', 1 and up are movement, 255 is the broadsides'. A group is an
/// encounter, a round of a contest, or an exchange of broadsides with its sinkings; groups count from 1 through the turn in
/// the order in which they begin.
pub type Event = event::Event<Body>;

/// What happened, whenever it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A player's gold changed.
    Gold {
        /// The player whose gold changed.
        player: PlayerId,
        /// How much gold came in; negative where it went out.
        change: i64,
        /// What the gold was paid or received for.
        reason: GoldReason,
        /// The gold that the player has now.
        balance: i64,
    },
    /// A ship became a shipyard.
    Deployed {
        /// The ship, which is no more.
        unit: UnitId,
        /// The new shipyard.
        structure: StructureId,
        /// The tile on which the shipyard stands.
        tile: Tile,
    },
    /// A shipyard took on a build.
    Queued {
        /// The shipyard that took on the build.
        structure: StructureId,
        /// The class of the ship that is to be built.
        class: ClassId,
    },
    /// A shipyard gave up a build.
    Cancelled {
        /// The shipyard that gave up the build.
        structure: StructureId,
        /// The place that the build had in the queue.
        place: u8,
        /// The class of the ship that will not be built.
        class: ClassId,
    },
    /// A ship was made whole.
    Repaired {
        /// The ship that was repaired.
        unit: UnitId,
        /// The ship's hp after the repair.
        hp: u16,
    },
    /// A ship was fitted with a piece.
    Upgraded {
        /// The ship that was fitted with the piece.
        unit: UnitId,
        /// The kind of the piece.
        upgrade: Upgrade,
    },
    /// An order could not be carried out when its turn came (R11.3).
    Skipped {
        /// The unit or structure whose order was skipped.
        subject: Subject,
        /// Why the order was skipped.
        cause: Cause,
    },
    /// A contender left its contest to move away (R9.2).
    Withdrew {
        /// The contender that left.
        unit: UnitId,
        /// The contested tile.
        tile: Tile,
    },
    /// A ship moved one tile.
    Moved {
        /// The ship that moved.
        unit: UnitId,
        /// The tile that the ship moved to.
        to: Tile,
    },
    /// A ship waited (R6.5, R6.7).
    Waited {
        /// The ship that waited.
        unit: UnitId,
        /// Whom the ship waited for.
        cause: Cause,
    },
    /// A ship could not go on and lost its path (R6.2).
    Blocked {
        /// The ship that was blocked.
        unit: UnitId,
        /// What blocked the ship.
        cause: Cause,
    },
    /// Ships met (R6.3, R6.7).
    Encounter {
        /// Whether it is a passing or an entry.
        kind: EncounterKind,
        /// The edge or the tile where the ships met.
        site: Site,
        /// The ships that met, by id.
        units: Box<[UnitId]>,
    },
    /// A ship's decision became known (R7.2).
    Decided {
        /// The ship that the decision is for.
        unit: UnitId,
        /// The choice that was made for the ship.
        choice: Choice,
        /// Whether nobody answered in time, so that the choice is the peaceful one (R7.2).
        defaulted: bool,
    },
    /// A pair fought (R8).
    Exchanged {
        /// The dice of the exchange and the losses of both ships.
        exchange: Exchange,
    },
    /// A ship sank.
    Sunk {
        /// The ship that sank.
        unit: UnitId,
    },
    /// A holder gave way (R7.5).
    GaveWay {
        /// The ship that gave way.
        unit: UnitId,
        /// The tile that the ship moved to.
        to: Tile,
        /// The direction of that move.
        direction: Direction,
    },
    /// A tile became contested.
    ContestOpened {
        /// The tile that became contested.
        tile: Tile,
        /// The ships that contest the tile, by id.
        contenders: Box<[UnitId]>,
    },
    /// A tile stopped being contested.
    ContestClosed {
        /// The tile that is no longer contested.
        tile: Tile,
        /// How the contest ended.
        end: ContestEnd,
    },
    /// A ship fired on a structure (R11.5).
    Bombarded {
        /// The ship that fired.
        unit: UnitId,
        /// The structure that was fired on.
        structure: StructureId,
        /// Hp that the structure loses.
        damage: u16,
    },
    /// A structure changed hands (R11.5).
    Captured {
        /// The structure that changed hands.
        structure: StructureId,
        /// The player who lost the structure; `None` where it was neutral.
        from: Option<PlayerId>,
        /// The player who has the structure now.
        by: PlayerId,
    },
    /// A ship was finished.
    Spawned {
        /// The new ship.
        unit: UnitId,
        /// The owner of the new ship.
        owner: PlayerId,
        /// The class of the new ship.
        class: ClassId,
        /// The shipyard that built the ship.
        structure: StructureId,
        /// The tile on which the ship appeared.
        tile: Tile,
    },
    /// A finished ship found no place to appear (R11.4).
    SpawnDelayed {
        /// The shipyard that holds the finished ship back.
        structure: StructureId,
    },
    /// A ship left the game because its player gave up (R12.3).
    Removed {
        /// The ship that left the game.
        unit: UnitId,
    },
    /// A player is out (R12.1, R12.3).
    Eliminated {
        /// The player who is out.
        player: PlayerId,
        /// Whether the player gave up (R12.3).
        conceded: bool,
    },
    /// A structure lost its owner (R12.1).
    Neutralised {
        /// The structure that lost its owner.
        structure: StructureId,
    },
    /// The match is over (R12.2).
    Ended {
        /// Who won, or between whom it is a draw.
        result: MatchResult,
    },
}

/// An order, or a route, that did not do all it asked, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The unit or structure whose order or route fell short.
    pub subject: Subject,
    /// The tick in which the order fell short, where it happened in one.
    pub tick: Option<u8>,
    /// Why the order fell short.
    pub cause: Cause,
}

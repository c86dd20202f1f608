//! What a viewer is told of a turn: events, encounters and shortfalls without what is secret (R14).

use parley_core::grid::Tile;
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};

use crate::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Site, Subject};
use crate::ids::{ClassId, StructureId};
use crate::order::Choice;
use crate::rules::Upgrade;
use crate::state::MatchResult;

use super::UnitView;

/// Something that happened, as far as one viewer may know. Ticks are those of [`crate::event::Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenEvent {
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
        /// The player that the shipyard belongs to.
        owner: PlayerId,
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
        /// Why the order was skipped; `None` where that would tell of something out of sight.
        cause: Option<Cause>,
    },
    /// A contender left its contest to move away (R9.2).
    Withdrew {
        /// The contender that left.
        unit: UnitId,
        /// The contested tile.
        tile: Tile,
    },
    /// A ship moved one tile, and both ends of the move were seen.
    Moved {
        /// The tick in which the ship moved.
        tick: u8,
        /// The ship that moved.
        unit: UnitId,
        /// The tile that the ship moved from.
        from: Tile,
        /// The tile that the ship moved to.
        to: Tile,
    },
    /// A holder gave way (R7.5), and both ends of the move were seen.
    GaveWay {
        /// The tick in which the holder gave way.
        tick: u8,
        /// The ship that gave way.
        unit: UnitId,
        /// The tile that the ship moved from.
        from: Tile,
        /// The tile that the ship moved to.
        to: Tile,
        /// The direction of that move.
        direction: Direction,
    },
    /// A ship came into sight, because it moved or because the viewer did.
    Appeared {
        /// The tick in which the ship appeared, where it was in one.
        tick: Option<u8>,
        /// The ship as it is now.
        unit: UnitView,
    },
    /// A ship that was in sight moved to where it is not.
    Vanished {
        /// The tick in which the ship moved out of sight.
        tick: u8,
        /// The ship that is out of sight now.
        unit: UnitId,
        /// The tile that the ship left.
        from: Tile,
    },
    /// The viewer sees other tiles than before. What stood on a lost tile is out of sight; what stands on a gained
    /// one follows.
    SightChanged {
        /// The tick in which the sight changed, where it was in one.
        tick: Option<u8>,
        /// Tiles that are seen now, with the rows of their terrain.
        gained: Vec<(Tile, u8)>,
        /// Tiles that are no longer seen.
        lost: Vec<Tile>,
    },
    /// A structure of somebody else came into sight.
    StructureSighted {
        /// The structure that came into sight.
        structure: StructureId,
        /// The player that it belongs to; `None` is neutral.
        owner: Option<PlayerId>,
        /// The tile that it stands on.
        tile: Tile,
    },
    /// A contest came into sight that the viewer is not in.
    ContestSighted {
        /// The tile that is contested.
        tile: Tile,
        /// The turn in which the contest began.
        since: u32,
        /// Those of the contenders that are in sight, by id.
        contenders: Vec<UnitId>,
    },
    /// A ship waited (R6.5, R6.7).
    Waited {
        /// The tick in which the ship waited.
        tick: u8,
        /// The ship that waited.
        unit: UnitId,
        /// Whom the ship waited for; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// A ship could not go on and lost its path (R6.2).
    Blocked {
        /// The tick in which the ship was blocked.
        tick: u8,
        /// The ship that was blocked.
        unit: UnitId,
        /// What blocked the ship; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// Ships met (R6.3, R6.7).
    Encounter {
        /// The tick in which the ships met.
        tick: u8,
        /// Whether it is a passing or an entry.
        kind: EncounterKind,
        /// The edge or the tile where the ships met.
        site: Site,
        /// The ships that met and their owners, by id; without those that the viewer does not see.
        units: Vec<(UnitId, PlayerId)>,
    },
    /// A ship's decision became known (R7.2).
    Decided {
        /// The tick of the encounter that the decision is about.
        tick: u8,
        /// The ship that the decision is for.
        unit: UnitId,
        /// The choice that was made for the ship.
        choice: Choice,
        /// Whether nobody answered in time. Only the owner knows, because it says that the engagement was `ASK`.
        defaulted: Option<bool>,
    },
    /// A pair fought (R8).
    Exchanged {
        /// The tick in which the pair fought; 255 for broadsides.
        tick: u8,
        /// The dice of the exchange and the losses of both ships.
        exchange: Exchange,
    },
    /// A ship sank.
    Sunk {
        /// The tick in which the ship sank.
        tick: u8,
        /// The ship that sank.
        unit: UnitId,
    },
    /// A tile became contested.
    ContestOpened {
        /// The tick in which the contest began.
        tick: u8,
        /// The tile that became contested.
        tile: Tile,
        /// The ships that contest the tile, by id; without those that the viewer does not see.
        contenders: Vec<UnitId>,
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
        unit: UnitView,
        /// The shipyard that built the ship; `None` where that is out of sight.
        structure: Option<StructureId>,
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
    /// A player is out (R12.1, R12.3); always public.
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
    /// The match is over (R12.2); always public.
    Ended {
        /// Who won, or between whom it is a draw.
        result: MatchResult,
    },
}

/// A ship in an encounter of a tick in which the viewer is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenParticipant {
    /// The ship that takes part.
    pub unit: UnitId,
    /// The owner of the ship.
    pub owner: PlayerId,
    /// Whether it stands on the tile that others want.
    pub holds: bool,
    /// Whether its owner is asked. Only that owner knows, because it says what the engagement is (R7.6).
    pub asked: Option<bool>,
}

/// An encounter of a tick in which owners are asked, as far as one viewer may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEncounter {
    /// The tick in which the ships met.
    pub tick: u8,
    /// Whether it is a passing or an entry.
    pub kind: EncounterKind,
    /// The edge or the tile where the ships met.
    pub site: Site,
    /// The ships in the encounter, by id: all of them where the viewer is in it, otherwise those in sight.
    pub participants: Vec<SeenParticipant>,
}

/// An order or route of the viewer that did not do all it asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenShortfall {
    /// The unit or structure whose order or route fell short.
    pub subject: Subject,
    /// The tick in which the order fell short, where it happened in one.
    pub tick: Option<u8>,
    /// Why the order fell short; `None` where that would tell of something out of sight.
    pub cause: Option<Cause>,
}

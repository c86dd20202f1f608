//! What a viewer is told of a turn: events, encounters and shortfalls without what is secret (R14).

use crate::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Site, Subject};
use crate::hex::Direction;
use crate::ids::{ClassId, PlayerId, StructureId, UnitId};
use crate::map::Tile;
use crate::order::Choice;
use crate::rules::Upgrade;
use crate::state::MatchResult;

use super::UnitView;

/// Something that happened, as far as one viewer may know. Ticks are those of [`crate::event::Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenEvent {
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
        /// Whose.
        owner: PlayerId,
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
        /// Why; `None` where that would tell of something out of sight.
        cause: Option<Cause>,
    },
    /// A contender left its contest to move away (R9.2).
    Withdrew {
        /// Which.
        unit: UnitId,
        /// The contested tile.
        tile: Tile,
    },
    /// A ship moved one tile, and both ends of the move were seen.
    Moved {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// Where from.
        from: Tile,
        /// Where to.
        to: Tile,
    },
    /// A holder gave way (R7.5), and both ends of the move were seen.
    GaveWay {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// Where from.
        from: Tile,
        /// Where to.
        to: Tile,
        /// In which direction.
        direction: Direction,
    },
    /// A ship came into sight, because it moved or because the viewer did.
    Appeared {
        /// When, where it was in a tick.
        tick: Option<u8>,
        /// The ship as it is now.
        unit: UnitView,
    },
    /// A ship that was in sight moved to where it is not.
    Vanished {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// The tile it left.
        from: Tile,
    },
    /// The viewer sees other tiles than before. What stood on a lost tile is out of sight; what stands on a gained
    /// one follows.
    SightChanged {
        /// When, where it was in a tick.
        tick: Option<u8>,
        /// Tiles that are seen now, with the rows of their terrain.
        gained: Vec<(Tile, u8)>,
        /// Tiles that are no longer seen.
        lost: Vec<Tile>,
    },
    /// A structure of somebody else came into sight.
    StructureSighted {
        /// Which.
        structure: StructureId,
        /// Whose; `None` is neutral.
        owner: Option<PlayerId>,
        /// Where.
        tile: Tile,
    },
    /// A contest came into sight that the viewer is not in.
    ContestSighted {
        /// Where.
        tile: Tile,
        /// The turn it began.
        since: u32,
        /// Those of the contenders that are in sight, by id.
        contenders: Vec<UnitId>,
    },
    /// A ship waited (R6.5, R6.7).
    Waited {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// For whom; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// A ship could not go on and lost its path (R6.2).
    Blocked {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// By what; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// Ships met (R6.3, R6.7).
    Encounter {
        /// When.
        tick: u8,
        /// How.
        kind: EncounterKind,
        /// Where.
        site: Site,
        /// Who and whose, by id; without those that the viewer does not see.
        units: Vec<(UnitId, PlayerId)>,
    },
    /// A ship's decision became known (R7.2).
    Decided {
        /// When.
        tick: u8,
        /// Which.
        unit: UnitId,
        /// What.
        choice: Choice,
        /// Nobody answered in time. Only its owner knows, because it says that the engagement was `ASK`.
        defaulted: Option<bool>,
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
    /// A tile became contested.
    ContestOpened {
        /// When.
        tick: u8,
        /// Where.
        tile: Tile,
        /// By whom, by id; without those that the viewer does not see.
        contenders: Vec<UnitId>,
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
        unit: UnitView,
        /// By which shipyard; `None` where that is out of sight.
        structure: Option<StructureId>,
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
    /// A player is out (R12.1, R12.3); always public.
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
    /// The match is over (R12.2); always public.
    Ended {
        /// How.
        result: MatchResult,
    },
}

/// A ship in an encounter that waits for decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenParticipant {
    /// Which.
    pub unit: UnitId,
    /// Whose.
    pub owner: PlayerId,
    /// It stands on the tile that others want.
    pub holds: bool,
    /// Its owner is asked. Only that owner knows, because it says what the engagement is (R7.6).
    pub asked: Option<bool>,
}

/// An encounter that waits for decisions, as far as one viewer may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEncounter {
    /// In which tick.
    pub tick: u8,
    /// Of which kind.
    pub kind: EncounterKind,
    /// Where.
    pub site: Site,
    /// Who, by id; everybody where the viewer is in it, otherwise those in sight.
    pub participants: Vec<SeenParticipant>,
}

/// An own order, or route, that did not do all it asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenShortfall {
    /// Whose.
    pub subject: Subject,
    /// In which tick, where it was one.
    pub tick: Option<u8>,
    /// Why; `None` where that would tell of something out of sight.
    pub cause: Option<Cause>,
}

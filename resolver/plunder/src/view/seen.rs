//! What a viewer is told of a turn: events, encounters and shortfalls without what is secret (R14).

use parley_core::grid::Tile;
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};

use crate::event::{Cause, ContestEnd, EncounterKind, Exchange, GoldReason, Site, Subject};
use crate::ids::{ClassId, StructureId};
use crate::order::Choice;
use crate::rules::Upgrade;
use crate::state::MatchResult;

use super::changes::Change;

/// Everything that one viewer learns of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTurn {
    /// What happened, in order.
    pub events: Vec<SeenEvent>,
    /// How the viewer's board changes: first with the events, each of which says how many changes are its own, and then to
    /// what it is at the end of the turn without an event.
    pub changes: Vec<Change>,
    /// Why the viewer's own orders fell short.
    pub shortfalls: Vec<SeenShortfall>,
}

/// Something that happened, as far as one viewer may know. Stages and ticks are those of [`crate::event::Event`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenEvent {
    /// The place of the stage that it happened in.
    pub stage: u8,
    /// The tick that it happened in, where it happened in one.
    pub tick: Option<u8>,
    /// The group that it belongs to, as this viewer counts groups: from 1, in the order of being told. 0 where it belongs to
    /// none, or where the viewer was not told of what the group began with.
    pub group: u32,
    /// How many of the changes are its own: the next ones after those of the events before it.
    pub changes: u32,
    /// Of an event that is told beside a list which everybody is told: how many of that list come before it.
    pub after: u32,
    /// What happened.
    pub body: SeenBody,
}

/// What happened, as far as one viewer may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenBody {
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
        /// The ship that moved.
        unit: UnitId,
        /// The tile that the ship moved from.
        from: Tile,
        /// The tile that the ship moved to.
        to: Tile,
    },
    /// A holder gave way (R7.5), and both ends of the move were seen.
    GaveWay {
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
        /// The ship that came into sight.
        unit: UnitId,
        /// The owner of the ship.
        owner: PlayerId,
        /// The class of the ship.
        class: ClassId,
        /// The tile that it is on.
        tile: Tile,
    },
    /// A ship that was in sight moved to where it is not.
    Vanished {
        /// The ship that is out of sight now.
        unit: UnitId,
        /// The tile that the ship left.
        from: Tile,
    },
    /// The viewer sees other tiles than before. Which ones is among its changes, with what is out of sight now; what has come
    /// into sight follows.
    SightChanged,
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
        /// The ship that waited.
        unit: UnitId,
        /// Whom the ship waited for; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// A ship could not go on and lost its path (R6.2).
    Blocked {
        /// The ship that was blocked.
        unit: UnitId,
        /// What blocked the ship; `None` where that is out of sight.
        cause: Option<Cause>,
    },
    /// Ships met (R6.3, R6.7).
    Encounter {
        /// Whether it is a passing or an entry.
        kind: EncounterKind,
        /// The edge or the tile where the ships met.
        site: Site,
        /// The ships that met and their owners, by id; without those that the viewer does not see.
        units: Vec<(UnitId, PlayerId)>,
    },
    /// A ship's decision became known (R7.2).
    Decided {
        /// The ship that the decision is for.
        unit: UnitId,
        /// The choice that was made for the ship.
        choice: Choice,
    },
    /// Nobody answered for a ship in time, so that its decision is the peaceful one (R7.2). Only the owner is told, because it
    /// says that the engagement was to ask.
    Defaulted {
        /// The ship that the decision was for.
        unit: UnitId,
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
    /// A tile became contested.
    ContestOpened {
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
        unit: UnitId,
        /// The owner of the new ship.
        owner: PlayerId,
        /// The class of the new ship.
        class: ClassId,
        /// The shipyard that built the ship; `None` where that is out of sight.
        structure: Option<StructureId>,
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
    /// The group of the encounter, as this viewer counts groups.
    pub group: u32,
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

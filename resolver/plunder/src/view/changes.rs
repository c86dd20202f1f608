//! How the board of one viewer changes in the course of a turn, in patches that say no more than what is not as it was (R14).
//!
//! A view, and after it the changes of a turn in order, are the next view. Whoever applies them needs no rule: a patch of a
//! thing that is not there is complete, and a thing that is gone was there.

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;

use crate::ids::{ClassId, StructureId};
use crate::state::{Engagement, Job, MatchResult, State};

use super::{ContestView, PlayerView, StructureView, UnitView};

/// A part of the board that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A unit is there, or is not what it was.
    Unit(UnitPatch),
    /// A unit is gone, or out of sight.
    UnitGone(UnitId),
    /// A structure is there, or is not what it was.
    Structure(StructurePatch),
    /// A structure is gone, or out of sight.
    StructureGone(StructureId),
    /// A tile is contested, or its contest is not what it was.
    Contest(ContestPatch),
    /// The contest of a tile is over, or out of sight.
    ContestGone(Tile),
    /// A player is not what they were.
    Player(PlayerPatch),
    /// The viewer sees other tiles.
    Sight(SightPatch),
    /// The number of the turn that is planned now.
    Turn(u32),
    /// How the match ended.
    Result(MatchResult),
}

/// What is left of a path, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutePatch {
    /// The tile that the unit stands on.
    pub from: Tile,
    /// The steps that are left.
    pub path: Path,
}

/// What is not as it was of a unit; everything that its viewer may know, where it was not in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitPatch {
    /// The id of the unit.
    pub id: UnitId,
    /// The class that it is of.
    pub class: Option<ClassId>,
    /// The player that it belongs to.
    pub owner: Option<PlayerId>,
    /// The tile that it stands on.
    pub tile: Option<Tile>,
    /// The hit points that it has left.
    pub hp: Option<u16>,
    /// How many pieces of sails are fitted.
    pub sails: Option<u8>,
    /// How many pieces of cannons are fitted.
    pub cannons: Option<u8>,
    /// How many pieces of hull are fitted.
    pub hull: Option<u8>,
    /// How it answers encounters, known to its owner alone.
    pub engagement: Option<Engagement>,
    /// What is left of its path, known to its owner alone.
    pub route: Option<RoutePatch>,
}

/// What is not as it was of a structure; everything, where it was not in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructurePatch {
    /// The id of the structure.
    pub id: StructureId,
    /// The player that it belongs to; `Some(None)` is neutral.
    pub owner: Option<Option<PlayerId>>,
    /// The tile that it stands on.
    pub tile: Option<Tile>,
    /// The hit points that it has left.
    pub hp: Option<u16>,
    /// The builds in its queue; `Some(None)` where fog hides them.
    pub queue: Option<Option<Vec<Job>>>,
}

/// What is not as it was of a contest; everything, where it was not in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestPatch {
    /// The contested tile.
    pub tile: Tile,
    /// The turn in which the contest began.
    pub since: Option<u32>,
    /// How many rounds have been fought.
    pub rounds: Option<u32>,
    /// The contenders that are in sight, by id.
    pub contenders: Option<Vec<UnitId>>,
}

/// What is not as it was of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerPatch {
    /// The id of the player.
    pub id: PlayerId,
    /// Whether the player has not been eliminated.
    pub alive: Option<bool>,
    /// The player's gold.
    pub gold: Option<i64>,
}

/// The tiles that a viewer sees now and did not, and the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SightPatch {
    /// The tiles that are seen now and were not, each with the row of its terrain.
    pub gained: Vec<(Tile, u8)>,
    /// The tiles that are no longer seen, and remembered.
    pub lost: Vec<Tile>,
}

/// The new value, where it is not the old one.
fn news<T: PartialEq>(old: Option<&T>, new: T) -> Option<T> {
    (old != Some(&new)).then_some(new)
}

impl UnitPatch {
    /// What makes one view of a unit another; `None` where nothing does. The tile is the one that the route begins on which
    /// the viewer knows.
    pub(super) fn between(old: Option<(&UnitView, Tile)>, new: &UnitView) -> Option<Self> {
        let was = old.map(|(view, _)| view);
        let route = new.route.map(|path| RoutePatch { from: new.tile, path });
        // A path without steps is the same wherever it begins.
        let same = |old: Path, from: Tile| new.route == Some(old) && (old.is_empty() || from == new.tile);
        let known = old.is_some_and(|(view, from)| view.route.is_some_and(|route| same(route, from)));
        let engagement = new.engagement.and_then(|new| news(was.and_then(|old| old.engagement.as_ref()), new));
        let patch = Self {
            id: new.id,
            class: news(was.map(|old| &old.class), new.class),
            owner: news(was.map(|old| &old.owner), new.owner),
            tile: news(was.map(|old| &old.tile), new.tile),
            hp: news(was.map(|old| &old.hp), new.hp),
            sails: news(was.map(|old| &old.sails), new.sails),
            cannons: news(was.map(|old| &old.cannons), new.cannons),
            hull: news(was.map(|old| &old.hull), new.hull),
            engagement,
            route: route.filter(|_| !known),
        };
        let Self { id: _, class, owner, tile, hp, sails, cannons, hull, engagement, route } = patch;
        let numbers = [sails, cannons, hull].iter().any(Option::is_some) || hp.is_some();
        let rest = class.is_some() || owner.is_some() || tile.is_some() || engagement.is_some() || route.is_some();
        (numbers || rest).then_some(patch)
    }
}

impl StructurePatch {
    /// What makes one view of a structure another; `None` where nothing does.
    pub(super) fn between(old: Option<&StructureView>, new: &StructureView) -> Option<Self> {
        let patch = Self {
            id: new.id,
            owner: news(old.map(|old| &old.owner), new.owner),
            tile: news(old.map(|old| &old.tile), new.tile),
            hp: news(old.map(|old| &old.hp), new.hp),
            queue: (old.map(|old| &old.queue) != Some(&new.queue)).then(|| new.queue.clone()),
        };
        let changed = patch.owner.is_some() || patch.tile.is_some() || patch.hp.is_some() || patch.queue.is_some();
        changed.then_some(patch)
    }
}

impl ContestPatch {
    /// What makes one view of a contest another; `None` where nothing does.
    pub(super) fn between(old: Option<&ContestView>, new: &ContestView) -> Option<Self> {
        let others = old.map(|old| &old.contenders) != Some(&new.contenders);
        let patch = Self {
            tile: new.tile,
            since: news(old.map(|old| &old.since), new.since),
            rounds: news(old.map(|old| &old.rounds), new.rounds),
            contenders: others.then(|| new.contenders.clone()),
        };
        (patch.since.is_some() || patch.rounds.is_some() || others).then_some(patch)
    }
}

impl PlayerPatch {
    /// What makes one view of a player another; `None` where nothing does. Whether gold is known never changes.
    pub(super) fn between(old: &PlayerView, new: &PlayerView) -> Option<Self> {
        let gold = new.gold.and_then(|gold| news(old.gold.as_ref(), gold));
        let patch = Self { id: new.id, alive: news(Some(&old.alive), new.alive), gold };
        (patch.alive.is_some() || patch.gold.is_some()).then_some(patch)
    }
}

/// The things of a viewer's view, each list in the order of the view's.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) players: Vec<PlayerView>,
    pub(super) units: Vec<UnitView>,
    pub(super) structures: Vec<StructureView>,
    pub(super) contests: Vec<ContestView>,
}

impl Board {
    /// Whether a unit is on the board.
    pub(super) fn has_unit(&self, id: UnitId) -> bool {
        self.units.binary_search_by_key(&id, |unit| unit.id).is_ok()
    }

    /// Whether a contest is on the board.
    pub(super) fn has_contest(&self, tile: Tile) -> bool {
        self.contests.iter().any(|contest| contest.tile == tile)
    }

    /// Puts a unit on the board as it is now, or takes it off.
    pub(super) fn set_unit(&mut self, id: UnitId, now: Option<UnitView>, origin: Tile, changes: &mut Vec<Change>) {
        match (self.units.binary_search_by_key(&id, |unit| unit.id), now) {
            (Ok(place), Some(now)) => {
                changes.extend(UnitPatch::between(Some((&self.units[place], origin)), &now).map(Change::Unit));
                self.units[place] = now;
            }
            (Ok(place), None) => {
                self.units.remove(place);
                changes.push(Change::UnitGone(id));
            }
            (Err(place), Some(now)) => {
                changes.extend(UnitPatch::between(None, &now).map(Change::Unit));
                self.units.insert(place, now);
            }
            (Err(_), None) => {}
        }
    }

    /// Puts a structure on the board as it is now, or takes it off.
    pub(super) fn set_structure(&mut self, id: StructureId, now: Option<StructureView>, changes: &mut Vec<Change>) {
        match (self.structures.binary_search_by_key(&id, |structure| structure.id), now) {
            (Ok(place), Some(now)) => {
                changes.extend(StructurePatch::between(Some(&self.structures[place]), &now).map(Change::Structure));
                self.structures[place] = now;
            }
            (Ok(place), None) => {
                self.structures.remove(place);
                changes.push(Change::StructureGone(id));
            }
            (Err(place), Some(now)) => {
                changes.extend(StructurePatch::between(None, &now).map(Change::Structure));
                self.structures.insert(place, now);
            }
            (Err(_), None) => {}
        }
    }

    /// Puts a contest on the board as it is now, or takes it off.
    pub(super) fn set_contest(&mut self, tile: Tile, now: Option<ContestView>, changes: &mut Vec<Change>) {
        let place = self.contests.iter().position(|contest| contest.tile == tile);
        match (place, now) {
            (Some(place), Some(now)) => {
                changes.extend(ContestPatch::between(Some(&self.contests[place]), &now).map(Change::Contest));
                self.contests[place] = now;
            }
            (Some(place), None) => {
                self.contests.remove(place);
                changes.push(Change::ContestGone(tile));
            }
            (None, Some(now)) => {
                changes.extend(ContestPatch::between(None, &now).map(Change::Contest));
                self.contests.push(now);
            }
            (None, None) => {}
        }
    }

    /// Changes what is known of a player.
    pub(super) fn set_player(&mut self, now: PlayerView, changes: &mut Vec<Change>) {
        if let Some(player) = self.players.iter_mut().find(|player| player.id == now.id) {
            changes.extend(PlayerPatch::between(player, &now).map(Change::Player));
            *player = now;
        }
    }

    /// Makes the board that of the state in which the next turn is planned.
    pub(super) fn become_next(&mut self, next: Self, before: &State, changes: &mut Vec<Change>) {
        self.take_off(&next, changes);
        let origin = |unit: &UnitView| before.unit(unit.id).map_or(unit.tile, |unit| unit.tile);
        for unit in next.units {
            self.set_unit(unit.id, Some(unit.clone()), origin(&unit), changes);
        }
        for structure in next.structures {
            self.set_structure(structure.id, Some(structure), changes);
        }
        for contest in next.contests {
            self.set_contest(contest.tile, Some(contest), changes);
        }
        for player in next.players {
            self.set_player(player, changes);
        }
    }

    /// Takes off what is not on another board.
    fn take_off(&mut self, next: &Self, changes: &mut Vec<Change>) {
        let gone = |unit: &UnitView| !next.has_unit(unit.id);
        changes.extend(self.units.extract_if(.., |unit| gone(unit)).map(|unit| Change::UnitGone(unit.id)));
        let stands = |id| next.structures.binary_search_by_key(&id, |structure| structure.id).is_ok();
        let gone = self.structures.extract_if(.., |structure| !stands(structure.id));
        changes.extend(gone.map(|structure| Change::StructureGone(structure.id)));
        let gone = self.contests.extract_if(.., |contest| !next.has_contest(contest.tile));
        changes.extend(gone.map(|contest| Change::ContestGone(contest.tile)));
    }
}

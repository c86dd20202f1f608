//! Everything that is true between two turns.

use std::sync::Arc;

use arrayvec::ArrayVec;
use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use smallvec::SmallVec;

use crate::ids::{ClassId, StructureId};
use crate::map::Map;
use crate::rules::{Rules, Upgrade};

/// The most gold a player can have; what comes above it is lost.
pub const MAX_GOLD: i64 = 1_000_000_000_000;
/// The most players of a match.
pub const MAX_PLAYERS: usize = 250;
/// The most structures of a match.
pub const MAX_STRUCTURES: usize = 4096;
/// The longest queue any rules can allow.
pub const MAX_QUEUE: usize = 16;

/// How a unit answers an encounter when nobody is asked (R7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum Engagement {
    /// Its owner decides.
    #[default]
    Ask = 0,
    /// It proceeds or yields.
    Evade = 1,
    /// It attacks.
    Fight = 2,
    /// It attacks with at least half of its hp, and evades below.
    FightIfHealthy = 3,
}

/// A player of the match, alive or eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The id of the player.
    pub id: PlayerId,
    /// The player's gold, which is never negative (R11.6).
    pub gold: i64,
    /// Whether the player has not been eliminated (R12.1).
    pub alive: bool,
}

/// A unit in play, such as a ship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The id of the unit.
    pub id: UnitId,
    /// The tile that it stands on.
    pub tile: Tile,
    /// The player that it belongs to.
    pub owner: PlayerId,
    /// The class that it is of.
    pub class: ClassId,
    /// Its hit points, which are above 0 between turns.
    pub hp: u16,
    /// How many pieces of sails are fitted.
    pub sails: u8,
    /// How many pieces of cannons are fitted.
    pub cannons: u8,
    /// How many pieces of hull are fitted.
    pub hull: u8,
    /// How it answers encounters, kept until its owner changes it (R7.6).
    pub engagement: Engagement,
    /// What is left of an earlier path (R5.3).
    pub route: Path,
}

impl Unit {
    /// How many pieces of an upgrade are fitted.
    pub const fn fitted(&self, upgrade: Upgrade) -> u8 {
        match upgrade {
            Upgrade::Sails => self.sails,
            Upgrade::Cannons => self.cannons,
            Upgrade::Hull => self.hull,
        }
    }

    pub(crate) fn fit(&mut self, upgrade: Upgrade) {
        match upgrade {
            Upgrade::Sails => self.sails += 1,
            Upgrade::Cannons => self.cannons += 1,
            Upgrade::Hull => self.hull += 1,
        }
    }

    fn bonus(&self, of: impl Fn(Upgrade) -> u32) -> u32 {
        Upgrade::ALL.into_iter().map(|u| u32::from(self.fitted(u)) * of(u)).sum()
    }

    /// How many tiles it can move in a turn (R4).
    pub fn speed(&self, rules: &Rules) -> u8 {
        let bonus = self.bonus(|u| rules.upgrade(u).speed.into());
        (u32::from(rules.class(self.class).speed) + bonus) as u8
    }

    /// Its hp when it is whole (R4).
    pub fn max_hp(&self, rules: &Rules) -> u16 {
        let bonus = self.bonus(|u| rules.upgrade(u).hull.into());
        (u32::from(rules.class(self.class).hull) + bonus) as u16
    }

    /// What its cannons add to damage (R8.3, R11.5).
    pub fn firepower(&self, rules: &Rules) -> u16 {
        let bonus = self.bonus(|u| rules.upgrade(u).damage.into());
        (u32::from(rules.class(self.class).cannons) + bonus) as u16
    }

    /// Hp that an enemy loses for each comparison it loses to this unit (R8.3).
    pub fn hit(&self, rules: &Rules) -> u16 {
        rules.combat().damage.get() as u16 + self.firepower(rules)
    }
}

/// A build in the queue of a shipyard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The class of the ship that is built.
    pub class: ClassId,
    /// Turns until it is finished; with 0 it waits for a free tile (R11.4).
    pub turns_left: u8,
}

/// A shipyard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// The id of the structure.
    pub id: StructureId,
    /// The player that it belongs to; `None` is neutral (R12.1).
    pub owner: Option<PlayerId>,
    /// The harbor tile that it stands on.
    pub tile: Tile,
    /// Its hit points, which are above 0.
    pub hp: u16,
    /// The builds that it was ordered; only the head of the queue advances (R11.2).
    pub queue: ArrayVec<Job, MAX_QUEUE>,
}

/// A contested tile (R9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The tile that is contested, on which nobody stands.
    pub tile: Tile,
    /// The turn in which the contest began.
    pub since: u32,
    /// How many rounds have been fought, the first included.
    pub rounds: u32,
    /// The units that contest the tile, on adjacent tiles, by id.
    pub contenders: SmallVec<[UnitId; 4]>,
}

/// How a match ended (R12.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchResult {
    /// One player is left, or was ahead at the turn limit.
    Winner(PlayerId),
    /// Nobody is ahead of these players.
    Draw(Vec<PlayerId>),
}

/// Everything that is true between two turns. Lists are by id, contests by `(q, r)`.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) map: Arc<Map>,
    pub(crate) turn: u32,
    pub(crate) players: Vec<Player>,
    pub(crate) units: Vec<Unit>,
    pub(crate) structures: Vec<Structure>,
    pub(crate) contests: Vec<Contest>,
    pub(crate) next_unit: u32,
    pub(crate) next_structure: u32,
    pub(crate) result: Option<MatchResult>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = Self::empty(Arc::clone(&self.map));
        copy.clone_from(self);
        copy
    }

    /// Copies a state into the memory of the lists that are there already.
    fn clone_from(&mut self, source: &Self) {
        let Self { map, turn, players, units, structures, contests, next_unit, next_structure, result } = source;
        if !Arc::ptr_eq(&self.map, map) {
            self.map = Arc::clone(map);
        }
        self.players.clone_from(players);
        self.units.clone_from(units);
        self.structures.clone_from(structures);
        self.contests.clone_from(contests);
        (self.turn, self.next_unit, self.next_structure) = (*turn, *next_unit, *next_structure);
        self.result.clone_from(result);
    }
}

impl State {
    /// A state without players, units, structures and contests.
    pub(crate) const fn empty(map: Arc<Map>) -> Self {
        Self {
            map,
            turn: 0,
            players: Vec::new(),
            units: Vec::new(),
            structures: Vec::new(),
            contests: Vec::new(),
            next_unit: 1,
            next_structure: 1,
            result: None,
        }
    }

    /// The map, which never changes.
    pub const fn map(&self) -> &Arc<Map> {
        &self.map
    }

    /// The turn that is being planned.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// All players by id, eliminated ones included.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The player with an id.
    pub fn player(&self, id: PlayerId) -> Option<&Player> {
        self.players.binary_search_by_key(&id, |p| p.id).ok().map(|i| &self.players[i])
    }

    /// All units by id.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The unit with an id.
    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        self.unit_index(id).map(|i| &self.units[i])
    }

    pub(crate) fn unit_index(&self, id: UnitId) -> Option<usize> {
        self.units.binary_search_by_key(&id, |u| u.id).ok()
    }

    /// All structures by id.
    pub fn structures(&self) -> &[Structure] {
        &self.structures
    }

    /// The structure with an id.
    pub fn structure(&self, id: StructureId) -> Option<&Structure> {
        self.structures.binary_search_by_key(&id, |s| s.id).ok().map(|i| &self.structures[i])
    }

    /// The structure on a tile.
    pub fn structure_at(&self, tile: Tile) -> Option<&Structure> {
        self.structures.iter().find(|s| s.tile == tile)
    }

    /// Contested tiles in `(q, r)` order.
    pub fn contests(&self) -> &[Contest] {
        &self.contests
    }

    /// The contest that a unit is in.
    pub fn contest_of(&self, unit: UnitId) -> Option<&Contest> {
        self.contests.iter().find(|c| c.contenders.contains(&unit))
    }

    /// The contest on a tile.
    pub fn contest_at(&self, tile: Tile) -> Option<&Contest> {
        self.contests.iter().find(|c| c.tile == tile)
    }

    /// How the match ended, once it has.
    pub const fn result(&self) -> Option<&MatchResult> {
        self.result.as_ref()
    }

    /// The id that the next new unit gets.
    pub const fn next_unit(&self) -> u32 {
        self.next_unit
    }

    /// The id that the next new structure gets.
    pub const fn next_structure(&self) -> u32 {
        self.next_structure
    }

    /// The hex of a tile of this state's map.
    pub fn hex(&self, tile: Tile) -> Hex {
        self.map.grid().hex(tile)
    }

    /// Whether a structure of somebody else closes a tile to a player (R3.3). A neutral one closes it to all.
    pub fn closed_to(&self, tile: Tile, player: PlayerId) -> bool {
        self.structure_at(tile).is_some_and(|s| s.owner != Some(player))
    }

    /// Whether a unit is where shipyard work is done: on an own shipyard or beside it (R11.2).
    pub fn at_own_shipyard(&self, unit: &Unit) -> bool {
        let grid = self.map.grid();
        self.structures
            .iter()
            .filter(|s| s.owner == Some(unit.owner))
            .any(|s| s.tile == unit.tile || grid.adjacent(s.tile, unit.tile))
    }

    /// A player's ships and the ones in their queues (R11.2).
    pub fn fleet_size(&self, player: PlayerId) -> usize {
        let queued: usize = self.structures.iter().filter(|s| s.owner == Some(player)).map(|s| s.queue.len()).sum();
        queued + self.units.iter().filter(|u| u.owner == player).count()
    }

    /// How many bytes the state takes in memory, without the map, which matches share.
    pub fn size_without_map(&self) -> usize {
        let spilled =
            |c: &Contest| if c.contenders.spilled() { size_of::<UnitId>() * c.contenders.capacity() } else { 0 };
        size_of::<Self>()
            + size_of::<Player>() * self.players.capacity()
            + size_of::<Unit>() * self.units.capacity()
            + size_of::<Structure>() * self.structures.capacity()
            + size_of::<Contest>() * self.contests.capacity()
            + self.contests.iter().map(spilled).sum::<usize>()
    }

    /// How many shipyards a player has.
    pub fn shipyards(&self, player: PlayerId) -> usize {
        self.structures.iter().filter(|s| s.owner == Some(player)).count()
    }
}

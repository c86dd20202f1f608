//! The sea as it is shown: a view, changed as the server says.

use std::sync::Arc;

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_plunder::preview::Fighter;
use parley_plunder::rules::{Class, Domain, Rules, Upgrade, UpgradeRow};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use crate::board::apply;

/// What the ground of a tile looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The viewer has never seen the tile.
    Unknown,
    /// Water far from land.
    Deep,
    /// Any other water.
    Sea,
    /// Water where a shipyard can stand.
    Harbor,
    /// Land, where no ship goes.
    Land,
}

/// A view with the map that it is of, as a screen looks things up in it.
#[derive(Clone, Debug)]
pub struct Board {
    rules: Arc<Rules>,
    grid: Grid,
    /// What each row of the view's terrain keys looks like.
    grounds: Vec<Ground>,
    view: plunder::View,
}

impl Board {
    /// Reads a view; `None` where its map makes no sense.
    pub fn read(rules: &Arc<Rules>, view: &plunder::View) -> Option<Self> {
        let grid = Grid::new(view.width, view.height, view.wrap)?;
        if view.terrain.len() != grid.len() {
            return None;
        }
        let grounds = view.terrain_keys.iter().map(|key| ground(rules, key)).collect();
        Some(Self { rules: Arc::clone(rules), grid, grounds, view: view.clone() })
    }

    /// What the viewer may know of the sea.
    pub const fn view(&self) -> &plunder::View {
        &self.view
    }

    /// Changes the board as the server says.
    pub fn apply<'a>(&mut self, changes: impl IntoIterator<Item = &'a plunder::Change>) {
        changes.into_iter().for_each(|change| apply(&mut self.view, change));
    }

    /// The geometry of the map.
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The rules of the match.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The seat of the viewer; `None` is a spectator's.
    pub const fn seat(&self) -> Option<u32> {
        self.view.seat
    }

    /// The turn that is planned on the board.
    pub const fn turn(&self) -> u32 {
        self.view.turn
    }

    /// The tile at a hex, if it is on the map.
    pub fn tile(&self, hex: Option<&common::Hex>) -> Option<Tile> {
        hex.and_then(|hex| self.grid.tile(Hex::new(hex.q, hex.r)))
    }

    /// The tile in a column and a row, if it is on the map.
    pub fn tile_in(&self, column: u32, row: u32) -> Option<Tile> {
        self.grid.tile(Hex::new(column as i32 - (row >> 1) as i32, row as i32))
    }

    /// The hex of a tile.
    pub fn hex(&self, tile: Tile) -> common::Hex {
        let Hex { q, r } = self.grid.hex(tile);
        common::Hex { q, r }
    }

    /// What the ground of a tile looks like.
    pub fn ground(&self, tile: Tile) -> Ground {
        let row = self.view.terrain.get(tile.index()).map(|&row| usize::from(row));
        row.and_then(|row| self.grounds.get(row)).copied().unwrap_or(Ground::Unknown)
    }

    /// Whether a tile is seen now, and not only remembered.
    pub fn is_seen(&self, tile: Tile) -> bool {
        let (seen, tile) = (&self.view.visible, tile.index());
        seen.is_empty() || seen.get(tile / 8).is_some_and(|byte| byte >> (tile % 8) & 1 == 1)
    }

    /// All players, by id.
    pub fn players(&self) -> &[plunder::Player] {
        &self.view.players
    }

    /// Whether the viewer has a seat and is still in the match.
    pub fn is_alive(&self) -> bool {
        self.seat().is_some_and(|seat| self.players().iter().any(|player| player.id == seat && player.alive))
    }

    /// The ships in sight, by id.
    pub fn ships(&self) -> impl Iterator<Item = &plunder::Unit> {
        self.view.units.iter()
    }

    /// One ship in sight.
    pub fn ship(&self, id: u32) -> Option<&plunder::Unit> {
        self.ships().find(|unit| unit.id == id)
    }

    /// The viewer's own ships, by id.
    pub fn own_ships(&self) -> impl Iterator<Item = &plunder::Unit> {
        self.ships().filter(|unit| Some(unit.owner) == self.seat())
    }

    /// The ships on a tile, by id. They all have one owner (R2.1).
    pub fn ships_at(&self, tile: Tile) -> impl Iterator<Item = &plunder::Unit> {
        self.ships().filter(move |unit| self.tile(unit.hex.as_ref()) == Some(tile))
    }

    /// The shipyards in sight, by id.
    pub fn shipyards(&self) -> impl Iterator<Item = &plunder::Structure> {
        self.view.structures.iter()
    }

    /// One shipyard in sight.
    pub fn shipyard(&self, id: u32) -> Option<&plunder::Structure> {
        self.shipyards().find(|yard| yard.id == id)
    }

    /// The viewer's own shipyards, by id.
    pub fn own_shipyards(&self) -> impl Iterator<Item = &plunder::Structure> {
        self.shipyards().filter(|yard| yard.owner.is_some() && yard.owner == self.seat())
    }

    /// The shipyard on a tile.
    pub fn shipyard_at(&self, tile: Tile) -> Option<&plunder::Structure> {
        self.shipyards().find(|yard| self.tile(yard.hex.as_ref()) == Some(tile))
    }

    /// The contest about a tile.
    pub fn contest_at(&self, tile: Tile) -> Option<&plunder::Contest> {
        self.view.contests.iter().find(|contest| self.tile(contest.hex.as_ref()) == Some(tile))
    }

    /// The contest that a ship is in.
    pub fn contest_of(&self, unit: u32) -> Option<&plunder::Contest> {
        self.view.contests.iter().find(|contest| contest.contenders.contains(&unit))
    }

    /// The tiles that a path leads over.
    pub fn tiles(&self, path: &[common::Hex]) -> Vec<Tile> {
        path.iter().filter_map(|hex| self.tile(Some(hex))).collect()
    }

    fn class(&self, unit: &plunder::Unit) -> Option<&Class> {
        self.rules.class_named(&unit.class).map(|id| self.rules.class(id))
    }

    /// What the pieces of a ship add up to.
    fn bonus(&self, unit: &plunder::Unit, of: impl Fn(&UpgradeRow) -> u32) -> u32 {
        let fitted = [(Upgrade::Sails, unit.sails), (Upgrade::Cannons, unit.cannons), (Upgrade::Hull, unit.hull)];
        fitted.into_iter().map(|(upgrade, count)| count.saturating_mul(of(self.rules.upgrade(upgrade)))).sum()
    }

    /// The most hp a ship can have (R4).
    pub fn max_hp(&self, unit: &plunder::Unit) -> u32 {
        let hull = self.class(unit).map_or(0, |class| u32::from(class.hull));
        hull + self.bonus(unit, |row| row.hull.into())
    }

    /// How many tiles a ship sails in a turn (R4).
    pub fn speed(&self, unit: &plunder::Unit) -> u32 {
        let speed = self.class(unit).map_or(0, |class| u32::from(class.speed));
        speed + self.bonus(unit, |row| row.speed.into())
    }

    /// What a ship's cannons add to damage (R4).
    pub fn firepower(&self, unit: &plunder::Unit) -> u32 {
        let cannons = self.class(unit).map_or(0, |class| u32::from(class.cannons));
        cannons + self.bonus(unit, |row| row.damage.into())
    }

    /// The hp and the hits of a ship in a fight (R8.3).
    pub fn fighter(&self, unit: &plunder::Unit) -> Fighter {
        let hit = self.rules.combat().damage.get() + self.firepower(unit);
        let small = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        Fighter { hp: small(unit.hp), hit: small(hit) }
    }
}

/// What a terrain of the rules looks like.
fn ground(rules: &Rules, key: &str) -> Ground {
    match rules.terrains().iter().find(|terrain| terrain.key == key) {
        None => Ground::Unknown,
        Some(terrain) if terrain.harbor => Ground::Harbor,
        Some(terrain) if !terrain.admits(Domain::Naval) => Ground::Land,
        Some(terrain) if terrain.key == "deep" => Ground::Deep,
        Some(_) => Ground::Sea,
    }
}

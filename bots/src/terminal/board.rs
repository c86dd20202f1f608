//! The sea as it is shown: a view, and what has happened since.

use std::collections::BTreeMap;
use std::sync::Arc;

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_plunder::preview::Fighter;
use parley_plunder::rules::{Class, Domain, Rules, Upgrade, UpgradeRow};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::event::What;

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

/// A map with everything that stands on it, as far as the viewer knows.
#[derive(Clone, Debug)]
pub struct Board {
    rules: Arc<Rules>,
    grid: Grid,
    /// The seat of the viewer; `None` is a spectator's.
    seat: Option<u32>,
    turn: u32,
    ground: Vec<Ground>,
    /// Which tiles are seen now.
    seen: Vec<bool>,
    players: Vec<plunder::Player>,
    ships: BTreeMap<u32, plunder::Unit>,
    shipyards: BTreeMap<u32, plunder::Structure>,
    contests: BTreeMap<Tile, plunder::Contest>,
}

impl Board {
    /// Reads a view; `None` where its map makes no sense.
    pub fn read(rules: &Arc<Rules>, view: &plunder::View) -> Option<Self> {
        let grid = Grid::new(view.width, view.height, view.wrap)?;
        if view.terrain.len() != grid.len() {
            return None;
        }
        let grounds: Vec<Ground> = view.terrain_keys.iter().map(|key| ground(rules, key)).collect();
        let known = |row: &u8| grounds.get(usize::from(*row)).copied().unwrap_or(Ground::Unknown);
        let bit = |tile: usize| view.visible.get(tile / 8).is_some_and(|byte| byte >> (tile % 8) & 1 == 1);
        let mut board = Self {
            rules: Arc::clone(rules),
            grid,
            seat: view.seat,
            turn: view.turn,
            ground: view.terrain.iter().map(known).collect(),
            seen: (0..grid.len()).map(|tile| view.visible.is_empty() || bit(tile)).collect(),
            players: view.players.clone(),
            ships: view.units.iter().map(|unit| (unit.id, unit.clone())).collect(),
            shipyards: view.structures.iter().map(|yard| (yard.id, yard.clone())).collect(),
            contests: BTreeMap::new(),
        };
        for contest in &view.contests {
            if let Some(tile) = board.tile(contest.hex.as_ref()) {
                board.contests.insert(tile, contest.clone());
            }
        }
        Some(board)
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
        self.seat
    }

    /// The turn that the view was of.
    pub const fn turn(&self) -> u32 {
        self.turn
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
        self.ground.get(tile.index()).copied().unwrap_or(Ground::Unknown)
    }

    /// Whether a tile is seen now, and not only remembered.
    pub fn is_seen(&self, tile: Tile) -> bool {
        self.seen.get(tile.index()).copied().unwrap_or(false)
    }

    /// All players, by id.
    pub fn players(&self) -> &[plunder::Player] {
        &self.players
    }

    /// Whether the viewer has a seat and is still in the match.
    pub fn is_alive(&self) -> bool {
        self.seat.is_some_and(|seat| self.players.iter().any(|player| player.id == seat && player.alive))
    }

    /// The ships in sight, by id.
    pub fn ships(&self) -> impl Iterator<Item = &plunder::Unit> {
        self.ships.values()
    }

    /// One ship in sight.
    pub fn ship(&self, id: u32) -> Option<&plunder::Unit> {
        self.ships.get(&id)
    }

    /// The viewer's own ships, by id.
    pub fn own_ships(&self) -> impl Iterator<Item = &plunder::Unit> {
        self.ships.values().filter(|unit| Some(unit.owner) == self.seat)
    }

    /// The ships on a tile, by id. They all have one owner (R2.1).
    pub fn ships_at(&self, tile: Tile) -> impl Iterator<Item = &plunder::Unit> {
        self.ships.values().filter(move |unit| self.tile(unit.hex.as_ref()) == Some(tile))
    }

    /// The shipyards in sight, by id.
    pub fn shipyards(&self) -> impl Iterator<Item = &plunder::Structure> {
        self.shipyards.values()
    }

    /// One shipyard in sight.
    pub fn shipyard(&self, id: u32) -> Option<&plunder::Structure> {
        self.shipyards.get(&id)
    }

    /// The viewer's own shipyards, by id.
    pub fn own_shipyards(&self) -> impl Iterator<Item = &plunder::Structure> {
        self.shipyards.values().filter(|yard| yard.owner.is_some() && yard.owner == self.seat)
    }

    /// The shipyard on a tile.
    pub fn shipyard_at(&self, tile: Tile) -> Option<&plunder::Structure> {
        self.shipyards.values().find(|yard| self.tile(yard.hex.as_ref()) == Some(tile))
    }

    /// The contest about a tile.
    pub fn contest_at(&self, tile: Tile) -> Option<&plunder::Contest> {
        self.contests.get(&tile)
    }

    /// The contest that a ship is in.
    pub fn contest_of(&self, unit: u32) -> Option<&plunder::Contest> {
        self.contests.values().find(|contest| contest.contenders.contains(&unit))
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

    /// Changes the board by an event.
    pub fn apply(&mut self, event: &plunder::Event) {
        match event.what.as_ref() {
            Some(What::Gold(gold)) => {
                if let Some(player) = self.players.iter_mut().find(|player| player.id == gold.player) {
                    player.gold = Some(gold.balance);
                }
            }
            Some(What::Moved(moved)) => self.place(moved.unit, moved.to),
            Some(What::GaveWay(gave)) => self.place(gave.unit, gave.to),
            Some(What::Appeared(plunder::event::Appeared { unit, owner, class, hex }))
            | Some(What::Spawned(plunder::event::Spawned { unit, owner, class, hex, .. })) => {
                let ship =
                    plunder::Unit { id: *unit, owner: *owner, class: class.clone(), hex: *hex, ..Default::default() };
                self.ships.insert(*unit, ship);
            }
            Some(What::Vanished(plunder::event::Vanished { unit, .. }))
            | Some(What::Sunk(plunder::event::Sunk { unit }))
            | Some(What::Removed(plunder::event::Removed { unit })) => self.lose(*unit),
            Some(What::Exchanged(e)) => {
                for (unit, loss) in [(e.attacker, e.attacker_loses), (e.defender, e.defender_loses)] {
                    self.change(unit, |unit| unit.hp = unit.hp.saturating_sub(loss));
                }
            }
            Some(What::Repaired(repaired)) => self.change(repaired.unit, |unit| unit.hp = repaired.hp),
            Some(What::Upgraded(upgraded)) => self.fit(upgraded.unit, upgraded.upgrade()),
            Some(What::Withdrew(withdrew)) => self.leave_contests(withdrew.unit),
            Some(What::Eliminated(eliminated)) => {
                if let Some(player) = self.players.iter_mut().find(|player| player.id == eliminated.player) {
                    player.alive = false;
                }
            }
            Some(What::ContestOpened(opened)) => {
                let contest = plunder::Contest {
                    hex: opened.hex,
                    since: self.turn,
                    rounds: 1,
                    contenders: opened.contenders.clone(),
                };
                self.contest(contest);
            }
            Some(What::ContestSighted(sighted)) => {
                let contest = plunder::Contest {
                    hex: sighted.hex,
                    since: sighted.since,
                    rounds: 0,
                    contenders: sighted.contenders.clone(),
                };
                self.contest(contest);
            }
            Some(What::ContestClosed(closed)) => {
                if let Some(tile) = self.tile(closed.hex.as_ref()) {
                    self.contests.remove(&tile);
                }
            }
            Some(what) => self.apply_to_shipyards(what),
            None => {}
        }
    }

    fn apply_to_shipyards(&mut self, what: &What) {
        match what {
            What::Deployed(deployed) => {
                self.lose(deployed.unit);
                let hp = self.rules.shipyard().hp.get();
                self.shipyards.insert(
                    deployed.structure,
                    plunder::Structure {
                        id: deployed.structure,
                        owner: Some(deployed.owner),
                        hex: deployed.hex,
                        hp,
                        ..plunder::Structure::default()
                    },
                );
            }
            What::StructureSighted(sighted) => {
                let structure = plunder::Structure {
                    id: sighted.structure,
                    owner: sighted.owner,
                    hex: sighted.hex,
                    ..plunder::Structure::default()
                };
                self.shipyards.entry(sighted.structure).or_insert(structure);
            }
            What::Bombarded(bombarded) => {
                if let Some(yard) = self.shipyards.get_mut(&bombarded.structure) {
                    yard.hp = yard.hp.saturating_sub(bombarded.damage);
                }
            }
            What::Captured(captured) => self.hand_over(captured.structure, Some(captured.by)),
            What::Neutralised(neutralised) => self.hand_over(neutralised.structure, None),
            _ => {}
        }
    }

    fn change(&mut self, unit: u32, how: impl FnOnce(&mut plunder::Unit)) {
        if let Some(unit) = self.ships.get_mut(&unit) {
            how(unit);
        }
    }

    fn place(&mut self, unit: u32, hex: Option<common::Hex>) {
        self.change(unit, |unit| unit.hex = hex);
    }

    fn fit(&mut self, unit: u32, upgrade: plunder::Upgrade) {
        self.change(unit, |unit| match upgrade {
            plunder::Upgrade::Sails => unit.sails += 1,
            plunder::Upgrade::Cannons => unit.cannons += 1,
            plunder::Upgrade::Hull => unit.hull += 1,
            plunder::Upgrade::Unspecified => {}
        });
        let piece = match upgrade {
            plunder::Upgrade::Sails => Upgrade::Sails,
            plunder::Upgrade::Cannons => Upgrade::Cannons,
            plunder::Upgrade::Hull | plunder::Upgrade::Unspecified => Upgrade::Hull,
        };
        let whole = self.ships.get(&unit).map(|unit| self.max_hp(unit));
        if let Some(hp) = whole.filter(|_| self.rules.upgrade(piece).heals) {
            self.change(unit, |unit| unit.hp = hp);
        }
    }

    fn lose(&mut self, unit: u32) {
        self.ships.remove(&unit);
        self.leave_contests(unit);
    }

    fn leave_contests(&mut self, unit: u32) {
        self.contests.values_mut().for_each(|contest| contest.contenders.retain(|&id| id != unit));
    }

    fn contest(&mut self, contest: plunder::Contest) {
        if let Some(tile) = self.tile(contest.hex.as_ref()) {
            self.contests.entry(tile).or_insert(contest);
        }
    }

    fn hand_over(&mut self, structure: u32, owner: Option<u32>) {
        if let Some(yard) = self.shipyards.get_mut(&structure) {
            yard.owner = owner;
            yard.queue.clear();
        }
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

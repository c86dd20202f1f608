//! Random positions: map, owners, shipyards, ships and contests that do not contradict themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::hex::{Hex, Map};
use super::rng::Rng;

pub struct Ship {
    pub id: u32,
    pub owner: u32,
    pub at: Hex,
    pub hp: i64,
    pub sails: i64,
    pub cannons: i64,
    pub hull: i64,
    pub engagement: &'static str,
}

pub struct Shipyard {
    pub id: u32,
    pub owner: Option<u32>,
    pub at: Hex,
    pub hp: i64,
    pub queue: Vec<i64>,
}

pub struct Contest {
    pub at: Hex,
    pub contenders: BTreeSet<u32>,
}

pub struct Board {
    pub rows: Vec<String>,
    pub map: Map,
    pub owners: Vec<u32>,
    pub ships: Vec<Ship>,
    pub shipyards: Vec<Shipyard>,
    pub contests: Vec<Contest>,
}

impl Board {
    pub fn map_json(&self) -> Value {
        json!({"width": self.map.width, "height": self.map.height, "wrap": self.map.wrap, "tiles": self.rows})
    }

    pub fn ships_on(&self, tile: Hex) -> Vec<&Ship> {
        self.ships.iter().filter(|ship| ship.at == tile).collect()
    }

    pub fn shipyard_on(&self, tile: Hex) -> Option<&Shipyard> {
        self.shipyards.iter().find(|yard| yard.at == tile)
    }

    pub fn is_contender(&self, ship: u32) -> bool {
        self.contests.iter().any(|c| c.contenders.contains(&ship))
    }

    pub fn navigable_tiles(&self) -> Vec<Hex> {
        let all = self.map.terrain.keys().copied();
        all.filter(|hex| self.map.navigable(*hex)).collect()
    }

    /// Ships and queued ships of an owner (R11.2: 12 at the most).
    pub fn count(&self, owner: u32) -> usize {
        let ships = self.ships.iter().filter(|s| s.owner == owner).count();
        let yards = self.shipyards.iter().filter(|y| y.owner == Some(owner));
        ships + yards.map(|yard| yard.queue.len()).sum::<usize>()
    }
}

/// What a board is made for.
pub struct Plan {
    pub shipyards: bool,
    pub contests: bool,
    pub most_ships: usize,
    /// Per cent of the chance that a ship joins a friend on its tile.
    pub stacking: usize,
    pub engagements: Vec<&'static str>,
}

fn terrain(rng: &mut Rng, harbors: bool) -> Vec<String> {
    let width = rng.between(2, 9) as usize;
    let height = rng.between(1, 8) as usize;
    let land = rng.pick(&[0, 0, 5, 15, 30]);
    let harbor = if harbors { rng.pick(&[5, 15, 30, 50]) } else { rng.pick(&[0, 0, 5]) };
    let mut rows = Vec::new();
    for _ in 0..height {
        let mut row = String::new();
        for _ in 0..width {
            let symbol = match rng.below(100) {
                n if n < land => '#',
                n if n < land + harbor => 'H',
                n if n % 2 == 0 => '~',
                _ => '.',
            };
            row.push(symbol);
        }
        rows.push(row);
    }
    if !rows.iter().any(|row| row.contains(['~', '.'])) {
        rows[0].replace_range(0..1, ".");
    }
    rows
}

fn owners(rng: &mut Rng) -> Vec<u32> {
    let count = rng.pick(&[1, 2, 2, 2, 3, 3, 3, 4, 4, 5]);
    let mut chosen = BTreeSet::new();
    let highest = rng.pick(&[5, 8, 40]);
    while chosen.len() < count {
        chosen.insert(rng.between(0, highest) as u32);
    }
    chosen.into_iter().collect()
}

fn add_shipyards(board: &mut Board, rng: &mut Rng) {
    let percent = rng.pick(&[30, 60, 90]);
    let mut id = rng.between(0, 3) as u32;
    let harbors: Vec<Hex> = board.map.terrain.iter().filter(|(_, t)| **t == 'H').map(|(h, _)| *h).collect();
    for at in harbors {
        let owner = if rng.chance(20) { None } else { Some(rng.pick(&board.owners)) };
        let full = owner.is_some() && board.shipyards.iter().filter(|y| y.owner == owner).count() >= 4;
        if !rng.chance(percent) || full {
            continue;
        }
        let mut queue = Vec::new();
        if let Some(owner) = owner {
            for _ in 0..rng.pick(&[0, 0, 1, 1, 2, 5]) {
                if board.count(owner) + queue.len() < 8 {
                    queue.push(3);
                }
            }
            if let Some(head) = queue.first_mut() {
                *head = rng.between(0, 3);
            }
        }
        let hp = if rng.chance(50) { rng.between(1, 6) } else { rng.between(1, 20) };
        board.shipyards.push(Shipyard { id, owner, at, hp, queue });
        id += 1 + rng.below(3) as u32;
    }
}

fn ship_ids(rng: &mut Rng, count: usize) -> Vec<u32> {
    let mut id = match rng.below(30) {
        0 => (1 << 28) - 1 - 3000,
        1 => 0,
        2 => rng.between(1, 200_000_000) as u32,
        _ => rng.between(1, 20) as u32,
    };
    let gap = rng.pick(&[1, 3, 50]);
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(id);
        id += 1 + rng.below(gap) as u32;
    }
    ids
}

/// May a ship of the owner stand here? On the shipyard of somebody else only where `intruding`.
fn may_stand(board: &Board, owner: u32, tile: Hex, intruding: bool) -> bool {
    let foreign = board.shipyard_on(tile).is_some_and(|yard| yard.owner != Some(owner));
    board.map.navigable(tile)
        && !board.contests.iter().any(|contest| contest.at == tile)
        && !board.ships_on(tile).iter().any(|ship| ship.owner != owner)
        && (!foreign || intruding)
}

fn add_ship(board: &mut Board, rng: &mut Rng, plan: &Plan, id: u32) {
    let owner = rng.pick(&board.owners);
    if board.count(owner) >= 12 {
        return;
    }
    // A few tiles that are worth crowding around: contests, shipyards, friends.
    let mut tiles = board.navigable_tiles();
    let friends: Vec<Hex> = board.ships.iter().filter(|s| s.owner == owner).map(|s| s.at).collect();
    if rng.chance(plan.stacking) && !friends.is_empty() {
        tiles = friends;
    } else if rng.chance(50) {
        let mut centers: Vec<Hex> = board.contests.iter().map(|c| c.at).collect();
        centers.extend(board.shipyards.iter().map(|y| y.at));
        if let Some(center) = rng.pick_or_none(&centers) {
            tiles = board.map.neighbours(center);
            tiles.push(center);
        }
    }
    let intruding = rng.chance(3);
    tiles.retain(|tile| may_stand(board, owner, *tile, intruding));
    let Some(at) = rng.pick_or_none(&tiles) else {
        return;
    };
    let hull = rng.pick(&[0, 0, 0, 1, 2]);
    let most = 10 + 10 * hull;
    let hp = match rng.below(4) {
        0 => most,
        1 => rng.between(1, 4),
        2 => most / 2 - rng.between(0, 1),
        _ => rng.between(1, most),
    };
    board.ships.push(Ship {
        id,
        owner,
        at,
        hp,
        sails: rng.pick(&[0, 0, 1, 2, 5]),
        cannons: rng.pick(&[0, 0, 1, 3, 5]),
        hull,
        engagement: rng.pick(&plan.engagements),
    });
}

fn choose_contested_tiles(board: &mut Board, rng: &mut Rng) {
    for _ in 0..rng.pick(&[0, 1, 1, 2, 4]) {
        let mut tiles = board.navigable_tiles();
        tiles.retain(|tile| board.shipyard_on(*tile).is_none() && !board.contests.iter().any(|c| c.at == *tile));
        if let Some(at) = rng.pick_or_none(&tiles) {
            let contenders = BTreeSet::new();
            board.contests.push(Contest { at, contenders });
        }
    }
    board.contests.sort_by_key(|contest| contest.at);
}

fn choose_contenders(board: &mut Board, rng: &mut Rng) {
    for i in 0..board.contests.len() {
        let tile = board.contests[i].at;
        let mut chosen = BTreeSet::new();
        for ship in &board.ships {
            let near = board.map.adjacent(ship.at, tile);
            if near && !board.is_contender(ship.id) && rng.chance(70) {
                chosen.insert(ship.id);
            }
        }
        board.contests[i].contenders = chosen;
    }
    // A contest without contenders is what two ships leave behind that sank each other: rare.
    let keep_empty = rng.chance(10);
    board.contests.retain(|contest| keep_empty || !contest.contenders.is_empty());
}

pub fn board(rng: &mut Rng, plan: &Plan) -> Board {
    let rows = terrain(rng, plan.shipyards);
    let width = rows[0].len() as i32;
    let map = Map::new(width, rows.len() as i32, rng.chance(50), &rows);
    let mut board =
        Board { rows, map, owners: owners(rng), ships: Vec::new(), shipyards: Vec::new(), contests: Vec::new() };
    if plan.shipyards {
        add_shipyards(&mut board, rng);
    }
    if plan.contests {
        choose_contested_tiles(&mut board, rng);
    }
    for id in ship_ids(rng, plan.most_ships) {
        let room = board.navigable_tiles().len() * 6 / 10;
        let occupied: BTreeMap<Hex, u32> = board.ships.iter().map(|s| (s.at, s.id)).collect();
        if occupied.len() <= room {
            add_ship(&mut board, rng, plan, id);
        }
    }
    choose_contenders(&mut board, rng);
    board
}

//! Random worlds: a draft of plain numbers that shrinks well, and the rules, state and orders made of it.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::event::Subject;
use crate::ids::{ClassId, StructureId};
use crate::map::Map;
use crate::order::{Action, Choice, OrderSheet, StructureOrder, UnitOrder, Work};
use crate::rules::{Domain, Rules, Upgrade};
use crate::ruleset::{Game, Outcome, Step, Workspace};
use crate::stages::Encounter;
use crate::state::{Contest, Engagement, Job, Player, State, Structure, Unit};
use crate::view::Passage;

/// Seats of a random world.
pub(super) const SEATS: u8 = 3;

/// One ship of a draft; the numbers are taken modulo whatever there is to choose from.
#[derive(Clone, Debug)]
pub(super) struct ShipDraft {
    pub(super) tile: usize,
    pub(super) owner: u8,
    pub(super) bits: u32,
    pub(super) way: u64,
}

/// A world in plain numbers.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    width: u32,
    height: u32,
    wrap: bool,
    ground: Vec<u8>,
    vision: [u8; 3],
    ships: Vec<ShipDraft>,
    yards: Vec<(usize, u8, u8)>,
    contests: Vec<usize>,
    gold: [u16; SEATS as usize],
    seed: u8,
}

pub(super) fn ships(most: usize) -> impl Strategy<Value = Vec<ShipDraft>> {
    let ship = (any::<u16>(), 0..SEATS, any::<u32>(), any::<u64>());
    vec(ship.prop_map(|(tile, owner, bits, way)| ShipDraft { tile: tile.into(), owner, bits, way }), 0..most)
}

/// Worlds of a size where ships meet and still lose sight of each other; `vision` is the range of all eyes.
pub(super) fn drafts(vision: std::ops::Range<u8>) -> impl Strategy<Value = Draft> {
    let yard = (any::<u16>().prop_map(usize::from), 0..=SEATS, any::<u8>());
    (
        (3..15u32, 3..12u32, any::<bool>(), vec(any::<u8>(), 64)),
        [vision.clone(), vision.clone(), vision],
        (ships(16), vec(yard, 0..4), vec(any::<u16>().prop_map(usize::from), 0..3)),
        any::<[u16; SEATS as usize]>(),
        any::<u8>(),
    )
        .prop_map(|((width, height, wrap, ground), vision, (ships, yards, contests), gold, seed)| Draft {
            width,
            height,
            wrap,
            ground,
            vision,
            ships,
            yards,
            contests,
            gold,
            seed,
        })
}

pub(super) fn player(id: u8) -> PlayerId {
    PlayerId::new(id.into()).expect("a small id")
}

pub(super) fn unit_id(id: usize) -> UnitId {
    UnitId::new(id as u64).expect("a small id")
}

/// Rules, a state and locked orders.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) rules: Arc<Rules>,
    pub(super) state: State,
    pub(super) sheets: Vec<OrderSheet>,
    /// What the orders of later turns are made of.
    ships: Vec<ShipDraft>,
    seed: u8,
}

/// A moment at which a turn waits for answers.
#[derive(Clone)]
pub(super) struct Pause {
    pub(super) encounters: Vec<Encounter>,
    /// How many events the turn has had.
    pub(super) events: usize,
    /// The ships that are in the game, where they are, and their hp.
    pub(super) afloat: Vec<(UnitId, Tile, u16)>,
}

/// A resolved turn with its pauses.
pub(super) struct Played {
    pub(super) outcome: Outcome,
    /// The state after it.
    pub(super) after: State,
    pub(super) pauses: Vec<Pause>,
}

impl Played {
    /// The turn as those are told of it who may know of it.
    pub(super) fn passage<'a>(&'a self, world: &'a World) -> Passage<'a> {
        let Outcome { before, events, shortfalls, .. } = &self.outcome;
        Passage { rules: &world.rules, before, after: &self.after, events, shortfalls }
    }
}

impl Draft {
    pub(super) fn world(&self, fog: bool) -> World {
        let rules = rules(fog, self.vision);
        let grid = Grid::new(self.width, self.height, self.wrap).expect("a small grid");
        let mut state = State {
            map: Arc::new(Map::assemble(grid, self.terrain(&grid), &rules)),
            turn: 7,
            players: (0..SEATS)
                .map(|id| Player { id: player(id), gold: self.gold[usize::from(id)].into(), alive: true })
                .collect(),
            units: Vec::new(),
            structures: Vec::new(),
            contests: Vec::new(),
            next_unit: 1,
            next_structure: 1,
            result: None,
        };
        for &(at, owner, bits) in &self.yards {
            add_yard(&mut state, Tile::from_index(at % grid.len()), owner, bits);
        }
        for &at in &self.contests {
            let tile = Tile::from_index(at % grid.len());
            let open = state.map.navigable(tile, Domain::Naval) && state.structure_at(tile).is_none();
            if open && state.contest_at(tile).is_none() {
                state.contests.push(Contest {
                    tile,
                    since: 3,
                    rounds: 1 + (at % 4) as u32,
                    contenders: Default::default(),
                });
            }
        }
        state.contests.sort_by_key(|contest| grid.hex(contest.tile));
        let mut sheets: Vec<OrderSheet> = (0..SEATS).map(|id| OrderSheet::empty(player(id))).collect();
        for draft in &self.ships {
            if let Some(id) = add_ship(&rules, &mut state, draft) {
                let order = order(&state, id, draft);
                sheets[usize::from(draft.owner)].units.push(order);
            }
        }
        order_structures(&state, &mut sheets);
        sheets[0].concede = self.seed == 0;
        sheets[1].concede = self.seed < 8;
        World { rules, state, sheets, ships: self.ships.clone(), seed: self.seed }
    }

    /// Mostly sea, with harbors under the shipyards and everywhere else by the ground's numbers.
    fn terrain(&self, grid: &Grid) -> Vec<u8> {
        let mut terrain: Vec<u8> = (0..grid.len())
            .map(|at| match self.ground[at % self.ground.len()] {
                0..=20 => 2,
                21..=60 => 3,
                61..=120 => 0,
                _ => 1,
            })
            .collect();
        for &(at, _, _) in &self.yards {
            terrain[at % grid.len()] = 3;
        }
        terrain
    }
}

fn rules(fog: bool, [ship, boat, yard]: [u8; 3]) -> Arc<Rules> {
    let class = |key: &str, speed: u8, vision: u8| {
        serde_json::json!({"key": key, "domain": "naval", "hull": 10, "speed": speed, "cannons": 0,
            "vision": vision, "build_cost": 50, "build_turns": 2})
    };
    let overrides = serde_json::json!({
        "fog": if fog { "on" } else { "off" },
        "classes": [class("ship", 3, ship), class("boat", 5, boat)],
        "shipyard": {"vision": yard, "hp": 8},
    });
    Arc::new(Rules::plunder().with_overrides(&overrides).expect("sound rules"))
}

fn add_yard(state: &mut State, tile: Tile, owner: u8, bits: u8) {
    if !state.map.is_harbor(tile) || state.structure_at(tile).is_some() {
        return;
    }
    let id = StructureId::new(state.next_structure.into()).expect("a small id");
    state.next_structure += 1;
    let queue = (0..bits % 3).map(|i| Job { class: ClassId(i % 2), turns_left: bits / 64 % 3 }).collect();
    let owner = (owner < SEATS).then(|| player(owner));
    state.structures.push(Structure { id, owner, tile, hp: 1 + u16::from(bits % 8), queue });
}

/// Adds a ship where R2.1, R3.3 and R9.1 allow it, and to a contest beside it if its bits say so.
pub(super) fn add_ship(rules: &Rules, state: &mut State, draft: &ShipDraft) -> Option<UnitId> {
    let tile = Tile::from_index(draft.tile % state.map.grid().len());
    let owner = player(draft.owner);
    let enemy = state.units.iter().any(|u| u.tile == tile && u.owner != owner);
    let shut = state.closed_to(tile, owner) || state.contest_at(tile).is_some();
    if enemy || shut || !state.map.navigable(tile, Domain::Naval) {
        return None;
    }
    let id = unit_id(state.next_unit as usize);
    state.next_unit += 1;
    let [bits, fitted, hp, _] = draft.bits.to_le_bytes();
    let mut unit = Unit {
        id,
        tile,
        owner,
        class: ClassId(bits & 1),
        hp: 0,
        sails: fitted & 1,
        cannons: fitted >> 1 & 3,
        hull: fitted >> 3 & 1,
        engagement: engagement(bits >> 1),
        route: if bits >> 3 & 3 == 0 { way(state, tile, draft.way) } else { Path::EMPTY },
    };
    unit.hp = 1 + u16::from(hp) % unit.max_hp(rules);
    if bits >> 5 & 1 == 0 {
        let grid = *state.map.grid();
        let beside = state.contests.iter_mut().find(|contest| grid.adjacent(contest.tile, tile));
        beside.into_iter().for_each(|contest| contest.contenders.push(id));
    }
    state.units.push(unit);
    Some(id)
}

pub(super) fn engagement(bits: u8) -> Engagement {
    match bits % 4 {
        0 => Engagement::Ask,
        1 => Engagement::Evade,
        2 => Engagement::Fight,
        _ => Engagement::FightIfHealthy,
    }
}

/// A walk over water by these numbers.
pub(super) fn way(state: &State, from: Tile, bits: u64) -> Path {
    let (mut here, mut path) = (from, Path::EMPTY);
    for step in 0..bits % 8 {
        let direction = Direction::from_index((bits >> (8 + 5 * step)) as usize % 32);
        match state.map.grid().neighbor(here, direction) {
            Some(next) if state.map.navigable(next, Domain::Naval) => {
                let _ = path.push(direction);
                here = next;
            }
            _ => {}
        }
    }
    path
}

fn order(state: &State, id: UnitId, draft: &ShipDraft) -> UnitOrder {
    let unit = state.unit(id).expect("just added");
    let mut here = unit.tile;
    let path = way(state, here, draft.way);
    let steps = path.iter().map(|direction| {
        here = state.map.grid().neighbor(here, direction).expect("a walk on the map");
        state.hex(here)
    });
    let target = state.structures.iter().find(|s| state.map.grid().adjacent(s.tile, unit.tile));
    let bits = draft.bits >> 24;
    let action = match (bits % 16, target) {
        (0, _) => None,
        (1, _) => Some(Action::Hold),
        (2, _) if state.map.is_harbor(unit.tile) => Some(Action::DeployShipyard),
        (3, _) => Some(Action::Repair),
        (4, _) => Some(Action::Upgrade(Upgrade::Hull)),
        (5..=9, Some(target)) => Some(Action::Bombard(target.id)),
        _ if path.is_empty() => None,
        _ => Some(Action::Move(steps.collect())),
    };
    UnitOrder { unit: id, action, broadside: bits >> 4 & 3 == 0, engagement: None }
}

/// Orders some of the structures to build, and some to give up a build.
fn order_structures(state: &State, sheets: &mut [OrderSheet]) {
    for structure in &state.structures {
        let Some(owner) = structure.owner else { continue };
        let work = match structure.hp % 4 {
            0 => Work::Build(ClassId(1)),
            1 => Work::CancelBuild(0),
            _ => continue,
        };
        sheets[usize::from(owner.get())].structures.push(StructureOrder { structure: structure.id, work });
    }
}

impl World {
    /// The world in the next turn, with new orders of the same kind.
    pub(super) fn after(&self, played: &Played) -> Self {
        let state = played.after.clone();
        let mut sheets: Vec<OrderSheet> = (0..SEATS).map(|id| OrderSheet::empty(player(id))).collect();
        for unit in state.units.iter().filter(|_| !self.ships.is_empty()) {
            let mixed = unit.id.get() as usize + state.turn as usize;
            let draft = &self.ships[mixed % self.ships.len()];
            let way = draft.way.rotate_left(mixed as u32);
            let draft = ShipDraft { bits: draft.bits.rotate_left(mixed as u32), way, ..draft.clone() };
            sheets[usize::from(unit.owner.get())].units.push(order(&state, unit.id, &draft));
        }
        order_structures(&state, &mut sheets);
        Self { state, sheets, ..self.clone() }
    }

    /// Plays the turn. Owners answer by their ships' ids, the same in every world.
    pub(super) fn play(&self) -> Played {
        let seed = Seed::from_bytes([self.seed; 32]);
        let digest = Digest::genesis(&self.rules, &self.state);
        let mut game = Game::revealed(Arc::clone(&self.rules), self.state.clone(), seed, digest);
        for sheet in &self.sheets {
            game.lock(game.judge(sheet).legal).expect("sheets of this turn");
        }
        let mut workspace = Workspace::new();
        let mut pauses = Vec::new();
        let mut answers = Vec::new();
        loop {
            match game.advance(&mut workspace, &answers).expect("only asked ships answer") {
                Step::Resolved(outcome) => return Played { outcome: *outcome, after: game.into_state(), pauses },
                Step::Asked => {
                    let attacks = |about: Subject| match about {
                        Subject::Unit(unit) => (unit.get() + u32::from(self.seed)) % 3 > 0,
                        Subject::Structure(_) => false,
                    };
                    let asked = game.questions().iter().filter(|question| attacks(question.about));
                    answers = asked.filter_map(|question| question.picking(&Choice::Attack)).collect();
                    let turn = game.open_turn().expect("it waits");
                    let (encounters, afloat) = (turn.encounters(), turn.units_afloat());
                    pauses.push(Pause { encounters, events: game.so_far().len(), afloat });
                }
            }
        }
    }
}

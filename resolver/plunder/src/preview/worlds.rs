//! Random states for property tests: small, crowded, and valid between turns.

use std::sync::Arc;

use parley_core::grid::{Grid, Tile};
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use smallvec::SmallVec;

use crate::ids::StructureId;
use crate::map::Map;
use crate::rules::{Domain, Rules};
use crate::state::{Contest, Engagement, Job, MatchResult, Player, State, Structure, Unit};

/// Rules and a state that fits them.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) rules: Arc<Rules>,
    pub(crate) state: State,
}

pub(crate) fn player(id: u64) -> PlayerId {
    PlayerId::new(id).expect("a small id")
}

pub(crate) fn unit(id: u64) -> UnitId {
    UnitId::new(id).expect("a small id")
}

/// The default rules with some of what matters to options changed.
fn rules() -> impl Strategy<Value = Rules> {
    let choices = (0u32..6, 0u32..3, any::<bool>(), any::<bool>(), 0u32..4);
    choices.prop_map(|(ships, shipyards, broadsides, no_income, speed)| {
        let mut stages = vec!["income", "shipyard_work", "contests", "movement", "broadsides", "construction"];
        if no_income {
            stages.remove(0);
        }
        stages.push("reckoning");
        let class = |key: &str, speed: u32, cost: u32| {
            json!({"key": key, "domain": "naval", "hull": 10, "speed": speed, "cannons": 0, "vision": 3,
                   "build_cost": cost, "build_turns": 3})
        };
        let changes = json!({
            "broadsides": if broadsides { "on_order" } else { "off" },
            "economy": {"ships_per_player": 4 + ships},
            "shipyard": {"per_player": 1 + shipyards, "queue": 3},
            "classes": [class("ship", speed, 50), class("galleon", 6, 95)],
            "stages": stages,
        });
        Rules::plunder().with_overrides(&changes).expect("valid rules")
    })
}

/// Whether the second class is built, and the turns that are left.
type JobDraft = (bool, u8);

/// The numbers a state is made from; what does not fit is left out.
#[derive(Clone, Debug)]
struct Draft {
    width: u32,
    wrap: bool,
    terrain: Vec<u8>,
    gold: Vec<(i64, bool)>,
    units: Vec<(usize, u64, u16, [u8; 3], bool)>,
    structures: Vec<(usize, Option<u64>, Vec<JobDraft>)>,
    contests: Vec<usize>,
    over: bool,
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let size = (1u32..8, 1usize..8);
    let sea = prop_oneof![6 => Just(1u8), 2 => Just(2u8), 3 => Just(3u8)];
    size.prop_flat_map(move |(width, height)| {
        let tiles = width as usize * height;
        let pieces = (0u8..=5, 0u8..=5, 0u8..=2).prop_map(|(a, b, c)| [a, b, c]);
        let gold = prop_oneof![0i64..200, Just(1_000_000_000_000)];
        let queue = vec((any::<bool>(), 0u8..=3), 0..=3);
        let draft = (
            any::<bool>(),
            vec(sea.clone(), tiles),
            vec((gold, prop::bool::weighted(0.95)), 3),
            vec((0..tiles, 0u64..3, 1u16..=30, pieces, any::<bool>()), 1..10),
            vec((0..tiles, prop::option::weighted(0.8, 0u64..3), queue), 0..8),
            vec(0..tiles, 0..3),
            prop::bool::weighted(0.05),
        );
        let drafts = draft.prop_map(move |(wrap, terrain, gold, units, structures, contests, over)| Draft {
            width,
            wrap: wrap && width > 1,
            terrain,
            gold,
            units,
            structures,
            contests,
            over,
        });
        (rules(), drafts).prop_map(|(rules, draft)| build(rules, &draft))
    })
}

fn build(rules: Rules, draft: &Draft) -> World {
    let height = draft.terrain.len() as u32 / draft.width;
    let grid = Grid::new(draft.width, height, draft.wrap).expect("a grid");
    let map = Map::assemble(grid, draft.terrain.clone(), &rules);
    let players = (0..).zip(&draft.gold).map(|(id, &(gold, alive))| Player { id: player(id), gold, alive });
    let mut state = State {
        map: Arc::new(map),
        turn: 7,
        players: players.collect(),
        units: Vec::new(),
        structures: Vec::new(),
        contests: Vec::new(),
        next_unit: 100,
        next_structure: 100,
        result: draft.over.then(|| MatchResult::Winner(player(0))),
    };
    add_structures(&rules, &mut state, draft);
    add_units(&rules, &mut state, draft);
    add_contests(&mut state, draft);
    World { rules: Arc::new(rules), state }
}

fn is_alive(state: &State, owner: u64) -> bool {
    state.player(player(owner)).is_some_and(|p| p.alive)
}

fn add_structures(rules: &Rules, state: &mut State, draft: &Draft) {
    let classes: Vec<_> = rules.class_ids().collect();
    for (place, owner, queue) in &draft.structures {
        let tile = Tile::from_index(*place);
        if !state.map.is_harbor(tile) || state.structure_at(tile).is_some() {
            continue;
        }
        let owner = owner.filter(|&owner| is_alive(state, owner));
        let jobs = queue.iter().map(|&(large, turns_left)| Job { class: classes[usize::from(large)], turns_left });
        let id = StructureId::new(state.structures.len() as u64).expect("a small id");
        let queue = if owner.is_some() { jobs.collect() } else { Default::default() };
        state.structures.push(Structure { id, owner: owner.map(player), tile, hp: 20, queue });
    }
}

fn add_units(rules: &Rules, state: &mut State, draft: &Draft) {
    let classes: Vec<_> = rules.class_ids().collect();
    for &(place, owner, hp, [sails, cannons, hull], large) in &draft.units {
        let (tile, owner_id) = (Tile::from_index(place), player(owner));
        let shared = state.units.iter().any(|u| u.tile == tile && u.owner != owner_id);
        let navigable = state.map.navigable(tile, Domain::Naval);
        if shared || !navigable || state.closed_to(tile, owner_id) || !is_alive(state, owner) {
            continue;
        }
        let (id, class) = (unit(state.units.len() as u64), classes[usize::from(large)]);
        let (engagement, route) = (Engagement::Evade, Path::EMPTY);
        let mut new = Unit { id, tile, owner: owner_id, class, hp, sails, cannons, hull, engagement, route };
        new.hp = hp.min(new.max_hp(rules));
        state.units.push(new);
    }
}

fn add_contests(state: &mut State, draft: &Draft) {
    let grid = *state.map.grid();
    for &place in &draft.contests {
        let tile = Tile::from_index(place);
        let taken = state.units.iter().any(|u| u.tile == tile) || state.contest_at(tile).is_some();
        if taken || state.structure_at(tile).is_some() || !state.map.navigable(tile, Domain::Naval) {
            continue;
        }
        let free = state.units.iter().filter(|u| grid.adjacent(u.tile, tile) && state.contest_of(u.id).is_none());
        let contenders: SmallVec<_> = free.map(|u| u.id).collect();
        state.contests.push(Contest { tile, since: 5, rounds: 1, contenders });
    }
    state.contests.sort_by_key(|contest| grid.hex(contest.tile));
}

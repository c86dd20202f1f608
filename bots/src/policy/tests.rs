//! Policies in matches that the resolver plays, seeing only what a player sees.

use parley_resolver::dice::Seed;
use parley_resolver::digest::Digest;
use parley_resolver::hex::Hex;
use parley_resolver::ids::{PlayerId, StructureId, UnitId};
use parley_resolver::legality::{LegalSheet, judge_charted};
use parley_resolver::map::{Grid, Tile};
use parley_resolver::mapgen::{MapRequest, SizePreset, generate};
use parley_resolver::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_resolver::resolution::{Resolution, Step};
use parley_resolver::start::opening;
use parley_resolver::state::{Engagement, State};
use parley_resolver::view::{Knowledge, Memory, Sight, View, Viewer, snapshot};
use serde_json::json;

use super::*;

fn hex(grid: &Grid, tile: Tile) -> v1::Hex {
    let Hex { q, r } = grid.hex(tile);
    v1::Hex { q, r }
}

/// A view as the service tells it.
fn told(rules: &Rules, view: &View) -> v1::View {
    let grid = &view.grid;
    let class = |class| rules.class(class).key.clone();
    let terrain = view.terrain.iter().map(|known| match *known {
        Knowledge::Unknown => 255,
        Knowledge::Remembered(row) | Knowledge::Visible(row) => row,
    });
    let unit = |unit: &parley_resolver::view::UnitView| {
        let mut here = unit.tile;
        let route = unit.route.iter().flat_map(|path| path.iter()).map(|direction| {
            here = grid.neighbor(here, direction).expect("a route on the map");
            hex(grid, here)
        });
        v1::Unit {
            id: unit.id.get(),
            class: class(unit.class),
            owner: unit.owner.get().into(),
            hex: Some(hex(grid, unit.tile)),
            hp: unit.hp.into(),
            sails: unit.sails.into(),
            cannons: unit.cannons.into(),
            hull: unit.hull.into(),
            route: route.collect(),
            engagement: unit.engagement.map_or(0, |engagement| engagement as i32 + 1),
        }
    };
    let structure = |structure: &parley_resolver::view::StructureView| v1::Structure {
        id: structure.id.get(),
        owner: structure.owner.map(|owner| owner.get().into()),
        hex: Some(hex(grid, structure.tile)),
        hp: structure.hp.into(),
        queue_known: structure.queue.is_some(),
        queue: (structure.queue.iter().flatten())
            .map(|job| v1::Job { class: class(job.class), turns_left: job.turns_left.into() })
            .collect(),
    };
    let Viewer::Seat(seat) = view.viewer else { panic!("not a seat") };
    v1::View {
        seat: Some(seat.get().into()),
        turn: view.turn,
        width: grid.width(),
        height: grid.height(),
        wrap: grid.wrap(),
        terrain_keys: rules.terrains().iter().map(|terrain| terrain.key.clone()).collect(),
        terrain: terrain.collect::<Vec<u8>>().into(),
        players: (view.players.iter())
            .map(|p| v1::Player { id: p.id.get().into(), alive: p.alive, gold: p.gold })
            .collect(),
        units: view.units.iter().map(unit).collect(),
        structures: view.structures.iter().map(structure).collect(),
        contests: (view.contests.iter())
            .map(|contest| v1::Contest {
                hex: Some(hex(grid, contest.tile)),
                since: contest.since,
                rounds: contest.rounds,
                contenders: contest.contenders.iter().map(|unit| unit.get()).collect(),
            })
            .collect(),
        ..Default::default()
    }
}

/// A sheet as the service reads it.
fn read(rules: &Rules, player: PlayerId, sheet: &v1::OrderSheet) -> OrderSheet {
    use v1::structure_order::Work as SaidWork;
    use v1::unit_order::Action as Said;
    let unit = |order: &v1::UnitOrder| UnitOrder {
        unit: UnitId::new(order.unit.into()).expect("an id"),
        action: order.action.as_ref().map(|action| match action {
            Said::Move(v1::Move { path }) => Action::Move(path.iter().map(|hex| Hex::new(hex.q, hex.r)).collect()),
            other => panic!("no policy orders {other:?}"),
        }),
        broadside: order.broadside,
        engagement: match order.engagement() {
            v1::Engagement::Unspecified => None,
            v1::Engagement::Ask => Some(Engagement::Ask),
            v1::Engagement::Evade => Some(Engagement::Evade),
            v1::Engagement::Fight => Some(Engagement::Fight),
            v1::Engagement::FightIfHealthy => Some(Engagement::FightIfHealthy),
        },
    };
    let structure = |order: &v1::StructureOrder| StructureOrder {
        structure: StructureId::new(order.structure.into()).expect("an id"),
        work: match order.work.as_ref().expect("some work") {
            SaidWork::Build(key) => Work::Build(rules.class_named(key).expect("a class")),
            SaidWork::CancelBuild(index) => Work::CancelBuild(*index as usize),
        },
    };
    OrderSheet {
        player,
        units: sheet.units.iter().map(unit).collect(),
        structures: sheet.structures.iter().map(structure).collect(),
        concede: sheet.concede,
    }
}

/// A match between policies, which are asked for orders with their views and must order only what is legal.
struct Table {
    rules: Arc<Rules>,
    state: State,
    seed: Seed,
    digest: Digest,
    seats: Vec<(Memory, Box<dyn Policy>)>,
    moved: usize,
    built: usize,
    asked: usize,
}

impl Table {
    fn new(rules: Rules, names: &[&str], seed: u64, wrap: bool) -> Self {
        let request = MapRequest { wrap, ..MapRequest::preset(SizePreset::Small, names.len(), seed) };
        let generated = generate(&rules, &request).expect("a map");
        let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("a state");
        let rules = Arc::new(rules);
        let memory = || Memory::new(state.map().grid());
        let seats = (names.iter().enumerate())
            .map(|(seat, name)| (memory(), named(name, seed + seat as u64, &rules).expect("a policy")))
            .collect();
        let digest = Digest::genesis(&rules, &state);
        let seed = Seed::from_bytes([seed as u8; 32]);
        Self { rules, state, seed, digest, seats, moved: 0, built: 0, asked: 0 }
    }

    /// The sheets of everybody who is still there.
    fn sheets(&mut self) -> Vec<LegalSheet> {
        let mut sheets = Vec::new();
        for (seat, (memory, policy)) in self.seats.iter_mut().enumerate() {
            let player = PlayerId::new(seat as u64).expect("a player");
            let viewer = Viewer::Seat(player);
            memory.learn(&Sight::of(&self.rules, &self.state, viewer));
            if !self.state.player(player).is_some_and(|player| player.alive) {
                continue;
            }
            let view = told(&self.rules, &snapshot(&self.rules, &self.state, viewer, memory));
            let sheet = policy.orders(&view);
            assert_eq!(policy.orders(&view), sheet, "a policy that is started anew orders the same");
            self.moved += sheet.units.iter().filter(|order| order.action.is_some()).count();
            self.built += sheet.structures.len();
            let said = read(&self.rules, player, &sheet);
            let verdict = judge_charted(&self.rules, &self.state, &said, &|tile| memory.contains(tile));
            assert_eq!(verdict.faults, [], "turn {}", self.state.turn());
            sheets.push(verdict.legal);
        }
        sheets
    }

    /// Plays a turn; false at the end of the match.
    fn turn(&mut self) -> bool {
        let sheets = self.sheets();
        let begun = Resolution::begin(&self.rules, &self.state, &self.seed, self.digest, &sheets);
        let mut resolution = begun.expect("legal sheets");
        loop {
            match resolution.advance(&[]).expect("no decisions") {
                Step::Awaiting(encounters) => self.asked += encounters.len(),
                Step::Resolved(outcome) => {
                    (self.state, self.digest) = (outcome.state, outcome.digest);
                    return self.state.result().is_none();
                }
            }
        }
    }
}

#[test]
fn wanderers_order_only_what_is_legal_and_are_never_asked() {
    for (seed, fog, wrap) in [(1, "off", false), (2, "on", false), (3, "off", true), (4, "on", true)] {
        let rules = Rules::plunder().with_overrides(&json!({ "fog": fog })).expect("rules");
        let mut table = Table::new(rules, &["wander"; 4], seed, wrap);
        let turns = (0..60).take_while(|_| table.turn()).count();
        assert!(turns > 10, "only {turns} turns");
        assert!(table.moved > 100 && table.built > 10, "{} moves, {} builds", table.moved, table.built);
        assert_eq!(table.asked, 0);
    }
}

#[test]
fn wanderers_keep_to_other_rules_too() {
    let class = |key: &str, domain: &str, cost: u32| {
        json!({"key": key, "domain": domain, "hull": 5, "speed": 2, "cannons": 0, "vision": 2,
            "build_cost": cost, "build_turns": 1})
    };
    let rules = Rules::plunder()
        .with_overrides(&json!({
            "classes": [class("ship", "naval", 10), class("balloon", "air", 30)],
            "economy": {"ships_per_player": 6, "start_shipyards": 1},
            "shipyard": {"queue": 1},
        }))
        .expect("rules");
    let mut table = Table::new(rules, &["wander"; 3], 5, false);
    let turns = (0..40).take_while(|_| table.turn()).count();
    assert!(turns > 5 && table.built > 5, "{turns} turns, {} builds", table.built);
}

#[test]
fn a_holder_orders_nothing_and_lets_others_pass() {
    let mut table = Table::new(Rules::plunder(), &["hold", "wander"], 6, false);
    let sheets = table.sheets();
    assert!(sheets[0].units().is_empty() && !sheets[1].units().is_empty());
    for (kind, choice) in
        [(v1::EncounterKind::Passing, v1::Choice::Proceed), (v1::EncounterKind::Entry, v1::Choice::Yield)]
    {
        let encounter = v1::Encounter { kind: kind.into(), ..Default::default() };
        let asked = Asked { unit: 1, encounter: &encounter, events: &[] };
        assert_eq!(Hold.decide(&v1::View::default(), asked), choice);
    }
}

#[test]
fn a_view_that_makes_no_sense_is_answered_with_nothing() {
    let rules = Arc::new(Rules::plunder());
    let mut policy = named("wander", 1, &rules).expect("a policy");
    let unit = v1::Unit { id: 1, class: "ship".to_owned(), hex: Some(v1::Hex { q: 9, r: 9 }), ..Default::default() };
    let view = v1::View { seat: Some(0), width: 3, height: 1, units: vec![unit], ..Default::default() };
    assert_eq!(policy.orders(&view), v1::OrderSheet::default());
    let known = v1::View { terrain: vec![0, 200, 255].into(), terrain_keys: vec!["lava".to_owned()], ..view };
    assert!(policy.orders(&known).units.iter().all(|order| order.action.is_none()));
    assert!(named("chaos", 1, &rules).is_none());
    assert!(NAMES.iter().all(|name| named(name, 1, &rules).is_some()));
}

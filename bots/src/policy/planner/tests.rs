//! What a planner promises.

use std::sync::Arc;

use parley_core::sight::Memory;
use parley_plunder::legality::judge;
use parley_plunder::mapgen::{MapRequest, SizePreset, generate};
use parley_plunder::rules::Rules;
use parley_plunder::start::opening;
use parley_plunder::view::{Viewer, snapshot};
use serde_json::json;

use super::search::{FUTURES, STYLE_TURNS};
use super::*;
use crate::arena::{ArenaMatch, Setup, secret};
use crate::policy::Raider;
use crate::policy::distances::Distances;
use crate::policy::raider::{Influence, Style, plan};
use crate::policy::scene::Scene;

/// A view of a first turn.
fn view(rules: &Rules) -> plunder::View {
    let generated = generate(rules, &MapRequest::preset(SizePreset::Tiny, 4, 1)).expect("a map");
    let state = opening(rules, Arc::new(generated.map), &generated.starts).expect("a state");
    let viewer = Viewer::Seat(state.players()[1].id);
    wire::view(rules, &snapshot(rules, &state, viewer, &Memory::new(state.map().grid())))
}

#[test]
fn the_budget_of_turns_is_kept_and_used() {
    let rules = Arc::new(Rules::plunder());
    let view = view(&rules);
    let mut reader = Reader::new(Arc::clone(&rules));
    let Reading { me, state, distances } = reader.read(&view).expect("a view");
    for budget in [0, 1, 7, 40, NODES] {
        let mut search = OrderSearch::new(&rules, &distances, &state, me, Random::new(1), budget);
        let sheet = search.best();
        let resolved = search.resolved();
        assert!(resolved <= budget, "{resolved} turns of {budget}");
        assert!(resolved + FUTURES * STYLE_TURNS as usize > budget, "{resolved} turns of {budget}");
        assert!(!sheet.structures.is_empty(), "without a thought it orders what a raider would");
    }
}

#[test]
fn the_same_seed_orders_the_same() {
    let rules = Arc::new(Rules::plunder());
    let view = view(&rules);
    let orders = |seed| Planner::new(seed, Arc::clone(&rules)).orders(&view);
    assert_eq!(orders(1), orders(1));
}

/// A ship that becomes a shipyard makes room for another in a full fleet. Whoever changes their mind about the one must
/// not build the other.
#[test]
fn changes_are_legal_where_one_order_rests_on_another() {
    let full = json!({"economy": {"ships_per_player": 4, "start_ships": 4, "start_gold": 500}});
    let rules = Arc::new(Rules::plunder().with_overrides(&full).expect("rules"));
    let map = MapRequest::preset(SizePreset::Tiny, 3, 1);
    let setup = Setup { rules: Arc::clone(&rules), map, secret: secret(1), turns: 20, record: false };
    let raider = || Box::new(Raider::new(Arc::clone(&rules))) as Box<dyn Policy>;
    let mut table = ArenaMatch::new(&setup, vec![raider(), raider(), raider()]).expect("a match");
    let mut tried = 0;
    while table.turn().expect("a turn") {
        let state = table.state();
        let distances = Distances::new(&rules, Arc::clone(state.map()), vec![false; state.map().grid().len()]);
        for player in state.players().iter().filter(|player| player.alive) {
            let scene = Scene::new(&rules, &distances, state, player.id);
            let influence = Influence::new(&scene);
            let draft = plan(&scene, &influence, &Style::default());
            let builds = !draft.clone().finish(&scene).structures.is_empty();
            tried += usize::from(builds && (0..scene.own.len()).any(|ship| draft.deploys(ship)));
            let mut search = OrderSearch::new(&rules, &distances, state, player.id, Random::new(1), 0);
            for _ in 0..50 {
                let changed = search.change(&scene, &influence, &draft).finish(&scene);
                assert_eq!(judge(&rules, state, &changed).faults, [], "turn {}", state.turn());
            }
        }
    }
    assert!(tried > 0, "nobody built on the room that a new shipyard left");
}

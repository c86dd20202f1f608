//! What a planner promises.

use std::sync::Arc;

use parley_resolver::mapgen::{MapRequest, SizePreset, generate};
use parley_resolver::rules::Rules;
use parley_resolver::start::opening;
use parley_resolver::view::{Memory, Viewer, snapshot};

use super::search::{FUTURES, STYLE_TURNS};
use super::*;

/// A view of a first turn.
fn view(rules: &Rules) -> v1::View {
    let generated = generate(rules, &MapRequest::preset(SizePreset::Tiny, 4, 1)).expect("a map");
    let state = opening(rules, Arc::new(generated.map), &generated.starts).expect("a state");
    let viewer = Viewer::Seat(state.players()[1].id);
    convert::view(rules, &snapshot(rules, &state, viewer, &Memory::new(state.map().grid())))
}

#[test]
fn the_budget_of_turns_is_kept_and_used() {
    let rules = Arc::new(Rules::plunder());
    let view = view(&rules);
    let mut reader = Reader::new(Arc::clone(&rules));
    let Reading { me, state, lattice } = reader.read(&view).expect("a view");
    for budget in [0, 1, 7, 40, NODES] {
        let mut search = Search::new(&rules, &lattice, &state, me, Random::new(1), budget);
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

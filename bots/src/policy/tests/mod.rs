//! Policies in matches that the resolver plays, seeing only what a player sees.

mod ladder;
mod reading;

use parley_plunder::mapgen::{MapRequest, SizePreset};
use serde_json::{Value, json};

use super::*;
use crate::arena::{ArenaMatch, Counts, Setup, secret};

/// How many turns planners resolve here to find their orders; with more of them the tests would take too long.
const FEW: usize = 60;

/// A policy by its name; planners think less.
fn seat(name: &str, seed: u64, rules: &Arc<Rules>) -> Box<dyn Policy> {
    match name {
        "planner" => Box::new(Planner::with_nodes(seed, Arc::clone(rules), FEW)),
        _ => named(name, seed, rules).expect("a policy"),
    }
}

/// A policy that must order the same when it is started anew.
struct Anew {
    name: &'static str,
    seed: u64,
    rules: Arc<Rules>,
    policy: Box<dyn Policy>,
}

impl Policy for Anew {
    fn orders(&mut self, view: &v1::View) -> v1::OrderSheet {
        let sheet = self.policy.orders(view);
        let mut again = seat(self.name, self.seed, &self.rules);
        assert_eq!(again.orders(view), sheet, "{} is started anew in turn {}", self.name, view.turn);
        sheet
    }

    fn decide(&mut self, view: &v1::View, asked: Asked<'_>) -> v1::Choice {
        let choice = self.policy.decide(view, asked);
        assert_eq!(seat(self.name, self.seed, &self.rules).decide(view, asked), choice);
        choice
    }
}

/// Plays a match in which everybody may order only what is legal, and must answer whenever they are asked.
fn play(overrides: Value, names: &[&'static str], seed: u64, wrap: bool, turns: u32) -> Counts {
    let rules = Arc::new(Rules::plunder().with_overrides(&overrides).expect("rules"));
    let map = MapRequest { wrap, ..MapRequest::preset(SizePreset::Small, names.len(), seed) };
    let setup = Setup { rules: Arc::clone(&rules), map, secret: secret(seed), turns, record: false };
    let anew = |(number, &name): (u64, &&'static str)| {
        let (seed, rules) = (seed + number, Arc::clone(&rules));
        Box::new(Anew { name, seed, policy: seat(name, seed, &rules), rules }) as Box<dyn Policy>
    };
    let mut table = ArenaMatch::new(&setup, (0..).zip(names).map(anew).collect()).expect("a match");
    while table.turn().expect("a turn") {}
    let counts = *table.counts();
    let refused = (counts.refused_orders, counts.refused_decisions, counts.defaulted_decisions);
    assert_eq!(refused, (0, 0, 0), "{names:?} with {overrides}, seed {seed}, wrap {wrap}");
    counts
}

/// The worlds that policies have to get along with.
fn worlds() -> impl Iterator<Item = (u64, Value, bool)> {
    let fogs = ["off", "on", "off", "on"].into_iter().zip([false, false, true, true]);
    (1..).zip(fogs).map(|(seed, (fog, wrap))| (seed, json!({"fog": fog, "turn_limit": 60}), wrap))
}

#[test]
fn everybody_orders_only_what_is_legal() {
    for name in ["wander", "random", "cautious", "raider"] {
        let mut encounters = 0;
        for (seed, overrides, wrap) in worlds() {
            let counts = play(overrides, &[name; 4], seed, wrap, 60);
            assert!(counts.turns > 10 && counts.orders > 110, "{name}: {counts:?}");
            encounters += counts.encounters;
        }
        assert_eq!(encounters > 0, name != "wander", "only those who want to be asked are asked: {name}");
    }
}

#[test]
fn planners_order_only_what_is_legal() {
    for (seed, overrides, wrap) in worlds() {
        let counts = play(overrides, &["random", "planner", "cautious"], seed, wrap, 20);
        assert!(counts.turns > 10 && counts.orders > 110, "{counts:?}");
    }
}

#[test]
fn everybody_keeps_to_other_rules_too() {
    let class = |key: &str, domain: &str, cost: u32| {
        json!({"key": key, "domain": domain, "hull": 5, "speed": 2, "cannons": 0, "vision": 2,
            "build_cost": cost, "build_turns": 1})
    };
    let changed = json!({
        "classes": [class("ship", "naval", 10), class("balloon", "air", 30)],
        "economy": {"ships_per_player": 6, "start_shipyards": 1},
        "shipyard": {"queue": 1},
    });
    let bare = json!({
        "broadsides": "off", "elimination": "no_ships_and_no_structures", "contest_limit": 0,
        "stages": ["contests", "movement", "construction", "reckoning"],
        "economy": {"start_shipyards": 0},
    });
    for name in ["wander", "random", "cautious", "raider", "planner"] {
        let counts = play(changed.clone(), &[name; 3], 5, false, 20);
        assert!(counts.turns > 5 && counts.orders > 50, "{name}: {counts:?}");
        play(bare.clone(), &[name; 3], 6, true, 15);
    }
}

#[test]
fn a_holder_orders_nothing_and_lets_others_pass() {
    assert_eq!(play(json!({}), &["hold", "hold"], 6, false, 5).orders, 0);
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
    let unit = v1::Unit { id: 1, class: "ship".to_owned(), hex: Some(v1::Hex { q: 9, r: 9 }), ..Default::default() };
    let view = v1::View { seat: Some(0), width: 3, height: 1, units: vec![unit], ..Default::default() };
    let known = v1::View { terrain: vec![0, 200, 255].into(), terrain_keys: vec!["lava".to_owned()], ..view.clone() };
    let huge = v1::View { width: u32::MAX, height: u32::MAX, ..view.clone() };
    let endless = v1::Unit { id: u32::MAX, engagement: i32::MIN, ..view.units[0].clone() };
    let endless = v1::View { units: vec![endless], ..known.clone() };
    for name in NAMES {
        let mut policy = named(name, 1, &rules).expect("a policy");
        for view in [&view, &huge, &v1::View::default()] {
            assert_eq!(policy.orders(view), v1::OrderSheet::default(), "{name}");
        }
        for view in [&known, &endless] {
            assert!(policy.orders(view).units.iter().all(|order| order.action.is_none()), "{name}");
        }
        let encounter = v1::Encounter { kind: v1::EncounterKind::Entry.into(), ..Default::default() };
        policy.decide(&known, Asked { unit: 7, encounter: &encounter, events: &[] });
    }
    assert!(named("chaos", 1, &rules).is_none());
}

#[test]
fn the_ladder_is_of_known_policies() {
    assert!(LADDER.iter().all(|name| NAMES.contains(name)));
}

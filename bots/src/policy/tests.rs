//! Policies in matches that the resolver plays, seeing only what a player sees.

use parley_resolver::mapgen::{MapRequest, SizePreset};
use serde_json::json;

use super::*;
use crate::arena::{Counts, Setup, Table, secret};

/// A policy that must order the same when it is asked twice.
struct Twice(Box<dyn Policy>);

impl Policy for Twice {
    fn orders(&mut self, view: &v1::View) -> v1::OrderSheet {
        let sheet = self.0.orders(view);
        assert_eq!(self.0.orders(view), sheet, "a policy that is started anew orders the same");
        sheet
    }

    fn decide(&mut self, view: &v1::View, asked: Asked<'_>) -> v1::Choice {
        self.0.decide(view, asked)
    }
}

/// Plays a match, in which everybody may order only what is legal and must answer whenever they are asked.
fn play(rules: Rules, names: &[&str], seed: u64, wrap: bool, turns: u32) -> Counts {
    let rules = Arc::new(rules);
    let map = MapRequest { wrap, ..MapRequest::preset(SizePreset::Small, names.len(), seed) };
    let setup = Setup { rules: Arc::clone(&rules), map, secret: secret(seed), turns, record: false };
    let seat = |(seat, name): (u64, &&str)| {
        Box::new(Twice(named(name, seed + seat, &rules).expect("a policy"))) as Box<dyn Policy>
    };
    let mut table = Table::new(&setup, (0..).zip(names).map(seat).collect()).expect("a match");
    while table.turn().expect("a turn") {}
    let counts = *table.counts();
    assert_eq!((counts.refused_orders, counts.refused_decisions, counts.defaulted_decisions), (0, 0, 0));
    counts
}

#[test]
fn wanderers_order_only_what_is_legal_and_are_never_asked() {
    for (seed, fog, wrap) in [(1, "off", false), (2, "on", false), (3, "off", true), (4, "on", true)] {
        let rules = Rules::plunder().with_overrides(&json!({ "fog": fog })).expect("rules");
        let counts = play(rules, &["wander"; 4], seed, wrap, 60);
        assert!(counts.turns > 10 && counts.orders > 110, "{counts:?}");
        assert_eq!(counts.encounters, 0);
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
    let counts = play(rules, &["wander"; 3], 5, false, 40);
    assert!(counts.turns > 5 && counts.orders > 50, "{counts:?}");
}

#[test]
fn a_holder_orders_nothing_and_lets_others_pass() {
    assert_eq!(play(Rules::plunder(), &["hold", "hold"], 6, false, 5).orders, 0);
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

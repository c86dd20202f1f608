//! Policies in matches that the resolver plays, seeing only what a player sees.

mod ladder;
mod reading;

use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_plunder::mapgen::{MapRequest, SizePreset, generate};
use parley_plunder::start::opening;
use parley_plunder::view::{Viewer, snapshot};
use parley_proto::common::v1 as common;
use parley_proto::common::v1::subject::Subject;
use parley_proto::v1::question::option::Choice;
use serde_json::{Value, json};

use super::*;
use crate::arena::{ArenaMatch, Counts, Setup, secret};
use crate::arms::Arms;

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
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let sheet = self.policy.orders(view);
        let mut again = seat(self.name, self.seed, &self.rules);
        assert_eq!(again.orders(view), sheet, "{} is started anew in turn {}", self.name, view.turn);
        sheet
    }

    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let answers = self.policy.answers(view, prompt);
        assert_eq!(seat(self.name, self.seed, &self.rules).answers(view, prompt), answers);
        answers
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
    let refused = (counts.refused_orders, counts.refused_answers, counts.defaulted_answers);
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
    let prompt = asking(&[question(1, ENCOUNTER, &["yield", "attack"])]);
    assert_eq!(answers(&mut Hold, &plunder::View::default(), &prompt), [picked(1, &[0])]);
}

/// A question about ship 1 that wants one option, the first of which is the default.
fn question(id: u32, kind: &str, words: &[&str]) -> v1::Question {
    let word = |word: &&str| v1::question::Option { choice: Some(Choice::Word((*word).to_owned())) };
    v1::Question {
        id,
        kind: kind.to_owned(),
        group: 1,
        about: Some(common::Subject { subject: Some(Subject::Unit(1)) }),
        options: words.iter().map(word).collect(),
        min: 1,
        max: 1,
        default: vec![0],
        ..Default::default()
    }
}

/// A prompt with questions about a ship that met others.
fn asking(questions: &[v1::Question]) -> v1::Prompt {
    let participants = vec![plunder::encounter::Participant { unit: 1, asked: Some(true), ..Default::default() }];
    let encounter =
        plunder::Encounter { kind: plunder::EncounterKind::Entry.into(), participants, group: 1, ..Default::default() };
    let so_far = v1::TurnNews::of_plunder(plunder::TurnNews { encounters: vec![encounter], ..Default::default() });
    v1::Prompt { turn: 1, window: 1, so_far: Some(so_far), questions: questions.to_vec(), ..Default::default() }
}

fn picked(question: u32, options: &[u32]) -> v1::Answer {
    v1::Answer { question, options: options.to_vec() }
}

#[test]
fn a_word_picks_its_option_and_the_default_where_it_cannot() {
    let asked = question(3, ENCOUNTER, &["yield", "attack"]);
    assert_eq!((asked.pick("attack"), asked.pick("yield")), (picked(3, &[1]), picked(3, &[0])));
    assert!(asked.offers("attack") && !asked.offers("proceed"));
    assert_eq!(asked.unit(), Some(1));
    let prompt = asking(std::slice::from_ref(&asked));
    assert!(asked.encounter(&prompt).is_some_and(|encounter| encounter.participants[0].unit == 1));
    for group in [0, 2, u32::MAX] {
        assert_eq!(v1::Question { group, ..asked.clone() }.encounter(&prompt), None);
    }
    let unit = v1::question::Option { choice: Some(Choice::Unit(7)) };
    let ships = v1::Question { options: vec![unit; 3], min: 2, max: 2, default: vec![0, 2], about: None, ..asked };
    assert_eq!((ships.pick("attack"), ships.unit()), (picked(3, &[0, 2]), None));
    let two = v1::Question { min: 2, max: 2, default: vec![0, 1], ..question(3, ENCOUNTER, &["yield", "attack"]) };
    assert_eq!(two.pick("attack"), picked(3, &[0, 1]), "one option would not be enough");
    assert!(!two.offers("attack"));
}

/// Whatever a game asks one day, also in the words that are known today.
#[test]
fn a_question_of_an_unknown_kind_is_answered_with_its_default() {
    let rules = Arc::new(Rules::plunder());
    let card = v1::Question { default: vec![0, 2], min: 2, max: 2, ..question(2, "card", &["attack", "b", "c"]) };
    let prompt = asking(&[question(1, "boarding", &["retreat", "attack"]), card]);
    let aimless = v1::Prompt {
        questions: vec![v1::Question { group: 0, about: None, ..prompt.questions[0].clone() }],
        ..prompt.clone()
    };
    let generated = generate(&rules, &MapRequest::preset(SizePreset::Tiny, 2, 1)).expect("a map");
    let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("a state");
    let viewer = Viewer::Seat(state.units()[0].owner);
    let view = wire::view(&rules, &snapshot(&rules, &state, viewer, &Memory::new(state.map().grid())));
    for name in NAMES {
        let mut policy = named(name, 1, &rules).expect("a policy");
        assert_eq!(answers(&mut *policy, &view, &prompt), [picked(1, &[0]), picked(2, &[0, 2])], "{name}");
        assert_eq!(answers(&mut *policy, &view, &aimless), [picked(1, &[0])], "{name}");
    }
    // The same ship does attack where it is asked about an encounter, and what is unknown beside that changes nothing.
    let both = v1::Prompt {
        questions: vec![question(1, "boarding", &["retreat", "attack"]), question(2, ENCOUNTER, &["yield", "attack"])],
        ..prompt
    };
    let mut cautious = Cautious::new(rules);
    assert_eq!(answers(&mut cautious, &view, &both), [picked(2, &[1]), picked(1, &[0])]);
}

#[test]
fn a_view_that_makes_no_sense_is_answered_with_nothing() {
    let rules = Arc::new(Rules::plunder());
    let unit =
        plunder::Unit { id: 1, class: "ship".to_owned(), hex: Some(common::Hex { q: 9, r: 9 }), ..Default::default() };
    let view = plunder::View { seat: Some(0), width: 3, height: 1, units: vec![unit], ..Default::default() };
    let known =
        plunder::View { terrain: vec![0, 200, 255].into(), terrain_keys: vec!["lava".to_owned()], ..view.clone() };
    let huge = plunder::View { width: u32::MAX, height: u32::MAX, ..view.clone() };
    let endless = plunder::Unit { id: u32::MAX, engagement: i32::MIN, ..view.units[0].clone() };
    let endless = plunder::View { units: vec![endless], ..known.clone() };
    for name in NAMES {
        let mut policy = named(name, 1, &rules).expect("a policy");
        for view in [&view, &huge, &plunder::View::default()] {
            assert_eq!(policy.orders(view), plunder::Sheet::default(), "{name}");
        }
        for view in [&known, &endless] {
            assert!(policy.orders(view).units.iter().all(|order| order.action.is_none()), "{name}");
        }
        policy.answers(&known, &asking(&[question(1, ENCOUNTER, &["yield", "attack"])]));
        assert_eq!(policy.answers(&plunder::View::default(), &v1::Prompt::default()), []);
    }
    assert!(named("chaos", 1, &rules).is_none());
}

#[test]
fn the_ladder_is_of_known_policies() {
    assert!(LADDER.iter().all(|name| NAMES.contains(name)));
}

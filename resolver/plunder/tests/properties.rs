//! Properties that hold for every scenario: order of input, names of players, pauses, bounds, memory, hostile text.

#![allow(unreachable_pub, reason = "the generator stands on its own and does not know who uses it")]
#![allow(clippy::disallowed_methods, reason = "the fuzz corpus is read from files")]

#[path = "second_opinion/generate/mod.rs"]
mod generate;
#[path = "second_opinion/oracle/mod.rs"]
#[allow(dead_code, reason = "only the generator uses it here")]
mod oracle;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parley_core::ids::ID_BOUND;
use parley_core::question::Answer;
use parley_plunder::event::Subject;
use parley_plunder::order::Choice;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Outcome, Question, Step, Workspace};
use parley_plunder::scenario::{self, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

fn rules() -> &'static Arc<Rules> {
    static RULES: OnceLock<Arc<Rules>> = OnceLock::new();
    RULES.get_or_init(|| Arc::new(Rules::plunder()))
}

fn resolve(scenario: &Value) -> Value {
    let text =
        scenario::resolve(rules(), &scenario.to_string()).unwrap_or_else(|faults| panic!("{faults:?}\n{scenario}"));
    serde_json::from_str(&text).expect("a result is JSON")
}

/// A random scenario, of the general kind or of the kind that is all movement.
fn scenarios() -> impl Strategy<Value = Value> {
    (any::<u64>(), any::<bool>()).prop_map(|(seed, movement)| {
        if movement { generate::movement_scenario(seed) } else { generate::scenario(seed) }
    })
}

/// Reorders a list by a seed.
fn shuffle(list: &mut [Value], mut seed: u64) {
    for i in (1..list.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(i, (seed >> 33) as usize % (i + 1));
    }
}

/// Every player id in a value of the result or the scenario, replaced by an order-preserving map.
fn rename(value: &mut Value, names: &BTreeMap<u64, u64>) {
    let new = |id: &Value| id.as_u64().and_then(|id| names.get(&id)).map_or(id.clone(), |&id| json!(id));
    match value {
        Value::Array(list) => list.iter_mut().for_each(|item| rename(item, names)),
        Value::Object(fields) => {
            let keys = ["owner", "player", "from", "by", "winner"];
            // In these, `by` and `from` are not players but units, structures or places.
            let is_capture = fields.get("type").is_some_and(|kind| kind == "captured");
            for (key, field) in fields.iter_mut() {
                match key.as_str() {
                    "by" | "from" if !is_capture => {}
                    "draw" | "concede" => {
                        for id in field.as_array_mut().expect("a list of players") {
                            *id = new(id);
                        }
                    }
                    "players" => {
                        for player in field.as_array_mut().expect("a list of players") {
                            player["id"] = new(&player["id"]);
                        }
                    }
                    key if keys.contains(&key) => *field = new(field),
                    _ => rename(field, names),
                }
            }
        }
        _ => {}
    }
}

/// Plays a scenario step by step. `restart` throws the turn away at every pause and begins again.
fn play(scenario: &Scenario, restart: bool, workspace: &mut Workspace) -> (Game, Outcome) {
    let begin = || scenario.game().expect("the sheets fit the state");
    let mut game = begin();
    let mut windows: Vec<Vec<Answer>> = vec![Vec::new()];
    loop {
        let step = if restart {
            game = begin();
            let (last, earlier) = windows.split_last().expect("one window at least");
            for window in earlier {
                assert!(matches!(game.advance(workspace, window), Ok(Step::Asked)), "it paused here before");
            }
            game.advance(workspace, last)
        } else {
            game.advance(workspace, windows.last().expect("one window at least"))
        };
        match step.expect("the answers were asked for") {
            Step::Resolved(outcome) => return (game, *outcome),
            Step::Asked => {
                let answer = |question: &Question| {
                    let Subject::Unit(unit) = question.about else { return None };
                    let choice = scenario.decisions.get(&(question.tick, unit))?;
                    Some(question.picking(choice).expect("a choice that the encounter knows"))
                };
                windows.push(game.questions().iter().filter_map(answer).collect());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing depends on the order in which lists are written.
    #[test]
    fn the_order_of_input_changes_nothing(scenario in scenarios(), seed in any::<u64>()) {
        let expected = resolve(&scenario);
        let mut shuffled = scenario;
        for list in ["players", "units", "structures", "contests", "orders", "decisions", "concede"] {
            if let Some(list) = shuffled.get_mut(list).and_then(Value::as_array_mut) {
                shuffle(list, seed);
            }
        }
        for contest in shuffled.get_mut("contests").and_then(Value::as_array_mut).into_iter().flatten() {
            shuffle(contest["contenders"].as_array_mut().expect("a list"), seed);
        }
        prop_assert_eq!(resolve(&shuffled), expected);
    }

    /// Players are only names: renaming them in order renames the outcome and changes nothing else.
    #[test]
    fn renaming_players_renames_the_outcome(scenario in scenarios(), gaps in prop::collection::vec(1u64..30, 8)) {
        let mut expected = resolve(&scenario);
        let mut ids: Vec<u64> = scenario["players"].as_array().expect("players").iter().filter_map(|p| p["id"].as_u64()).collect();
        ids.sort_unstable();
        let mut next = 0;
        let names: BTreeMap<u64, u64> = ids.iter().zip(gaps).map(|(&id, gap)| {
            next += gap;
            (id, next)
        }).collect();
        let mut renamed = scenario;
        rename(&mut renamed, &names);
        let mut found = resolve(&renamed);
        rename(&mut expected, &names);
        // The digest is over the names too.
        (found["digest"], expected["digest"]) = (Value::Null, Value::Null);
        prop_assert_eq!(found, expected);
    }

    /// Renumbering units in order renumbers everything that no die has touched (R13.2).
    #[test]
    fn renumbering_units_changes_only_what_dice_touch(scenario in scenarios(), gap in 1u64..1_000) {
        let mut peaceful = scenario;
        for unit in peaceful["units"].as_array_mut().expect("units") {
            unit["engagement"] = json!("EVADE");
        }
        for order in peaceful.get_mut("orders").and_then(Value::as_array_mut).into_iter().flatten() {
            let fields = order.as_object_mut().expect("an order");
            fields.remove("engagement");
            fields.remove("broadside");
            if fields.len() == 1 {
                fields.insert("hold".to_owned(), json!({}));
            }
        }
        peaceful["contests"] = json!([]);
        peaceful["decisions"] = json!([]);
        let highest = peaceful["units"].as_array().expect("units").iter().filter_map(|u| u["id"].as_u64()).max().unwrap_or(0);
        prop_assume!(highest * 2 + gap + 100 < u64::from(ID_BOUND));
        let mut expected = resolve(&peaceful);
        let renumber = |id: u64| id + gap;
        for unit in peaceful["units"].as_array_mut().expect("units") {
            unit["id"] = json!(renumber(unit["id"].as_u64().expect("an id")));
        }
        for order in peaceful.get_mut("orders").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(id) = order["unit"].as_u64() {
                order["unit"] = json!(renumber(id));
            }
        }
        let found = resolve(&peaceful);
        for unit in expected["state"]["units"].as_array_mut().expect("units") {
            unit["id"] = json!(renumber(unit["id"].as_u64().expect("an id")));
        }
        prop_assert_eq!(&found["state"], &expected["state"]);
    }

    /// Throwing a resolution away at every pause and beginning again leads to the same outcome, and so does using
    /// the memory of other resolutions.
    #[test]
    fn resuming_is_running_again(seeds in prop::collection::vec(any::<u64>(), 3)) {
        let mut workspace = Workspace::default();
        for seed in seeds {
            let text = generate::scenario(seed).to_string();
            let scenario = Scenario::parse(rules(), &text).expect("the generator writes sound scenarios");
            let (expected, told) = play(&scenario, false, &mut Workspace::default());
            let (again, told_again) = play(&scenario, true, &mut workspace);
            prop_assert_eq!((again.state(), again.digest()), (expected.state(), expected.digest()));
            prop_assert_eq!((&told_again.events, &told_again.shortfalls), (&told.events, &told.shortfalls));
            workspace.reclaim(told_again);
        }
    }

    /// Hp, gold and ids stay in their bounds, and an outcome is a sound scenario again.
    #[test]
    fn an_outcome_is_sound(scenario in scenarios()) {
        let result = resolve(&scenario);
        let state = &result["state"];
        for player in state["players"].as_array().expect("players") {
            prop_assert!(player["gold"].as_i64().is_some_and(|gold| gold >= 0));
        }
        for unit in state["units"].as_array().expect("units") {
            prop_assert!(unit["hp"].as_u64().is_some_and(|hp| hp > 0));
            prop_assert!(unit["id"].as_u64().is_some_and(|id| id < u64::from(ID_BOUND)));
        }
        let mut next = json!({"seed": scenario["seed"], "map": scenario["map"]});
        for key in ["turn", "players", "units", "structures", "contests"] {
            next[key] = state[key].clone();
        }
        prop_assume!(state["turn"].as_u64() < Some(u64::from(u32::MAX)));
        if let Some(overrides) = scenario.get("rules") {
            next["rules"] = overrides.clone();
        }
        let faults = Scenario::parse(rules(), &next.to_string()).err();
        prop_assert!(faults.is_none(), "{:?}", faults);
    }

    /// Faulty answers are refused and change nothing.
    #[test]
    fn faulty_answers_change_nothing(seed in any::<u64>()) {
        let scenario = Scenario::parse(rules(), &generate::movement_scenario(seed).to_string()).expect("sound");
        let begin = || scenario.game().expect("fits");
        let (mut plain, mut teased, mut workspace) = (begin(), begin(), Workspace::new());
        let mut advance = |game: &mut Game, answers: &[Answer]| game.advance(&mut workspace, answers);
        let (mut step, mut same) = (advance(&mut plain, &[]), advance(&mut teased, &[]));
        while let Ok(Step::Asked) = step {
            let attack = plain.questions()[0].picking(&Choice::Attack).expect("it can be chosen");
            prop_assert!(advance(&mut teased, &[attack.clone(), attack.clone()]).is_err());
            let uninvited = Answer { question: attack.question + plain.questions().len() as u32, ..attack };
            prop_assert!(advance(&mut teased, &[uninvited]).is_err());
            step = advance(&mut plain, &[]);
            same = advance(&mut teased, &[]);
        }
        let (Ok(Step::Resolved(one)), Ok(Step::Resolved(other))) = (step, same) else { panic!("both are resolved") };
        prop_assert_eq!((one.events, one.shortfalls), (other.events, other.shortfalls));
        prop_assert_eq!((plain.state(), plain.digest()), (teased.state(), teased.digest()));
    }

    /// No text makes the resolver panic: valid scenarios with a piece cut out, doubled or replaced.
    #[test]
    fn damaged_scenarios_are_refused_or_resolved(seed in any::<u64>(), cuts in prop::collection::vec((any::<u32>(), 0usize..40, "[0-9\\-\\[\\]{},\":a-z\\\\]{0,6}"), 1..4)) {
        let mut text = generate::scenario(seed).to_string();
        for (at, length, put) in cuts {
            let from = at as usize % text.len();
            let to = (from + length).min(text.len());
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, &put);
            }
        }
        if let Err(faults) = scenario::resolve(rules(), &text) {
            prop_assert!(!faults.is_empty() && faults.iter().all(|fault| !fault.contains('\n')));
        }
    }

    /// No number makes it panic: every number of a scenario in turn is replaced by an extreme one.
    #[test]
    fn extreme_numbers_are_refused_or_resolved(seed in any::<u64>(), pick in any::<prop::sample::Index>(), extreme in prop::sample::select(EXTREMES)) {
        let mut scenario = generate::scenario(seed);
        let count = numbers(&mut scenario).len();
        *numbers(&mut scenario)[pick.index(count)] = serde_json::from_str(extreme).expect("a number");
        if let Err(faults) = scenario::resolve(rules(), &scenario.to_string()) {
            prop_assert!(!faults.is_empty());
        }
    }
}

const EXTREMES: &[&str] = &[
    "0",
    "-1",
    "1",
    "64",
    "65",
    "255",
    "256",
    "65535",
    "65536",
    "268435455",
    "268435456",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "1e30",
    "0.5",
];

/// Every number in a value.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(list) => list.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

/// The corpus of the fuzz target, without the fuzzer.
#[test]
fn the_fuzz_corpus_does_not_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/scenario");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is part of the repository") {
        let bytes = std::fs::read(entry.expect("a readable folder").path()).expect("a readable file");
        if let Err(faults) = scenario::resolve(rules(), &String::from_utf8_lossy(&bytes)) {
            assert!(!faults.is_empty());
        }
        count += 1;
    }
    assert!(count >= 20, "only {count} files");
}

/// Hostile sizes: long text, deep nesting, many faults.
#[test]
fn hostile_sizes_get_one_clear_line_each() {
    let long = " ".repeat(10 << 20);
    assert_eq!(scenario::resolve(rules(), &long).map_err(|faults| faults.len()), Err(1));
    let deep = format!("{{\"rules\":{}", "[".repeat(100_000));
    assert_eq!(scenario::resolve(rules(), &deep).map_err(|faults| faults.len()), Err(1));
    let mut scenario = generate::scenario(1);
    let unit = scenario["units"][0].clone();
    scenario["units"] = Value::Array(vec![unit; 10_000]);
    let faults = scenario::resolve(rules(), &scenario.to_string()).expect_err("duplicate ids");
    assert!(faults.len() <= scenario::MAX_FAULTS + 1);
}

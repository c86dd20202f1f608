//! A slow second implementation of the whole turn, written from the rules' text alone and sharing no code with the
//! product, agrees with the resolver on random scenarios: dense maps, wrap on and off, every kind of order.

#![allow(unreachable_pub, reason = "the modules stand on their own and do not know who uses them")]

mod digest;
mod generate;
mod oracle;

use std::sync::Arc;

use parley_plunder::rules::Rules;
use parley_plunder::scenario;
use serde_json::Value;

/// The fields that a comparison relies on; the product tells more beside them.
fn fields(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "moved" | "gave_way" => &["tick", "unit", "to"],
        "waited" | "blocked" | "sunk" => &["tick", "unit"],
        "encounter" => &["tick", "kind", "at", "units"],
        "decided" => &["tick", "unit", "choice", "defaulted"],
        "exchange" => {
            &["tick", "attacker", "defender", "attacker_dice", "defender_dice", "attacker_loses", "defender_loses"]
        }
        "contest_opened" => &["tick", "q", "r", "contenders"],
        "contest_closed" => &["q", "r", "reason"],
        "gold" => &["player", "change", "reason", "balance"],
        _ => return None,
    })
}

/// The comparable events in order, reduced to the fields that count.
fn story(result: &Value) -> Vec<String> {
    let events = result["events"].as_array().expect("a list of events");
    let told = |event: &Value| {
        let kind = event["type"].as_str()?;
        let values: Vec<String> = fields(kind)?.iter().map(|field| format!("{field}={}", event[field])).collect();
        Some(format!("{kind} {}", values.join(" ")))
    };
    events.iter().filter_map(told).collect()
}

fn compare(seed: u64, scenario: &Value) {
    let rules = Arc::new(Rules::plunder());
    let expected = oracle::resolve_scenario(scenario);
    let found = scenario::resolve(&rules, &scenario.to_string())
        .unwrap_or_else(|faults| panic!("seed {seed} was refused: {faults:?}\n{scenario}"));
    let found: Value = serde_json::from_str(&found).expect("a result is JSON");
    let (told, expected_story) = (story(&found), story(&expected));
    let first =
        told.iter().zip(&expected_story).position(|(a, b)| a != b).unwrap_or(told.len().min(expected_story.len()));
    assert_eq!(told.get(first), expected_story.get(first), "seed {seed}, event {first}\n{scenario}");
    assert_eq!(found["state"], expected["state"], "seed {seed}\n{scenario}");
    let played = scenario
        .get("rules")
        .map_or_else(|| rules.hash(), |overrides| rules.with_overrides(overrides).expect("sound overrides").hash());
    assert_eq!(found["digest"], digest::digest(played.as_bytes(), scenario, &found), "seed {seed}\n{scenario}");
}

#[test]
fn whole_turns_agree() {
    for seed in 0..6_000 {
        compare(seed, &generate::scenario(seed));
    }
}

#[test]
fn dense_movement_agrees() {
    for seed in 0..6_000 {
        compare(seed, &generate::movement_scenario(seed));
    }
}

//! Recorded matches play again to the same digests, in every build and on every machine.

#![allow(clippy::disallowed_methods, reason = "tests read their data from files")]

use std::path::PathBuf;
use std::sync::Arc;

use parley_plunder::rules::Rules;
use parley_plunder::scenario::journal::replay;

fn journals() -> Vec<(PathBuf, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/golden");
    let entries = std::fs::read_dir(folder).expect("the journals are part of the repository");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("readable"))).collect()
}

#[test]
fn ten_matches_of_a_hundred_turns_play_again() {
    let rules = Arc::new(Rules::plunder());
    let journals = journals();
    assert!(journals.len() >= 10, "only {} journals", journals.len());
    for (path, text) in journals {
        let replay = replay(&rules, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(replay.turns >= 100, "{}: only {} turns", path.display(), replay.turns);
    }
}

#[test]
fn the_journals_have_everything_in_them() {
    let all: String = journals().into_iter().map(|(_, text)| text).collect();
    let words = [
        "\"move\"",
        "\"repair\"",
        "\"upgrade\"",
        "\"deploy_shipyard\"",
        "\"bombard\"",
        "\"press\"",
        "\"build\"",
        "\"cancel_build\"",
        "\"broadside\"",
        "\"ATTACK\"",
        "\"PROCEED\"",
        "\"YIELD\"",
        "\"FIGHT_IF_HEALTHY\"",
    ];
    for word in words {
        assert!(all.contains(word), "no journal has {word}");
    }
}

#[test]
fn a_changed_input_is_found_in_its_turn() {
    let rules = Arc::new(Rules::plunder());
    let (_, text) = journals().swap_remove(0);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let changed = (40..lines.len()).find(|&i| lines[i].contains("\"move\"")).expect("a move");
    let start = lines[changed].find("{\"move\"").expect("an order");
    let end = start + lines[changed][start..].find('}').expect("its end");
    let unit: String = lines[changed][start..end].rsplit("\"unit\":").next().expect("its unit").to_owned();
    lines[changed].replace_range(start..=end, &format!("{{\"hold\":{{}},\"unit\":{unit}}}"));
    let error = replay(&rules, &lines.join("\n")).expect_err("the digest differs");
    assert_eq!(error.line, changed + 1, "{error}");
    lines[changed] = lines[changed].replace("\"turn\":", "\"turns\":");
    assert_eq!(replay(&rules, &lines.join("\n")).expect_err("not a turn").line, changed + 1);
}

//! The binary as a person or a script uses it: arguments in, text and exit status out.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs `parley` with these arguments and this standard input.
fn parley(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parley"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A program that refuses its input early does not read all of it.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

const MEETING: &str = include_str!("../../../data/scenarios/meeting.json");

fn meeting_on_one_line() -> String {
    serde_json::from_str::<Value>(MEETING).expect("JSON").to_string()
}

#[test]
fn resolve_prints_the_outcome() {
    let output = parley(&["resolve", "-"], MEETING);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let result: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    assert_eq!(result["state"]["turn"], 2);
    assert_eq!(result["digest"].as_str().map(str::len), Some(64));
    let kinds: Vec<&str> =
        result["events"].as_array().expect("events").iter().filter_map(|e| e["type"].as_str()).collect();
    assert!(kinds.contains(&"encounter") && kinds.contains(&"exchange"), "{kinds:?}");
}

#[test]
fn resolve_is_the_same_every_time() {
    let one = parley(&["resolve", "-"], MEETING);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/scenarios/meeting.json");
    assert_eq!(parley(&["resolve", file], "").stdout, one.stdout);
}

#[test]
fn a_bad_scenario_gets_a_line_per_fault_and_status_2() {
    let bad = MEETING.replace("\"hp\": 10", "\"hp\": 99");
    let output = parley(&["resolve", "-"], &bad);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    assert_eq!(stderr(&output).lines().count(), 2, "{}", stderr(&output));
    assert!(stderr(&output).lines().all(|line| line.ends_with("(R4)")));
}

#[test]
fn malformed_and_oversized_text_is_refused() {
    for input in ["", "[]", "{\"seed\":", "\u{0}", &" ".repeat(10 << 20), &"[".repeat(1 << 20)] {
        let output = parley(&["resolve", "-"], input);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn a_file_that_is_not_there_is_status_1() {
    let output = parley(&["resolve", "no/such/file.json"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("no/such/file.json: "));
}

#[test]
fn lines_answers_every_line() {
    let good = meeting_on_one_line();
    let input = format!("{good}\nnonsense\n{good}");
    let output = parley(&["resolve", "--lines", "-"], &input);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], lines[2]);
    assert!(lines[1]["faults"].as_array().is_some_and(|faults| faults.len() == 1));
    assert!(stderr(&output).starts_with("line 2: "));
    assert_eq!(parley(&["resolve", "--lines", "-"], &format!("{good}\n{good}\n")).status.code(), Some(0));
}

#[test]
fn rules_are_checked_with_file_line_and_reason() {
    let rules = parley_games::plunder::game::rules::PLUNDER;
    let output = parley(&["rules", "check", "-"], rules);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("rules plunder, hash "));
    let line = 1 + rules.lines().position(|line| line.contains("salvage:")).expect("a line");
    let cases = [
        ("salvage: 25", "salvage: -1", "out of range"),
        ("salvage: 25", "booty: 25", "unknown field `booty`"),
        ("salvage: 25", "salvage: many", "invalid"),
    ];
    for (from, to, reason) in cases {
        let output = parley(&["rules", "check", "-"], &rules.replace(from, to));
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.starts_with(&format!("-:{line}: ")) && said.contains(reason), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let missing = parley(&["rules", "check", "-"], &rules.replace("  salvage: 25\n", ""));
    assert!(stderr(&missing).contains("missing field `salvage`"), "{}", stderr(&missing));
}

#[test]
fn the_built_in_rules_can_be_shown_and_checked() {
    let shown = parley(&["rules", "show"], "");
    let checked = parley(&["rules", "check", "-"], stdout(&shown));
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
}

#[test]
fn a_map_is_drawn_as_text_and_as_a_picture() {
    let file = std::env::temp_dir().join(format!("parley-map-{}.svg", std::process::id()));
    let name = file.to_str().expect("UTF-8");
    let output = parley(&["map", "--seed", "7", "--size", "small", "--players", "3", "--svg", name], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!((rows.len(), rows[0].chars().count()), (12, 16));
    assert!(rows.iter().all(|row| row.chars().all(|c| "~.#H".contains(c))));
    let picture = std::fs::read_to_string(&file).expect("the picture was written");
    std::fs::remove_file(&file).expect("removed");
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    let again = parley(&["map", "--seed", "7", "--size", "16x12", "--players", "3"], "");
    assert_eq!(again.stdout, output.stdout, "a name and its sides are the same size");
    assert_ne!(parley(&["map", "--seed", "8", "--size", "small", "--players", "3"], "").stdout, output.stdout);
}

/// What a service allows does not bind who only wants a map: the rules do (R3.2).
#[test]
fn a_map_as_large_as_the_rules_allow_is_drawn() {
    let output = parley(&["map", "--seed", "7", "--size", "1024x1024", "--players", "2"], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(rows.len(), 1024);
    assert!(rows.iter().all(|row| row.len() == 1024), "every row has 1024 tiles");
}

#[test]
fn an_impossible_map_is_refused_in_a_sentence() {
    for arguments in [
        ["--size", "vast", "--players", "4"],
        ["--size", "2000x2000", "--players", "4"],
        ["--size", "tiny", "--players", "16"],
        ["--size", "tiny", "--players", "1"],
    ] {
        let output = parley(&[&["map", "--seed", "1"], &arguments[..]].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn commands_are_about_the_game_that_is_named() {
    let commands: [&[&str]; 4] =
        [&["map", "--size", "tiny", "--players", "2"], &["resolve", "-"], &["rules", "show"], &["rules", "check", "-"]];
    let rules = parley(&["rules", "show"], "");
    for command in commands {
        let input = if command[0] == "resolve" { MEETING } else { stdout(&rules) };
        let of = |name: &str| parley(&[command, &["--ruleset", name]].concat(), input);
        let (unnamed, named) = (parley(command, input), of("plunder"));
        assert_eq!(named.status.code(), Some(0), "{command:?}: {}", stderr(&named));
        assert_eq!(named.stdout, unnamed.stdout, "{command:?}: the first game is meant where none is named");
        let unknown = of("chess");
        assert_eq!(unknown.status.code(), Some(2), "{command:?}");
        assert_eq!(
            stderr(&unknown),
            "it is of the game \"chess\", and only \"plunder\" is known here\n",
            "{command:?}"
        );
    }
}

/// What the README shows is what the binary prints.
#[test]
fn the_readme_tells_the_truth() {
    let readme = include_str!("../../../README.md");
    let result = parley(&["resolve", "-"], MEETING);
    for line in readme.lines().filter(|line| line.starts_with("{\"type\":") || line.starts_with("Ship ")) {
        assert!(stdout(&result).contains(line), "not printed: {line}");
    }
    let table = parley(&["config", "--table"], "");
    assert!(readme.contains(stdout(&table)), "the README shows other settings than parley config --table");
    let map = parley(&["map", "--seed", "7", "--size", "standard"], "");
    assert!(readme.contains(stdout(&map)), "the README shows another map");
    let file = std::env::temp_dir().join(format!("parley-readme-{}.svg", std::process::id()));
    parley(&["map", "--seed", "7", "--size", "standard", "--svg", file.to_str().expect("UTF-8")], "");
    let drawn = std::fs::read_to_string(&file).expect("the picture was written");
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(drawn, include_str!("../../../data/maps/seed-7.svg"), "the README shows another picture");
}

//! `parley verify` and `parley replay show` as they are used, on a short match in which everything happens.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;

use crate::replay::recorder::{Given, Recorder};
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_games::hosted::Games;
use parley_games::plunder::game::event::{Body, Event, Subject};
use parley_games::plunder::game::ids::StructureId;
use parley_games::plunder::game::order::{Action, Choice, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_games::plunder::game::rules::Rules;
use parley_games::plunder::game::ruleset::Question;
use parley_games::plunder::game::scenario::Scenario;
use parley_games::replay::account::Account;
use parley_games::replay::file;
use parley_gateway::trace::trace_of;
use parley_proto::v1::{ReplayRecord, replay_record::Record};
use tempfile::TempDir;

/// Three channels: a passing on the first, a tile that two want on the second, a holder who gives way on the third.
const BOARD: &str = r######"{
    "seed": "0000000000000000000000000000000000000000000000000000000000000000", "turn": 1,
    "map": {"width": 5, "height": 5, "tiles": ["....H", "#####", ".....", "#####", "....."]},
    "players": [{"id": 0}, {"id": 1}],
    "units": [
        {"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 1}, {"id": 2, "owner": 1, "q": 1, "r": 0, "hp": 1},
        {"id": 3, "owner": 0, "q": 0, "r": 2, "hp": 10}, {"id": 4, "owner": 1, "q": 2, "r": 2, "hp": 10},
        {"id": 5, "owner": 1, "q": -1, "r": 4, "hp": 10, "engagement": "EVADE"},
        {"id": 6, "owner": 0, "q": -2, "r": 4, "hp": 10, "engagement": "FIGHT"}],
    "structures": [{"id": 1, "owner": 0, "q": 4, "r": 0, "hp": 20, "queue": [{"class": "ship", "turns_left": 1}]}]
}"######;

fn sheet(player: u64, moves: &[(u64, i32, i32)]) -> OrderSheet {
    let mut sheet = OrderSheet::empty(PlayerId::new(player).expect("a player"));
    sheet.units = moves
        .iter()
        .map(|&(unit, q, r)| UnitOrder {
            unit: UnitId::new(unit).expect("a unit"),
            action: Some(Action::Move(vec![Hex::new(q, r)])),
            broadside: false,
            engagement: None,
        })
        .collect();
    sheet
}

fn record() -> (Vec<ReplayRecord>, Vec<Vec<Event>>) {
    let scenario = Scenario::parse(&Arc::new(Rules::plunder()), BOARD).expect("a scenario");
    let mut recorder = Recorder::begin(scenario.rules, scenario.state, false);
    let mut anna = sheet(0, &[(1, 1, 0), (3, 1, 2), (6, -1, 4)]);
    let class = recorder.game.rules().class_named("ship").expect("a class");
    let structure = StructureId::new(1).expect("an id");
    anna.structures.push(StructureOrder { structure, work: Work::Build(class) });
    let bert = sheet(1, &[(2, 0, 0), (4, 1, 2)]);
    // Ship 2 is not answered for.
    let is_answered = |question: &Question| question.about != Subject::Unit(UnitId::new(2).expect("a unit"));
    let choose = |question: &Question| is_answered(question).then_some(Choice::Attack);
    recorder.turn(&[(anna, Given::Locked), (bert, Given::Locked)], choose);
    recorder.turn(&[(sheet(0, &[(3, -1, 2)]), Given::AtDeadline), (sheet(1, &[]), Given::Absent)], |_| None);
    let mut gives_up = sheet(1, &[]);
    gives_up.concede = true;
    recorder.turn(&[(sheet(0, &[]), Given::Locked), (gives_up, Given::Locked)], |_| None);
    let events = recorder.events.clone();
    (recorder.end(), events)
}

fn told(only: Option<u32>) -> (Account, Vec<Vec<Event>>) {
    let (records, events) = record();
    (Games::default().account(&records, only, trace_of).expect("it can be told"), events)
}

#[test]
fn an_account_says_who_did_what_and_why_not() {
    let (account, events) = told(None);
    let text = account.to_text();
    let sentences = [
        "Match 0192abcd-ef00-7000-8000-000000000001 \"A test\": Anna and Bert",
        "Turn 1",
        "  Anna locked in.",
        "  Tick 1",
        "Passing encounter between (0, 0) and (1, 0): Anna's ship 1 and Bert's ship 2 meet.",
        "    Anna's ship 1 attacks.",
        "    Bert's ship 2 proceeds.",
        "    Nobody answered for Bert's ship 2 in time.",
        "Entry encounter at (1, 2): Anna's ship 3 and Bert's ship 4 meet.",
        "    (1, 2) is contested now, by Anna's ship 3 and Bert's ship 4.",
        "    Bert's ship 5 yields.",
        "    Bert's ship 5 gives way to the east, to (0, 4).",
        "    Anna's ship 6 moves from (-2, 4) to (-1, 4).",
        "Anna's shipyard 1 takes on the build of a ship.",
        "Anna pays 50 gold for a build and has ",
        "Anna's shipyard 1 finishes ship 7, a ship, at (4, 0).",
        "  What fell short",
        "Ship 3 halted in tick 1 in the entry encounter at (1, 2), where it chose to attack (R7.5).",
        "  Anna had orders staged when the deadline came.",
        "  Bert was absent and ordered nothing.",
        "    Anna's ship 3 withdraws from the contest at (1, 2).",
        "    Bert's ship 4 moves from (2, 2) to (1, 2).",
        "    (1, 2) is contested no more: one side claimed it.",
        "Bert gives up and is out.",
        "Anna wins the match.",
        "Anna won.",
    ];
    for sentence in sentences {
        assert!(text.contains(sentence), "{sentence:?} is not told:\n{text}");
    }
    let sunk: Vec<_> = events[0].iter().filter(|event| matches!(event.body, Body::Sunk { .. })).collect();
    assert!(!sunk.is_empty(), "both had one hp");
    assert_eq!(text.matches(" sinks.").count(), sunk.len());
    let salvage = account.turns[0].events.iter().find(|line| line.text.contains("salvage")).expect("somebody was paid");
    assert_eq!(salvage.tick, Some(1), "it is paid in the tick of the sinking");
    assert_eq!(account.turns[0].to_text().matches("Tick 1").count(), 1);
    assert_eq!(
        text.matches(" rolls ").count(),
        2 + usize::from(events[1].iter().any(|e| matches!(e.body, Body::Exchanged { .. })))
    );
}

#[test]
fn one_turn_can_be_told_alone() {
    let (account, _) = told(Some(2));
    assert_eq!(account.turns.iter().map(|turn| turn.turn).collect::<Vec<_>>(), [2]);
    let missing = account_error(Some(9));
    assert_eq!(missing, "turn 9, match, turn: the replay has no such turn");
}

fn account_error(only: Option<u32>) -> String {
    Games::default().account(&record().0, only, trace_of).expect_err("a fault").to_string()
}

#[test]
fn names_cannot_paint_the_terminal() {
    let mut records = record().0;
    let Some(Record::Header(header)) = &mut records[0].record else { panic!("no header") };
    header.seats[0].name = "An\u{1b}[31mna\n".to_owned();
    header.seats[1].name = " ".to_owned();
    let text = Games::default().account(&records, Some(1), trace_of).expect("an account").to_text();
    assert!(text.contains("An\\u{1b}[31mna's ship 1") && text.contains("Seat 1's ship 2"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn players_of_one_name_are_told_apart() {
    let mut records = record().0;
    let Some(Record::Header(header)) = &mut records[0].record else { panic!("no header") };
    header.seats.iter_mut().for_each(|seat| seat.name = "wander".to_owned());
    let text = Games::default().account(&records, Some(1), trace_of).expect("an account").to_text();
    assert!(text.contains("wander (seat 0)'s ship 1") && text.contains("wander (seat 1)'s ship 2"), "{text}");
}

/// A folder with the match in the file `match.replay`.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("match.replay");
    let mut bytes = Vec::new();
    file::write(&mut bytes, &record().0).expect("memory takes it");
    std::fs::write(&path, bytes).expect("written");
    (folder, path)
}

fn parley(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_parley")).args(arguments).output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

fn key() -> String {
    let Some(Record::Header(header)) = &record().0[0].record else { panic!("no header") };
    header.receipt_key.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn verify_proves_and_says_what_the_proof_rests_on() {
    let (_folder, path) = folder();
    let path = path.to_str().expect("UTF-8");
    let (status, out, err) = parley(&["verify", path, "--key", &key()]);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(out.contains("proven: match 0192abcd-ef00-7000-8000-000000000001, 3 turns, 4 receipts, digest "), "{out}");
    assert!(
        out.contains("note: no receipt covers 2 of the sheets ") && out.contains(" and 4 of the answers:"),
        "{out}"
    );
    assert!(!out.contains("only as trustworthy"), "the key came from elsewhere: {out}");
    let (status, out, _) = parley(&["verify", path]);
    assert_eq!(status, Some(0));
    assert!(out.contains("note: the receipts were checked with the key that the replay itself names"), "{out}");
    let (status, _, err) = parley(&["verify", path, "--key", &"0".repeat(63)]);
    assert_eq!((status, err.lines().count()), (Some(2), 1), "{err}");
    let stranger = format!("{}{}", &key()[..62], "00");
    assert_ne!(parley(&["verify", path, "--key", &stranger]).0, Some(0));
}

#[test]
fn verify_names_what_was_changed_and_what_cannot_be_read() {
    let (folder, path) = folder();
    let mut records = record().0;
    if let Some(Record::Turn(turn)) = &mut records[2].record {
        turn.digest = vec![0; 32].into();
    }
    let mut bytes = Vec::new();
    file::write(&mut bytes, &records).expect("memory takes it");
    let (changed, cut) = (folder.path().join("changed.replay"), folder.path().join("cut.replay"));
    std::fs::write(&changed, &bytes).expect("written");
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).expect("written");
    let [good, changed, cut] = [&path, &changed, &cut].map(|path| path.to_str().expect("UTF-8"));
    let (status, out, err) = parley(&["verify", good, changed]);
    assert_eq!(status, Some(1));
    assert!(
        out.contains("match.replay: proven") && err.contains("changed.replay: not proven: turn 2, match, digest: ")
    );
    let (status, out, err) = parley(&["verify", cut, good, changed]);
    assert_eq!(status, Some(2));
    assert!(out.contains("proven") && err.contains("cut.replay: record 5: the file ends in the middle of it"), "{err}");
    assert_eq!(parley(&["verify", "no-such.replay"]).0, Some(2));
}

#[test]
fn verify_plays_again_under_other_rules() {
    let (folder, path) = folder();
    let path = path.to_str().expect("UTF-8");
    let rules = folder.path().join("rules.yaml");
    let file = rules.to_str().expect("UTF-8");
    std::fs::write(&rules, parley_games::plunder::game::rules::PLUNDER).expect("written");
    let (status, out, _) = parley(&["verify", path, "--rules", file]);
    assert_eq!(status, Some(0));
    assert!(out.contains("under the other rules all 3 turns are the same"), "{out}");
    let other = Rules::plunder().with_overrides(&serde_json::json!({"economy": {"income": 1}})).expect("rules");
    std::fs::write(&rules, other.to_json()).expect("written");
    let (status, out, _) = parley(&["verify", path, "--rules", file]);
    assert_eq!(status, Some(0), "a divergence is no fault");
    assert!(out.contains("under the other rules the first divergence is turn 1, player 0, gold: "), "{out}");
    std::fs::write(&rules, "nonsense").expect("written");
    assert_eq!(parley(&["verify", path, "--rules", file]).0, Some(2));
}

#[test]
fn show_prints_text_or_json() {
    let (_folder, path) = folder();
    let path = path.to_str().expect("UTF-8");
    let (status, out, err) = parley(&["replay", "show", path]);
    assert_eq!((status, &*err), (Some(0), ""));
    assert!(out.contains("Turn 1\n") && out.contains("Turn 3\n") && out.ends_with("Anna won.\n"), "{out}");
    let (status, out, _) = parley(&["replay", "show", path, "--turn", "2", "--json"]);
    assert_eq!((status, out.lines().count()), (Some(0), 1));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(value["turns"][0]["turn"], 2);
    assert_eq!(value["seats"], serde_json::json!(["Anna", "Bert"]));
    assert_eq!(value["turns"].as_array().map(Vec::len), Some(1));
    let withdrew = serde_json::json!({"tick": 0, "text": "Anna's ship 3 withdraws from the contest at (1, 2)."});
    assert!(value["turns"][0]["events"].as_array().is_some_and(|events| events.contains(&withdrew)), "{value}");
    let (status, _, err) = parley(&["replay", "show", path, "--turn", "9"]);
    assert_eq!((status, err.lines().count()), (Some(2), 1));
}

//! Replays of real matches: proven as they are, and not proven as soon as anything is changed.
#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

mod replay;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use ed25519_dalek::{SigningKey, VerifyingKey};
use parley_games::replay::file::{self, Limits};
use parley_games::replay::{Finding, Options, verify};
use parley_plunder::event::{Body, Event, Subject};
use parley_plunder::map::Map;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::Question;
use parley_plunder::state::State;
use parley_proto::v1::{self, ReplayRecord, ReplayTurn, SheetOrigin, replay_end, replay_record::Record};
use proptest::prelude::*;
use serde_json::json;

/// A recorded match and what the recorder knows of it.
struct Recorded {
    records: Vec<ReplayRecord>,
    events: Vec<Vec<Event>>,
    asked: Vec<Vec<Vec<Question>>>,
    key: VerifyingKey,
    rules: Arc<Rules>,
}

impl Recorded {
    fn of(recorder: crate::replay::recorder::Recorder) -> Self {
        let (events, asked) = (recorder.events.clone(), recorder.asked.clone());
        let (key, rules) = (recorder.key(), Arc::clone(recorder.game.rules()));
        Self { records: recorder.end(), events, asked, key, rules }
    }

    /// The place in the list of the first turn that something happened in; the header comes before it.
    fn first_turn_with(&self, what: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().position(|events| events.iter().any(&what)).expect("it happened") + 1
    }
}

/// Three players, the last a house bot, long enough for everything to happen.
fn sample() -> &'static Recorded {
    static SAMPLE: OnceLock<Recorded> = OnceLock::new();
    SAMPLE.get_or_init(|| Recorded::of(crate::replay::play::play(&json!({}), false, 3, 25, 11)))
}

fn turn_mut(records: &mut [ReplayRecord], place: usize) -> &mut ReplayTurn {
    match &mut records[place].record {
        Some(Record::Turn(turn)) => turn,
        _ => panic!("record {place} is no turn"),
    }
}

fn header_mut(records: &mut [ReplayRecord]) -> &mut v1::ReplayHeader {
    match &mut records[0].record {
        Some(Record::Header(header)) => header,
        _ => panic!("the first record is no header"),
    }
}

fn end_mut(records: &mut [ReplayRecord]) -> &mut v1::ReplayEnd {
    match records.last_mut().and_then(|record| record.record.as_mut()) {
        Some(Record::End(end)) => end,
        _ => panic!("the last record is no end"),
    }
}

fn flip(bytes: &mut Bytes, place: usize) {
    let mut changed = bytes.to_vec();
    changed[place] ^= 1;
    *bytes = changed.into();
}

/// What speaks against the sample after a change.
fn after(change: impl FnOnce(&mut Vec<ReplayRecord>)) -> Finding {
    let mut records = sample().records.clone();
    change(&mut records);
    let verdict = verify(&records, &Options { key: Some(sample().key), rules: None });
    assert!(!verdict.is_proven());
    verdict.finding.expect("a finding")
}

/// Turn, entity and field of a finding.
fn named(finding: &Finding) -> (Option<u32>, &str, &str) {
    (finding.turn, &finding.entity, finding.field)
}

/// The place of a turn and the place in it of a sheet that was locked in, the later one of two of the same seat.
fn locked_twice() -> (usize, usize, u32) {
    let mut seen = Vec::new();
    for (place, record) in sample().records.iter().enumerate() {
        let Some(Record::Turn(turn)) = &record.record else { continue };
        for (at, sheet) in turn.sheets.iter().enumerate().filter(|(_, sheet)| sheet.receipt.is_some()) {
            if seen.contains(&sheet.seat) && !sheet.sheet.is_empty() {
                return (place, at, sheet.seat);
            }
            seen.push(sheet.seat);
        }
    }
    panic!("nobody locked in twice")
}

#[test]
fn matches_of_all_kinds_are_proven() {
    let settings = [
        (json!({}), false, 2),
        (json!({"fog": "on"}), false, 3),
        (json!({"elimination": "no_ships_and_no_structures", "turn_limit": 12}), true, 4),
    ];
    let (mut ended, mut windows) = (0, 0);
    for (overrides, wrap, players) in settings {
        for number in 1..=4 {
            let recorded = Recorded::of(crate::replay::play::play(&overrides, wrap, players, 20, number));
            let verdict = verify(&recorded.records, &Options { key: Some(recorded.key), rules: None });
            assert_eq!(verdict.finding.map(|finding| finding.to_string()), None, "{overrides} {number}");
            assert_eq!(verdict.turns as usize, recorded.records.len() - 2);
            assert!(verdict.receipts > 0 && !verdict.notes.iter().any(|note| note.contains("only as")));
            for record in &recorded.records {
                match &record.record {
                    Some(Record::Turn(turn)) => windows += turn.windows.len(),
                    Some(Record::End(end)) => {
                        ended += usize::from(!matches!(end.end, Some(replay_end::End::Stopped(_))))
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(ended > 0 && windows > 20, "{ended} ended, {windows} windows");
}

#[test]
fn a_file_is_the_same_proof() {
    let mut bytes = Vec::new();
    file::write(&mut bytes, &sample().records).expect("memory takes it");
    assert!(bytes.starts_with(b"PARLEY-REPLAY 2\n"));
    let records = file::read(&bytes[..], &Limits::default()).expect("a replay");
    assert_eq!(records, sample().records);
    bytes.truncate(bytes.len() - 1);
    let error = file::read(&bytes[..], &Limits::default()).expect_err("truncated").to_string();
    assert_eq!(error, format!("record {}: the file ends in the middle of it", records.len()));
}

#[test]
fn the_key_of_the_file_is_only_as_good_as_the_file() {
    let verdict = verify(&sample().records, &Options::default());
    assert!(verdict.is_proven() && verdict.notes[0].contains("only as trustworthy as the file"));
    let stranger = SigningKey::from_bytes(&[9; 32]).verifying_key();
    let verdict = verify(&sample().records, &Options { key: Some(stranger), rules: None });
    assert_eq!(named(&verdict.finding.expect("a finding")), (None, "header", "receipt_key"));
    let finding = after(|records| header_mut(records).receipt_key = stranger.as_bytes().to_vec().into());
    assert_eq!(named(&finding), (None, "header", "receipt_key"));
    let mut renamed = sample().records.clone();
    header_mut(&mut renamed).receipt_key = stranger.as_bytes().to_vec().into();
    let finding = verify(&renamed, &Options::default()).finding.expect("a finding");
    assert!(finding.turn.is_some() && finding.field == "receipt.signature", "{finding}");
}

#[test]
fn a_changed_header_is_named() {
    type Change = fn(&mut v1::ReplayHeader);
    let said = |change: Change| after(|records| change(header_mut(records)));
    let header: [(Change, &str); 13] = [
        (|h| h.format = 1, "format"),
        (|h| h.format = 3, "format"),
        (|h| h.ruleset = "chess".to_owned(), "ruleset"),
        (|h| h.ruleset = String::new(), "ruleset"),
        (|h| h.match_id.insert(0, 'x'), "match_id"),
        (|h| h.rules = h.rules.replace("\"damage\":", "\"damages\":"), "rules"),
        (|h| h.rules.push(' '), "rules"),
        (|h| flip(&mut h.rules_hash, 5), "rules_hash"),
        (|h| h.map = None, "map"),
        (|h| h.initial_state = Bytes::from_static(&[1, 2]), "initial_state"),
        (|h| flip(&mut h.genesis_digest, 31), "genesis_digest"),
        (|h| h.seats.swap(0, 1), "seats"),
        (|h| h.receipt_key = Bytes::new(), "receipt_key"),
    ];
    for (change, field) in header {
        assert_eq!(named(&said(change)), (None, "header", field));
    }
    let earlier =
        "this replay was written by an earlier version of Parley (format 1), and only such a version can read it";
    assert_eq!(said(|h| h.format = 1).reason, earlier);
    let other = said(|h| h.ruleset = "chess".to_owned()).reason;
    assert_eq!(other, "it is of the game \"chess\", and only \"plunder\" is known here");
    assert_eq!(named(&said(|h| h.seats[1].added = vec![1].into())), (None, "seat 1", "added"));
    assert_eq!(named(&said(|h| flip(&mut h.seed_commitment, 0))), (None, "end", "secret"));
    let other_rules = said(|h| {
        let rules = Rules::plunder().with_overrides(&json!({"combat": {"damage": 9}})).expect("rules");
        (h.rules, h.rules_hash) = (rules.to_json(), rules.hash().as_bytes().to_vec().into());
    });
    assert_eq!(named(&other_rules), (None, "header", "genesis_digest"));
}

#[test]
fn a_changed_secret_or_seed_is_named() {
    let finding = after(|records| flip(&mut end_mut(records).secret, 0));
    assert_eq!(named(&finding), (None, "end", "secret"));
    assert!(finding.reason.contains("commitment"));
    let first = sample().first_turn_with(|event| matches!(event.body, Body::Exchanged { .. }));
    let finding = after(|records| flip(&mut header_mut(records).seats[0].added, 7));
    assert!(finding.turn.is_some_and(|turn| turn >= first as u32), "dice differ from turn {first} on: {finding}");
    assert!(finding.turn.is_some_and(|turn| turn <= first as u32 + 2) && finding.tick.is_some(), "{finding}");
}

#[test]
fn changed_orders_and_receipts_are_named() {
    let (place, at, seat) = locked_twice();
    let change = |change: fn(&mut v1::ReplaySheet)| {
        let finding = after(|records| change(&mut turn_mut(records, place).sheets[at]));
        assert_eq!((finding.turn, &finding.entity), (Some(place as u32), &format!("seat {seat}")));
        finding.field
    };
    assert_eq!(change(|sheet| flip(&mut sheet.sheet, 3)), "sheet");
    assert_eq!(change(|sheet| sheet.sheet = Bytes::new()), "sheet");
    assert_eq!(change(|sheet| sheet.receipt = None), "receipt");
    assert_eq!(change(|sheet| sheet.origin = SheetOrigin::AtDeadline.into()), "receipt");
    let receipt = |change_it: fn(&mut v1::Receipt)| {
        let finding =
            after(|records| change_it(turn_mut(records, place).sheets[at].receipt.as_mut().expect("a receipt")));
        assert_eq!((finding.turn, &finding.entity), (Some(place as u32), &format!("seat {seat}")));
        finding.field
    };
    assert_eq!(receipt(|r| flip(&mut r.signature, 10)), "receipt.signature");
    assert_eq!(receipt(|r| flip(&mut r.sheet_hash, 10)), "receipt.signature");
    assert_eq!(receipt(|r| flip(&mut r.previous, 10)), "receipt.signature");
    assert_eq!(receipt(|r| r.turn += 1), "receipt");
    assert_eq!(receipt(|r| r.match_id.make_ascii_uppercase()), "receipt");
}

#[test]
fn a_sheet_is_one_of_the_game_that_was_played_or_there_is_none() {
    /// An empty sheet under the arm of another game.
    const OTHER_ARM: &[u8] = b"\x12\x00";
    let place = |wanted: fn(&v1::ReplaySheet) -> bool| {
        let found = |(place, record): (usize, &ReplayRecord)| match &record.record {
            Some(Record::Turn(turn)) => turn.sheets.iter().position(wanted).map(|at| (place, at)),
            _ => None,
        };
        sample().records.iter().enumerate().find_map(found).expect("such a sheet")
    };
    let said = |(place, at): (usize, usize), sheet: &'static [u8]| {
        after(|records| turn_mut(records, place).sheets[at].sheet = Bytes::from_static(sheet)).reason
    };
    let of_house = place(|sheet| sheet.origin() == SheetOrigin::Locked && sheet.receipt.is_none());
    for nothing in [&b""[..], OTHER_ARM] {
        assert_eq!(said(of_house, nothing), "it is not one of plunder, the game that was played");
    }
    let absent = place(|sheet| sheet.origin() == SheetOrigin::Absent);
    assert_eq!(said(absent, OTHER_ARM), "it is not one of plunder, the game that was played");
    assert_eq!(said(absent, b"\x0a\x00"), "nothing was staged, though there are orders");
}

#[test]
fn a_receipt_that_was_left_out_breaks_the_chain() {
    let (place, _, seat) = locked_twice();
    let mut dropped = None;
    let finding = after(|records| {
        for earlier in 1..place {
            let sheets = &mut turn_mut(records, earlier).sheets;
            if let Some(sheet) = sheets.iter_mut().find(|s| s.seat == seat && s.receipt.is_some()) {
                (sheet.receipt, sheet.origin) = (None, SheetOrigin::AtDeadline.into());
                dropped = Some(earlier);
            }
        }
    });
    assert!(dropped.is_some());
    assert_eq!(named(&finding), (Some(place as u32), &*format!("seat {seat}"), "receipt.previous"));
}

/// The place of a turn with an attack that was answered, of a window of at least two questions, and of the answer in it.
fn attacked() -> (usize, usize, usize) {
    for (place, record) in sample().records.iter().enumerate() {
        let Some(Record::Turn(turn)) = &record.record else { continue };
        for (number, window) in turn.windows.iter().enumerate().filter(|(_, window)| window.answers.len() > 1) {
            if let Some(at) = window.answers.iter().position(|answer| answer.options == [1]) {
                return (place, number, at);
            }
        }
    }
    panic!("nobody attacked")
}

#[test]
fn changed_answers_are_named() {
    let (place, window, at) = attacked();
    let asked = &sample().asked[place - 1][window];
    let tick = Some(asked[at].tick);
    let name = |question: &Question| match question.about {
        Subject::Unit(unit) => format!("question {} of seat {} about unit {unit}", question.id(), question.seat),
        Subject::Structure(_) => panic!("only ships meet"),
    };
    let said = |change: &dyn Fn(&mut Vec<v1::ReplayAnswer>)| {
        let finding = after(|records| change(&mut turn_mut(records, place).windows[window].answers));
        assert_eq!((finding.turn, finding.tick, finding.field), (Some(place as u32), tick, "answer"), "{finding}");
        (finding.entity, finding.reason)
    };
    let changed = |change: &dyn Fn(&mut v1::ReplayAnswer)| {
        let (entity, reason) = said(&|answers| change(&mut answers[at]));
        assert_eq!(entity, name(&asked[at]));
        reason
    };
    let reason = changed(&|answer| answer.defaulted = true);
    assert_eq!(reason, "nobody answered it, and what counted is not its default (R7.2)");
    assert_eq!(changed(&|answer| answer.options = vec![77]), "it has no option 77");
    assert_eq!(changed(&|answer| answer.options.push(1)), "it has option 1 picked twice");
    assert_eq!(changed(&|answer| answer.options.push(0)), "it lets at most 1 of its options be picked");
    assert_eq!(changed(&|answer| answer.options.clear()), "it wants at least 1 of its options picked");

    // There is exactly one answer to each question, in its place.
    let missing = "it was asked, and no answer is recorded where it belongs".to_owned();
    assert_eq!(changed(&|answer| answer.question += 100), missing);
    assert_eq!(changed(&|answer| answer.seat = 77), missing);
    assert_eq!(said(&|answers| drop(answers.remove(at))), (name(&asked[at]), missing.clone()));
    assert_eq!(said(&|answers| answers.swap(0, 1)), (name(&asked[0]), missing.clone()));
    assert_eq!(said(&|answers| answers.insert(1, answers[0].clone())), (name(&asked[1]), missing.clone()));
    let extra = v1::ReplayAnswer { seat: 2, question: 99, options: vec![0], defaulted: false };
    let not_asked = ("question 99 of seat 2".to_owned(), "it was not asked".to_owned());
    assert_eq!(said(&|answers| answers.push(extra.clone())), not_asked);

    // And there is a window for every time that players were asked.
    assert_eq!(said(&|answers| answers.clear()), (name(&asked[0]), missing));
    let finding = after(|records| drop(turn_mut(records, place).windows.remove(window)));
    assert_eq!((finding.turn, finding.tick), (Some(place as u32), tick));
    let finding = after(|records| turn_mut(records, place).windows.push(v1::ReplayWindow::default()));
    let (one, other) = (sample().asked[place - 1].len() + 1, sample().asked[place - 1].len());
    assert_eq!(named(&finding), (Some(place as u32), "match", "windows"));
    assert_eq!(finding.reason, format!("{one} windows are recorded, and players were asked in {other}"));
}

#[test]
fn another_choice_leads_to_another_state_and_is_named_there() {
    let recorded = play_duel(Some(parley_plunder::order::Choice::Attack));
    let mut records = recorded.records.clone();
    turn_mut(&mut records, 1).windows[0].answers[0].options = vec![0];
    let finding = verify(&records, &Options::default()).finding.expect("a finding");
    assert_eq!((finding.turn, finding.tick, &*finding.entity), (Some(1), Some(1), "unit 1"), "{finding}");
}

/// Two ships that want to swap places, one on `FIGHT`, the other asked.
fn play_duel(choice: Option<parley_plunder::order::Choice>) -> Recorded {
    let text = r#"{
        "seed": "0000000000000000000000000000000000000000000000000000000000000000", "turn": 1,
        "map": {"width": 3, "height": 1, "tiles": ["..."]},
        "players": [{"id": 0}, {"id": 1}],
        "units": [{"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 1, "r": 0, "hp": 10, "engagement": "EVADE"}]
    }"#;
    let base = Arc::new(Rules::plunder());
    let scenario = parley_plunder::scenario::Scenario::parse(&base, text).expect("a scenario");
    let mut recorder = crate::replay::recorder::Recorder::begin(scenario.rules, scenario.state, false);
    let go = |seat, unit, q| {
        let player = parley_core::ids::PlayerId::new(seat).expect("a player");
        let mut sheet = parley_plunder::order::OrderSheet::empty(player);
        let action = parley_plunder::order::Action::Move(vec![parley_core::hex::Hex::new(q, 0)]);
        sheet.units.push(parley_plunder::order::UnitOrder {
            unit: parley_core::ids::UnitId::new(unit).expect("a unit"),
            action: Some(action),
            broadside: false,
            engagement: None,
        });
        (sheet, crate::replay::recorder::Given::Locked)
    };
    recorder.turn(&[go(0, 1, 1), go(1, 2, 0)], |_| choice);
    Recorded::of(recorder)
}

#[test]
fn a_changed_hp_is_named_with_turn_tick_unit_and_field() {
    let place = sample().first_turn_with(|event| matches!(event.body, Body::Exchanged { .. }));
    let mut records = sample().records.clone();
    let header = header_mut(&mut records).clone();
    let map = header.map.expect("a map");
    let map = Map::from_terrain(&sample().rules, map.width, map.height, map.wrap, &map.terrain).expect("a map");
    let turn = turn_mut(&mut records, place);
    let mut state = State::decode(&sample().rules, &Arc::new(map), &turn.state).expect("a state");
    let fought = sample().events[place - 1].iter().find_map(|event| match event.body {
        Body::Exchanged { exchange } => [exchange.attacker, exchange.defender]
            .into_iter()
            .find(|&id| state.unit(id).is_some())
            .map(|id| (event.tick, id)),
        _ => None,
    });
    let (_, unit) = fought.expect("somebody who fought is still afloat");
    let hp = state.unit(unit).expect("afloat").hp;
    let changed = if hp > 1 { hp - 1 } else { 2 };
    let before = state.encode();
    state = set_hp(&sample().rules, &state, unit, changed);
    let bytes = state.encode();
    assert_eq!(bytes.len(), before.len());
    turn.state = bytes.into();
    let finding = verify(&records, &Options::default()).finding.expect("a finding");
    let grid = *state.map().grid();
    let entity = parley_plunder::compare::Entity::Unit(unit);
    let touching = sample().events[place - 1].iter().filter(|event| event.body.entities(&grid).contains(&entity));
    let tick = touching.filter_map(|event| event.tick).next();
    assert!(tick.is_some());
    assert_eq!((finding.turn, finding.tick), (Some(place as u32), tick));
    assert_eq!((finding.entity, finding.field), (format!("unit {unit}"), "hp"));
    assert_eq!(finding.reason, format!("the turn leads to {hp}, recorded is {changed}"));
}

/// The same state with another hp of one unit, by way of its bytes: outside the resolver nobody changes a state.
fn set_hp(rules: &Rules, state: &State, unit: parley_core::ids::UnitId, hp: u16) -> State {
    let bytes = state.encode();
    for place in 0..bytes.len() - 1 {
        let mut changed = bytes.clone();
        changed[place..place + 2].copy_from_slice(&hp.to_le_bytes());
        let Ok(other) = State::decode(rules, state.map(), &changed) else { continue };
        let found = state.first_difference(&other);
        if found.is_some_and(|d| d.entity == parley_plunder::compare::Entity::Unit(unit) && d.field == "hp") {
            return other;
        }
    }
    panic!("the unit is not in the state")
}

#[test]
fn changed_states_digests_and_turns_are_named() {
    let finding = after(|records| flip(&mut turn_mut(records, 3).digest, 0));
    assert_eq!(named(&finding), (Some(3), "match", "digest"));
    let finding = after(|records| turn_mut(records, 3).state = Bytes::new());
    assert_eq!(named(&finding), (Some(3), "match", "state"));
    let finding = after(|records| drop(records.remove(3)));
    assert_eq!(named(&finding), (Some(4), "match", "turn"));
    assert_eq!(finding.reason, "turn 4 stands where turn 3 belongs");
    let finding = after(|records| records.swap(3, 4));
    assert_eq!(finding.turn, Some(4));
    let finding = after(|records| drop(turn_mut(records, 2).sheets.remove(0)));
    assert_eq!(named(&finding), (Some(2), "match", "sheets"));
}

#[test]
fn a_missing_or_false_end_is_named() {
    let finding = after(|records| drop(records.pop()));
    let last = sample().records.len() as u32 - 2;
    assert_eq!(named(&finding), (Some(last), "file", "end"));
    let finding = after(|records| drop(records.remove(0)));
    assert_eq!(named(&finding), (None, "file", "header"));
    let finding = after(|records| records.push(records[1].clone()));
    assert_eq!(named(&finding), (None, "file", "records"));
    let finding = after(|records| flip(&mut end_mut(records).final_digest, 0));
    assert_eq!(named(&finding), (None, "end", "final_digest"));
    let finding = after(|records| end_mut(records).end = None);
    assert_eq!(named(&finding), (None, "end", "result"));
    let false_winner = |end: &v1::ReplayEnd| match end.end {
        Some(replay_end::End::Winner(seat)) => replay_end::End::Winner((seat + 1) % 3),
        _ => replay_end::End::Winner(1),
    };
    let finding = after(|records| end_mut(records).end = Some(false_winner(end_mut(records))));
    assert_eq!(named(&finding), (None, "end", "result"));
    let finding = after(|records| {
        let place = records.len() - 2;
        records.remove(place);
    });
    assert!(matches!(finding.field, "result" | "final_digest"), "{finding}");
}

#[test]
fn other_rules_diverge_where_they_first_matter() {
    let divergence = |overrides: serde_json::Value| {
        let rules = Arc::new(sample().rules.with_overrides(&overrides).expect("sound overrides"));
        let verdict = verify(&sample().records, &Options { key: None, rules: Some(rules) });
        assert!(verdict.is_proven(), "other rules are no fault of the replay");
        verdict.divergence.expect("it was asked for")
    };
    assert_eq!(divergence(json!({"name": "another name"})), None);
    let first = sample().first_turn_with(|event| matches!(event.body, Body::Exchanged { .. })) as u32;
    let finding = divergence(json!({"combat": {"damage": 3}})).expect("a divergence");
    assert_eq!(finding.turn, Some(first), "{finding}");
    let finding = divergence(json!({"economy": {"income": 11}})).expect("a divergence");
    assert_eq!(named(&finding), (Some(1), "player 0", "gold"));
    let finding =
        divergence(json!({"classes": [{"key": "raft", "domain": "naval", "hull": 10, "speed": 3, "cannons": 0,
        "vision": 3, "build_cost": 50, "build_turns": 3}]}));
    assert_eq!(named(&finding.expect("a divergence")), (None, "header", "classes"));
}

/// What no signature and no digest covers: names, times, sheets without a receipt, and answers that come to the same.
fn without_hearsay(records: &[ReplayRecord]) -> Vec<ReplayRecord> {
    let mut records = records.to_vec();
    for record in &mut records {
        match &mut record.record {
            Some(Record::Header(header)) => {
                (header.name, header.created_ms, header.started_ms) = (String::new(), 0, 0);
                header.seats.iter_mut().for_each(|seat| (seat.name, seat.policy) = (String::new(), String::new()));
            }
            Some(Record::Turn(turn)) => {
                turn.resolved_ms = 0;
                turn.windows.clear();
                for sheet in &mut turn.sheets {
                    if sheet.receipt.is_none() {
                        (sheet.sheet, sheet.origin) = (Bytes::new(), 0);
                    }
                }
            }
            Some(Record::End(end)) => {
                end.ended_ms = 0;
                if let Some(replay_end::End::Stopped(stopped)) = &mut end.end {
                    stopped.reason.clear();
                }
            }
            None => {}
        }
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// No byte of a file can be changed without being noticed, unless it is hearsay, and none makes it panic.
    #[test]
    fn a_changed_byte_is_noticed(place in any::<prop::sample::Index>(), value in 1u8..=255) {
        let mut bytes = Vec::new();
        file::write(&mut bytes, &sample().records).expect("memory takes it");
        let place = place.index(bytes.len());
        bytes[place] ^= value;
        if let Ok(records) = file::read(&bytes[..], &Limits::default()) {
            let verdict = verify(&records, &Options { key: Some(sample().key), rules: None });
            if verdict.is_proven() {
                prop_assert_eq!(without_hearsay(&records), without_hearsay(&sample().records), "byte {}", place);
            }
        }
    }
}

use parley_games::times;
use parley_proto::common::v1 as common;
use parley_proto::common::v1::subject::Subject;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use parley_proto::v1::question::option::Choice;

use super::super::sketch::{Sketch, key, press};
use super::*;
use crate::arms::Arms;
use crate::session::Item;

fn path(order: &plunder::UnitOrder) -> Vec<(i32, i32)> {
    match order.action.as_ref() {
        Some(Action::Move(sail)) => sail.path.iter().map(|hex| (hex.q, hex.r)).collect(),
        other => panic!("no move but {other:?}"),
    }
}

fn lines(model: &Model) -> Vec<&str> {
    model.log().lines().map(|line| line.text.as_str()).collect()
}

#[test]
fn a_ship_is_picked_and_sent_and_the_server_knows_at_once() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    assert!(matches!(model.stage(), Stage::Planning));
    press(&mut sketch, &mut model, "Enter Right Right Enter");
    let sheet = sketch.staged.clone().expect("staged");
    assert_eq!(path(&sheet.units[0]), [(1, 0), (2, 0)]);
    assert_eq!(model.notice(), Some("Ship 1 sails to (2, 0): 2 tiles, 1 turn."));
    assert_eq!(model.picked(), None);
    assert_eq!(model.paths()[&1].len(), 2);
    assert!(sketch.locked.is_none());
    press(&mut sketch, &mut model, "L");
    assert_eq!(sketch.locked, Some(sheet));
    assert!(matches!(model.stage(), Stage::Locked));
}

#[test]
fn a_far_way_is_asked_for_and_says_how_many_turns_it_takes() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab Right Right Right Right Right");
    assert!(matches!(model.aim(), Some(Ok(way)) if way.turns == 2 && way.path.len() == 5));
    press(&mut sketch, &mut model, "Enter");
    assert_eq!(model.notice(), Some("Ship 1 sails to (5, 0): 5 tiles, 2 turns."));
}

#[test]
fn enter_before_the_way_is_known_sends_the_ship_when_it_is() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    for name in ["Tab", "Right", "Right", "Right", "Right", "Right", "Enter"] {
        model.on_key(key(name));
    }
    assert_eq!(model.notice(), Some("Looking for a way."));
    assert!(model.plan().is_empty());
    sketch.serve(&mut model);
    assert_eq!(path(model.plan().ship(1).expect("an order")).last(), Some(&(5, 0)));
    assert_eq!(sketch.staged.as_ref().map(|sheet| sheet.units.len()), Some(1));
}

#[test]
fn where_no_ship_can_go_says_why() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab Right Right Right Down Enter");
    let notice = model.notice().expect("a reason").to_owned();
    assert!(notice.contains("(3, 1) is on land (R5.5)"), "{notice}");
    assert!(model.plan().is_empty());
}

#[test]
fn reasons_of_the_rules_are_shown() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    for (keys, reason) in [
        ("r", "Pick a ship first"),
        ("n", "Pick a shipyard first"),
        ("Enter d", "(R11.2)"),
        ("b", "no foreign shipyard is beside it (R11.5)"),
        ("p", "is in no contest (R9.2)"),
        ("w", "is in no contest (R9.2)"),
        ("Tab x", "builds nothing (R11.2)"),
        ("Esc Down Down Enter", "Nothing of yours is here."),
        ("u", "There is nothing to take back."),
    ] {
        press(&mut sketch, &mut model, keys);
        let notice = model.notice().unwrap_or_default();
        assert!(notice.contains(reason), "{keys}: {notice}");
    }
    assert_eq!(sketch.staged.map(|sheet| sheet.units.len() + sheet.structures.len()), Some(0));
}

#[test]
fn every_order_has_its_key() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let action = |sketch: &Sketch| sketch.staged.as_ref().and_then(|sheet| sheet.units[0].action.clone());
    press(&mut sketch, &mut model, "Tab .");
    assert_eq!(action(&sketch), Some(Action::Hold(plunder::Hold {})));
    press(&mut sketch, &mut model, "r");
    assert_eq!(action(&sketch), Some(Action::Repair(plunder::Repair {})));
    for (name, upgrade) in
        [("1", plunder::Upgrade::Sails), ("2", plunder::Upgrade::Cannons), ("3", plunder::Upgrade::Hull)]
    {
        press(&mut sketch, &mut model, name);
        assert_eq!(action(&sketch), Some(Action::Upgrade(upgrade.into())));
    }
    assert_eq!(model.purse(), Some((100, 117)));
    press(&mut sketch, &mut model, "f e");
    let order = sketch.staged.as_ref().expect("staged").units[0].clone();
    assert!(order.broadside);
    assert_eq!(order.engagement(), plunder::Engagement::Evade);
    press(&mut sketch, &mut model, "e e e");
    let order = sketch.staged.as_ref().expect("staged").units[0].clone();
    assert_eq!(order.engagement(), plunder::Engagement::Unspecified, "asking is what it did before");
    press(&mut sketch, &mut model, "x");
    assert_eq!(sketch.staged.as_ref().map(|sheet| sheet.units.len()), Some(0));
    press(&mut sketch, &mut model, "Tab n");
    let work = sketch.staged.as_ref().expect("staged").structures[0].work.clone();
    assert_eq!(work, Some(plunder::structure_order::Work::Build("ship".to_owned())));
    assert_eq!(model.notice(), Some("Shipyard 1 builds a ship for 50 gold, ready in 3 turns."));
    press(&mut sketch, &mut model, "x");
    assert_eq!(sketch.staged.as_ref().map(|sheet| sheet.structures.len()), Some(0));
}

#[test]
fn a_change_is_taken_back_and_made_again() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab . e");
    let both = model.plan().sheet();
    press(&mut sketch, &mut model, "u");
    assert_eq!(model.plan().ship(1).map(|order| order.engagement()), Some(plunder::Engagement::Unspecified));
    press(&mut sketch, &mut model, "u");
    assert!(model.plan().is_empty());
    assert_eq!(sketch.staged, Some(plunder::Sheet::default()));
    press(&mut sketch, &mut model, "^r ^r");
    assert_eq!(model.plan().sheet(), both);
    assert_eq!(sketch.staged.as_ref(), Some(&both));
    press(&mut sketch, &mut model, "u r ^r");
    assert_eq!(model.notice(), Some("Nothing was taken back."), "a new change ends what could be made again");
}

#[test]
fn undo_has_an_end() {
    let mut plan = OrderPlan::default();
    for step in 0..2 * MAX_UNDO {
        plan.order(1, |order| order.broadside = step % 2 == 0);
    }
    let undone = std::iter::repeat_with(|| plan.undo()).take_while(|undone| *undone).count();
    assert_eq!(undone, MAX_UNDO);
}

#[test]
fn idle_ships_are_asked_about_before_they_are_locked() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "L");
    assert_eq!(model.dialog(), Some(Dialog::LockIdle(1)));
    press(&mut sketch, &mut model, "n");
    assert_eq!((model.dialog(), sketch.locked.is_some()), (None, false));
    press(&mut sketch, &mut model, "L y");
    assert_eq!(sketch.locked, Some(plunder::Sheet::default()));
    press(&mut sketch, &mut model, "Tab .");
    assert!(model.notice().is_some_and(|notice| notice.contains("(R5.2)")));
}

#[test]
fn a_refused_lock_in_can_be_mended() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab .");
    model.on_key(key("L"));
    assert!(matches!(model.stage(), Stage::Locked));
    let refusal = tonic::Status::invalid_argument("a bad sheet").into();
    model.on_answer(CallResult::Locked { turn: 1, locked: Err(refusal) });
    assert!(matches!(model.stage(), Stage::Planning));
    assert_eq!(model.notice(), Some("The server refused: a bad sheet."));
}

#[test]
fn conceding_and_quitting_are_asked_about() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "q n");
    assert!(!model.is_leaving());
    press(&mut sketch, &mut model, "C Esc");
    assert!(!sketch.conceded);
    press(&mut sketch, &mut model, "C y");
    assert!(sketch.conceded && model.has_conceded() && matches!(model.stage(), Stage::Locked));
    press(&mut sketch, &mut model, "q y");
    assert!(model.is_leaving());
    let mut model = sketch.model(Some(0));
    model.on_key(key("^c"));
    assert!(model.is_leaving());
}

/// Both want to enter (3, 0), in tick 3.
fn met(engagement: plunder::Engagement) -> (Sketch, Model) {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    sketch.bea_sails(&[(5, 0), (4, 0), (3, 0)], engagement);
    press(&mut sketch, &mut model, "Tab Right Right Right Right Enter L");
    let prompt = sketch.play(Some(0));
    model.on_item(prompt);
    (sketch, model)
}

#[test]
fn an_entry_is_answered_with_yield_or_attack() {
    let (mut sketch, mut model) = met(plunder::Engagement::Fight);
    let Stage::Asked(asking) = model.stage() else { panic!("{:?}", model.stage()) };
    let (encounter, unit) = asking.current().expect("a prompt");
    assert_eq!((encounter.kind(), unit, asking.tick()), (plunder::EncounterKind::Entry, 1, Some(3)));
    assert_eq!(title(encounter.kind()), "ENTRY ENCOUNTER — choose: YIELD or ATTACK");
    let board = model.board().expect("a board");
    let ship = board.ship(1).and_then(|ship| board.tile(ship.hex.as_ref()));
    assert_eq!(ship, board.tile_in(2, 0), "the map shows where the ships met");
    assert!(lines(&model).contains(&"tick 2: Your ship 1 sails from (0, 0) to (2, 0)."), "{:?}", lines(&model));
    press(&mut sketch, &mut model, "p");
    assert_eq!(model.notice(), Some("ENTRY ENCOUNTER — choose: YIELD or ATTACK."));
    assert!(sketch.answered.is_empty());
    press(&mut sketch, &mut model, "a");
    assert_eq!(sketch.answered, [v1::Answer { question: 1, options: vec![1] }]);
    let outcome = sketch.play(Some(0));
    model.on_item(outcome);
    sketch.serve(&mut model);
    let told = lines(&model).join("\n");
    for sentence in [
        "You told ship 1 to ATTACK at (3, 0).",
        "tick 3: Entry encounter at (3, 0): your ship 1 and Bea's ship 2 meet.",
        "tick 3: Your ship 1 attacks.",
        "tick 3: (3, 0) is contested now, by your ship 1 and Bea's ship 2.",
        "Ship 1 halted in tick 3 in the entry encounter at (3, 0), where it chose to attack (R7.5).",
    ] {
        assert_eq!(told.matches(sentence).count(), 1, "{sentence}\n{told}");
    }
    assert!(matches!(model.stage(), Stage::Planning));
    let board = model.board().expect("a board");
    assert!(board.contest_at(board.tile_in(3, 0).expect("a tile")).is_some());
    press(&mut sketch, &mut model, "Tab p");
    assert_eq!(model.plan().ship(1).and_then(|order| order.action.clone()), Some(Action::Press(plunder::Press {})));
    press(&mut sketch, &mut model, "w");
    assert!(model.notice().is_some_and(|notice| notice.contains("withdraw to")));
}

#[test]
fn odds_are_exact_and_say_what_follows() {
    let (_, model) = met(plunder::Engagement::Ask);
    let prospects = model.prospects();
    let told: Vec<String> =
        prospects.iter().map(|p| format!("{} {}: {}", p.word, p.condition, p.consequence)).collect();
    assert_eq!(
        told,
        [
            "yield whatever they do: you stay where you are and your path ends",
            "attack they yield: you enter (3, 0) and sail on",
            "attack they attack: (3, 0) is contested; you sink 0.0%, -2.0 hp; they 0.0%, -2.0 hp",
        ]
    );
}

#[test]
fn a_passing_is_answered_with_proceed_or_attack() {
    let mut sketch = Sketch::new(&["H....H", "......"], &[(0, 0), (5, 0)], "off", 1);
    let mut model = sketch.model(Some(0));
    sketch.bea_sails(&[(4, 0), (3, 0), (2, 0)], plunder::Engagement::Evade);
    press(&mut sketch, &mut model, "Tab Right Right Right Right Enter L");
    let prompt = sketch.play(Some(0));
    model.on_item(prompt);
    let Stage::Asked(asking) = model.stage() else { panic!("{:?}", model.stage()) };
    let (encounter, _) = asking.current().expect("a prompt");
    assert_eq!(title(encounter.kind()), "PASSING ENCOUNTER — choose: PROCEED or ATTACK");
    assert_eq!(model.prospects().len(), 4);
    assert_eq!(model.seconds_left(), Some(60));
    for (turn, deadline_ms) in [(1, 5000), (9, 1000)] {
        let changed = v1::DeadlineChanged { turn, window: 1, deadline: Some(times::timestamp(deadline_ms)) };
        model.on_item(sketch.news(v1::news::What::DeadlineChanged(changed)));
        assert_eq!(model.seconds_left(), Some(5), "a deadline that was changed, and one of another turn");
    }
    press(&mut sketch, &mut model, "y");
    assert!(sketch.answered.is_empty());
    press(&mut sketch, &mut model, "p");
    assert_eq!(sketch.answered, [v1::Answer { question: 1, options: vec![0] }]);
    let outcome = sketch.play(Some(0));
    model.on_item(outcome);
    let told = lines(&model).join("\n");
    assert!(told.contains("Your ship 1 proceeds."), "{told}");
    assert_eq!(told.matches("Turn 1").count(), 1, "{told}");
}

/// A prompt with a passing for each of these ships, and a question about it.
fn passings(units: [u32; 2]) -> v1::Prompt {
    let group = |id: u32| id + 6;
    let encounter = |(id, unit)| plunder::Encounter {
        group: group(id),
        kind: plunder::EncounterKind::Passing.into(),
        participants: vec![plunder::encounter::Participant { unit, asked: Some(true), ..Default::default() }],
        ..plunder::Encounter::default()
    };
    let option = |word: &str| v1::question::Option { choice: Some(Choice::Word(word.to_owned())) };
    let question = |(id, unit): (u32, u32)| v1::Question {
        id,
        kind: "encounter".to_owned(),
        rule: "R7.2".to_owned(),
        tick: 1,
        group: group(id),
        about: Some(common::Subject { subject: Some(Subject::Unit(unit)) }),
        options: ["proceed", "attack"].map(option).to_vec(),
        min: 1,
        max: 1,
        default: vec![0],
    };
    let encounters = (1..).zip(units).map(encounter).collect();
    let questions = (1..).zip(units).map(question).collect();
    let so_far = v1::TurnNews::of_plunder(plunder::TurnNews { encounters, ..Default::default() });
    v1::Prompt { turn: 1, window: 1, so_far: Some(so_far), questions, ..Default::default() }
}

#[test]
fn several_questions_come_one_after_another() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    model.on_item(sketch.news(v1::news::What::Prompt(passings([1, 7]))));
    press(&mut sketch, &mut model, "a");
    let Stage::Asked(asking) = model.stage() else { panic!("{:?}", model.stage()) };
    assert_eq!(asking.count(), (2, 2));
    press(&mut sketch, &mut model, "p p");
    assert_eq!(
        sketch.answered,
        [(1, 1), (2, 0)].map(|(question, place)| v1::Answer { question, options: vec![place] })
    );
    assert_eq!(model.notice(), Some("Everything is answered; the others are waited for."));
}

#[test]
fn what_the_screen_cannot_ask_is_answered_with_its_default_and_told() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let mut prompt = passings([1, 7]);
    prompt.questions[0].kind = "boarding\u{1b}".to_owned();
    prompt.questions[0].default = vec![1];
    model.on_item(sketch.news(v1::news::What::Prompt(prompt.clone())));
    sketch.serve(&mut model);
    assert_eq!(sketch.answered, [v1::Answer { question: 1, options: vec![1] }]);
    let told = "This screen does not know questions of the kind boarding\\u{1b} (R7.2); the default is answered.";
    assert!(lines(&model).contains(&told), "{:?}", lines(&model));
    let Stage::Asked(asking) = model.stage() else { panic!("{:?}", model.stage()) };
    assert_eq!((asking.count(), asking.current().map(|(_, unit)| unit)), ((1, 1), Some(7)));
    prompt.questions.truncate(1);
    model.on_item(sketch.news(v1::news::What::Prompt(prompt)));
    let Stage::Asked(asking) = model.stage() else { panic!("{:?}", model.stage()) };
    assert!(asking.current().is_none() && asking.tick().is_none());
}

#[test]
fn a_turn_is_played_back_tick_by_tick_and_can_be_skipped() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    model.pace_ms = 300;
    model.on_time(1_000);
    press(&mut sketch, &mut model, "Tab Right Right Enter L");
    let outcome = sketch.play(Some(0));
    model.on_item(outcome.clone());
    let column = |model: &Model| {
        let board = model.board().expect("a board");
        let tile = board.ship(1).and_then(|ship| board.tile(ship.hex.as_ref())).expect("afloat");
        board.grid().offset(tile).0
    };
    assert!(!model.is_ready());
    assert_eq!(column(&model), 1);
    assert!(!model.on_time(1_200));
    assert!(model.on_time(1_300));
    assert_eq!(column(&model), 2);
    assert!(model.on_time(1_600) && model.is_ready());
    assert!(matches!(model.stage(), Stage::Planning));
    let mut again = sketch.model(Some(0));
    again.pace_ms = 300;
    again.on_item(outcome);
    press(&mut sketch, &mut again, "Space");
    assert!(again.is_ready());
}

#[test]
fn the_log_is_bounded_and_can_be_read_back() {
    let mut log = Log::default();
    for number in 0..2 * MAX_LINES {
        log.add(Tone::Plain, number.to_string());
    }
    assert_eq!(log.lines().len(), MAX_LINES);
    assert_eq!(log.lines().next().map(|line| line.text.as_str()), Some("500"));
    log.scroll(7);
    log.add(Tone::Plain, "new");
    assert_eq!(log.back(), 8, "what is read stays where it is");
    log.scroll(-100);
    assert_eq!(log.back(), 0);
    log.scroll(isize::MAX);
    assert_eq!(log.back(), MAX_LINES - 1);
}

#[test]
fn the_end_names_the_winner_and_the_digest() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    sketch.theirs.concede = true;
    press(&mut sketch, &mut model, "L y");
    let outcome = sketch.play(Some(0));
    model.on_item(outcome);
    let Stage::Over(end) = model.stage() else { panic!("{:?}", model.stage()) };
    assert_eq!(end.sentence, "You win the match.");
    assert_eq!(end.digest.len(), 64);
    press(&mut sketch, &mut model, "q");
    assert!(model.is_leaving(), "nothing is lost by leaving now");
}

#[test]
fn whoever_comes_back_goes_on_where_they_were() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab Right Enter");
    let sheet = sketch.staged.clone();
    let snapshot = v1::GetViewResponse {
        phase: v1::Phase::Planning.into(),
        view: Some(v1::View::of_plunder(sketch.view(Some(0)))),
        sheet: sheet.clone().map(v1::Sheet::of_plunder),
        locked: true,
        ..v1::GetViewResponse::default()
    };
    model.on_item(Item::Snapshot(Box::new(snapshot)));
    assert!(matches!(model.stage(), Stage::Locked));
    assert_eq!(Some(model.plan().sheet()), sheet);
}

#[test]
fn only_one_plan_is_on_its_way_and_the_newest_follows() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    for name in ["Tab", ".", "e", "f"] {
        model.on_key(key(name));
    }
    let asks: Vec<Ask> = std::iter::from_fn(|| model.next_ask()).collect();
    assert!(matches!(&asks[..], [Ask::Stage { .. }]), "{asks:?}");
    model.on_answer(CallResult::Staged { turn: 1, staged: Ok(v1::StageOrdersResponse::default()) });
    let Some(Ask::Stage { sheet, .. }) = model.next_ask() else { panic!("the rest is sent") };
    assert_eq!(sheet, model.plan().sheet());
    assert!(model.next_ask().is_none());
    model.on_answer(CallResult::Staged { turn: 1, staged: Ok(v1::StageOrdersResponse::default()) });
    assert!(model.next_ask().is_none());
}

#[test]
fn a_spectator_orders_nothing_and_leaves_without_a_question() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(None);
    assert!(matches!(model.stage(), Stage::Watching));
    for name in ["Tab", "Enter", ".", "L", "C", "n"] {
        model.on_key(key(name));
        assert!(model.next_ask().is_none() && model.dialog().is_none(), "{name}");
    }
    model.on_key(key("q"));
    assert!(model.is_leaving());
}

#[test]
fn the_connection_is_told_when_it_comes_and_goes() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    model.on_link(Link::Down { why: "broken pipe".to_owned() });
    model.on_link(Link::Up);
    assert_eq!(lines(&model), ["The connection is lost: broken pipe.", "Connected again."]);
}

#[test]
fn a_connection_that_went_before_anybody_looked_is_told_as_lost() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    model.link = Link::Down { why: String::new() };
    model.on_link(Link::Down { why: "broken pipe".to_owned() });
    model.on_link(Link::Down { why: "refused".to_owned() });
    assert_eq!(lines(&model), ["The connection is lost: broken pipe."]);
}

#[test]
fn seats_are_named_as_they_are_taken() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let seat = v1::SeatChange { seat: 1, taken: true, name: "Ann".to_owned() };
    let changed = v1::SeatsChanged { seats: vec![seat] };
    model.on_item(sketch.news(v1::news::What::SeatsChanged(changed)));
    assert_eq!(model.teller().player(1), "Ann (seat 1)");
}

#[test]
fn an_answer_to_a_question_never_answers_a_prompt_that_came_in_between() {
    for question in ["q", "L", "C"] {
        let mut sketch = Sketch::duel("off");
        let mut model = sketch.model(Some(0));
        sketch.bea_sails(&[(5, 0), (4, 0), (3, 0)], plunder::Engagement::Fight);
        press(&mut sketch, &mut model, "Tab Right Right Right Right Enter L");
        let prompt = sketch.play(Some(0));
        let mut model = sketch.model(Some(0));
        press(&mut sketch, &mut model, question);
        let asked = model.dialog();
        assert!(asked.is_some());
        model.on_item(prompt);
        assert_eq!(model.dialog(), asked);
        sketch.locked = None;
        press(&mut sketch, &mut model, "y");
        assert!(sketch.answered.is_empty() && sketch.locked.is_none(), "{question}");
        assert_eq!(model.is_leaving(), question == "q");
        if !model.is_leaving() {
            press(&mut sketch, &mut model, "y");
            assert_eq!(sketch.answered.len(), 1, "{question}");
        }
    }
}

#[test]
fn what_others_call_themselves_cannot_paint_the_terminal() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let seat = v1::SeatChange { seat: 1, taken: true, name: "B\u{1b}[31mea\n".to_owned() };
    model.on_item(sketch.news(v1::news::What::SeatsChanged(v1::SeatsChanged { seats: vec![seat] })));
    let stopped = v1::MatchStopped { reason: "so\u{7}".to_owned() };
    model.on_item(sketch.news(v1::news::What::MatchStopped(stopped)));
    let Stage::Over(end) = model.stage() else { panic!("{:?}", model.stage()) };
    let all = [lines(&model).concat(), model.seats().concat(), model.teller().player(1), end.sentence.clone()].concat();
    assert!(!all.chars().any(char::is_control), "{all:?}");
    assert!(all.contains("B\\u{1b}[31mea"), "{all}");
}

#[test]
fn keys_before_it_is_known_what_is_possible_are_not_lost() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "L y");
    let outcome = sketch.play(Some(0));
    model.on_item(outcome);
    for name in ["Tab", ".", "Tab", "n"] {
        model.on_key(key(name));
    }
    assert!(model.plan().is_empty());
    assert_eq!(model.notice(), Some("The server is asked what is possible."));
    (0..2 * MAX_HELD).for_each(|_| model.on_key(key("f")));
    assert_eq!(model.held.len(), MAX_HELD);
    sketch.serve(&mut model);
    assert_eq!(model.plan().ship(1).and_then(|order| order.action.clone()), Some(Action::Hold(plunder::Hold {})));
    assert_eq!(model.work(1).as_deref(), Some("builds a ship"));
}

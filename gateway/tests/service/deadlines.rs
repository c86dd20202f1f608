//! No player can hold a turn longer than its deadlines, and only journaled times count (R5.2, R7.2).
//!
//! The time of these tests stands still unless everybody waits.

use std::sync::Arc;
use std::time::Duration;

use crate::common::naval::Naval;
use crate::sea::{NOON, Play, all_bytes, duel, halfway, limits, matches, next_outcome, next_prompt, records};
use crate::sea::{sail, sheet};
use parley_bots::arms::Arms;
use parley_games::replay::{Options, verify};
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::matches::Following;
use parley_proto::common::v1 as common;
use parley_proto::journal::v1::entry::What as Written;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::event::What as Happened;
use parley_proto::v1;
use parley_proto::v1::news::What;
use tokio::time::{Instant, sleep};

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

fn planned_in(planning_ms: u64) -> v1::MatchSettings {
    v1::MatchSettings { planning_ms: Some(planning_ms), ..duel() }
}

fn answered_in(decision_ms: u64) -> v1::MatchSettings {
    v1::MatchSettings { decision_ms: Some(decision_ms), ..duel() }
}

/// When the time to plan turned out to be over, as it was written down.
async fn planning_ended(store: &Memory, play: &Play) -> Vec<u64> {
    let written = records(store, play.id).await.into_iter();
    written.filter(|entry| matches!(entry.what, Some(Written::PlanningEnded(_)))).map(|entry| entry.at_ms).collect()
}

/// Where a unit is.
fn place(view: &v1::GetViewResponse, unit: u32) -> common::Hex {
    let view = view.view.as_ref().and_then(Arms::as_plunder).expect("a view");
    view.units.iter().find(|known| known.id == unit).expect("the unit").hex.expect("a place")
}

/// What happened in a turn.
fn happened(outcome: &v1::Outcome) -> Vec<plunder::Event> {
    let told = [&outcome.shared, &outcome.own].into_iter().flatten().filter_map(Arms::as_plunder);
    told.flat_map(|news| news.events.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_planning_deadline_locks_what_is_staged_and_nothing_for_who_staged_nothing() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(MINUTE)).await;
    let mut told = play.follow(0, 0).await;
    let mixed = sheet(&[sail(1, &[(1, 0)]), sail(2, &[(5, 0)])]);
    let staged = play.stage(0, 1, mixed).await;
    assert_eq!((staged.standing, staged.faults.len()), (1, 1), "the order for the other's ship does not stand");
    assert_eq!(play.view(0).await.deadline_ms, NOON + MINUTE);
    let outcome = next_outcome(&mut told).await;
    assert_eq!(planning_ended(&store, &play).await, [NOON + MINUTE]);
    assert_eq!(outcome.next.expect("a next turn").deadline_ms, NOON + 2 * MINUTE);
    let view = play.view(0).await;
    assert_eq!(place(&view, 1), crate::sea::hex(1, 0), "what was staged was carried out");
    assert_eq!(place(&view, 2), crate::sea::hex(6, 0), "who staged nothing did nothing");
    let replay = play.replay().await.concat();
    let Some(v1::replay_record::Record::Turn(turn)) = &replay[1].record else { panic!("a turn") };
    let origins: Vec<_> = turn.sheets.iter().map(v1::ReplaySheet::origin).collect();
    assert_eq!(origins, [v1::SheetOrigin::AtDeadline, v1::SheetOrigin::Absent]);
}

#[tokio::test(start_paused = true)]
async fn turns_go_on_by_themselves_when_nobody_comes() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(MINUTE)).await;
    let mut told = play.follow(1, 0).await;
    for turn in 1..=3 {
        assert_eq!(next_outcome(&mut told).await.turn, turn);
    }
    assert_eq!(planning_ended(&store, &play).await, [NOON + MINUTE, NOON + 2 * MINUTE, NOON + 3 * MINUTE]);
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_yields_and_only_the_owner_learns_that_it_was_the_deadline() {
    let play = Play::begin(&matches(Arc::new(Memory::new()), limits()), answered_in(MINUTE)).await;
    let (mut first, mut second) = (play.follow(0, 0).await, play.follow(1, 0).await);
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    let prompt = next_prompt(&mut first).await;
    assert_eq!((prompt.turn, prompt.window, prompt.deadline_ms), (1, 1, NOON + MINUTE));
    play.answer(0, 1, "attack").await;
    let began = Instant::now();
    let outcomes = [next_outcome(&mut first).await, next_outcome(&mut second).await];
    assert_eq!(began.elapsed(), Duration::from_millis(MINUTE));
    let decided = |outcome: &v1::Outcome, unit: u32| {
        let events = happened(outcome);
        let is_told = |what| events.iter().any(|event| event.what.as_ref() == Some(&what));
        let choices = [plunder::Choice::Attack, plunder::Choice::Yield];
        let chosen = |choice: &plunder::Choice| {
            is_told(Happened::Decided(plunder::event::Decided { unit, choice: (*choice).into() }))
        };
        let choice = choices.into_iter().find(chosen).expect("a decision");
        (choice, is_told(Happened::Defaulted(plunder::event::Defaulted { unit })))
    };
    assert_eq!(decided(&outcomes[0], 1), (plunder::Choice::Attack, false));
    assert_eq!(
        decided(&outcomes[0], 2),
        (plunder::Choice::Yield, false),
        "whether nobody answered is its owner's secret"
    );
    assert_eq!(decided(&outcomes[1], 1), (plunder::Choice::Attack, false));
    assert_eq!(decided(&outcomes[1], 2), (plunder::Choice::Yield, true));
}

#[tokio::test(start_paused = true)]
async fn without_deadlines_a_match_waits_for_weeks() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    let _watching = play.follow(0, 0).await;
    play.lock(0, 1, halfway(0)).await;
    sleep(Duration::from_millis(29 * DAY)).await;
    let view = play.view(1).await;
    assert_eq!(
        (view.phase(), view.view.and_then(Arms::into_plunder).expect("a view").turn, view.deadline_ms),
        (v1::Phase::Planning, 1, 0)
    );
    play.lock(1, 1, halfway(1)).await;
    sleep(Duration::from_millis(29 * DAY)).await;
    let view = play.view(1).await;
    assert_eq!((view.phase(), view.deadline_ms), (v1::Phase::Resolving, 0));
    assert_eq!(view.prompt.expect("still asked").questions[0].tick, 3);
    assert_eq!(records(&*store, play.id).await.len(), 6, "created, two joined, started, two locked");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_of_days_comes_though_the_match_has_left_memory() {
    let store = Arc::new(Memory::new());
    let limits = Limits { idle_after: Duration::from_secs(300), ..limits() };
    let play = Play::begin(&matches(store.clone(), limits), planned_in(3 * DAY)).await;
    sleep(Duration::from_millis(DAY)).await;
    assert_eq!(play.matches.in_memory(), 0);
    sleep(Duration::from_millis(2 * DAY + 2000)).await;
    assert_eq!(planning_ended(&store, &play).await, [NOON + 3 * DAY], "nobody had to ask");
}

#[tokio::test(start_paused = true)]
async fn what_was_staged_is_still_there_when_a_match_comes_back_to_memory() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(3 * DAY)).await;
    play.stage(0, 1, halfway(0)).await;
    sleep(Duration::from_millis(DAY)).await;
    assert_eq!(play.matches.in_memory(), 0);
    let view = play.view(0).await;
    assert_eq!((view.sheet, view.locked), (Some(v1::Sheet::of_plunder(halfway(0))), false));
    assert_eq!(play.view(1).await.sheet, None);
    sleep(Duration::from_millis(2 * DAY + 2000)).await;
    assert_eq!(planning_ended(&store, &play).await, [NOON + 3 * DAY]);
    assert_eq!(place(&play.view(0).await, 1), crate::sea::hex(3, 0), "the staged orders were carried out");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_counts_from_its_journaled_time_also_after_a_restart() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(MINUTE)).await;
    sleep(Duration::from_millis(MINUTE / 3)).await;
    let after_crash = Arc::new(store.fork());
    let play = play.restarted(after_crash.clone(), NOON + MINUTE / 3);
    play.matches.wake().await.expect("a readable list");
    assert_eq!(play.view(0).await.deadline_ms, NOON + MINUTE);
    next_outcome(&mut play.follow(0, 0).await).await;
    assert_eq!(planning_ended(&after_crash, &play).await, [NOON + MINUTE]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_while_the_server_was_down_comes_at_once() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(MINUTE)).await;
    let after_crash = Arc::new(store.fork());
    let play = play.restarted(after_crash.clone(), NOON + 10 * MINUTE);
    play.matches.wake().await.expect("a readable list");
    assert_eq!(next_outcome(&mut play.follow(0, 0).await).await.turn, 1);
    assert_eq!(planning_ended(&after_crash, &play).await, [NOON + 10 * MINUTE]);
}

#[tokio::test(start_paused = true)]
async fn an_open_window_survives_a_restart_with_its_deadline_and_its_answers() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), answered_in(MINUTE)).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    play.answer(0, 1, "attack").await;
    let play = play.restarted(Arc::new(store.fork()), NOON + MINUTE / 2);
    play.matches.wake().await.expect("a readable list");
    assert_eq!(play.view(1).await.prompt.expect("still asked").deadline_ms, NOON + MINUTE);
    let began = Instant::now();
    let outcome = next_outcome(&mut play.follow(0, 0).await).await;
    assert_eq!(began.elapsed(), Duration::from_millis(MINUTE / 2));
    let attacked = |event: &plunder::Event| match &event.what {
        Some(Happened::Decided(decided)) => decided.unit == 1 && decided.choice() == plunder::Choice::Attack,
        _ => false,
    };
    assert!(happened(&outcome).iter().any(attacked), "the answer given before the crash counts");
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_which_nobody_is_asked_takes_no_time() {
    let play = Play::begin(&matches(Arc::new(Memory::new()), limits()), planned_in(MINUTE)).await;
    let began = Instant::now();
    for (seat, engagement) in [(0, plunder::Engagement::Fight), (1, plunder::Engagement::Evade)] {
        let mut orders = halfway(seat);
        orders.units[0].set_engagement(engagement);
        play.lock(seat, 1, orders).await;
    }
    let view = play.view(0).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert_eq!(view.view.as_ref().and_then(Arms::as_plunder).expect("a view").turn, 2);
    assert_eq!(place(&view, 1), crate::sea::hex(3, 0), "who fights enters where the other yields");
    assert_eq!(view.deadline_ms, NOON + MINUTE);
}

#[tokio::test(start_paused = true)]
async fn playing_a_journal_again_never_reads_a_clock() {
    let store = Arc::new(Memory::new());
    let settings = v1::MatchSettings { decision_ms: Some(MINUTE), ..planned_in(MINUTE) };
    let play = Play::begin(&matches(store.clone(), limits()), settings).await;
    let live = [play.follow(0, 0).await, play.follow(1, 0).await];
    play.lock(0, 1, halfway(0)).await;
    play.stage(1, 1, halfway(1)).await;
    sleep(Duration::from_millis(3 * MINUTE + 1)).await;
    play.stop().await;
    let ten_years = 3650 * DAY;
    let other = play.restarted(Arc::new(store.fork()), NOON + ten_years);
    for (seat, live) in live.into_iter().enumerate() {
        let live = all_bytes(live).await;
        assert!(live.len() > 5);
        assert_eq!(live, all_bytes(other.follow(seat, 0).await).await);
    }
    let (here, there) = tokio::join!(play.replay(), other.replay());
    assert_eq!(here, there);
}

/// The next deadline that is told anew.
async fn next_deadline(following: &mut Following) -> v1::DeadlineChanged {
    crate::sea::next(following, |what| if let What::DeadlineChanged(changed) = what { Some(changed) } else { None })
        .await
}

/// How often a deadline was shortened, as it was written down.
async fn shortened(store: &Memory, play: &Play) -> usize {
    let written = records(store, play.id).await;
    written.iter().filter(|entry| matches!(entry.what, Some(Written::DeadlineShortened(_)))).count()
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_began_forty_days_ahead_of_the_clock_ends_in_time() {
    const TURN: u64 = 4000;
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), planned_in(TURN)).await;
    assert_eq!(play.view(0).await.deadline_ms, NOON + TURN);
    let now = NOON - 40 * DAY;
    let after_crash = Arc::new(store.fork());
    let play = play.restarted(after_crash.clone(), now);
    let began = Instant::now();
    play.matches.wake().await.expect("a readable list");
    let mut told = play.follow(0, 0).await;
    let changed = next_deadline(&mut told).await;
    assert_eq!((changed.turn, changed.window, changed.deadline_ms), (1, 0, now + TURN));
    assert_eq!(play.view(1).await.deadline_ms, now + TURN);
    assert_eq!(next_outcome(&mut told).await.turn, 1);
    assert_eq!(began.elapsed(), Duration::from_millis(TURN));
    let next = next_outcome(&mut told).await;
    assert_eq!((next.turn, next.next.expect("a turn").deadline_ms), (2, now + 3 * TURN));
    assert_eq!(shortened(&after_crash, &play).await, 1, "once is enough");
}

#[tokio::test(start_paused = true)]
async fn an_open_window_of_a_clock_that_was_set_back_closes_in_time() {
    let store = Arc::new(Memory::new());
    let settings = v1::MatchSettings { planning_ms: Some(MINUTE), ..answered_in(MINUTE) };
    let play = Play::begin(&matches(store.clone(), limits()), settings).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    play.answer(0, 1, "attack").await;
    let now = NOON - DAY;
    let after_crash = Arc::new(store.fork());
    let play = play.restarted(after_crash.clone(), now);
    let began = Instant::now();
    play.matches.wake().await.expect("a readable list");
    let mut told = play.follow(1, 0).await;
    let changed = next_deadline(&mut told).await;
    assert_eq!((changed.turn, changed.window, changed.deadline_ms), (1, 1, now + MINUTE));
    assert_eq!(play.view(1).await.prompt.expect("still asked").deadline_ms, now + MINUTE);
    next_outcome(&mut told).await;
    assert_eq!(began.elapsed(), Duration::from_millis(MINUTE));
    assert_eq!(shortened(&after_crash, &play).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_shortened_deadline_is_read_back_without_a_clock_and_leaves_a_sound_replay() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), Limits { snapshot_every: 1, ..limits() }), planned_in(MINUTE)).await;
    let store = Arc::new(store.fork());
    let play = play.restarted(store.clone(), NOON - 40 * DAY);
    let live = play.follow(0, 0).await;
    sleep(Duration::from_millis(MINUTE / 2)).await;
    play.lock(0, 1, halfway(0)).await;
    sleep(Duration::from_millis(MINUTE)).await;
    play.stop().await;
    let live = all_bytes(live).await;
    for years in [0, 10] {
        let other = play.restarted(Arc::new(store.fork()), NOON + years * 365 * DAY);
        assert_eq!(live, all_bytes(other.follow(0, 0).await).await);
        let replay = other.replay().await.concat();
        assert_eq!(replay, play.replay().await.concat());
        let verdict = verify(&replay, &Options::default());
        assert!(verdict.is_proven(), "{verdict:?}");
    }
}

/// Who is not asked is told what it would be told without a window, and sees the same.
#[tokio::test(start_paused = true)]
async fn those_who_are_not_asked_see_a_shortened_deadline_too() {
    let store = Arc::new(Memory::new());
    let map = crate::sea::drawn(&["H.....H", ".......", "H......"], &[(0, 0), (6, 0), (-1, 2)]);
    let seats = vec![v1::SeatChoice::default(); 3];
    let settings = v1::MatchSettings { seats, planning_ms: Some(DAY), ..answered_in(MINUTE).with_map(map) };
    let play = Play::begin(&matches(store.clone(), limits()), settings).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    play.lock(2, 1, plunder::Sheet::default()).await;
    assert!(play.view(0).await.prompt.is_some() && play.view(2).await.prompt.is_none());
    let now = NOON - 40 * DAY;
    let play = play.restarted(Arc::new(store.fork()), now);
    let view = play.view(2).await;
    assert_eq!((view.phase(), view.deadline_ms), (v1::Phase::Planning, now + DAY));
    let changed = next_deadline(&mut play.follow(2, 0).await).await;
    assert_eq!((changed.turn, changed.window, changed.deadline_ms), (1, 0, now + DAY));
    let changed = next_deadline(&mut play.follow(0, 0).await).await;
    assert_eq!((changed.turn, changed.window, changed.deadline_ms), (1, 1, now + MINUTE));
}

/// Two ships of each side meet one after the other: in tick 1 only seat 0 is asked, in tick 2 only seat 1. For each of them it
/// is the first window and the first question of the turn, and in the journal there are two windows.
#[tokio::test(start_paused = true)]
async fn windows_are_counted_for_each_seat_and_in_the_journal_for_all() {
    let store = Arc::new(Memory::new());
    let rules = r#"{"economy": {"start_ships": 2}}"#.to_owned();
    let play = Play::begin(
        &matches(store.clone(), limits()),
        v1::MatchSettings { decision_ms: Some(MINUTE), ..duel().with_rules(rules) },
    )
    .await;
    play.lock(0, 1, sheet(&[sail(1, &[(1, 0), (2, 0)]), sail(2, &[(0, 1), (1, 1)])])).await;
    play.lock(1, 1, sheet(&[sail(3, &[(5, 0), (4, 0), (3, 0)]), sail(4, &[(5, 1), (4, 1)])])).await;
    let engaging = |order: plunder::UnitOrder, engagement: plunder::Engagement| plunder::UnitOrder {
        engagement: engagement.into(),
        ..order
    };
    let (ask, evade) = (plunder::Engagement::Ask, plunder::Engagement::Evade);
    let (first, second) = (sail(1, &[(3, 0)]), sail(2, &[(2, 1), (3, 1)]));
    play.lock(0, 2, sheet(&[engaging(first, ask), engaging(second, evade)])).await;
    let (first, second) = (sail(3, &[(2, 0)]), sail(4, &[(3, 1), (2, 1)]));
    play.lock(1, 2, sheet(&[engaging(first, evade), engaging(second, ask)])).await;

    let numbers = |prompt: &v1::Prompt| {
        let questions: Vec<_> = prompt.questions.iter().map(|question| (question.id, question.tick)).collect();
        (prompt.turn, prompt.window, questions)
    };
    assert_eq!(numbers(&play.view(0).await.prompt.expect("asked")), (2, 1, vec![(1, 1)]));
    assert_eq!(play.view(1).await.prompt, None);
    let early = v1::AnswerRequest { request_id: crate::sea::request_id(), ..play.answering(0, 1, "proceed").await };
    let refusal = play.answer_with(1, early).await.expect_err("not asked");
    assert_eq!((refusal.reason, refusal.now), ("NOT_ASKED", Some((2, 0))), "as if nobody was asked");
    play.answer(0, 1, "proceed").await;

    assert_eq!(play.view(0).await.prompt, None);
    assert_eq!(numbers(&play.view(1).await.prompt.expect("asked")), (2, 1, vec![(1, 2)]));
    let now = NOON - DAY;
    let store = Arc::new(store.fork());
    let play = play.restarted(store.clone(), now);
    let mut told = play.follow(1, 0).await;
    let changed = next_deadline(&mut told).await;
    assert_eq!((changed.turn, changed.window, changed.deadline_ms), (2, 1, now + MINUTE));
    assert_eq!(next_outcome(&mut told).await.turn, 2);
    let windows: Vec<_> = records(&*store, play.id)
        .await
        .into_iter()
        .filter_map(|entry| match entry.what {
            Some(Written::Answers(given)) => Some(("answers", given.turn, given.window)),
            Some(Written::DeadlineShortened(shortened)) => Some(("shortened", shortened.turn, shortened.window)),
            Some(Written::WindowClosed(closed)) => Some(("closed", closed.turn, closed.window)),
            _ => None,
        })
        .collect();
    assert_eq!(windows, [("answers", 2, 1), ("shortened", 2, 2), ("closed", 2, 2)]);

    play.stop().await;
    let replay = play.replay().await.concat();
    assert!(verify(&replay, &Options::default()).is_proven());
    let Some(v1::replay_record::Record::Turn(turn)) = &replay[2].record else { panic!("a turn") };
    let answers: Vec<_> = turn
        .windows
        .iter()
        .map(|window| {
            window.answers.iter().map(|a| (a.seat, a.question, &a.options[..], a.defaulted)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(answers, [vec![(0, 1, &[0][..], false)], vec![(1, 1, &[0][..], true)]]);
}

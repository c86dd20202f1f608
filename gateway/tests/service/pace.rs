//! The pace of matches that only house bots play, where bots are slow, silent or gone and others meddle.
//!
//! The time of these tests stands still unless everybody waits, so that a second is a second on any machine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::common::naval::{Naval, recoded};
use crate::sea::{Play, drawn, duel, limits, matches, records, request_id};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_gateway::auth::{Claims, Role};
use parley_gateway::config::ByteSize;
use parley_gateway::disk::Disk;
use parley_gateway::house::House;
use parley_gateway::journal::MatchId;
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::match_state::AddressKey;
use parley_gateway::matches::command::{Request, Seen};
use parley_gateway::matches::listing::Listed;
use parley_gateway::matches::{Creator, Following, Matches, Wishes};
use parley_gateway::refusal::Refusal;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::Reason;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long a bot thinks that never speaks.
const FOR_EVER: Duration = Duration::MAX;

/// A house whose bots do nothing, each after as long as its seat takes to think.
struct Bots {
    matches: Matches,
    thinking: Vec<Duration>,
    /// How many bots stop at once before the others stay.
    stopping: AtomicU32,
}

impl House for Bots {
    fn play(&self, id: MatchId, seat: u8, _: &str, token: String, _: AddressKey) -> AbortHandle {
        let claims = self.matches.keyring.verify(&token, 0).expect("a token of this server");
        let stops =
            self.stopping.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        let (all, thinking) = (self.matches.clone(), self.thinking[usize::from(seat)]);
        let playing = async move {
            if stops {
            } else {
                play(&all, id, claims, thinking).await
            }
        };
        tokio::spawn(playing).abort_handle()
    }
}

async fn play(all: &Matches, id: MatchId, claims: Claims, thinking: Duration) {
    loop {
        let seen = all.ask(id, Some(claims), Request::GetView).await;
        let Ok(Seen::Now(view)) = seen else { return };
        let view: v1::GetViewResponse = recoded(&*view);
        match (view.phase(), view.view.and_then(Arms::into_plunder)) {
            (v1::Phase::Planning, Some(view_of_turn)) if !view.locked => {
                sleep(thinking).await;
                // What comes too late is refused, and the next turn is looked at.
                let _ = lock_in(all, id, Some(claims), view_of_turn.turn).await;
            }
            (v1::Phase::Over, _) => return,
            _ => sleep(Duration::from_millis(1)).await,
        }
    }
}

async fn lock_in(all: &Matches, id: MatchId, claims: Option<Claims>, turn: u32) -> Result<v1::LockInResponse, Refusal> {
    let (match_id, sheet) = (id.0.to_string(), Some(v1::Sheet::of_plunder(plunder::Sheet::default())));
    let request = v1::LockInRequest { request_id: request_id(), match_id, turn, sheet };
    all.ask(id, claims, |reply| Request::LockIn(recoded(&request), reply)).await
}

/// Matches whose house has such bots.
fn with_bots(limits: Limits, thinking: &[Duration]) -> Matches {
    let all = matches(Arc::new(Memory::new()), limits);
    let bots = Bots { matches: all.clone(), thinking: thinking.to_vec(), stopping: AtomicU32::new(0) };
    assert!(all.house.set(Box::new(bots)).is_ok());
    all
}

/// Two bots who play for ever, with so many milliseconds to plan.
fn settings(planning_ms: u64) -> v1::MatchSettings {
    let seats = vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2];
    let rules = r#"{"turn_limit": 0, "economy": {"start_ships": 1}}"#.to_owned();
    v1::MatchSettings { seats, planning_time: Some(times::duration(planning_ms)), ..duel().with_changes(rules) }
}

async fn try_create(all: &Matches, planning_ms: u64) -> Result<MatchId, Refusal> {
    let settings = Some(settings(planning_ms));
    let request = v1::CreateMatchRequest { request_id: request_id(), settings, ..v1::CreateMatchRequest::default() };
    let created = all.create_for(Creator::default(), recoded(&request)).await?;
    Ok(MatchId(created.r#match.expect("a match").match_id.parse().expect("an id")))
}

async fn create(all: &Matches, planning_ms: u64) -> MatchId {
    try_create(all, planning_ms).await.expect("a match")
}

async fn described(all: &Matches, id: MatchId) -> v1::Match {
    let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
    recoded(&all.ask(id, Some(admin), Request::GetMatch).await.expect("a match").r#match.expect("a match"))
}

async fn turn(all: &Matches, id: MatchId) -> u32 {
    described(all, id).await.turn
}

/// The longest time that a match stays in one turn while it is looked at.
async fn longest_turn(all: &Matches, id: MatchId, time: Duration) -> Duration {
    let (began, mut since, mut longest) = (Instant::now(), Instant::now(), Duration::ZERO);
    let mut last = turn(all, id).await;
    while began.elapsed() < time {
        sleep(Duration::from_millis(5)).await;
        let now = turn(all, id).await;
        if now != last {
            (last, since) = (now, Instant::now());
        }
        longest = longest.max(since.elapsed());
    }
    longest
}

/// A match that stood in the line with the permit in its own hand waited for itself, and all others with it.
#[tokio::test(start_paused = true)]
async fn a_slow_bot_does_not_make_its_match_wait_for_itself() {
    for planning_ms in [0, 1, 250, 60_000] {
        let limits = Limits { unattended_turns_per_second: 5, ..limits() };
        let all = with_bots(limits, &[Duration::ZERO, Duration::from_millis(300)]);
        let id = create(&all, planning_ms).await;
        let longest = longest_turn(&all, id, Duration::from_secs(60)).await;
        assert!(longest < Duration::from_secs(1), "{longest:?} for a turn with {planning_ms} ms to plan");
    }
}

#[tokio::test(start_paused = true)]
async fn one_match_of_slow_bots_holds_the_others_up_for_as_long_as_it_thinks() {
    let limits = Limits { unattended_turns_per_second: 5, ..limits() };
    let all = with_bots(limits, &[Duration::from_millis(1), Duration::from_millis(100)]);
    let ids = [create(&all, 1).await, create(&all, 0).await, create(&all, 1).await];
    for id in ids {
        let longest = longest_turn(&all, id, Duration::from_secs(20)).await;
        // Each of the three thinks for 0.1 s, and the line rests as long.
        assert!(longest < Duration::from_secs(1), "{longest:?} for a turn");
    }
}

#[tokio::test(start_paused = true)]
async fn outsiders_are_refused_at_once_and_change_no_pace() {
    let limits = Limits { unattended_turns_per_second: 1, ..limits() };
    let all = with_bots(limits, &[Duration::from_millis(10); 2]);
    let id = create(&all, 0).await;
    sleep(Duration::from_millis(1500)).await;
    let (began, first) = (Instant::now(), turn(&all, id).await);
    let other_seat = Claims { match_id: Some(MatchId(uuid::Uuid::nil())), role: Role::Seat(0), expires_at: u64::MAX };
    let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
    while began.elapsed() < Duration::from_secs(10) {
        let now = turn(&all, id).await;
        for claims in [None, Some(other_seat), Some(host)] {
            for _ in 0..8 {
                let answer = timeout(Duration::from_millis(1), lock_in(&all, id, claims, now)).await;
                let refusal = answer.expect("it is not held back").expect_err("it has no seat");
                assert_eq!(refusal.code, tonic::Code::PermissionDenied, "{refusal:?}");
            }
        }
        sleep(Duration::from_millis(50)).await;
    }
    let played = turn(&all, id).await - first;
    assert!((9..=11).contains(&played), "{played} turns in ten seconds at one a second");
}

#[tokio::test(start_paused = true)]
async fn beginning_to_watch_again_and_again_is_no_faster_than_watching() {
    let limits = Limits { unattended_turns_per_second: 1, watched_turns_per_second: 2, ..limits() };
    let all = with_bots(limits, &[Duration::ZERO; 2]);
    let id = create(&all, 0).await;
    sleep(Duration::from_millis(1500)).await;
    let (began, first) = (Instant::now(), turn(&all, id).await);
    while began.elapsed() < Duration::from_secs(10) {
        drop(Following::begin(&all, id, None, Wishes::default(), 0).await.expect("to follow"));
        sleep(Duration::from_millis(10)).await;
    }
    let played = turn(&all, id).await - first;
    assert!((9..=22).contains(&played), "{played} turns in ten seconds at two a second");
    let (first, _watching) =
        (turn(&all, id).await, Following::begin(&all, id, None, Wishes::default(), 0).await.expect("to follow"));
    sleep(Duration::from_secs(10)).await;
    let played = turn(&all, id).await - first;
    assert!((19..=22).contains(&played), "{played} turns in ten seconds at two a second, watched");
}

/// Deadlines are held until the next turn may be played, and come then without anybody asking.
#[tokio::test(start_paused = true)]
async fn turns_that_end_by_their_deadline_have_the_same_pace_and_the_same_end() {
    let limits = Limits { unattended_turns_per_second: 5, unattended_turns: 20, ..limits() };
    let all = with_bots(limits, &[FOR_EVER, FOR_EVER]);
    let id = create(&all, 1).await;
    sleep(Duration::from_secs(10)).await;
    let listed = turn(&all, id).await;
    assert!((3..=12).contains(&listed), "turn {listed} after ten seconds");
    sleep(Duration::from_secs(60)).await;
    let found = described(&all, id).await;
    assert_eq!(found.stopped, "House bots played 20 turns and nobody watched (unattended_turns).");
    assert_eq!(found.turn, 21);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_stopped_is_seated_again() {
    let all = matches(Arc::new(Memory::new()), Limits { unattended_turns_per_second: 5, ..limits() });
    let thinking = vec![Duration::ZERO; 2];
    let bots = Bots { matches: all.clone(), thinking, stopping: AtomicU32::new(3) };
    assert!(all.house.set(Box::new(bots)).is_ok());
    let id = create(&all, 0).await;
    sleep(Duration::from_secs(60)).await;
    assert!(turn(&all, id).await > 5, "the match stands still at turn {}", turn(&all, id).await);
}

#[tokio::test(start_paused = true)]
async fn a_match_of_bots_in_which_no_turn_is_played_for_thirty_days_expires() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let all = with_bots(limits(), &[FOR_EVER, FOR_EVER]);
    let id = create(&all, 0).await;
    sleep(29 * DAY).await;
    all.expire().await.expect("a readable list");
    assert_eq!(described(&all, id).await.stopped, "");
    sleep(2 * DAY).await;
    all.expire().await.expect("a readable list");
    assert_eq!(described(&all, id).await.stopped, "No turn was played for 30 days (match_expiry_days).");
}

#[tokio::test(start_paused = true)]
async fn nothing_that_waited_is_written_while_the_disk_is_full() {
    for planning_ms in [0, 1] {
        let all = with_bots(Limits { unattended_turns_per_second: 1, ..limits() }, &[Duration::ZERO; 2]);
        let id = create(&all, planning_ms).await;
        sleep(Duration::from_millis(1500)).await;
        let before = records(&*all.journal, id).await.len();
        let full = Disk::of(Path::new("."), ByteSize(u64::MAX), ByteSize(u64::MAX));
        assert!(full.check_play().is_err() && all.disk.set(full).is_ok());
        sleep(Duration::from_secs(60)).await;
        assert_eq!(records(&*all.journal, id).await.len(), before, "the disk was full");
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_of_bots_that_somebody_watches_makes_no_room() {
    let all = with_bots(Limits { matches: 1, ..limits() }, &[Duration::ZERO; 2]);
    let watched = create(&all, 0).await;
    let watching = Following::begin(&all, watched, None, Wishes::default(), 0).await.expect("to follow");
    let refusal = try_create(&all, 0).await.expect_err("there is no room");
    assert_eq!(refusal.reason, Reason::TooManyMatches);
    assert_eq!(described(&all, watched).await.stopped, "");
    drop(watching);
    sleep(Duration::from_secs(11)).await;
    create(&all, 0).await;
    assert_eq!(described(&all, watched).await.stage(), v1::MatchStage::Finished);
}

/// A match of a person and two bots, which the person has joined.
async fn with_a_person(all: &Matches) -> Play {
    let seat = |house_bot: &str| v1::SeatChoice { house_bot: house_bot.to_owned() };
    let settings = v1::MatchSettings {
        seats: vec![seat(""), seat("hold"), seat("hold")],
        ..settings(0).with_map(drawn(&["H.....H", ".......", "H......"], &[(0, 0), (6, 0), (-1, 2)]))
    };
    let settings = Some(settings);
    let request = v1::CreateMatchRequest { request_id: request_id(), settings, ..v1::CreateMatchRequest::default() };
    let created = all.create(recoded(&request)).await.expect("a match").r#match.expect("a match");
    let id = MatchId(created.match_id.parse().expect("an id"));
    let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
    let mut play = Play { matches: all.clone(), id, host, seats: Vec::new() };
    play.seats.push(play.join(0).await.expect("a seat"));
    play
}

async fn concede(play: &Play) {
    let request = v1::ConcedeRequest { request_id: request_id(), match_id: play.id.0.to_string() };
    let conceded = play.matches.ask(play.id, Some(play.seats[0]), |reply| Request::Concede(request, reply));
    conceded.await.expect("it can be given up");
}

async fn listed(all: &Matches, id: MatchId) -> Listed {
    let listing = all.journal.listing(id).await.expect("a readable store").expect("a listing");
    Listed::read(&listing.summary).expect("a readable listing")
}

/// Bots went on as fast as they could, for ever, as soon as the only person had given up.
#[tokio::test(start_paused = true)]
async fn bots_whose_only_person_is_out_have_the_pace_and_the_end_of_bots_alone() {
    let limits = Limits { unattended_turns_per_second: 1, unattended_turns: 20, ..limits() };
    let all = with_bots(limits, &[FOR_EVER, Duration::ZERO, Duration::ZERO]);
    let play = with_a_person(&all).await;
    for turn in 1..=5 {
        play.lock(0, turn, plunder::Sheet::default()).await;
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!((turn(&all, play.id).await, listed(&all, play.id).await.people()), (6, 1), "a person plays");
    concede(&play).await;
    sleep(Duration::from_secs(10)).await;
    let after = turn(&all, play.id).await;
    assert!((12..=18).contains(&after), "turn {after} ten seconds after turn 6 at one a second");
    let found = listed(&all, play.id).await;
    assert!(found.is_unattended() && found.people() == 0, "what is listed says so too: {:?}", found.aside);
    assert!(found.is_abandoned(all.clock.now_ms()), "it makes room for others");
    sleep(Duration::from_secs(30)).await;
    let found = described(&all, play.id).await;
    assert_eq!(found.stopped, "House bots played 20 turns and nobody watched (unattended_turns).");
    assert_eq!(found.turn, 26, "the five turns of the person do not count");
}

/// Whoever is out and still looks on from the own seat watches like everybody else.
#[tokio::test(start_paused = true)]
async fn a_person_who_is_out_watches_from_the_own_seat() {
    let limits =
        Limits { unattended_turns_per_second: 1, watched_turns_per_second: 5, unattended_turns: 20, ..limits() };
    let all = with_bots(limits, &[FOR_EVER, Duration::ZERO, Duration::ZERO]);
    let play = with_a_person(&all).await;
    let _following = play.follow(0, 0).await;
    concede(&play).await;
    sleep(Duration::from_secs(10)).await;
    let found = described(&all, play.id).await;
    assert!((40..=55).contains(&found.turn) && found.stopped.is_empty(), "turn {} {}", found.turn, found.stopped);
}

/// A match of so many bots is let in by what it will take, not by what it takes before its ships are there.
#[tokio::test(start_paused = true)]
async fn a_match_of_bots_weighs_what_it_will_take_before_it_is_let_in() {
    const SEATS: usize = 32;
    let all = matches(Arc::new(Memory::new()), Limits { match_bytes: 256 << 20, ..limits() });
    let row = "H...".repeat(SEATS);
    let starts: Vec<(i32, i32)> = (0..SEATS as i32).map(|seat| (4 * seat, 0)).collect();
    let fleets = || v1::MatchSettings {
        seats: vec![v1::SeatChoice { house_bot: "hold".to_owned() }; SEATS],
        start_when_full: false,
        ..settings(0).with_map(drawn(&[&row], &starts)).with_changes(r#"{"economy": {"start_ships": 64}}"#)
    };
    let create = async |settings: v1::MatchSettings| {
        let settings = Some(settings);
        let request = v1::CreateMatchRequest { request_id: request_id(), settings, ..Default::default() };
        all.create(recoded(&request)).await.map(drop).map_err(|refusal| refusal.reason)
    };
    assert_eq!(create(fleets()).await, Ok(()), "one heavy match is always let in");
    assert_eq!(create(fleets()).await, Err(Reason::TooManyMatchesInMemory));
    assert_eq!(create(duel()).await, Ok(()), "small matches have room of their own");

    let small = matches(Arc::new(Memory::new()), Limits { match_bytes: 64 << 20, ..limits() });
    let request = v1::CreateMatchRequest {
        request_id: request_id(),
        settings: Some(fleets()),
        ..v1::CreateMatchRequest::default()
    };
    let refusal = small.create(recoded(&request)).await.expect_err("it can never fit");
    assert_eq!((refusal.reason, &*refusal.faults[0].field), (Reason::FieldInvalid, "settings.seats"), "{refusal:?}");
}

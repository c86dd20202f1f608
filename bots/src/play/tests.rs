use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parley_proto::common::v1 as common;
use parley_proto::v1::question::option::Choice;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Code;

use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;

use super::{Line, MatchEnd, SessionError, play, play_seat, play_telling};
use crate::arms::Arms;
use crate::connect::Token;
use crate::fake::{ConnectionEnd, Desk, Fake};
use crate::policy::{self, Answerable, Policy, PolicyPlayer};
use crate::session::{Session, Settings, Start, Views};

/// The last turn of the match in these tests.
const LAST: u32 = 6;
/// The turn in which the policy orders something that is refused.
const BAD: u32 = 3;
/// The turn in which the policy is asked.
const ASKING: u32 = 4;
/// The number of the window in which it is asked.
const WINDOW: u32 = 2;

/// Orders something bad once, and picks an option that question 2 does not have.
struct Careless;

impl Policy for Careless {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let bad = (view.turn == BAD).then(|| plunder::UnitOrder { unit: 99, ..Default::default() });
        plunder::Sheet { units: bad.into_iter().collect(), ..Default::default() }
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let attack = |question: &v1::Question| match question.id {
            2 => v1::Answer { question: 2, options: vec![9] },
            _ => question.pick("attack"),
        };
        prompt.questions.iter().map(attack).collect()
    }
}

/// A match of one seat: turns are resolved as soon as it has locked and answered.
#[derive(Default)]
struct Match {
    turn: u32,
    locked: Vec<u32>,
    answered: Vec<Vec<v1::Answer>>,
    alive_until: u32,
}

impl Match {
    const fn is_alive(&self) -> bool {
        self.turn <= self.alive_until
    }

    fn view(&self) -> plunder::View {
        let players = vec![plunder::Player { id: 0, alive: self.is_alive(), gold: None }];
        plunder::View { seat: Some(0), turn: self.turn, players, ..Default::default() }
    }

    fn opened(&self) -> v1::TurnOpened {
        v1::TurnOpened { turn: self.turn, view: Some(v1::View::of_plunder(self.view())), ..Default::default() }
    }

    /// How the board has changed with the turn before.
    fn changes(&self) -> [Option<v1::Changes>; 2] {
        let player = plunder::PlayerPatch { id: 0, alive: Some(self.is_alive()), gold: None };
        let whats = [plunder::change::What::Player(player), plunder::change::What::Turn(self.turn)];
        whats.map(|what| {
            let changes = vec![plunder::Change { what: Some(what) }];
            Some(v1::Changes::of_plunder(plunder::Changes { changes }))
        })
    }

    fn resolve(&mut self, desk: &mut Desk) {
        let turn = self.turn;
        self.turn += 1;
        let result = Some(common::match_result::Result::Winner(0));
        let ended = (turn == LAST)
            .then(|| v1::MatchEnded { result: Some(common::MatchResult { result }), ..Default::default() });
        let next = ended.is_none().then(|| self.opened());
        let [shared_changes, own_changes] = self.changes();
        let outcome = v1::Outcome { turn, next, ended, shared_changes, own_changes, ..Default::default() };
        desk.publish(What::Outcome(outcome));
    }

    fn prompt() -> v1::Prompt {
        let option = |word: &str| v1::question::Option { choice: Some(Choice::Word(word.to_owned())) };
        let question = |id| v1::Question {
            id,
            options: ["yield", "attack"].map(option).to_vec(),
            min: 1,
            max: 1,
            default: vec![0],
            ..Default::default()
        };
        v1::Prompt { turn: ASKING, window: WINDOW, questions: (1..=3).map(question).collect(), ..Default::default() }
    }

    fn answer(&mut self, desk: &mut Desk, call: &Call) -> Answer {
        match call {
            Call::LockIn(request) if request.turn != self.turn => refusal(Code::FailedPrecondition, self.turn),
            Call::LockIn(request) => {
                let sheet = request.sheet.as_ref().and_then(Arms::as_plunder);
                if sheet.is_none_or(|sheet| !sheet.units.is_empty()) {
                    return refusal(Code::InvalidArgument, 0);
                }
                self.locked.push(self.turn);
                if self.turn == ASKING {
                    desk.publish(What::Prompt(Self::prompt()));
                } else {
                    self.resolve(desk);
                }
                Answer::LockIn(v1::LockInResponse { receipt: Some(v1::Receipt::default()) })
            }
            Call::Answer(request) if (request.turn, request.window) != (self.turn, WINDOW) => {
                refusal(Code::FailedPrecondition, self.turn)
            }
            Call::Answer(request) => {
                let is_bad = |answer: &v1::Answer| answer.options.iter().any(|&place| place > 1);
                if request.answers.iter().any(is_bad) {
                    return refusal(Code::InvalidArgument, 0);
                }
                self.answered.push(request.answers.clone());
                self.resolve(desk);
                Answer::Answer(v1::AnswerResponse::default())
            }
            Call::GetView(_) => {
                let (view, cursor) = (self.opened().view, desk.news.len() as u64);
                Answer::GetView(v1::GetViewResponse { view, cursor, ..Default::default() })
            }
            other => panic!("{other:?}"),
        }
    }
}

fn refusal(code: Code, turn: u32) -> Answer {
    let subject = Some(common::Subject { subject: Some(common::subject::Subject::Unit(99)) });
    let faults =
        vec![common::Fault { subject, rule: "R1".to_owned(), text: "is bad".to_owned(), ..Default::default() }];
    Answer::Refused(v1::Refusal {
        code: code as i32,
        reason: v1::Reason::OrdersInvalid.into(),
        faults,
        turn,
        ..Default::default()
    })
}

type Shared = Arc<std::sync::Mutex<Match>>;

/// A match in its first turn.
fn started(alive_until: u32) -> (Fake, Shared) {
    let game = Shared::new(Match { turn: 1, alive_until, ..Default::default() }.into());
    let shared = Shared::clone(&game);
    let fake = Fake::new(move |desk, call| shared.lock().expect("nobody panicked").answer(desk, call));
    fake.desk().publish(What::TurnOpened(game.lock().expect("nobody panicked").opened()));
    (fake, game)
}

fn session(fake: &Fake, start: Start) -> Session {
    Session::new(fake.service(), settings(start))
}

fn settings(start: Start) -> Settings {
    Settings { start, ..Settings::new("m", Token::new("t").expect("a token")) }
}

#[tokio::test(start_paused = true)]
async fn a_match_is_played_to_its_end_however_often_the_connection_is_lost() {
    for after in 1..9 {
        for way in [ConnectionEnd::Quietly, ConnectionEnd::Unavailable] {
            let (fake, game) = started(LAST);
            fake.desk().cuts = (0..40).map(|line| (after - line % 2, way)).collect();
            let (told, heard) = std::sync::mpsc::channel();
            let tell = Box::new(move |line: &str| told.send(line.to_owned()).expect("somebody listens"));
            let playing = play_telling(session(&fake, Start::After(0)), Box::new(Careless), tell);
            let end = playing.await.expect("an end");
            let game = game.lock().expect("nobody panicked");
            assert_eq!(game.locked, [1, 2, 3, 4, 5, 6], "cut after {after}");
            // The policy's own answers were refused, and the defaults were taken.
            assert_eq!(game.answered, [policy::defaults(&Match::prompt())]);
            // A refusal that was lost on its way is asked for again, but counted once.
            assert_eq!((end.refused_sheets, end.refused_answers, end.refused()), (1, 1, 2));
            assert_eq!((end.turn, end.stopped), (LAST, None));
            assert_eq!(end.result.and_then(|end| end.result), Some(common::match_result::Result::Winner(0)));
            let lines: Vec<String> = heard.iter().collect();
            assert_eq!(
                lines,
                [
                    "turn 3: sheet refused (ORDERS_INVALID), nothing is ordered instead: unit 99: is bad (R1)",
                    "turn 4, window 2: answer refused (ORDERS_INVALID), the defaults count instead: unit 99: is bad (R1)",
                ]
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_bot_asks_once_and_then_plays_the_turn_that_is_open() {
    let (fake, game) = started(LAST);
    for _ in 1..5 {
        let mut desk = fake.desk();
        game.lock().expect("nobody panicked").resolve(&mut desk);
    }
    let end = play(session(&fake, Start::After(0)), Box::new(Careless)).await.expect("an end");
    assert_eq!(game.lock().expect("nobody panicked").locked, [5, 6]);
    assert_eq!((end.turn, end.refused_sheets), (LAST, 0));
    assert_eq!(fake.desk().received.len(), 3, "one call for the view, and two lock-ins that count");
}

/// Looks whether the view is the one that the server would tell.
struct Watchful(Shared);

impl Policy for Watchful {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        assert_eq!(*view, self.0.lock().expect("nobody panicked").view());
        plunder::Sheet::default()
    }

    fn answers(&mut self, view: &plunder::View, _: &v1::Prompt) -> Vec<v1::Answer> {
        assert_eq!(*view, self.0.lock().expect("nobody panicked").view());
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn the_view_is_kept_by_changes_or_told_or_asked_for() {
    let turns = LAST as usize;
    for (views, changes, asked) in [
        (Views::None, true, 1),
        (Views::First, true, 0),
        (Views::Every, true, 0),
        (Views::Every, false, 0),
        (Views::None, false, turns),
    ] {
        let (fake, game) = started(LAST);
        let settings = Settings { views, changes, ..settings(Start::After(0)) };
        // A task of its own, as bots are run by the thousand.
        let watchful = Watchful(Arc::clone(&game));
        let playing = tokio::spawn(play(Session::new(fake.service(), settings), Box::new(watchful)));
        let end = playing.await.expect("no panic").expect("an end");
        assert_eq!(game.lock().expect("nobody panicked").locked, [1, 2, 3, 4, 5, 6], "{views:?}");
        assert_eq!((end.turn, end.refused()), (LAST, 0));
        let calls = fake.desk().received.iter().filter(|id| id.is_empty()).count();
        assert_eq!(calls, asked, "{views:?} {changes}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_begins_now_acts_on_the_view() {
    let (fake, game) = started(LAST);
    let view = game.lock().expect("nobody panicked").opened().view;
    let phase = v1::Phase::Planning.into();
    fake.desk().view = v1::GetViewResponse { phase, view, cursor: 1, ..Default::default() };
    let end = play(session(&fake, Start::Now), Box::new(Careless)).await.expect("an end");
    assert_eq!(game.lock().expect("nobody panicked").locked, [1, 2, 3, 4, 5, 6]);
    assert_eq!(end.turn, LAST);
}

#[tokio::test(start_paused = true)]
async fn who_is_out_watches_to_the_end_without_the_board() {
    let (fake, game) = started(2);
    let settings = Settings { views: Views::Every, ..settings(Start::After(0)) };
    let playing = play(Session::new(fake.service(), settings), Box::new(Careless));
    let others = async {
        // The others go on once this seat no longer locks.
        while game.lock().expect("nobody panicked").turn < 3 {
            tokio::task::yield_now().await;
        }
        while game.lock().expect("nobody panicked").turn <= LAST {
            game.lock().expect("nobody panicked").resolve(&mut fake.desk());
        }
        fake.publish(What::SeatsChanged(v1::SeatsChanged::default()));
    };
    let (end, ()) = tokio::join!(playing, others);
    assert_eq!(end.expect("an end").turn, LAST);
    assert_eq!(game.lock().expect("nobody panicked").locked, [1, 2]);
    assert_eq!(fake.desk().received.len(), 2, "nothing but the two lock-ins");
    let board: Vec<_> = fake.desk().opens.iter().map(|open| (open.views, open.no_changes)).collect();
    assert_eq!(board, [(true, false), (false, true)]);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_match_says_why() {
    let fake = Fake::default();
    fake.desk().publish(What::MatchStopped(v1::MatchStopped { reason: "by its host".to_owned() }));
    let end = play(session(&fake, Start::After(0)), Box::new(Careless)).await.expect("an end");
    assert_eq!(end, MatchEnd { stopped: Some("by its host".to_owned()), ..MatchEnd::default() });
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_refused_in_the_middle_ends_it() {
    let fake = Fake::new(|_, _| refusal(Code::Unauthenticated, 0));
    fake.desk().publish(What::TurnOpened(Match { turn: 1, alive_until: 9, ..Default::default() }.opened()));
    let error = play(session(&fake, Start::After(0)), Box::new(Careless)).await.expect_err("refused");
    assert!(matches!(error, SessionError::Refused(refusal) if refusal.code == Code::Unauthenticated));
}

#[tokio::test(start_paused = true)]
async fn a_match_of_an_unknown_game_is_not_played() {
    let view = Some(v1::View::default());
    let fake = Fake::new(move |_, _| {
        Answer::GetView(v1::GetViewResponse { view: view.clone(), cursor: 1, ..Default::default() })
    });
    fake.desk().publish(What::TurnOpened(v1::TurnOpened { turn: 1, ..Default::default() }));
    let error = play(session(&fake, Start::After(0)), Box::new(Careless)).await.expect_err("another game");
    assert_eq!(error.to_string(), "the match is of a game that this client does not know");
}

/// A line in which one policy thinks at a time.
struct OneByOne(Arc<Semaphore>);

impl OneByOne {
    async fn turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0).acquire_owned().await.expect("a line that is never closed")
    }
}

impl Line for OneByOne {
    fn wait(&self) -> BoxFuture<'_, Box<dyn Send>> {
        Box::pin(async { Box::new(self.turn().await) as Box<dyn Send> })
    }
}

/// Thinks only when it is its turn.
struct Patient(Arc<Semaphore>);

impl Policy for Patient {
    fn orders(&mut self, _: &plunder::View) -> plunder::Sheet {
        assert_eq!(self.0.available_permits(), 0, "it is this policy's turn");
        plunder::Sheet::default()
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        assert_eq!(self.0.available_permits(), 0, "it is this policy's turn");
        vec![prompt.questions[1].pick("attack")]
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_in_a_line_thinks_in_its_turn_and_waits_for_the_server_without_it() {
    let game = Shared::new(Match { turn: 1, alive_until: LAST, ..Default::default() }.into());
    let places = Arc::new(Semaphore::new(1));
    let (shared, looked) = (Arc::clone(&game), Arc::clone(&places));
    let fake = Fake::new(move |desk, call| {
        if matches!(call, Call::LockIn(_) | Call::Answer(_)) {
            assert_eq!(looked.available_permits(), 1, "whoever waits for an answer does not think");
        }
        shared.lock().expect("nobody panicked").answer(desk, call)
    });
    fake.desk().publish(What::TurnOpened(game.lock().expect("nobody panicked").opened()));
    let first = OneByOne(Arc::clone(&places)).turn().await;
    let player = Box::new(PolicyPlayer::new(Box::new(Patient(Arc::clone(&places)))));
    let playing = tokio::spawn(play_seat(session(&fake, Start::After(0)), player, Some(Box::new(OneByOne(places)))));
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(game.lock().expect("nobody panicked").locked.is_empty(), "somebody else thinks");
    drop(first);
    let end = playing.await.expect("nobody panicked").expect("an end");
    assert_eq!((end.turn, end.refused()), (LAST, 0));
    let game = game.lock().expect("nobody panicked");
    assert_eq!(game.locked.len(), 6);
    let answer = |question, place| v1::Answer { question, options: vec![place] };
    assert_eq!(game.answered, [[answer(2, 1), answer(1, 0), answer(3, 0)]], "what it left out has its default");
}

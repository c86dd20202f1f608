use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use parley_games::times;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::query::Query;
use tonic::Code;

use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;

use super::*;
use crate::arms::Arms;
use crate::connect::connect;
use crate::fake::{ConnectionEnd, Desk, Fake};

const WAYS: [ConnectionEnd; 2] = [ConnectionEnd::Quietly, ConnectionEnd::Unavailable];

fn locks(turn: u32) -> v1::news::What {
    v1::news::What::LocksChanged(v1::LocksChanged { turn, ..Default::default() })
}

fn end() -> v1::news::What {
    v1::news::What::Outcome(v1::Outcome { ended: Some(v1::MatchEnded::default()), ..Default::default() })
}

/// A server whose match is over after this many news.
fn finished(news: u32) -> Fake {
    let fake = Fake::default();
    (1..news).for_each(|turn| fake.desk().publish(locks(turn)));
    fake.desk().publish(end());
    fake
}

fn answer(_: &mut Desk, call: &Call) -> Answer {
    match call {
        Call::LockIn(request) => {
            let receipt = Some(v1::Receipt { turn: request.turn, ..Default::default() });
            Answer::LockIn(v1::LockInResponse { receipt })
        }
        Call::StageOrders(_) => Answer::StageOrders(v1::StageOrdersResponse::default()),
        Call::Answer(_) => Answer::Answer(v1::AnswerResponse::default()),
        Call::Concede(_) => Answer::Concede(v1::ConcedeResponse { turn: 9 }),
        Call::GetView(_) => Answer::GetView(v1::GetViewResponse { cursor: 77, ..Default::default() }),
        Call::Advise(request) => match asked(request) {
            Query::Options(_) => advice(Advice::Options(plunder::Options::default())),
            Query::Path(_) => advice(Advice::Path(plunder::Course::default())),
            Query::Odds(_) => advice(Advice::Odds(plunder::CombatOdds::default())),
        },
        Call::Open(_) | Call::Close(_) => panic!("a session of its own is opened once, and never closed"),
    }
}

/// What is asked about the naval game.
fn asked(request: &v1::AdviseRequest) -> Query {
    request.query.and_then(Arms::into_plunder).and_then(|query| query.query).expect("a question")
}

fn advice(advice: Advice) -> Answer {
    let advice = v1::Advice::of_plunder(plunder::Advice { advice: Some(advice) });
    Answer::Advise(v1::AdviseResponse { advice: Some(advice) })
}

fn settings() -> Settings {
    Settings { start: Start::After(0), ..Settings::new("m", Token::new("t").expect("a token")) }
}

fn session(fake: &Fake) -> Session {
    Session::new(fake.service(), settings())
}

/// The cursors of everything that is told until the match is over.
async fn cursors(session: &mut Session) -> Vec<u64> {
    let mut cursors = Vec::new();
    loop {
        match session.next().await {
            Ok(Item::News(news)) => cursors.push(news.cursor),
            Ok(Item::Snapshot(view)) => panic!("{view:?}"),
            Err(error) => {
                assert_eq!(error, SessionError::Over);
                return cursors;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_lost_after_any_message_loses_and_repeats_nothing() {
    for way in WAYS {
        for after in 0..=8 {
            let fake = finished(7);
            fake.desk().cuts.push_back((after, way));
            assert_eq!(cursors(&mut session(&fake)).await, [1, 2, 3, 4, 5, 6, 7]);
            let opens: Vec<u64> = fake.desk().opens.iter().map(|open| open.after).collect();
            let resumed = after.saturating_sub(1) as u64;
            assert_eq!(opens, if after < 8 { vec![0, resumed] } else { vec![0] }, "cut after {after}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_lost_after_every_message_loses_and_repeats_nothing() {
    for way in WAYS {
        let fake = finished(50);
        fake.desk().cuts = (0..100).map(|line| (line % 3, way)).collect();
        let expected: Vec<u64> = (1..=50).collect();
        assert_eq!(cursors(&mut session(&fake)).await, expected);
        assert_eq!(fake.desk().authorization.as_deref(), Some("Bearer t"));
    }
}

#[tokio::test(start_paused = true)]
async fn news_that_are_told_twice_are_taken_once() {
    let fake = finished(9);
    fake.desk().deaf = true;
    fake.desk().cuts = (2..9).map(|after| (after, ConnectionEnd::Quietly)).collect();
    assert_eq!(cursors(&mut session(&fake)).await, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(fake.desk().opens.len(), 8);
}

#[tokio::test(start_paused = true)]
async fn news_that_are_left_out_are_asked_for_again_and_never_skipped() {
    let fake = finished(3);
    fake.desk().news.remove(1);
    let bounds = Backoff { attempts: 4, ..Backoff::default() };
    let mut session = Session::new(fake.service(), Settings { backoff: bounds, ..settings() });
    assert!(matches!(session.next().await, Ok(Item::News(news)) if news.cursor == 1));
    let error = session.next().await.expect_err("news 2 are missing");
    assert!(matches!(&error, SessionError::Lost { attempts: 5, last } if last.message.contains("left out")), "{error}");
    assert!(fake.desk().opens[1..].iter().all(|open| open.after == 1));
}

#[tokio::test(start_paused = true)]
async fn giving_up_waiting_loses_nothing() {
    let fake = finished(20);
    fake.desk().cuts = (0..60).map(|line| (line % 3, ConnectionEnd::Unavailable)).collect();
    let mut session = session(&fake);
    let mut told = Vec::new();
    while told.len() < 20 {
        // Most waits for the next attempt are longer than this.
        if let Ok(item) = timeout(Duration::from_millis(7), session.next()).await {
            let Item::News(news) = item.expect("news") else { panic!("a snapshot") };
            told.push(news.cursor);
        }
    }
    assert_eq!(told, (1..=20).collect::<Vec<u64>>());
}

#[tokio::test(start_paused = true)]
async fn a_call_is_repeated_with_its_request_id_until_it_is_answered() {
    for way in WAYS {
        let fake = Fake::new(answer);
        fake.desk().cuts = [(1, way), (0, way), (1, way), (1, way)].into();
        let mut session = session(&fake);
        let receipt = session.lock_in(4, v1::Sheet::default()).await.expect("a receipt");
        assert_eq!(receipt.turn, 4);
        let received = fake.desk().received.clone();
        assert_eq!(received.len(), 4, "three were lost on the way back: {received:?}");
        assert!(received.iter().all(|id| *id == received[0] && id.len() == 32), "{received:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn request_ids_say_what_is_the_same_request() {
    let fake = Fake::new(answer);
    let conceding = v1::Sheet::of_plunder(plunder::Sheet { concede: true, ..Default::default() });
    for _ in 0..2 {
        let mut session = session(&fake);
        session.lock_in(1, v1::Sheet::default()).await.expect("an answer");
        session.lock_in(1, conceding.clone()).await.expect("an answer");
        session.lock_staged(1).await.expect("an answer");
        session.answer(1, 2, Vec::new()).await.expect("an answer");
        session.concede().await.expect("an answer");
        session.stage(1, conceding.clone()).await.expect("an answer");
        session.stage(1, conceding.clone()).await.expect("an answer");
    }
    let mut other = Session::new(fake.service(), Settings { token: Token::new("u").expect("a token"), ..settings() });
    other.lock_in(1, v1::Sheet::default()).await.expect("an answer");
    let received = fake.desk().received.clone();
    assert_eq!(received[..5], received[7..12], "a bot that is started anew");
    let mut ids = received[..7].to_vec();
    ids.push(received[14].clone());
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8, "{received:?}");
}

#[tokio::test(start_paused = true)]
async fn every_call_finds_its_answer() {
    let fake = Fake::new(answer);
    let mut session = session(&fake);
    assert_eq!(session.get_view().await.expect("a view").cursor, 77);
    assert_eq!(session.concede().await.expect("an answer").turn, 9);
    session.options().await.expect("an answer");
    session.path(1, common::Hex::default()).await.expect("an answer");
    session.odds(plunder::OddsQuery::default()).await.expect("an answer");
    assert_eq!(session.seat(), Some(0));
    let wrong = Fake::new(|_, _| Answer::Concede(v1::ConcedeResponse::default()));
    let error = Session::new(wrong.service(), settings()).get_view().await.expect_err("another answer");
    assert_eq!(error.to_string(), "the server answered a view with something else");
}

#[tokio::test(start_paused = true)]
async fn options_are_asked_for_until_they_are_all_there_and_of_one_turn() {
    // The second answer is of the next turn, so that everything is asked for again.
    let mut answered = 0;
    let fake = Fake::new(move |_, call| {
        let Call::Advise(request) = call else { panic!("{call:?}") };
        let Query::Options(query) = asked(request) else { panic!("{call:?}") };
        answered += 1;
        let mut told = plunder::Options { turn: if answered == 1 { 1 } else { 2 }, ..Default::default() };
        match (query.first_unit, query.first_structure) {
            (0, 0) => told.next_unit = 4,
            (4, 0) => told.next_structure = 7,
            (0, 7) => told.structures.push(plunder::StructureOptions { structure: 7, ..Default::default() }),
            other => panic!("{other:?}"),
        }
        if query.first_structure == 0 {
            told.units.push(plunder::UnitOptions { unit: query.first_unit, ..Default::default() });
        }
        advice(Advice::Options(told))
    });
    let all = session(&fake).options().await.expect("orders");
    assert_eq!((all.turn, all.next_unit, all.next_structure), (2, 0, 0));
    assert_eq!(all.units.iter().map(|options| options.unit).collect::<Vec<_>>(), [0, 4]);
    assert_eq!(all.structures.iter().map(|options| options.structure).collect::<Vec<_>>(), [7]);
}

#[tokio::test(start_paused = true)]
async fn news_that_come_during_a_call_are_kept_and_more_are_fetched_again() {
    for count in [MAX_QUEUED_NEWS as u32, MAX_QUEUED_NEWS as u32 * 4] {
        let fake = Fake::new(move |desk, call| {
            (1..count).for_each(|turn| desk.publish(locks(turn)));
            desk.publish(end());
            answer(desk, call)
        });
        let mut session = session(&fake);
        session.get_view().await.expect("a view");
        assert_eq!(session.queue.len(), MAX_QUEUED_NEWS);
        assert_eq!(cursors(&mut session).await, (1..=u64::from(count)).collect::<Vec<u64>>());
        assert_eq!(fake.desk().opens.len(), if count > MAX_QUEUED_NEWS as u32 { 2 } else { 1 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_view_comes_in_place_of_forgotten_news() {
    let fake = finished(10);
    fake.desk().forgotten = 6;
    fake.desk().view = v1::GetViewResponse { cursor: 8, ..Default::default() };
    let mut session = session(&fake);
    let Ok(Item::Snapshot(view)) = session.next().await else { panic!("no snapshot") };
    assert_eq!(view.cursor, 8);
    assert_eq!(cursors(&mut session).await, [9, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_session_can_begin_now_even_after_the_end() {
    let fake = finished(10);
    fake.desk().view = v1::GetViewResponse { cursor: 9, ..Default::default() };
    let mut session = Session::new(fake.service(), Settings { start: Start::Now, ..settings() });
    assert!(matches!(session.next().await, Ok(Item::Snapshot(_))));
    assert_eq!(cursors(&mut session).await, [10]);
    fake.desk().view = v1::GetViewResponse { cursor: 10, phase: v1::Phase::Over.into(), ..Default::default() };
    let mut late = Session::new(fake.service(), Settings { start: Start::Now, ..settings() });
    assert!(matches!(late.next().await, Ok(Item::Snapshot(_))));
    assert_eq!(late.next().await, Err(SessionError::Over));
}

#[tokio::test(start_paused = true)]
async fn it_gives_up_after_a_bounded_time() {
    let fake = Fake::default();
    fake.desk().closed = Some(Status::unavailable("away"));
    let bounds = Backoff { attempts: 8, ..Backoff::default() };
    let mut session = Session::new(fake.service(), Settings { backoff: bounds, ..settings() });
    let before = Instant::now();
    let error = session.next().await.expect_err("nobody is there");
    assert_eq!(
        error.to_string(),
        "the server could not be reached 9 times in a row: away (The service is currently unavailable)"
    );
    assert_eq!(fake.desk().opens.len(), 9);
    let waited = before.elapsed();
    let (least, most) = (Duration::from_millis(10_650), Duration::from_millis(21_300 + 8));
    assert!(waited >= least && waited <= most, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn connections_that_are_lost_at_once_count_as_failures() {
    let fake = finished(2);
    fake.desk().cuts = (0..100).map(|_| (1, ConnectionEnd::Quietly)).collect();
    let bounds = Backoff { attempts: 8, ..Backoff::default() };
    let mut session = Session::new(fake.service(), Settings { backoff: bounds, ..settings() });
    assert!(matches!(session.next().await, Err(SessionError::Lost { attempts: 9, .. })));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_will_not_pass_is_told_at_once() {
    let fake = Fake::default();
    fake.desk().closed = Some(Status::unauthenticated("who are you?"));
    let error = Session::open(fake.service(), "t", "m", Views::Every).await.err().expect("refused");
    assert!(matches!(&error, SessionError::Refused(refusal) if refusal.code == Code::Unauthenticated), "{error:?}");
    assert_eq!(fake.desk().opens.len(), 1);
    assert!(Session::open(fake.service(), "no\ntoken", "m", Views::Every).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_is_repeated_only_where_that_can_help() {
    let mut refusals = 3;
    let fake = Fake::new(move |desk, call| {
        if refusals == 0 {
            return answer(desk, call);
        }
        refusals -= 1;
        let code = Code::Unavailable as i32;
        Answer::Refused(v1::Refusal { code, retry_after: Some(times::duration(3000)), ..Default::default() })
    });
    let before = Instant::now();
    let mut session = session(&fake);
    session.lock_in(1, v1::Sheet::default()).await.expect("a receipt");
    assert!(before.elapsed() >= Duration::from_secs(9));
    assert_eq!(fake.desk().received.len(), 4);
    assert_eq!(fake.desk().opens.len(), 1);

    let refusing = Fake::new(|_, _| {
        let fault = common::Fault { rule: "R5.5".to_owned(), ..Default::default() };
        let code = Code::InvalidArgument as i32;
        let (reason, message) = (v1::Reason::OrdersInvalid.into(), "one order cannot stand".to_owned());
        Answer::Refused(v1::Refusal { code, reason, message, faults: vec![fault], turn: 3, ..Default::default() })
    });
    let mut session = self::session(&refusing);
    let error = session.lock_in(1, v1::Sheet::default()).await.expect_err("refused");
    assert_eq!(error.to_string(), "one order cannot stand (ORDERS_INVALID)");
    let CallError::Refused(refusal) = error else { panic!("{error:?}") };
    assert_eq!((refusal.faults[0].rule.as_str(), refusal.turn), ("R5.5", 3));
    assert_eq!(refusing.desk().received.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_the_board_it_goes_on_where_it_was() {
    let fake = finished(3);
    let mut session = Session::new(fake.service(), Settings { views: Views::Every, ..settings() });
    assert!(matches!(session.next().await, Ok(Item::News(_))));
    session.stop_board();
    assert_eq!(cursors(&mut session).await, [2, 3]);
    assert_eq!(opens(&fake), [(0, true, false), (1, false, true)]);
    let settings = Settings { views: Views::None, changes: false, ..settings() };
    let mut session = Session::new(fake.service(), settings);
    assert!(matches!(session.next().await, Ok(Item::News(_))));
    session.stop_board();
    assert_eq!(cursors(&mut session).await, [2, 3]);
    assert_eq!(opens(&fake)[2..], [(0, false, true)], "there is nothing that it could do without");
}

/// After which cursors sessions were opened, whether with views, and whether without changes.
fn opens(fake: &Fake) -> Vec<(u64, bool, bool)> {
    fake.desk().opens.iter().map(|open| (open.after, open.views, open.no_changes)).collect()
}

/// The next turn, with its view.
fn turn(turn: u32) -> v1::news::What {
    let next = Some(v1::TurnOpened { turn, view: Some(v1::View::default()), ..Default::default() });
    v1::news::What::Outcome(v1::Outcome { next, ..Default::default() })
}

#[tokio::test(start_paused = true)]
async fn a_first_view_is_the_only_one() {
    let fake = Fake::default();
    [locks(1), turn(2), turn(3), end()].into_iter().for_each(|what| fake.desk().publish(what));
    for cuts in [vec![], vec![(2, ConnectionEnd::Unavailable)]] {
        let lost = cuts.len();
        fake.desk().cuts = cuts.into();
        fake.desk().opens.clear();
        let mut session = Session::new(fake.service(), Settings { views: Views::First, ..settings() });
        let mut views = Vec::new();
        while let Ok(Item::News(news)) = session.next().await {
            views.push(matches!(
                news.what,
                Some(v1::news::What::Outcome(v1::Outcome { next: Some(v1::TurnOpened { view: Some(_), .. }), .. }))
            ));
        }
        assert_eq!(views, [false, true, false, false]);
        assert_eq!(opens(&fake)[lost..], [(lost as u64, true, false), (2, false, false)]);
    }
    fake.desk().view = v1::GetViewResponse { cursor: 1, view: Some(v1::View::default()), ..Default::default() };
    fake.desk().opens.clear();
    let settings = Settings { views: Views::First, start: Start::Now, ..settings() };
    let mut session = Session::new(fake.service(), settings);
    assert!(matches!(session.next().await, Ok(Item::Snapshot(_))));
    assert_eq!(cursors(&mut session).await, [2, 3, 4]);
    assert_eq!(opens(&fake), [(1, false, false)]);
}

/// Serves one connection after the other and loses each but the last when it is told to.
async fn serve(listener: tokio::net::TcpListener, fake: Fake, mut lose: mpsc::Receiver<()>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let service = TowerToHyperService::new(fake.service());
        let builder = Builder::new(TokioExecutor::new());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::select! {
            _ = connection => {}
            Some(()) = lose.recv() => {}
        }
    }
}

#[tokio::test]
async fn it_survives_lost_sockets() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let fake = Fake::new(answer);
    let (lose, losing) = mpsc::channel(1);
    let server = tokio::spawn(serve(listener, fake.clone(), losing));
    let channel = connect(&address).await.expect("a connection");
    let backoff = Backoff { first: Duration::from_millis(2), ..Backoff::default() };
    let mut session = Session::new(channel, Settings { backoff, ..settings() });
    for turn in 1..=5 {
        fake.publish(locks(turn));
        let Ok(Item::News(news)) = session.next().await else { panic!("no news") };
        assert_eq!(news.cursor, u64::from(turn));
        lose.send(()).await.expect("a server");
        assert_eq!(session.lock_in(turn, v1::Sheet::default()).await.expect("a receipt").turn, turn);
    }
    assert!(fake.desk().opens.len() >= 5, "{:?}", fake.desk().opens);
    server.abort();
}

#[tokio::test(start_paused = true)]
async fn whether_there_is_a_connection_can_be_watched() {
    let fake = finished(3);
    fake.desk().cuts.push_back((2, ConnectionEnd::Unavailable));
    let mut session = session(&fake);
    let link = session.link();
    assert_eq!(*link.borrow(), Link::Down { why: String::new() });
    session.next().await.expect("news");
    assert_eq!(*link.borrow(), Link::Up);
    let seen = tokio::spawn({
        let mut link = session.link();
        async move { link.wait_for(|link| matches!(link, Link::Down { .. })).await.map(|link| link.clone()) }
    });
    assert_eq!(cursors(&mut session).await, [2, 3]);
    assert!(matches!(seen.await.expect("no panic"), Ok(Link::Down { why }) if !why.is_empty()));
    assert_eq!(*link.borrow(), Link::Up);
}

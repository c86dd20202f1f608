//! Sessions whose caller reads nothing, and what is counted for them.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use bytes::{BufMut, Bytes};
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use parley_games::plunder::changes;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::v1;
use tokio::sync::mpsc;
use tonic::Request;
use tonic::codec::Codec;
use tonic_prost::ProstCodec;

use super::*;
use crate::auth::{Gate, Keyring};
use crate::clock::Clock;
use crate::config::Config;
use crate::http::{Budget, BudgetAccount, BudgetLimits};
use crate::journal::MatchId;
use crate::journal::memory::Memory;
use crate::limits::Limits;
use crate::matches::Matches;
use crate::matches::command::Request as Ask;

/// How many bytes may be in flight on the connection of the session.
const ROOM: usize = 4 << 20;
/// How many calls are sent at once; fewer than may be in work, and more than there is room for.
const CALLS: u64 = 40;
/// About how many bytes each of them has.
const CALL_BYTES: usize = 3000;

/// How many ships a fast fleet has, and how many tiles each of them sails in a turn.
const FLEET: (u32, u32) = (64, 32);
/// How long the sides of the map are that it sails on.
const FLEET_SIDE: usize = 100;

/// A service with one match, which waits for players.
async fn service(limits: Limits) -> (Service, String) {
    let rows = vec!["....".to_owned(), "H..H".to_owned(), "....".to_owned()];
    let starts = vec![common::Hex { q: 0, r: 1 }, common::Hex { q: 3, r: 1 }];
    let drawn = plunder::DrawnMap { rows, wrap: false, starts };
    service_of(limits, drawn, "{}").await
}

/// A service with one match of fast fleets, and the token of a player of it.
async fn fleets() -> (Service, String, String) {
    let (ships, speed) = FLEET;
    let mut rows = vec![".".repeat(FLEET_SIDE); FLEET_SIDE];
    let middle = FLEET_SIDE / 2;
    rows[0].replace_range(0..1, "H");
    rows[middle].replace_range(middle..=middle, "H");
    let half = middle as i32;
    let starts = vec![common::Hex { q: half - half / 2, r: half }, common::Hex { q: 0, r: 0 }];
    let class = format!(
        r#"{{"key": "ship", "domain": "naval", "hull": 10, "speed": {speed}, "cannons": 0, "vision": 2,
            "build_cost": 50, "build_turns": 3}}"#
    );
    let rules = format!(r#"{{"classes": [{class}], "economy": {{"start_ships": {ships}}}}}"#);
    let drawn = plunder::DrawnMap { rows, wrap: false, starts };
    let (service, match_id) = service_of(Limits::default(), drawn, &rules).await;
    let id = match_id.parse().map(MatchId).expect("an id");
    let mut tokens = Vec::new();
    for seat in 0..2 {
        let request_id = format!("a-request-of-a-test-{seat}");
        let (match_id, seat) = (match_id.clone(), Some(seat));
        let join = api::JoinMatchRequest { request_id, match_id, seat, ..api::JoinMatchRequest::default() };
        let joined = service.matches.ask(id, None, |reply| Ask::JoinMatch(join, reply)).await.expect("a seat");
        tokens.push(joined.player_token);
    }
    (service, match_id, tokens.swap_remove(0))
}

/// A service with one match on a map, by changed rules.
async fn service_of(limits: Limits, drawn: plunder::DrawnMap, changes: &str) -> (Service, String) {
    let changes = changes::said(&serde_json::from_str(changes).expect("JSON"));
    let keyring = Arc::new(Keyring::ephemeral().expect("random bytes"));
    let clock = Clock::starting_at(1_800_000_000_000);
    let matches = Matches::new(Arc::new(Memory::new()), Arc::clone(&keyring), limits, clock);
    let map = Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Drawn(drawn)) });
    let game = v1::game_settings::Game::Plunder(plunder::Settings { map, changes, ..Default::default() });
    let settings = api::MatchSettings {
        game: Some(v1::GameSettings { game: Some(game) }.encode_to_vec().into()),
        seats: vec![api::SeatChoice::default(); 2],
        start_when_full: true,
        ..api::MatchSettings::default()
    };
    let (request_id, settings) = ("a-request-of-a-test".to_owned(), Some(settings));
    let request = api::CreateMatchRequest { request_id, settings, ..api::CreateMatchRequest::default() };
    let created = matches.create(request).await.expect("a match").r#match.expect("a match");
    let gate = Arc::new(Gate::new(keyring, None, Config::default().gate_limits()));
    (Service::new(matches, gate), created.match_id)
}

/// Asks what could be ordered.
fn options(query: plunder::OptionsQuery) -> api::AdviseRequest {
    let query = plunder::Query { query: Some(plunder::query::Query::Options(query)) };
    let query = v1::Query { game: Some(v1::query::Game::Plunder(query)) };
    api::AdviseRequest { query: Some(query.encode_to_vec().into()), ..api::AdviseRequest::default() }
}

/// A call as it comes over the network.
fn sent(call: u64, what: Call) -> Frame<Bytes> {
    sent_on(0, call, what)
}

/// A call on a channel as it comes over the network.
fn sent_on(channel: u32, call: u64, what: Call) -> Frame<Bytes> {
    let request = api::SessionRequest { call, channel, what: Some(what), ..api::SessionRequest::default() };
    let mut bytes = vec![0];
    bytes.put_u32(request.encoded_len() as u32);
    bytes.extend(request.encode_to_vec());
    Frame::data(bytes.into())
}

fn answered(packet: Packet<api::SessionResponse>) -> Option<u64> {
    match packet {
        Packet::News(..) | Packet::Forwarded(..) => None,
        Packet::Message(response) => Some(response.call),
    }
}

/// An open session, and where the frames of its caller go.
async fn opened(
    service: Service,
    match_id: String,
    token: Option<&str>,
    account: &Arc<BudgetAccount>,
) -> (Session, mpsc::UnboundedSender<Frame<Bytes>>) {
    let (says, mut said) = mpsc::unbounded_channel();
    let body =
        StreamBody::new(stream::poll_fn(move |cx| said.poll_recv(cx).map(|frame| frame.map(Ok::<_, Infallible>))));
    let decoder = ProstCodec::<api::SessionResponse, api::SessionRequest>::default().decoder();
    let calls = Streaming::new_request(decoder, body, None, None);
    let mut request = Request::new(());
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("a header"));
    }
    let (caller, ()) = service.admit(request).expect("a player, or everybody may watch");
    let mut session = Session::new(service, caller, Some(account.reserve_nothing()), Origin::default(), calls);
    says.send(sent(1, Call::Open(api::SessionOpen { match_id, ..api::SessionOpen::default() }))).expect("it is open");
    while answered(session.next().await.expect("more").expect("no error")).is_none() {}
    (session, says)
}

/// The accounts of a server whose only connection has so much room.
fn accounts(room: usize) -> (Arc<Budget>, Arc<BudgetAccount>) {
    let unread = Duration::from_secs(60);
    let budget = Budget::new(BudgetLimits { total: room, per_address: room, per_connection: room, unread });
    let account = budget.connection(&budget.address([1, 1, 1, 1].into()));
    (budget, account)
}

/// Looks at a session as long as it has something to say, and then no more.
fn look(session: &mut Session) {
    let mut cx = Context::from_waker(Waker::noop());
    while let Poll::Ready(packet) = session.poll_message(&mut cx) {
        packet.expect("more").expect("no error");
    }
}

#[tokio::test]
async fn answers_that_nobody_takes_are_counted() {
    const CALLS: u64 = 40;
    let (service, match_id, token) = fleets().await;
    let (budget, account) = accounts(8 * ROOM);
    let (mut session, says) = opened(service.clone(), match_id.clone(), Some(&token), &account).await;
    look(&mut session);
    let before = budget.in_flight();
    for call in 2..2 + CALLS {
        let what = match call % 2 {
            0 => Call::Advise(options(plunder::OptionsQuery::default())),
            _ => Call::GetView(api::GetViewRequest::default()),
        };
        says.send(sent(call, what)).expect("it is open");
    }
    look(&mut session);
    // The match has answered everything by the time at which it answers somebody who asked later.
    let id = match_id.parse().map(MatchId).expect("an id");
    service.matches.ask(id, None, Ask::GetMatch).await.expect("the match");
    let waiting = budget.in_flight() - before;
    assert!(waiting > 2 * ROOM, "{waiting} bytes are counted of {CALLS} large answers");

    let (mut told, mut refused) = (0, 0);
    for _ in 0..CALLS {
        match session.next().await.expect("more").expect("no error") {
            Packet::Message(api::SessionResponse { what: Some(Answer::Refused(refusal)), .. }) => {
                assert_eq!(refusal.reason(), Reason::TooMuchInFlight);
                refused += 1;
            }
            Packet::Message(response) => told += response.encoded_len(),
            Packet::News(news, _) => panic!("{news:?}"),
            Packet::Forwarded(message, _) => panic!("{message:?}"),
        }
    }
    assert!(told > ROOM && refused > 0, "{told} bytes were told, and {refused} calls refused");
    look(&mut session);
    let left = budget.in_flight();
    assert!(left <= before, "{left} bytes are counted, and everything is answered; before it were {before}");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_read_keeps_nobody_from_a_match() {
    let (service, match_id) = service(Limits { mailbox: 4, ..Limits::default() }).await;
    let (_budget, account) = accounts(ROOM);
    let (mut session, says) = opened(service.clone(), match_id.clone(), None, &account).await;
    look(&mut session);
    for call in 2..2 + CALLS {
        says.send(sent(call, Call::Concede(api::ConcedeRequest::default()))).expect("it is open");
    }
    // More calls than the match takes at once are in work from now on, and nobody looks at the session.
    look(&mut session);
    let id = match_id.parse().map(MatchId).expect("an id");
    let honest = service.matches.ask(id, None, Ask::GetMatch);
    tokio::time::timeout(Duration::from_secs(60), honest).await.expect("the match answers").expect("the match");
}

#[tokio::test]
async fn legal_orders_of_the_fastest_fleet_come_in_answers_that_every_client_takes() {
    let (service, match_id, token) = fleets().await;
    let claims = service.matches.keyring.verify(&token, 0).expect("a token");
    let id = match_id.parse().map(MatchId).expect("an id");
    let told = async |query| {
        let ask = |reply| Ask::Advise(options(query), reply);
        let told = service.matches.ask(id, Some(claims), ask).await.expect("orders").advice.expect("advice");
        match v1::Advice::decode(told).expect("advice").game {
            Some(v1::advice::Game::Plunder(plunder::Advice { advice: Some(Advice::Options(told)) })) => told,
            other => panic!("{other:?}"),
        }
    };
    let (mut query, mut units, mut pages, mut bytes) = (plunder::OptionsQuery::default(), vec![], 0, 0);
    loop {
        let page = told(query).await;
        assert!(page.encoded_len() < 1 << 20, "{} bytes", page.encoded_len());
        assert!(page.next_unit == 0 || page.structures.is_empty(), "shipyards come with the last of the ships");
        units.extend(page.units.iter().map(|options| options.unit));
        (pages, bytes) = (pages + 1, bytes + page.encoded_len());
        if page.next_unit == 0 {
            assert_eq!((page.next_structure, page.structures.len()), (0, 1));
            break;
        }
        query.first_unit = page.next_unit;
    }
    assert!(units.is_sorted() && units.len() == FLEET.0 as usize, "{units:?}");
    assert!(pages > 2 && bytes > 3 << 20, "{bytes} bytes in {pages} pages");
    assert!(told(plunder::OptionsQuery { first_structure: 1, first_unit: 0 }).await.units.is_empty());
}

#[tokio::test]
async fn calls_in_work_are_counted_until_they_are_answered() {
    let (service, match_id) = service(Limits::default()).await;
    let (budget, account) = accounts(ROOM);
    let (mut session, says) = opened(service, match_id, None, &account).await;
    let kept = budget.in_flight();
    assert!(kept < ROOM / 2, "{kept} bytes are kept for a spectator");

    for call in 2..2 + CALLS {
        let request_id = "x".repeat(CALL_BYTES);
        let request = api::ConcedeRequest { request_id, ..api::ConcedeRequest::default() };
        says.send(sent(call, Call::Concede(request))).expect("it is open");
    }
    // Nothing else runs meanwhile, so that nobody answers.
    let mut cx = Context::from_waker(Waker::noop());
    while let Poll::Ready(packet) = session.poll_message(&mut cx) {
        assert_eq!(answered(packet.expect("more").expect("no error")), None);
    }
    let counted = budget.in_flight();
    assert!((ROOM / 2..=ROOM).contains(&counted), "{counted} bytes are counted");

    let mut open: Vec<u64> = (2..2 + CALLS).collect();
    while !open.is_empty() {
        let call = answered(session.next().await.expect("more").expect("nobody is refused for it"));
        open.retain(|open| Some(*open) != call);
    }
    // A connection keeps a little of what it has taken from its address.
    let left = budget.in_flight();
    assert!(left < counted / 2, "{left} bytes are counted, and everything is answered");
}

/// Lets a session open one more channel as somebody who watches, and waits until it is open.
async fn open_channel(session: &mut Session, says: &mpsc::UnboundedSender<Frame<Bytes>>, channel: u32, match_id: &str) {
    let open = api::SessionOpen { match_id: match_id.to_owned(), ..api::SessionOpen::default() };
    says.send(sent_on(channel, 1, Call::Open(open))).expect("the session is open");
    loop {
        match session.next().await.expect("more").expect("no error") {
            Packet::Message(response) if response.channel == channel => {
                assert!(matches!(response.what, Some(Answer::Opened(_))), "{response:?}");
                return;
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_channel_with_too_many_calls_holds_up_no_other() {
    let (service, match_id) = service(Limits { session_in_flight: 2, ..Limits::default() }).await;
    let (_budget, account) = accounts(ROOM);
    let (mut session, says) = opened(service, match_id.clone(), None, &account).await;
    open_channel(&mut session, &says, 1, &match_id).await;
    look(&mut session);
    // Nothing else runs until the session is waited for, so that the match answers nothing.
    for call in 2..=5 {
        says.send(sent(call, Call::GetView(api::GetViewRequest::default()))).expect("the session is open");
    }
    says.send(sent_on(1, 6, Call::GetView(api::GetViewRequest::default()))).expect("the session is open");
    let mut cx = Context::from_waker(Waker::noop());
    for expected in 4..=5 {
        let Poll::Ready(Some(Ok(Packet::Message(response)))) = session.poll_message(&mut cx) else {
            panic!("call {expected} is not refused at once")
        };
        assert_eq!((response.channel, response.call), (0, expected));
        assert!(
            matches!(&response.what, Some(Answer::Refused(refusal)) if refusal.reason() == Reason::TooManyCallsInWork)
        );
    }
    assert!(session.poll_message(&mut cx).is_pending());
    let mut answers = Vec::new();
    while answers.len() < 3 {
        if let Packet::Message(response) = session.next().await.expect("more").expect("no error") {
            assert!(matches!(response.what, Some(Answer::GetView(_))), "{response:?}");
            answers.push(response.call);
        }
    }
    answers.sort_unstable();
    assert_eq!(answers, [2, 3, 6]);
}

#[tokio::test]
async fn a_session_of_one_channel_reads_on_only_when_there_is_room() {
    let (service, match_id) = service(Limits { session_in_flight: 2, ..Limits::default() }).await;
    let (_budget, account) = accounts(ROOM);
    let (mut session, says) = opened(service, match_id, None, &account).await;
    look(&mut session);
    for call in 2..=9 {
        says.send(sent(call, Call::GetView(api::GetViewRequest::default()))).expect("the session is open");
    }
    for call in 2..=9 {
        match session.next().await.expect("more").expect("no error") {
            Packet::Message(response) => {
                assert!(matches!(response.what, Some(Answer::GetView(_))), "call {call}: {response:?}");
            }
            _ => panic!("nobody did anything that is news"),
        }
    }
}

#[tokio::test]
async fn channels_that_have_much_to_tell_take_turns_with_each_other_and_with_calls() {
    const JOINED: usize = 12;
    let (service, match_id) = service(Limits::default()).await;
    let id = match_id.parse().map(MatchId).expect("an id");
    for number in 0..JOINED {
        let request_id = format!("a-request-of-a-test-{number:04}");
        let join =
            api::JoinMatchRequest { request_id, match_id: match_id.clone(), seat: Some(0), ..Default::default() };
        let joined = service.matches.ask(id, None, |reply| Ask::JoinMatch(join, reply)).await.expect("a seat");
        let claims = service.matches.keyring.verify(&joined.player_token, 0).expect("a token");
        let request_id = format!("another-request-of-a-test-{number:04}");
        let leave = api::LeaveMatchRequest { request_id, match_id: match_id.clone() };
        service.matches.ask(id, Some(claims), |reply| Ask::LeaveMatch(leave, reply)).await.expect("it may be left");
    }
    let (_budget, account) = accounts(ROOM);
    let (mut session, says) = opened(service, match_id.clone(), None, &account).await;
    for channel in 1..3 {
        let open = api::SessionOpen { match_id: match_id.clone(), ..api::SessionOpen::default() };
        says.send(sent_on(channel, 1, Call::Open(open))).expect("the session is open");
    }
    says.send(sent(2, Call::Open(api::SessionOpen::default()))).expect("the session is open");
    let (mut told, mut refused_after) = (Vec::new(), None);
    while told.len() < 3 * 2 * JOINED {
        match session.next().await.expect("more").expect("no error") {
            Packet::News(_, channel) => told.push(channel),
            Packet::Message(response) if response.call == 2 => refused_after = Some(told.len()),
            _ => {}
        }
    }
    assert!(refused_after.is_some_and(|after| after < JOINED), "a call is read after {refused_after:?} news");
    // The first channel was open before the others, which come to be open at the same moment.
    let others: Vec<u32> = told.into_iter().filter(|channel| *channel != 0).collect();
    assert!(others.chunks(2).all(|pair| pair[0] != pair[1]), "{others:?}");
}

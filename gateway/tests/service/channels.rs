//! Many seats of many matches on one session, each on a channel of its own.

use crate::common::channels::{Channels, locking, opening};
use crate::common::naval::Naval;
use crate::common::stream::is_last;
use crate::common::{Client, Running, bearer, config, id_of, reason, request_id, told};
use crate::sea::duel;
use parley_bots::arms::Arms;
use parley_bots::connect::Token;
use parley_bots::session::{Item, Settings, SharedStream, Start, Views};
use parley_gateway::config::Config;
use parley_proto::v1;
use parley_proto::v1::admin_client::AdminClient;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use parley_proto::v1::{Reason, SessionClosedReason};
use tonic::Code;

/// How many turns the matches have.
const TURNS: u32 = 4;

/// A match of two, with the tokens of its seats.
struct Duel {
    id: String,
    host: String,
    tokens: [String; 2],
}

impl Duel {
    async fn found(client: &mut Client) -> Self {
        let settings = duel().with_changes(format!(r#"{{"economy": {{"start_ships": 1}}, "turn_limit": {TURNS}}}"#));
        let created = client.create(settings, Some([7; 32])).await;
        let id = id_of(&created);
        let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
        Self { id, host: created.host_token, tokens }
    }

    /// Everything that a viewer is told by `Watch`, once the match is over.
    async fn watched(&self, client: &Client, token: &str) -> Vec<Vec<u8>> {
        let watch = v1::WatchRequest { match_id: self.id.clone(), ..v1::WatchRequest::default() };
        let mut stream = client.play.clone().watch(bearer(token, watch)).await.expect("a stream").into_inner();
        let mut news = Vec::new();
        while let Some(response) = stream.message().await.expect("no error") {
            news.push(told(response.news.expect("news")));
        }
        news
    }

    async fn view(&self, client: &Client, seat: usize) -> v1::GetViewResponse {
        let request = bearer(&self.tokens[seat], v1::GetViewRequest { match_id: self.id.clone() });
        client.play.clone().get_view(request).await.expect("a view").into_inner()
    }
}

fn get_view() -> Call {
    Call::GetView(v1::GetViewRequest::default())
}

fn close() -> Call {
    Call::Close(v1::SessionClose {})
}

/// The turn that news open.
fn opened_turn(news: &v1::News) -> Option<u32> {
    match news.what.as_ref()? {
        v1::news::What::TurnOpened(opened) => Some(opened.turn),
        v1::news::What::Outcome(outcome) => outcome.next.as_ref().map(|next| next.turn),
        _ => None,
    }
}

#[tokio::test]
async fn seats_of_two_matches_and_a_spectator_play_and_resume_on_one_stream() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let duels = [Duel::found(&mut client).await, Duel::found(&mut client).await];
    // The first seat's token comes with the call, as that of a session of one channel does.
    let viewers = [
        (0, &duels[0], duels[0].tokens[0].as_str(), Some(0)),
        (1, &duels[0], duels[0].tokens[1].as_str(), Some(1)),
        (7, &duels[1], duels[1].tokens[0].as_str(), Some(0)),
        (4_000_000_000, &duels[1], duels[1].tokens[1].as_str(), Some(1)),
        (9, &duels[1], "", None),
    ];
    let mut logs = vec![Vec::new(); viewers.len()];
    let mut session = Channels::begin(&client, viewers[0].2).await;
    for turn in 0..TURNS {
        if turn.is_multiple_of(2) {
            // Whatever is on its way to the old stream is told again on the new one.
            session = Channels::begin(&client, if turn == 0 { viewers[0].2 } else { "" }).await;
            for (log, &(channel, duel, token, seat)) in logs.iter().zip(&viewers) {
                let token = if turn == 0 && channel == 0 { "" } else { token };
                let mut open = v1::SessionOpen { after: log.len() as u64, ..opening(&duel.id, token) };
                if seat.is_none() && turn == 0 {
                    // The session's own token is another match's, so that a spectator of this one needs one of it.
                    open.player_token = duel.host.clone();
                }
                assert_eq!(session.open(channel, open).await.expect("it may be opened"), seat);
            }
        }
        for (log, &(channel, ..)) in logs.iter_mut().zip(&viewers) {
            while log.last().and_then(opened_turn) != Some(turn + 1) {
                log.push(session.news(channel).await.expect("news"));
            }
        }
        for &(channel, _, _, seat) in &viewers {
            if seat.is_some() {
                let answer = session.call(channel, locking(turn + 1)).await;
                assert!(matches!(&answer, Answer::LockIn(locked) if locked.receipt.is_some()), "{answer:?}");
            }
        }
    }
    for (log, &(channel, duel, token, _)) in logs.iter_mut().zip(&viewers) {
        while !log.last().is_some_and(is_last) {
            log.push(session.news(channel).await.expect("news"));
        }
        assert_eq!(session.closed(channel).await.reason(), SessionClosedReason::MatchOver);
        let log: Vec<Vec<u8>> = log.drain(..).map(told).collect();
        assert_eq!(log, duel.watched(&client, token).await, "channel {channel}");
    }
    assert_eq!(session.refused(7, get_view()).await, Reason::SessionNotOpen, "a match that is over closes its channel");
    let after = session.cursors[&7];
    session.open(7, v1::SessionOpen { after, ..opening(&duels[1].id, &duels[1].tokens[0]) }).await.expect("open again");
    let answer = session.call(7, get_view()).await;
    assert!(matches!(&answer, Answer::GetView(view) if view.phase() == v1::Phase::Over), "{answer:?}");
    session.hang_up().await.expect("an orderly end");
    server.stop().await;
}

#[tokio::test]
async fn an_open_that_is_refused_leaves_the_other_channels_alone() {
    let config = Config { max_watchers_per_match: 2, max_channels_per_session: 3, ..config() };
    let server = Running::start(&config).await;
    let mut client = server.client().await;
    let (first, second) = (Duel::found(&mut client).await, Duel::found(&mut client).await);
    let mut session = Channels::begin(&client, "").await;
    session.open(0, opening(&first.id, &first.tokens[0])).await.expect("open");
    let refusals = [
        (opening(&second.id, &first.tokens[0]), Reason::NotAllowed),
        (opening(&second.id, "no token of anybody"), Reason::TokenInvalid),
        (opening(&second.id, &"x".repeat(600)), Reason::TokenInvalid),
        (opening("00000000-0000-4000-8000-000000000000", ""), Reason::MatchUnknown),
        (opening("no id", ""), Reason::FieldInvalid),
        (v1::SessionOpen { after: 99, ..opening(&second.id, "") }, Reason::CursorUnknown),
    ];
    for (open, reason) in refusals {
        let refused = session.open(1, open.clone()).await.expect_err("nobody may open that");
        assert_eq!(refused.reason(), reason, "{open:?}");
        assert_eq!(session.refused(1, get_view()).await, Reason::SessionNotOpen);
        assert!(matches!(session.call(0, get_view()).await, Answer::GetView(_)));
    }
    // Calls that follow an open at once share what becomes of it.
    let pipelined = [Call::Open(opening(&second.id, "nothing")), get_view(), close()];
    let mut calls = Vec::new();
    for what in pipelined {
        calls.push(session.send(1, what).await);
    }
    for (call, expected) in
        calls.into_iter().zip([Reason::TokenInvalid, Reason::SessionNotOpen, Reason::SessionNotOpen])
    {
        let answer = session.answer(call).await.expect("the session goes on");
        assert!(matches!(&answer, Answer::Refused(refusal) if refusal.reason() == expected), "{answer:?}");
    }
    session.open(2, opening(&first.id, "")).await.expect("a second who follows the match");
    let refused = session.open(1, opening(&first.id, "")).await.expect_err("two follow it");
    assert_eq!((refused.code, refused.reason()), (Code::ResourceExhausted as i32, Reason::TooManyWatchers));
    assert_eq!(session.open(1, opening(&second.id, &second.tokens[1])).await, Ok(Some(1)));
    let refused = session.open(3, opening(&second.id, "")).await.expect_err("three channels are open");
    assert_eq!((refused.code, refused.reason()), (Code::ResourceExhausted as i32, Reason::TooManyChannels));
    assert!(refused.message.contains("max_channels_per_session"), "{}", refused.message);
    assert!(matches!(session.call(2, close()).await, Answer::Closed(_)));
    session.open(3, opening(&second.id, "")).await.expect("there is room for it now");
    assert!(matches!(session.call(0, locking(1)).await, Answer::LockIn(_)));
    server.stop().await;
}

#[tokio::test]
async fn a_channel_is_closed_and_opened_again() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let (first, second) = (Duel::found(&mut client).await, Duel::found(&mut client).await);
    let mut session = Channels::begin(&client, &first.tokens[0]).await;
    session.open(5, opening(&first.id, "")).await.expect("open");
    let beginning = session.news(5).await.expect("news");
    let last_call = session.send(5, get_view()).await;
    let closing = session.send(5, close()).await;
    assert!(matches!(session.answer(last_call).await, Ok(Answer::GetView(_))), "what is in work is answered");
    match session.answer(closing).await {
        Ok(Answer::Closed(closed)) => assert_eq!(closed.reason(), SessionClosedReason::Caller),
        other => panic!("{other:?}"),
    }
    assert_eq!(session.refused(5, close()).await, Reason::SessionNotOpen);
    assert_eq!(session.open(5, opening(&second.id, &second.tokens[1])).await, Ok(Some(1)), "of another match");
    assert!(matches!(session.call(5, close()).await, Answer::Closed(_)));
    let again = v1::SessionOpen { after: beginning.cursor, ..opening(&first.id, "") };
    assert_eq!(session.open(5, again).await, Ok(Some(0)));
    assert_eq!(session.news(5).await.expect("news").cursor, beginning.cursor + 1);
    // Who closes at once what is being opened is answered both.
    let (opened, closed) =
        (session.send(6, Call::Open(opening(&second.id, &second.tokens[0]))).await, session.send(6, close()).await);
    assert!(matches!(session.answer(opened).await, Ok(Answer::Opened(_))));
    assert!(matches!(session.answer(closed).await, Ok(Answer::Closed(_))));
    session.hang_up().await.expect("an orderly end");
    server.stop().await;
}

#[tokio::test]
async fn a_match_that_is_stopped_closes_its_channel_alone() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let (first, second) = (Duel::found(&mut client).await, Duel::found(&mut client).await);
    let mut session = Channels::begin(&client, "").await;
    session.open(1, opening(&first.id, &first.tokens[0])).await.expect("open");
    session.open(2, opening(&second.id, &second.tokens[0])).await.expect("open");
    let stop =
        v1::StopMatchRequest { request_id: request_id(), match_id: first.id.clone(), reason: "enough".to_owned() };
    AdminClient::new(client.channel.clone()).stop_match(bearer(&first.host, stop)).await.expect("stopped");
    assert_eq!(session.closed(1).await.reason(), SessionClosedReason::MatchOver);
    while !is_last(&session.news(1).await.expect("the reason is told before")) {}
    assert_eq!(session.refused(1, locking(1)).await, Reason::SessionNotOpen);
    assert!(matches!(session.call(2, locking(1)).await, Answer::LockIn(_)));
    server.stop().await;
}

#[tokio::test]
async fn misuse_of_channels_is_refused_once_each_and_changes_nothing() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let duel = Duel::found(&mut client).await;
    let before = duel.view(&client, 0).await;
    let mut session = Channels::begin(&client, &duel.tokens[0]).await;
    session.open(0, opening(&duel.id, "")).await.expect("open");
    let misuses = [
        (1, locking(1), Reason::SessionNotOpen),
        (u32::MAX, get_view(), Reason::SessionNotOpen),
        (1, close(), Reason::SessionNotOpen),
        (0, Call::Open(opening(&duel.id, "")), Reason::SessionOpen),
        (0, Call::Open(opening(&duel.id, &duel.tokens[1])), Reason::SessionOpen),
    ];
    for (channel, what, reason) in misuses {
        assert_eq!(session.refused(channel, what.clone()).await, reason, "channel {channel}: {what:?}");
    }
    assert_eq!(duel.view(&client, 0).await, before);
    assert!(matches!(session.call(0, get_view()).await, Answer::GetView(view) if view == before));
    // A session that the server ends ends for all channels, and says why.
    session.open(1, opening(&duel.id, &duel.tokens[1])).await.expect("open");
    server.stop().await;
    let end = loop {
        match session.news(0).await {
            Ok(_) => {}
            Err(status) => break status,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "DRAINING"));
}

#[tokio::test]
async fn sessions_of_the_client_share_one_stream() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let duels = [Duel::found(&mut client).await, Duel::found(&mut client).await];
    let stream = SharedStream::new(client.channel.clone());
    let settings = |duel: &Duel, seat: usize| {
        let token = Token::new(&duel.tokens[seat]).expect("a token");
        Settings { start: Start::After(0), views: Views::None, ..Settings::new(&duel.id, token) }
    };
    // Nobody reads this one before all others have ended.
    let mut unread = stream.session(settings(&duels[0], 0));
    assert!(unread.get_view().await.expect("a view").view.is_some());
    let mut players = tokio::task::JoinSet::new();
    for duel in &duels {
        for seat in 0..2 {
            let mut session = stream.session(settings(duel, seat));
            players.spawn(async move {
                loop {
                    let Item::News(news) = session.next().await.expect("news") else { panic!("nobody is behind") };
                    if is_last(&news) {
                        let view = session.get_view().await.expect("calls are answered also after the end");
                        assert_eq!(view.phase(), v1::Phase::Over);
                        return (session.seat(), session.cursor());
                    }
                    if let Some(turn) = opened_turn(&news) {
                        session.lock_in(turn, v1::Sheet::of_plunder(Default::default())).await.expect("a receipt");
                    }
                }
            });
        }
    }
    let mut ended = players.join_all().await;
    ended.sort_unstable();
    assert_eq!(ended.iter().map(|(seat, _)| *seat).collect::<Vec<_>>(), [Some(0), Some(0), Some(1), Some(1)]);
    for cursor in 1..=ended[0].1 {
        let Item::News(news) = unread.next().await.expect("news") else { panic!("nobody is behind") };
        assert_eq!(news.cursor, cursor);
    }
    let mut refused = stream.session(Settings::new(&duels[0].id, Token::new(&duels[1].tokens[0]).expect("a token")));
    let why = refused.next().await.expect_err("a token of another match").to_string();
    assert!(why.contains("another match"), "{why}");
    server.stop().await;
}

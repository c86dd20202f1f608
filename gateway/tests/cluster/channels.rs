//! One session plays matches of all gateways, and loses only the channels of one that dies.

use std::sync::Arc;
use std::time::Duration;

use parley_proto::v1;
use parley_proto::v1::SessionClosedReason;
use parley_proto::v1::session_response::What as Answer;
use tokio::time::{sleep, timeout};
use tonic::Code;

use crate::common::caller::{Caller, Experience, Servers};
use crate::common::channels::{Channels, locking, opening};
use crate::common::player::Seated;
use crate::common::{Client, endless};
use crate::gateways::{Cluster, GATEWAYS, LONG_LEASE, MANNERS};

/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long to wait before a channel is opened again whose match is served by nobody.
const PAUSE: Duration = Duration::from_millis(200);

/// A match of each gateway.
async fn one_of_each(cluster: &Cluster) -> Vec<Seated> {
    let (experience, context) = (Arc::new(Experience::default()), cluster.nats.jetstream().await);
    let mut found: [Option<Seated>; GATEWAYS] = Default::default();
    for number in 0.. {
        let place = Servers::at([cluster.gateways[number as usize % GATEWAYS].address()]);
        let mut caller = Caller::new(&place, MANNERS, &experience, number);
        let seated = Seated::found(&mut caller, number, endless(number)).await;
        found[cluster.owner(&context, &seated.id()).await].get_or_insert(seated);
        if found.iter().all(Option::is_some) {
            break;
        }
        assert!(number < 60, "some gateway gets no match");
    }
    found.into_iter().flatten().collect()
}

/// The channel of a seat.
fn channel(number: usize, seat: usize) -> u32 {
    (10 * number + seat) as u32
}

/// Plays a turn on the channels of a match.
async fn play_turn(session: &mut Channels, number: usize, turn: u32) {
    for seat in 0..2 {
        let answer = session.call(channel(number, seat), locking(turn)).await;
        assert!(matches!(answer, Answer::LockIn(_)), "match {number}, turn {turn}: {answer:?}");
    }
    for seat in 0..2 {
        while !is_outcome(&session.news(channel(number, seat)).await.expect("news"), turn) {}
    }
}

fn is_outcome(news: &v1::News, turn: u32) -> bool {
    matches!(&news.what, Some(v1::news::What::Outcome(outcome)) if outcome.turn == turn)
}

async fn run() {
    let mut cluster = Cluster::start(&[], LONG_LEASE).await;
    let matches = one_of_each(&cluster).await;
    let client = Client::connect(cluster.gateways[0].address()).await;
    let mut session = Channels::begin(&client, "").await;
    for (number, seated) in matches.iter().enumerate() {
        for seat in 0..2 {
            let open = opening(&seated.id(), seated.token(seat));
            assert_eq!(session.open(channel(number, seat), open).await, Ok(Some(seat as u32)), "match {number}");
        }
    }
    // A token of another match is refused by whoever serves the match.
    let refused = session.open(99, opening(&matches[1].id(), matches[2].token(0))).await.expect_err("another's token");
    assert_eq!(refused.reason(), v1::Reason::NotAllowed);
    for turn in 1..=3 {
        for number in 0..matches.len() {
            play_turn(&mut session, number, turn).await;
        }
    }
    // A channel of another gateway is closed and opened again as one of this gateway is.
    let again =
        v1::SessionOpen { after: session.cursors[&channel(1, 0)], ..opening(&matches[1].id(), matches[1].token(0)) };
    let closed = session.call(channel(1, 0), v1::session_request::What::Close(v1::SessionClose {})).await;
    assert!(matches!(&closed, Answer::Closed(closed) if closed.reason() == SessionClosedReason::Caller), "{closed:?}");
    assert_eq!(session.open(channel(1, 0), again).await, Ok(Some(0)));

    cluster.gateways[2].kill();
    for seat in 0..2 {
        let closed = session.closed(channel(2, seat)).await;
        let interruption = closed.interruption.clone().expect("a reason");
        assert_eq!((closed.reason(), interruption.code), (SessionClosedReason::Interrupted, Code::Unavailable as i32));
    }
    for number in 0..2 {
        play_turn(&mut session, number, 4).await;
    }
    for seat in 0..2 {
        let after = session.cursors[&channel(2, seat)];
        let open = v1::SessionOpen { after, ..opening(&matches[2].id(), matches[2].token(seat)) };
        while let Err(refusal) = session.open(channel(2, seat), open.clone()).await {
            assert_eq!(refusal.code, Code::Unavailable as i32, "{refusal:?}");
            sleep(PAUSE).await;
        }
    }
    play_turn(&mut session, 2, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn one_session_has_channels_of_all_gateways() {
    timeout(PATIENCE, run()).await.expect("something hangs");
}

//! Gateways are replaced one after the other, and who follows a match hardly notices.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parley_bots::arms::Arms;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::common::caller::{Caller, Experience};
use crate::common::player::{Seated, lock_in};
use crate::common::stream::{Way, is_last, open};
use crate::common::{self, endless};
use crate::gateways::{Cluster, GATEWAYS, LONG_LEASE};

/// How many matches are played meanwhile.
const MATCHES: u64 = 30;
/// How long players wait between two turns.
const PACE: Duration = Duration::from_millis(100);
/// How long everybody is left alone between two drains, and before the first.
const SETTLE: Duration = Duration::from_secs(2);
/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// What somebody who followed a match went through.
#[derive(Default)]
struct Followed {
    /// The hashes of the news.
    told: Vec<blake3::Hash>,
    /// How the stream ended, by drain; 0 is before the first.
    ends: BTreeMap<usize, Vec<String>>,
    /// The longest time from an end to the next news.
    longest: Duration,
}

/// Follows a match to its end, from gateway to gateway.
async fn follow(mut caller: Caller, id: String, token: String, way: Way, drain: watch::Receiver<usize>) -> Followed {
    let mut followed = Followed::default();
    let mut lost: Option<Instant> = None;
    loop {
        let mut picked = caller.pick();
        let opening = open(&mut picked.client, &id, &token, way, followed.told.len() as u64);
        let mut stream = match caller.answer(opening).await {
            Ok(stream) => stream,
            Err(status) => {
                caller.leave(&picked, &status).await;
                continue;
            }
        };
        let end = loop {
            match stream.next().await.expect("the stream goes on as long as the match") {
                Ok(news) => {
                    followed.told.push(blake3::hash(&common::told(news.clone())));
                    assert_eq!(news.cursor, followed.told.len() as u64, "a gap or a repetition for {way:?}");
                    let pause = lost.take().map_or(Duration::ZERO, |lost| lost.elapsed());
                    followed.longest = followed.longest.max(pause);
                    if is_last(&news) {
                        return followed;
                    }
                }
                Err(status) => break status,
            }
        };
        lost.get_or_insert_with(Instant::now);
        let drain = *drain.borrow();
        followed.ends.entry(drain).or_default().push(end.to_string());
        caller.leave(&picked, &end).await;
    }
}

/// Plays turns in which nobody does anything until it is time; then the second seat gives up.
async fn drive(mut caller: Caller, seated: Arc<Seated>, over: watch::Receiver<bool>) {
    let mut turn = 0;
    let mut last = false;
    while !last {
        turn += 1;
        last = *over.borrow();
        for seat in 0..2 {
            let sheet = plunder::Sheet { concede: last && seat == 1, ..plunder::Sheet::default() };
            let request = v1::LockInRequest {
                request_id: format!("lock-{turn}"),
                match_id: seated.id(),
                turn,
                sheet: Some(v1::Sheet::of_plunder(sheet)),
            };
            lock_in(&mut caller, seated.token(seat), &request).await;
        }
        sleep(PACE).await;
    }
}

/// The four ways to follow a match without leaving it.
fn ways() -> impl Iterator<Item = Way> {
    Way::all().filter(|way| way.views && !way.restless)
}

/// Lets everybody follow the matches, each in every way.
fn follow_all(
    caller: &Caller,
    matches: &[Arc<Seated>],
    drain: &watch::Sender<usize>,
) -> JoinSet<(usize, Way, Followed)> {
    let mut following = JoinSet::new();
    for (number, seated) in matches.iter().enumerate() {
        for way in ways() {
            let caller = caller.apart(number as u64).apart(u64::from(way.session) * 2 + u64::from(way.seat));
            let token = if way.seat { seated.token(0).to_owned() } else { String::new() };
            let (id, drain) = (seated.id(), drain.subscribe());
            following.spawn(async move { (number, way, follow(caller, id, token, way, drain).await) });
        }
    }
    following
}

async fn run() {
    let mut cluster = Cluster::start(&[], LONG_LEASE).await;
    let context = cluster.nats.jetstream().await;
    let experience = Arc::new(Experience::default());
    let mut caller = cluster.caller(&experience, 1);
    let mut matches = Vec::new();
    for number in 0..MATCHES {
        matches.push(Arc::new(Seated::found(&mut caller, number, endless(number)).await));
    }
    let (drain, over) = (watch::Sender::new(0), watch::Sender::new(false));
    let following = follow_all(&caller, &matches, &drain);
    let mut driving = JoinSet::new();
    for (number, seated) in (0..).zip(&matches) {
        driving.spawn(drive(caller.apart(MATCHES + number), Arc::clone(seated), over.subscribe()));
    }

    for number in 0..GATEWAYS {
        sleep(SETTLE).await;
        drain.send_replace(number + 1);
        let gateway = &mut cluster.gateways[number];
        assert!(gateway.drain().await, "gateway {number} did not end well");
        gateway.restart(number, &cluster.servers).await;
        gateway.is_known(&context).await;
    }
    sleep(SETTLE).await;
    over.send_replace(true);
    driving.join_all().await;
    let followed = following.join_all().await;

    let (mut ends, mut longest) = (0, Duration::ZERO);
    for (number, way, followed) in &followed {
        let too_often = followed.ends.iter().find(|(drain, ends)| **drain == 0 || ends.len() > 1);
        assert_eq!(too_often, None, "match {number}: the stream of {way:?} ended without a drain or twice in one");
        ends += followed.ends.values().map(Vec::len).sum::<usize>();
        longest = longest.max(followed.longest);
    }
    let (streams, pause) = (followed.len(), longest.as_secs_f64());
    eprintln!("rolling drain: {GATEWAYS} drains, {streams} streams, {ends} ends, longest pause {pause:.2} s");
    assert!(ends > 0, "no stream ended, which proves nothing");
    // Who comes when all is over is told the same.
    let whole = follow_all(&caller.apart(1), &matches, &drain).join_all().await;
    let whole: BTreeMap<_, _> = whole.into_iter().map(|(number, way, whole)| ((number, way), whole.told)).collect();
    for (number, way, followed) in &followed {
        assert!(followed.told == whole[&(*number, *way)], "match {number}: {way:?} was told something else");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn a_stream_ends_at_most_once_when_a_gateway_is_replaced() {
    timeout(PATIENCE, run()).await.expect("something hangs");
}

//! The matches of a gateway that dies are soon served by the others.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use tokio::time::{Instant, timeout};

use crate::common::caller::{Caller, Experience, Servers};
use crate::common::player::{Seated, lock_in};
use crate::common::{Client, endless, number};
use crate::gateways::{Cluster, GATEWAYS, LONG_LEASE, MANNERS};
use crate::state;

/// How long all matches of a dead gateway may be away, beside its lease.
const BESIDE_THE_LEASE: Duration = Duration::from_secs(5);
/// The time to plan a turn: long, but it is counted, so that the match is woken by whoever takes it over.
const PLANNING_MS: u64 = 3_600_000;
/// How many matches are created at once.
const CREATED_AT_ONCE: usize = 24;
/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(600);

async fn found(mut caller: Caller, number: u64) -> Seated {
    let settings = v1::MatchSettings { planning_time: Some(times::duration(PLANNING_MS)), ..endless(number) };
    Seated::found(&mut caller, number, settings).await
}

/// Waits until a match answers and takes orders.
async fn is_served(mut caller: Caller, seated: &Seated) {
    let id = seated.id();
    let request = v1::GetMatchRequest { match_id: id.clone() };
    caller.repeat(async |mut client: Client| client.lobby.get_match(request.clone()).await).await;
    let request = v1::LockInRequest {
        request_id: "the-first-orders".to_owned(),
        match_id: id,
        turn: 1,
        sheet: Some(v1::Sheet::of_plunder(plunder::Sheet::default())),
    };
    lock_in(&mut caller, seated.token(0), &request).await;
}

async fn run(matches: u64) {
    let mut cluster = Cluster::start(&[], LONG_LEASE).await;
    let context = cluster.nats.jetstream().await;
    let experience = Arc::new(Experience::default());
    let places: Vec<_> = cluster.gateways.iter().map(|gateway| Servers::at([gateway.address()])).collect();
    let founding = (0..matches).map(|number| {
        let place = &places[number as usize % places.len()];
        found(Caller::new(place, MANNERS, &experience, number), number)
    });
    let seated: Vec<Seated> = stream::iter(founding).buffer_unordered(CREATED_AT_ONCE).collect().await;

    let victim = cluster.gateways[0].address().to_string();
    let nodes = state::nodes(&context).await.expect("the gateways");
    let (node, _) = nodes.iter().find(|(_, node)| node.address == victim).expect("the victim");
    let mut lost = Vec::new();
    for seated in &seated {
        let claim = state::claim(&context, &seated.id()).await.expect("NATS answers");
        lost.extend(claim.filter(|claim| claim == node).map(|_| seated));
    }
    let fair = matches as usize / (2 * GATEWAYS);
    assert!(lost.len() >= fair, "the victim has only {} of {matches} matches, which proves little", lost.len());

    let survivors = cluster.others(0);
    cluster.gateways[0].kill();
    let killed = Instant::now();
    let served = (0..).zip(&lost).map(|(number, seated)| {
        let caller = Caller::new(&survivors, MANNERS, &experience, number);
        is_served(caller, seated)
    });
    join_all(served).await;
    let taken = killed.elapsed();
    let (seconds, lease) = (taken.as_secs_f64(), LONG_LEASE.as_secs_f64());
    eprintln!("takeover: {} matches in {seconds:.2} s, lease {lease:.1} s", lost.len());
    assert!(taken <= LONG_LEASE + BESIDE_THE_LEASE, "some matches were away for {taken:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn the_matches_of_a_dead_gateway_are_taken_over() {
    let matches = number("PARLEY_TAKEOVER_MATCHES", 1500);
    timeout(PATIENCE, run(matches)).await.expect("something hangs");
}

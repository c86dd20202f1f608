//! Matches are played while everything fails, and afterwards everything is as if nothing had.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use parley_proto::journal::v1::Appended;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::common::caller::{Caller, Experience, Manners, Servers};
use crate::common::checks::{Check, check_kept, check_played, ensure};
use crate::common::player::{Log, Pace, Played, play};
use crate::common::script::mixed;
use crate::common::{Running, config, number};
use crate::gateways::{Cluster, LEASE};
use crate::journal::{Acknowledged, check_inputs, check_order, lapses, takeovers};
use crate::state::{self, key_of};
use crate::trouble::{self, Counts, Kills, Plan};

/// How many seats a match has.
const SEATS: usize = 2;
/// After how many turns a match ends at the latest.
const TURNS: u32 = 20;
/// How long, beside the time of the trouble, all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(600);
/// How many matches are checked at once.
const CHECKED_AT_ONCE: usize = 8;
/// How many faults are told.
const FAULTS_TOLD: usize = 20;

/// How much time players have in a match: for ever, more than any trouble lasts, or so little that it runs out.
fn pace(number: u64) -> Pace {
    match number % 5 {
        0 => Pace::Endless,
        4 => Pace::Short,
        _ => Pace::Ample,
    }
}

/// Plays one match after the other until it is time.
async fn sit(caller: Caller, table: u64, tables: u64, until: Instant) -> Vec<Played> {
    let mut played = Vec::new();
    let mut number = table;
    while Instant::now() < until {
        played.push(play(&caller, number, SEATS, TURNS, pace(number)).await);
        number += tables;
    }
    played
}

/// Everything that matches are held against.
struct Judge {
    caller: Caller,
    quiet: Caller,
    journals: BTreeMap<String, Vec<Appended>>,
}

impl Judge {
    async fn check(&self, played: &Played) -> Check {
        let (mut caller, mut quiet_caller) = (self.caller.apart(played.number), self.quiet.clone());
        if played.pace.may_lapse() {
            // When deadlines pass depends on the trouble. What was acknowledged and what was journaled does not.
            check_kept(&mut caller, played).await?;
        } else {
            let quiet = play(&self.quiet, played.number, SEATS, TURNS, played.pace).await;
            check_played(&mut caller, played, &mut quiet_caller, &quiet).await?;
        }
        let id = played.id();
        let journal = self.journals.get(&key_of(&id)).ok_or_else(|| format!("match {id} was not written"))?;
        check_order(&id, journal)?;
        check_inputs(&id, journal, &Acknowledged::from(played), played.pace)
    }

    /// The faults of all matches.
    async fn faults(&self, played: &[Played]) -> Vec<String> {
        let written = self.journals.len();
        let each_once = ensure(written == played.len(), || format!("{written} matches for {} created", played.len()));
        let checks = stream::iter(played.iter().map(|played| self.check(played)));
        let checks: Vec<Check> = checks.buffer_unordered(CHECKED_AT_ONCE).collect().await;
        checks.into_iter().chain([each_once]).filter_map(Result::err).collect()
    }
}

/// Plays at all tables, and makes trouble meanwhile.
async fn play_in_trouble(cluster: &mut Cluster, caller: &Caller, plan: (u64, u64, u64)) -> (Vec<Played>, Counts) {
    let (tables, seconds, seed) = plan;
    let context = cluster.nats.jetstream().await;
    let begun = Instant::now();
    let until = begun + Duration::from_secs(seconds);
    let mut playing = JoinSet::new();
    for table in 0..tables {
        playing.spawn(sit(caller.clone(), table, tables, until));
    }
    let Cluster { gateways, servers, nats, .. } = cluster;
    let kills = Kills::default();
    let plan = |lane| Plan::new(&kills, mixed(&[seed, lane]), begun, until);
    let disturbing = async {
        let of_gateways = trouble::of_gateways(plan(1), &context, gateways, servers);
        let (mut counts, more) = tokio::join!(of_gateways, trouble::of_nats(plan(2), nats));
        counts.extend(more);
        for (kind, count) in trouble::even_out(&kills, gateways, servers, nats).await {
            *counts.entry(kind).or_default() += count;
        }
        counts
    };
    // Whoever fails at a table ends the test at once.
    let collecting = async {
        let mut played = Vec::new();
        while let Some(table) = playing.join_next().await {
            played.extend(table.unwrap_or_else(|error| panic!("{error}")));
        }
        played
    };
    let (played, counts) = tokio::join!(collecting, disturbing);
    let (of_gateways, of_nats) = kills.counts();
    assert_eq!(of_gateways, of_nats, "as many gateways are killed as NATS servers");
    (played, counts)
}

/// Tells how it was.
fn sum_up(played: &[Played], journals: &BTreeMap<String, Vec<Appended>>, experience: &Experience, counts: &Counts) {
    let last_lock = |log: &Log| log.locks.last_key_value().map_or(0, |(turn, _)| *turn);
    let turns: u32 = played.iter().filter_map(|played| played.logs.iter().map(last_lock).max()).sum();
    let inputs: usize = played.iter().map(Played::locks).sum();
    let answers: usize = played.iter().flat_map(|played| played.answers().into_values()).map(|some| some.len()).sum();
    let taken: usize = journals.values().map(|journal| takeovers(journal)).sum();
    let calls = *experience.acknowledged.borrow();
    eprintln!("matches: {}, turns: {turns}", played.len());
    eprintln!("acknowledged: {inputs} sheets, {answers} answers, {calls} calls in all");
    eprintln!("longest wait for an answer: {:.2} s", experience.longest().as_secs_f64());
    let lapsed: usize = journals.values().map(|journal| lapses(journal)).sum();
    eprintln!("takeovers: {taken}, deadlines that passed: {lapsed}");
    for (kind, count) in counts {
        eprintln!("{count} x {kind}");
    }
}

async fn run(tables: u64, seconds: u64, seed: u64) {
    let mut cluster = Cluster::start(&[], LEASE).await;
    let experience = Arc::new(Experience::default());
    let caller = cluster.caller(&experience, seed);
    let (played, counts) = play_in_trouble(&mut cluster, &caller, (tables, seconds, seed)).await;
    let journals = state::journals(&cluster.nats.jetstream().await).await;
    sum_up(&played, &journals, &experience, &counts);
    assert!(journals.values().any(|journal| takeovers(journal) > 0), "no match changed hands, which proves nothing");
    assert!(journals.values().any(|journal| lapses(journal) > 0), "no deadline passed, which proves nothing");

    let quiet_server = Running::start(&config()).await;
    let quiet_servers: watch::Sender<Servers> = Servers::at([quiet_server.address]);
    let quiet = Caller::new(&quiet_servers, Manners::ONE_SERVER, &Arc::default(), 0);
    let faults = Judge { caller, quiet, journals }.faults(&played).await;
    for fault in faults.iter().take(FAULTS_TOLD) {
        eprintln!("fault: {fault}");
    }
    assert!(faults.is_empty(), "{} faults, seed {seed}", faults.len());
    quiet_server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn nothing_acknowledged_is_lost_whatever_fails() {
    let (tables, seconds) = (number("PARLEY_CHAOS_MATCHES", 200), number("PARLEY_CHAOS_SECONDS", 60));
    let seed = number("PARLEY_CHAOS_SEED", 1);
    let patience = PATIENCE + Duration::from_secs(2 * seconds);
    timeout(patience, run(tables, seconds, seed)).await.expect("something hangs");
}

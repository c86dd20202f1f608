//! Trouble for gateways and NATS servers, in an order and for times that a seed chooses.
//!
//! One gateway and one NATS server at most are in trouble at a time, and the next is not before that one is well again.
//! As many gateways are killed as NATS servers.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_nats::jetstream::Context;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::common::caller::Servers;
use crate::common::nats::Nats;
use crate::common::proxy::Proxy;
use crate::common::script::mixed;
use crate::gateways::{Gateway, LEASE};

/// The least and the longest that something lasts.
type Span = (Duration, Duration);

/// How long everybody is left alone between two troubles.
const REST: Span = (Duration::from_millis(500), Duration::from_millis(2500));
/// How long a gateway is away: so briefly that its lease has not ended, or longer.
const AWAY: Span = (Duration::ZERO, Duration::from_secs(4));
/// How much longer than its lease a gateway is paused or cut off.
const BEYOND: Span = (Duration::from_millis(500), Duration::from_secs(4));
/// How long a NATS server is away or paused: shorter or longer than its cluster needs to find another leader.
const NATS_AWAY: Span = (Duration::from_millis(500), Duration::from_secs(8));

/// What can happen to a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfGateway {
    /// It is killed and started anew.
    Kill,
    /// It is asked to end and started anew.
    Drain,
    /// Its time stops for longer than its lease.
    Pause,
    /// It loses NATS for longer than its lease.
    Cut,
    /// What it says to NATS and hears from there is kept back for longer than its lease, and arrives after all.
    Hold,
    /// It loses its connections to NATS once.
    Reconnect,
}

/// What can happen to a NATS server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OfNats {
    /// It is killed and started anew.
    Kill,
    /// Its time stops for a while.
    Pause,
}

/// How often what happened.
pub type Counts = BTreeMap<String, usize>;

/// How many were killed so far.
#[derive(Default)]
pub struct Kills {
    gateways: AtomicUsize,
    nats: AtomicUsize,
}

impl Kills {
    /// How many gateways and how many NATS servers.
    pub fn counts(&self) -> (usize, usize) {
        (self.gateways.load(Ordering::Relaxed), self.nats.load(Ordering::Relaxed))
    }

    /// A gateway is killed rather than disturbed otherwise where more NATS servers were, and not where fewer were.
    fn of_gateway(&self, drawn: OfGateway) -> OfGateway {
        let (gateways, nats) = self.counts();
        let kind = match drawn {
            _ if gateways < nats => OfGateway::Kill,
            OfGateway::Kill if gateways > nats => OfGateway::Drain,
            other => other,
        };
        self.gateways.fetch_add(usize::from(kind == OfGateway::Kill), Ordering::Relaxed);
        kind
    }

    /// A NATS server is not killed before a gateway was for the one before.
    fn of_nats(&self, drawn: OfNats) -> OfNats {
        let (gateways, nats) = self.counts();
        let kind = if nats > gateways { OfNats::Pause } else { drawn };
        self.nats.fetch_add(usize::from(kind == OfNats::Kill), Ordering::Relaxed);
        kind
    }
}

/// Who is in trouble when, and for how long.
pub struct Plan<'a> {
    kills: &'a Kills,
    seed: u64,
    begun: Instant,
    until: Instant,
    round: u64,
    counts: Counts,
}

impl<'a> Plan<'a> {
    pub fn new(kills: &'a Kills, seed: u64, begun: Instant, until: Instant) -> Self {
        Self { kills, seed, begun, until, round: 0, counts: Counts::new() }
    }

    fn draw(&self, what: u64) -> u64 {
        mixed(&[self.seed, self.round, what])
    }

    fn within(&self, (least, most): Span) -> Duration {
        least + Duration::from_micros(self.draw(1) % (most - least).as_micros() as u64)
    }

    /// Waits for the next trouble: which it is, and whose. Each is drawn once before any is drawn again, and may become
    /// another one so that kills are even.
    async fn next<T: Copy + Debug>(
        &mut self,
        kinds: &[T],
        even: impl Fn(&Kills, T) -> T,
        whose: &str,
        count: usize,
    ) -> Option<(T, usize)> {
        sleep(self.within(REST)).await;
        if Instant::now() >= self.until {
            return None;
        }
        let (deck, place) = (self.round / kinds.len() as u64, self.round % kinds.len() as u64);
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by_key(|kind| mixed(&[self.seed, deck, *kind as u64, 2]));
        let kind = even(self.kills, kinds[order[place as usize]]);
        let number = self.draw(3) as usize % count;
        self.round += 1;
        eprintln!("{:7.2} s  {kind:?} {whose} {number}", self.begun.elapsed().as_secs_f64());
        *self.counts.entry(format!("{kind:?} {whose}")).or_default() += 1;
        Some((kind, number))
    }
}

/// Disturbs gateways until it is time.
pub async fn of_gateways(
    mut plan: Plan<'_>,
    context: &Context,
    gateways: &mut [Gateway],
    servers: &watch::Sender<Servers>,
) -> Counts {
    use OfGateway::{Cut, Drain, Hold, Kill, Pause, Reconnect};
    let kinds = [Kill, Drain, Pause, Cut, Hold, Reconnect];
    while let Some((kind, number)) = plan.next(&kinds, Kills::of_gateway, "gateway", gateways.len()).await {
        let gateway = &mut gateways[number];
        let beyond_the_lease = LEASE + plan.within(BEYOND);
        match kind {
            Kill => {
                gateway.kill();
                sleep(plan.within(AWAY)).await;
                gateway.restart(number, servers).await;
            }
            Drain => {
                // Whether it ends well is up to NATS, which may be in trouble too.
                gateway.drain().await;
                sleep(plan.within(AWAY)).await;
                gateway.restart(number, servers).await;
            }
            Pause => {
                gateway.pause();
                sleep(beyond_the_lease).await;
                gateway.resume();
            }
            Cut => {
                gateway.lines.iter().for_each(Proxy::cut);
                sleep(beyond_the_lease).await;
                gateway.lines.iter().for_each(Proxy::open);
            }
            Hold => {
                gateway.lines.iter().for_each(Proxy::hold);
                sleep(beyond_the_lease).await;
                gateway.lines.iter().for_each(Proxy::open);
            }
            Reconnect => gateway.lines.iter().for_each(Proxy::end_connections),
        }
        gateway.is_known(context).await;
    }
    plan.counts
}

/// Disturbs NATS servers until it is time.
pub async fn of_nats(mut plan: Plan<'_>, nats: &mut Nats) -> Counts {
    let kinds = [OfNats::Kill, OfNats::Pause];
    while let Some((kind, number)) = plan.next(&kinds, Kills::of_nats, "NATS server", nats.servers.len()).await {
        let server = &mut nats.servers[number];
        match kind {
            OfNats::Kill => {
                server.kill();
                sleep(plan.within(NATS_AWAY)).await;
                server.start();
            }
            OfNats::Pause => {
                server.pause();
                sleep(plan.within(NATS_AWAY)).await;
                server.resume();
            }
        }
        nats.healthy().await;
    }
    plan.counts
}

/// Kills one more of those of whom fewer were killed.
pub async fn even_out(
    kills: &Kills,
    gateways: &mut [Gateway],
    servers: &watch::Sender<Servers>,
    nats: &mut Nats,
) -> Counts {
    let (of_gateways, of_nats) = kills.counts();
    let mut counts = Counts::new();
    if of_gateways < of_nats {
        gateways[0].kill();
        gateways[0].restart(0, servers).await;
        counts.insert(format!("{:?} gateway", kills.of_gateway(OfGateway::Kill)), 1);
    } else if of_nats < of_gateways {
        nats.servers[0].kill();
        nats.servers[0].start();
        nats.healthy().await;
        counts.insert(format!("{:?} NATS server", kills.of_nats(OfNats::Kill)), 1);
    }
    counts
}

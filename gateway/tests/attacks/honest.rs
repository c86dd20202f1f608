//! Somebody honest, who plays while others attack, and how long it takes to be answered.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use parley_bots::arms::Arms;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tonic::transport::Endpoint;

use super::wire::request_id;
use crate::common::process::client;
use crate::common::{Client, bearer, endless, id_of};

/// How many matches the honest play.
const MATCHES: u32 = 10;
/// How often somebody locks in in each of them: 20 times a second in all.
const EVERY: Duration = Duration::from_millis(500);
/// How long an honest caller waits before it calls that an error.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long answers took.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// From when each call was due until it was answered.
    answered: Vec<Duration>,
    /// What calls were refused with.
    pub errors: Vec<String>,
}

impl Waits {
    /// The wait that this part of all waits does not exceed.
    pub fn at(&self, part: f64) -> Duration {
        let mut sorted = self.answered.clone();
        sorted.sort_unstable();
        let place = (sorted.len() as f64 * part).ceil() as usize;
        sorted.get(place.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The longest wait.
    pub fn longest(&self) -> Duration {
        self.answered.iter().max().copied().unwrap_or_default()
    }

    /// Adds what was waited for later.
    pub fn add(&mut self, later: Self) {
        self.answered.extend(later.answered);
        self.errors.extend(later.errors);
    }

    /// How many were answered.
    pub fn count(&self) -> usize {
        self.answered.len()
    }

    /// Half of all, 99 of 100, and the longest, in milliseconds.
    pub fn in_brief(&self) -> String {
        let ms = |wait: Duration| format!("{:8.1}", wait.as_secs_f64() * 1000.0);
        format!("{} {} {}", ms(self.at(0.5)), ms(self.at(0.99)), ms(self.longest()))
    }
}

/// What all honest players note together.
#[derive(Default)]
struct Notes {
    waits: Waits,
    /// By match, when the call was due that is not answered yet.
    due: BTreeMap<u32, Instant>,
}

/// Players of several matches who lock in, one after the other, as often as they are to, until this is dropped.
pub struct Honest {
    notes: Arc<Mutex<Notes>>,
    _playing: JoinSet<()>,
}

/// A client that calls from an address of this machine, over a connection of its own.
pub fn client_from(server: SocketAddr, source: Ipv4Addr) -> Client {
    let endpoint = Endpoint::from_shared(format!("http://{server}")).expect("an address");
    client(&endpoint.local_address(Some(source.into())))
}

impl Honest {
    /// Creates matches that never end by themselves, and begins to play them.
    pub async fn begin(server: SocketAddr, source: Ipv4Addr) -> Self {
        let (notes, mut playing) = (Arc::<Mutex<Notes>>::default(), JoinSet::new());
        let client = client_from(server, source);
        let mut seated = Vec::new();
        for number in 0..MATCHES {
            let mut client = client.clone();
            let id = id_of(&client.create(endless(7), None).await);
            let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
            seated.push(Player { client, number, id, tokens, notes: Arc::clone(&notes) });
        }
        let begun = Instant::now();
        for player in seated {
            let first = begun + EVERY * player.number / MATCHES;
            playing.spawn(player.play(first));
        }
        Self { notes, _playing: playing }
    }

    /// What was waited for since this was last asked. A call that is not answered yet has waited until now.
    pub fn take(&self) -> Waits {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waits = std::mem::take(&mut notes.waits);
        waits.answered.extend(notes.due.values().map(Instant::elapsed));
        waits
    }
}

/// Somebody who plays both seats of a match.
struct Player {
    client: Client,
    number: u32,
    id: String,
    tokens: [String; 2],
    notes: Arc<Mutex<Notes>>,
}

impl Player {
    /// Locks in for one seat and then for the other. Calls are due at fixed times, whether or not the one before was
    /// answered in time, so that a server that stands still is seen by all who wanted to call meanwhile.
    async fn play(mut self, first: Instant) {
        let mut due = first;
        for lock in 0_u32.. {
            sleep_until(due).await;
            self.note(|notes, number| {
                notes.due.insert(number, due);
            });
            let turn = lock / 2 + 1;
            let sheet = Some(v1::Sheet::of_plunder(plunder::Sheet::default()));
            let request = v1::LockInRequest { request_id: request_id(), match_id: self.id.clone(), turn, sheet };
            loop {
                let call = self.client.play.lock_in(bearer(&self.tokens[lock as usize % 2], request.clone()));
                let error = match timeout(PATIENCE, call).await {
                    Ok(Ok(_)) => break,
                    Ok(Err(status)) => format!("{:?}: {}", status.code(), status.message()),
                    Err(_) => format!("no answer within {PATIENCE:?}"),
                };
                self.note(|notes, _| notes.waits.errors.push(error));
                sleep(EVERY).await;
            }
            self.note(|notes, number| {
                notes.waits.answered.push(due.elapsed());
                notes.due.remove(&number);
            });
            due += EVERY;
        }
    }

    fn note(&self, change: impl FnOnce(&mut Notes, u32)) {
        change(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner), self.number);
    }
}

//! Somebody who calls until there is an answer, whichever server gives it.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::timeout;
use tonic::{Code, Response, Status};

use super::player::Pace;
use super::process::lazy;
use super::{Client, reason, script};

/// The servers that there are.
#[derive(Clone)]
pub struct Servers {
    /// Grows whenever one of them is replaced.
    pub generation: u64,
    pub clients: Vec<Client>,
}

impl Servers {
    pub fn at(addresses: impl IntoIterator<Item = SocketAddr>) -> watch::Sender<Self> {
        watch::Sender::new(Self { generation: 1, clients: addresses.into_iter().map(lazy).collect() })
    }

    /// One of them is somewhere else from now on.
    pub fn replace(&mut self, number: usize, address: SocketAddr) {
        self.clients[number] = lazy(address);
        self.generation += 1;
    }
}

/// How a caller takes it when there is no answer.
#[derive(Clone, Copy)]
pub struct Manners {
    /// What a call may fail with to be repeated. Nothing else may come.
    pub forgives: fn(&Status) -> bool,
    /// How long one server is given to answer.
    pub answer: Duration,
    /// How long a stream may tell nothing.
    pub silence: Duration,
    /// How long before the next attempt, unless a server is replaced earlier.
    pub pause: Duration,
    /// How long players think before they lock in.
    pub thinks: Duration,
}

impl Manners {
    /// There is one server, and only its death keeps it from answering.
    pub const ONE_SERVER: Self = Self {
        forgives: |status| reason(status).is_empty(),
        answer: Duration::MAX,
        silence: Duration::MAX,
        pause: Duration::MAX,
        thinks: Duration::ZERO,
    };
}

/// What all callers went through together.
#[derive(Default)]
pub struct Experience {
    /// How many calls were acknowledged.
    pub acknowledged: watch::Sender<usize>,
    /// The longest time that anybody waited for an answer, in microseconds.
    longest: AtomicU64,
}

impl Experience {
    /// The longest time that anybody waited for an answer.
    pub fn longest(&self) -> Duration {
        Duration::from_micros(self.longest.load(Ordering::Relaxed))
    }
}

/// A server that was picked.
pub struct Picked {
    pub client: Client,
    number: usize,
    generation: u64,
}

/// Somebody who calls until there is an answer.
#[derive(Clone)]
pub struct Caller {
    servers: watch::Receiver<Servers>,
    manners: Manners,
    experience: Arc<Experience>,
    seed: u64,
    picks: u64,
    /// The server that failed last.
    shunned: Option<usize>,
    /// How often a server was left because it failed.
    pub moves: u64,
}

impl Caller {
    pub fn new(servers: &watch::Sender<Servers>, manners: Manners, experience: &Arc<Experience>, seed: u64) -> Self {
        let (servers, experience) = (servers.subscribe(), Arc::clone(experience));
        Self { servers, manners, experience, seed, picks: 0, shunned: None, moves: 0 }
    }

    /// Another caller, who picks otherwise.
    pub fn apart(&self, number: u64) -> Self {
        Self { seed: script::mixed(&[self.seed, number]), picks: 0, ..self.clone() }
    }

    /// Picks a server: any, but not the one that failed last.
    pub fn pick(&mut self) -> Picked {
        self.picks += 1;
        let roll = script::mixed(&[self.seed, self.picks]) as usize;
        let servers = self.servers.borrow();
        let count = servers.clients.len();
        let number = match self.shunned.take() {
            Some(shunned) if count > 1 => (shunned + 1 + roll % (count - 1)) % count,
            _ => roll % count,
        };
        Picked { client: servers.clients[number].clone(), number, generation: servers.generation }
    }

    /// A server failed: turns away from it.
    pub async fn leave(&mut self, picked: &Picked, status: &Status) {
        assert!((self.manners.forgives)(status), "server {} refused: {status:?}", picked.number);
        self.moves += 1;
        self.shunned = Some(picked.number);
        let replaced = self.servers.wait_for(|servers| servers.generation > picked.generation);
        if let Ok(replaced) = timeout(self.manners.pause, replaced).await {
            drop(replaced.expect("the test goes on"));
        }
    }

    /// Takes the time to think.
    pub async fn think(&self) {
        if !self.manners.thinks.is_zero() {
            tokio::time::sleep(self.manners.thinks).await;
        }
    }

    /// An answer, if it comes in time.
    pub async fn answer<T>(&self, answer: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        in_time(self.manners.answer, answer).await
    }

    /// News, if they come in time.
    pub async fn news<T>(&self, news: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
        in_time(self.manners.silence, news).await
    }

    /// Repeats a call until some server answers it.
    pub async fn repeat<T, F>(&mut self, call: impl Fn(Client) -> F) -> T
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        self.in_time_for(Pace::Endless, call).await.expect("nothing comes too late")
    }

    /// Repeats a call that may come too late where deadlines may pass; then there is no answer.
    pub async fn in_time_for<T, F>(&mut self, pace: Pace, call: impl Fn(Client) -> F) -> Option<T>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let begun = Instant::now();
        loop {
            let picked = self.pick();
            match self.answer(call(picked.client.clone())).await {
                Ok(response) => {
                    let waited = begun.elapsed().as_micros() as u64;
                    self.experience.longest.fetch_max(waited, Ordering::Relaxed);
                    return Some(response.into_inner());
                }
                Err(status) if pace.may_lapse() && status.code() == Code::FailedPrecondition => return None,
                Err(status) => self.leave(&picked, &status).await,
            }
        }
    }

    /// Repeats a call whose answer counts as acknowledged.
    pub async fn call<T, F>(&mut self, call: impl Fn(Client) -> F) -> T
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let answer = self.repeat(call).await;
        self.count();
        answer
    }

    /// Counts one more call that was acknowledged.
    pub fn count(&self) {
        self.experience.acknowledged.send_modify(|count| *count += 1);
    }
}

async fn in_time<T>(patience: Duration, answer: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    let late = |_| Err(Status::unavailable("nothing came in time"));
    timeout(patience, answer).await.unwrap_or_else(late)
}

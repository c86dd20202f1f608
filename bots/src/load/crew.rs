//! The threads that play. Each has its own connections and its own share of the matches, and needs no locks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use http::Uri;
use parley_plunder::rules::Rules;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, LocalSet};

use super::LoadError;
use super::connection::SharedConnection;
use super::game::{Phase, SharedMatch};
use super::meter::Meter;
use super::plan::LoadPlan;
use super::seat::{LoadSeat, Player, SESSION, SeatLog};
use super::seating::SeatedMatch;
use super::trouble::Trouble;

/// How often a thread tells what it has measured.
pub const SAMPLE: Duration = Duration::from_millis(250);
/// How many samples may wait to be read.
const SAMPLES: usize = 64;
/// How many sentences about faults are kept.
const MAX_FAULTS: usize = 20;

/// What a thread gives back when it is done.
#[derive(Debug, Default)]
pub(super) struct ThreadResult {
    /// The logs of each match, by its number; a match that failed has fewer than it has seats.
    pub(super) logs: BTreeMap<u32, Vec<SeatLog>>,
    /// Sentences about what went wrong.
    pub(super) faults: Vec<String>,
}

/// The threads at work.
pub(super) struct Crew {
    phase: watch::Sender<Phase>,
    samples: mpsc::Receiver<Meter>,
    threads: Vec<JoinHandle<Result<ThreadResult, LoadError>>>,
}

impl Crew {
    /// Starts the threads. They open all sessions and wait for a phase that lets them play.
    pub(super) fn start(
        plan: &LoadPlan,
        server: &Uri,
        rules: &Arc<Rules>,
        tables: &[SeatedMatch],
    ) -> Result<Self, LoadError> {
        let rest = Phase { number: 0, pace: super::game::Pace::Rest, last_from: u32::MAX };
        let (phase, phases) = watch::channel(rest);
        let (sending, samples) = mpsc::channel(SAMPLES);
        let mut threads = Vec::new();
        for number in 0..plan.threads {
            let share = Share {
                tables: tables.iter().filter(|table| table.number % plan.threads == number).cloned().collect(),
                connections: (number..plan.connections).step_by(plan.threads as usize).count() as u32,
                server: server.clone(),
                rules: Arc::clone(rules),
                phase: phases.clone(),
                samples: sending.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("load {number}"));
            let thread = thread.spawn(move || share.work());
            threads.push(thread.map_err(|error| LoadError::Machine(format!("no thread: {error}")))?);
        }
        Ok(Self { phase, samples, threads })
    }

    /// Tells all threads that a phase begins.
    pub(super) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    /// The next sample; `None` when all threads are done.
    pub(super) async fn sample(&mut self) -> Option<Meter> {
        self.samples.recv().await
    }

    /// What the threads give back, once all of them are done.
    pub(super) fn finish(self) -> Result<ThreadResult, LoadError> {
        let Self { phase, samples, threads } = self;
        drop((phase, samples));
        let mut all = ThreadResult::default();
        for thread in threads {
            let played = thread.join().map_err(|_| LoadError::Machine("a thread panicked".to_owned()))??;
            all.logs.extend(played.logs);
            all.faults.extend(played.faults);
        }
        all.faults.truncate(MAX_FAULTS);
        Ok(all)
    }
}

/// The part of a run that one thread plays.
struct Share {
    tables: Vec<SeatedMatch>,
    connections: u32,
    server: Uri,
    rules: Arc<Rules>,
    phase: watch::Receiver<Phase>,
    samples: mpsc::Sender<Meter>,
}

impl Share {
    fn work(self) -> Result<ThreadResult, LoadError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| LoadError::Machine(format!("no runtime: {error}")))?;
        LocalSet::new().block_on(&runtime, self.play())
    }

    async fn play(self) -> Result<ThreadResult, LoadError> {
        let meter = Rc::new(RefCell::new(Meter::default()));
        let mut tasks = JoinSet::new();
        let mut handles: BTreeMap<u32, Vec<tokio::task::AbortHandle>> = BTreeMap::new();
        for (number, player) in self.players(&meter)? {
            let handle = tasks.spawn_local(async move { (number, player.play().await) });
            handles.entry(number).or_default().push(handle);
        }
        let mut played = ThreadResult::default();
        let mut failed = BTreeSet::new();
        let mut tick = tokio::time::interval(SAMPLE);
        loop {
            tokio::select! {
                biased;
                done = tasks.join_next() => match done {
                    None => break,
                    Some(Ok((number, Ok(log)))) => played.logs.entry(number).or_default().push(log),
                    Some(Ok((number, Err(Trouble::Fault { kind, text })))) => {
                        meter.borrow_mut().errors.count(&kind);
                        meter.borrow_mut().abandoned += u64::from(failed.insert(number));
                        if played.faults.len() < MAX_FAULTS {
                            played.faults.push(format!("match {number}: {text} ({kind})"));
                        }
                        // The other seats would wait for ever.
                        handles.get(&number).into_iter().flatten().for_each(tokio::task::AbortHandle::abort);
                    }
                    Some(Ok((_, Err(trouble)))) => return Err(trouble.into()),
                    Some(Err(error)) if error.is_cancelled() => {}
                    Some(Err(error)) => return Err(LoadError::Machine(format!("a seat panicked: {error}"))),
                },
                _ = tick.tick() => if !self.tell(&meter).await {
                    break;
                },
            }
        }
        self.tell(&meter).await;
        Ok(played)
    }

    /// Sends what was measured since the last time, and says whether anybody listens.
    async fn tell(&self, meter: &RefCell<Meter>) -> bool {
        let sample = meter.take();
        self.samples.send(sample).await.is_ok()
    }

    /// The seats of all matches, each on the next connection, so that those of one match are on several.
    fn players(&self, meter: &Rc<RefCell<Meter>>) -> Result<Vec<(u32, Player)>, LoadError> {
        let seats: usize = self.tables.iter().map(|table| table.tokens.len()).sum();
        let sessions = (seats as u32).div_ceil(self.connections);
        let mut connections = Vec::new();
        for number in 0..self.connections {
            connections.push(Rc::new(SharedConnection::new(
                &self.server,
                SESSION,
                number,
                sessions,
                Rc::clone(meter),
            )?));
        }
        let mut players = Vec::new();
        for table in &self.tables {
            let game = Rc::new(SharedMatch::new(table.number, table.tokens.len() as u32, Rc::clone(meter)));
            for (number, token) in (0..).zip(&table.tokens) {
                let seat = LoadSeat {
                    number,
                    match_id: table.match_id.clone(),
                    token: token.clone(),
                    rules: Arc::clone(&self.rules),
                    connection: Rc::clone(&connections[players.len() % connections.len()]),
                    game: Rc::clone(&game),
                    meter: Rc::clone(meter),
                    phase: self.phase.clone(),
                };
                players.push((table.number, Player::new(seat)));
            }
        }
        Ok(players)
    }
}

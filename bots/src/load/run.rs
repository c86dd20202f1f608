//! A run from its first match to the last check.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parley_plunder::rules::Rules;
use tokio::time::timeout;
use tonic::transport::Channel;

use super::crew::Crew;
use super::game::{Pace, Phase, Schedule};
use super::meter::Meter;
use super::plan::{Length, LoadPlan, MAX_RATE, MAX_RECEIPTS};
use super::report::Report;
use super::saturation::{SaturationSearch, SaturationStep};
use super::seating::{SeatedMatch, seat};
use super::series::Series;
use super::verify::{Finished, verify};
use super::{LoadError, PATIENCE, Watcher, processor_time};
use crate::connect::{connect, greet};

/// How long a step of a search for the highest rate takes, if nobody says otherwise.
pub const STEP_TIME: Duration = Duration::from_secs(4);
/// How long before its first turn a schedule is made.
const LEAD: Duration = Duration::from_millis(20);

/// Plays as a plan says.
pub async fn run(plan: &LoadPlan, watcher: &mut dyn Watcher) -> Result<Report, LoadError> {
    let mut run = Run::open(plan, watcher).await?;
    let (end, last_from) = match plan.length {
        Length::Turns(turns) => (None, turns),
        Length::Time(time) => (Some(run.start + time), u32::MAX),
    };
    let schedule = plan.rate.map(|rate| schedule(plan, rate, run.start, end));
    run.enter(schedule.map_or(Pace::Free, Pace::Scheduled), last_from);
    while !run.is_over() {
        let full = run.all.lock_ins + 2 * plan.seats() > MAX_RECEIPTS;
        if last_from == u32::MAX && (full || end.is_some_and(|end| Instant::now() >= end)) {
            break;
        }
        run.sample(watcher).await?;
    }
    run.settle(watcher).await?;
    let wanted = schedule.and_then(|schedule| schedule.wanted()).unwrap_or_default();
    let left_out = wanted.saturating_sub(run.all.begun);
    let report = run.finish(None, watcher).await?;
    Ok(Report { left_out, ..report })
}

/// Searches for the highest rate at which 99% of the turns take no longer than a bound, counted from the schedule. Each
/// step takes this long.
pub async fn find_saturation(
    plan: &LoadPlan,
    bound: Duration,
    step_time: Duration,
    watcher: &mut dyn Watcher,
) -> Result<Report, LoadError> {
    let mut run = Run::open(plan, watcher).await?;
    let mut search = SaturationSearch::new(bound);
    while let Some(rate) = search.next(MAX_RATE) {
        let expected = (f64::from(rate) * step_time.as_secs_f64()) as u64 * u64::from(plan.players);
        if run.all.lock_ins + expected + 2 * plan.seats() > MAX_RECEIPTS {
            break;
        }
        let start = Instant::now() + LEAD;
        run.step = Meter::default();
        run.enter(Pace::Scheduled(schedule(plan, rate, start, Some(start + step_time))), u32::MAX);
        while !run.is_over() && Instant::now() < start + step_time {
            run.sample(watcher).await?;
        }
        run.settle(watcher).await?;
        let measured = &run.step;
        let times = [0.5, 0.99, 0.999].map(|part| measured.scheduled_outcome.at(part));
        let step = SaturationStep { rate, reached: measured.rate(), times, errors: measured.errors.total() };
        watcher.stepped(&step);
        search.steps.push(step);
        if run.is_over() {
            break;
        }
    }
    run.finish(Some(search), watcher).await
}

fn schedule(plan: &LoadPlan, rate: u32, start: Instant, end: Option<Instant>) -> Schedule {
    let interval = Duration::from_secs_f64(f64::from(plan.matches) / f64::from(rate.max(1)));
    Schedule { start, interval, matches: plan.matches, end }
}

/// A run whose sessions are open.
struct Run {
    plan: LoadPlan,
    channel: Channel,
    rules: Arc<Rules>,
    tables: Vec<SeatedMatch>,
    /// The threads that play; `None` once all of them are done.
    crew: Option<Crew>,
    crew_is_done: bool,
    phase: u32,
    start: Instant,
    /// When something last happened.
    progress: Instant,
    all: Meter,
    /// What was measured since this meter was last emptied.
    step: Meter,
    series: Series,
    /// The processor times at the beginning: the server's and this process's.
    used: [Option<Duration>; 2],
}

impl Run {
    /// Creates the matches, takes their seats, and opens all sessions.
    async fn open(plan: &LoadPlan, watcher: &mut dyn Watcher) -> Result<Self, LoadError> {
        plan.check()?;
        let rules = plan.rules()?;
        let server = plan.server()?;
        let channel = connect(&plan.address).await?;
        greet(channel.clone(), &plan.address).await?;
        if let Some(id) = plan.server.filter(|id| processor_time(Some(*id)).is_none()) {
            return Err(LoadError::Plan(format!("there is no process {id} whose time could be taken")));
        }
        let tables = seat(plan, &channel, watcher).await?;
        let crew = Crew::start(plan, &server, &rules, &tables)?;
        let now = Instant::now();
        let mut run = Self {
            plan: plan.clone(),
            channel,
            rules,
            tables,
            crew: Some(crew),
            crew_is_done: false,
            phase: 0,
            start: now,
            progress: now,
            all: Meter::default(),
            step: Meter::default(),
            series: Series::default(),
            used: [None; 2],
        };
        while run.all.ready < plan.seats() && !run.is_over() {
            run.take().await?;
        }
        run.start = Instant::now();
        run.used = [processor_time(plan.server), processor_time(None)];
        Ok(run)
    }

    fn enter(&mut self, pace: Pace, last_from: u32) {
        self.phase += 1;
        if let Some(crew) = &self.crew {
            crew.enter(Phase { number: self.phase, pace, last_from });
        }
    }

    /// Whether all threads are done.
    const fn is_over(&self) -> bool {
        self.crew_is_done
    }

    /// Waits for the next sample and shows it.
    async fn sample(&mut self, watcher: &mut dyn Watcher) -> Result<(), LoadError> {
        if let Some(sample) = self.take().await? {
            self.series.add(self.start.elapsed(), &sample);
            watcher.measured(&sample, &self.all);
        }
        Ok(())
    }

    /// Waits for the next sample; `None` when all threads are done.
    async fn take(&mut self) -> Result<Option<Meter>, LoadError> {
        let Some(crew) = &mut self.crew else { return Ok(None) };
        let Ok(sample) = timeout(PATIENCE, crew.sample()).await else { return Err(self.stuck()) };
        let Some(sample) = sample else {
            self.crew_is_done = true;
            return Ok(None);
        };
        self.all.add(&sample);
        self.step.add(&sample);
        let idle = self.all.ready == self.plan.seats() && self.all.is_quiet();
        if idle || sample.has_progress() {
            self.progress = Instant::now();
        } else if self.progress.elapsed() > PATIENCE {
            return Err(self.stuck());
        }
        Ok(Some(sample))
    }

    fn stuck(&self) -> LoadError {
        LoadError::Stuck { ready: self.all.ready, seats: self.plan.seats(), turns: self.all.turns }
    }

    /// Lets turns that have begun end, and no other begin.
    async fn settle(&mut self, watcher: &mut dyn Watcher) -> Result<(), LoadError> {
        self.enter(Pace::Rest, u32::MAX);
        while !self.is_over() && !self.all.is_quiet() {
            self.sample(watcher).await?;
        }
        Ok(())
    }

    /// Ends matches that go on, and checks everything. What it takes is no part of what was measured.
    async fn finish(
        mut self,
        saturation: Option<SaturationSearch>,
        watcher: &mut dyn Watcher,
    ) -> Result<Report, LoadError> {
        let since = |before: Option<Duration>, now: Option<Duration>| Some(now?.saturating_sub(before?));
        let server_time = self.plan.server.and_then(|id| since(self.used[0], processor_time(Some(id))));
        let own_time = since(self.used[1], processor_time(None));
        let measured = self.all.clone();
        self.enter(Pace::Free, 0);
        while !self.is_over() {
            self.take().await?;
        }
        let crew = self.crew.take().ok_or_else(|| LoadError::Machine("nobody played".to_owned()))?;
        let played = tokio::task::spawn_blocking(|| crew.finish()).await;
        let mut played = played.map_err(|error| LoadError::Machine(error.to_string()))??;
        let mut finished = Vec::new();
        for table in self.tables {
            let mut logs = played.logs.remove(&table.number).unwrap_or_default();
            logs.sort_by_key(|log| log.number);
            if logs.len() == table.tokens.len() {
                finished.push(Finished { table, logs });
            }
        }
        let verified = verify(&self.channel, &self.rules, finished, watcher).await?;
        Ok(Report {
            plan: self.plan,
            all: measured,
            whole: self.all,
            series: self.series,
            faults: played.faults,
            server_time,
            own_time,
            verified,
            left_out: 0,
            saturation,
            ceiling: None,
        })
    }
}

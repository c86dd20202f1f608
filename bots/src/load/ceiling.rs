//! What the machine can do at most: the smallest call there is, over as many connections and with as many calls at once
//! as a run has sessions.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Uri;
use tokio::task::{JoinSet, LocalSet};

use super::connection::SharedConnection;
use super::meter::{Meter, Timing};
use super::plan::LoadPlan;
use super::trouble::Trouble;
use super::wire::{Unread, frame};
use super::{LoadError, processor_time};

/// The path of the health check, the smallest call there is.
const CHECK: &str = "/grpc.health.v1.Health/Check";

/// How many health checks a server answers.
#[derive(Clone, Debug)]
pub struct Ceiling {
    /// The health checks that were answered per second.
    pub rate: f64,
    /// How long the health checks took.
    pub times: Timing,
    /// The processor time of the server per call, where its process was named.
    pub server_time: Option<Duration>,
    /// The processor time of the generator per call.
    pub own_time: Option<Duration>,
}

/// Measures health checks for this long.
pub async fn ceiling(plan: &LoadPlan, time: Duration) -> Result<Ceiling, LoadError> {
    plan.check()?;
    let server = plan.server()?;
    let plan = plan.clone();
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| LoadError::Machine(format!("no runtime: {error}")))?;
        LocalSet::new().block_on(&runtime, check(&plan, &server, time))
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| LoadError::Machine(error.to_string()))?
}

async fn check(plan: &LoadPlan, server: &Uri, time: Duration) -> Result<Ceiling, LoadError> {
    let callers = plan.seats();
    let streams = callers.div_ceil(plan.connections.into()) as u32;
    let meter = Rc::new(RefCell::new(Meter::default()));
    let mut tasks = JoinSet::new();
    let mut connections = Vec::new();
    for number in 0..plan.connections {
        connections.push(Rc::new(SharedConnection::new(server, CHECK, number, streams, Rc::clone(&meter))?));
    }
    let (server_before, own_before) = (processor_time(plan.server), processor_time(None));
    let start = Instant::now();
    let times = Rc::new(RefCell::new(Timing::default()));
    let question = frame(&Unread {});
    for caller in 0..callers as usize {
        let (connection, times) = (Rc::clone(&connections[caller % connections.len()]), Rc::clone(&times));
        tasks.spawn_local(call(connection, question.clone(), times, start + time));
    }
    while let Some(done) = tasks.join_next().await {
        done.map_err(|error| LoadError::Machine(error.to_string()))?.map_err(LoadError::from)?;
    }
    let elapsed = start.elapsed();
    let times = times.take();
    let calls = times.count().clamp(1, u64::from(u32::MAX)) as u32;
    let per_call = |before: Option<Duration>, now: Option<Duration>| Some(now?.saturating_sub(before?) / calls);
    Ok(Ceiling {
        rate: times.count() as f64 / elapsed.as_secs_f64(),
        server_time: plan.server.and_then(|id| per_call(server_before, processor_time(Some(id)))),
        own_time: per_call(own_before, processor_time(None)),
        times,
    })
}

/// Makes one call after the other until the end.
async fn call(
    connection: Rc<SharedConnection>,
    question: Bytes,
    times: Rc<RefCell<Timing>>,
    end: Instant,
) -> Result<(), Trouble> {
    loop {
        let before = Instant::now();
        if before >= end {
            return Ok(());
        }
        connection.open(None).await?.call(question.clone()).await?;
        times.borrow_mut().record(before.elapsed());
    }
}

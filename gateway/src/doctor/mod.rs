//! `parley doctor`: looks at everything that the service needs before it is started, or while it runs, and says what is
//! wrong and what to do. It only looks: it writes no file and makes no folder.

mod certificate;
mod store;

use std::fmt;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::config::{Config, Servers, unknown_variables};
use crate::http::is_parley;
use crate::nats::{Nats, NatsError};
use crate::server;
use crate::trace::{self, TraceSettings};

/// How long something elsewhere may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// The first second of 2026: a clock before it is wrong.
const NOT_BEFORE: u64 = 1_767_225_600;

/// How bad what was found is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It is as it should be.
    Fine,
    /// It works, but somebody should know.
    Odd,
    /// The service will not do what it is asked.
    Wrong,
}

/// One thing that was looked at, and how it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The thing that was looked at.
    pub about: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, in a sentence.
    pub what: String,
    /// What to do; empty where nothing is to be done.
    pub advice: String,
}

impl Diagnosis {
    fn fine(about: &'static str, what: impl Into<String>) -> Self {
        Self { about, severity: Severity::Fine, what: what.into(), advice: String::new() }
    }

    fn odd(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, severity: Severity::Odd, what: what.into(), advice: advice.into() }
    }

    fn wrong(about: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, severity: Severity::Wrong, what: what.into(), advice: advice.into() }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Fine => "ok",
            Severity::Odd => "note",
            Severity::Wrong => "WRONG",
        };
        write!(f, "{severity:<6}{:<13}{}", self.about, self.what)?;
        if !self.advice.is_empty() {
            write!(f, "\n{:<19}-> {}", "", self.advice)?;
        }
        Ok(())
    }
}

/// Looks at everything. The configuration itself was read before this.
pub async fn examine(config: &Config) -> Vec<Diagnosis> {
    let running = is_parley(config.listen).await;
    let mut diagnoses = vec![clock(), port(config, running).await];
    diagnoses.extend(certificate::check(config));
    match &config.cluster {
        Some(servers) => diagnoses.push(cluster(config, servers).await),
        None => diagnoses.extend(store::check(config, running)),
    }
    diagnoses.push(traces(config).await);
    diagnoses.extend(environment());
    diagnoses
}

/// Finds variables that somebody probably took for settings.
fn environment() -> impl Iterator<Item = Diagnosis> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    unknown_variables(names).into_iter().map(|what| Diagnosis::odd("environment", what, ""))
}

fn clock() -> Diagnosis {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if now < NOT_BEFORE {
        let advice = "set the clock; tokens and deadlines are meant in the time of day";
        return Diagnosis::wrong("clock", format!("it is {now} seconds since 1970, which is long ago"), advice);
    }
    Diagnosis::fine("clock", format!("it is {now} seconds since 1970; does a clock that you trust agree?"))
}

async fn port(config: &Config, running: bool) -> Diagnosis {
    let address = config.listen;
    if running {
        return Diagnosis::fine("port", format!("a Parley answers on {address}"));
    }
    match TcpListener::bind(address).await {
        Ok(_) => Diagnosis::fine("port", format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let advice = format!(
                "end what listens there, or choose another with --listen; `ss -ltnp 'sport = :{}'` names it",
                address.port()
            );
            Diagnosis::wrong("port", format!("{address} is taken, and not by a Parley"), advice)
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let advice = "choose a port from 1024 on, or give the process CAP_NET_BIND_SERVICE";
            Diagnosis::wrong("port", format!("{address} may not be listened on"), advice)
        }
        Err(error) => {
            let advice = "choose an address of this machine with --listen";
            Diagnosis::wrong("port", format!("{address} cannot be listened on: {error}"), advice)
        }
    }
}

async fn cluster(config: &Config, servers: &Servers) -> Diagnosis {
    let nats = match Nats::connect(&server::nats(config, servers)).await {
        Ok(nats) => nats,
        Err(error @ NatsError::Unreachable { .. }) => {
            let advice = "start the NATS servers, or correct --cluster; is there a firewall in between?";
            return Diagnosis::wrong("cluster", error.to_string(), advice);
        }
        Err(error) => return Diagnosis::wrong("cluster", error.to_string(), "change the NATS servers"),
    };
    match nats.context.query_account().await {
        Ok(_) => {
            Diagnosis::fine("cluster", format!("JetStream answers at {servers}; is sync_interval: always set there?"))
        }
        Err(error) => {
            let advice = "turn JetStream on (jetstream { store_dir: …, sync_interval: always }), for this user too";
            Diagnosis::wrong("cluster", format!("JetStream does not answer at {servers}: {error}"), advice)
        }
    }
}

async fn traces(config: &Config) -> Diagnosis {
    let settings = match TraceSettings::read(config, |name| std::env::var(name).ok()) {
        Ok(None) => return Diagnosis::fine("traces", "are off; --otlp turns them on"),
        Ok(Some(settings)) => settings,
        Err(error) => return Diagnosis::wrong("traces", error.to_string(), "correct it, or leave it away"),
    };
    let endpoint = settings.endpoint.clone();
    match timeout(PATIENCE, trace::try_collector(&settings)).await {
        Ok(Ok(())) => Diagnosis::fine("traces", format!("{endpoint} takes them")),
        Ok(Err(error)) => {
            let advice = "start the collector, or correct --otlp: it is the port for OTLP over gRPC, usually 4317";
            Diagnosis::wrong("traces", format!("{endpoint} does not take them: {error}"), advice)
        }
        Err(_) => Diagnosis::wrong("traces", format!("{endpoint} does not answer"), "is there a firewall in between?"),
    }
}

//! The service as a whole: everything put together, run, and shut down in order.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::http::HeaderMap;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::service::Routes;
use tonic_reflection::server::Builder as Reflection;

use crate::auth::{Gate, KeyError, Keyring};
use crate::clock::Clock;
use crate::cluster::{self, Cluster, ClusterOptions, Trust};
use crate::config::{Config, Servers, Store};
use crate::disk::{Disk, Room};
use crate::folder::{self, FolderError};
use crate::house::HouseBots;
use crate::http::{self, Budget, BudgetLimits, HttpConfig, MetricsPage, TlsError};
use crate::journal::Journal;
use crate::journal::embedded::{Embedded, EmbeddedOptions, OpenError};
use crate::journal::memory::Memory;
use crate::limits::Limits;
use crate::matches::Matches;
use crate::matches::ownership::Ownership;
use crate::memory::Shares;
use crate::nats::{NatsError, NatsOptions};
use crate::rulesets::Rulesets;
use crate::service::Service;
use crate::trace::{self, Exporter, TraceError, TraceSettings, Tracing};
use crate::work::{self, WorkLimits};

/// The folder of the store within the data folder.
pub(crate) const STORE_FOLDER: &str = "journal";

/// What those who ask `metrics_listen` may have in flight. It is little beside `memory_budget`, and it is there while callers
/// of the service have taken everything that they may.
const METRICS_BUDGET: BudgetLimits =
    BudgetLimits { total: 8 << 20, per_address: 4 << 20, per_connection: 2 << 20, unread: Duration::from_secs(60) };

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was to be listened on.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody else listens on the address.
    #[error("{address} is taken by {}", if *.parley {
        "another Parley that runs already; stop that one, or choose another port with --listen".to_owned()
    } else {
        format!("another program; choose another port with --listen, or end it (`ss -ltnp 'sport = :{}'` names it)", .address.port())
    })]
    Taken {
        /// The address that is taken.
        address: SocketAddr,
        /// Whether a Parley service answers there.
        parley: bool,
    },
    /// The keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The cluster cannot be joined.
    #[error(transparent)]
    Cluster(#[from] NatsError),
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Traces cannot be sent as the settings say.
    #[error(transparent)]
    Traces(#[from] TraceError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// A service that listens and is ready to be run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    http_config: HttpConfig,
    matches: Matches,
    cluster: Option<Arc<Cluster>>,
    journal: Arc<dyn Journal>,
    routes: Routes,
    ready: watch::Sender<bool>,
    drain: Duration,
    metrics: PrometheusHandle,
    /// The listener where numbers are told to everybody, if there is such an address.
    metrics_listener: Option<TcpListener>,
    gate: Arc<Gate>,
    exporter: Option<Exporter>,
}

impl Server {
    /// Opens the store, reads the keys and begins to listen, for matches of the games of the house.
    pub async fn start(config: &Config) -> Result<Self, StartError> {
        Self::start_with(config, Rulesets::default()).await
    }

    /// The same for matches of other games.
    pub async fn start_with(config: &Config, rulesets: Rulesets) -> Result<Self, StartError> {
        let mut http_config = HttpConfig::from_config(config)?;
        if http_config.calls.message_bytes < config.max_message_bytes {
            let (bytes, setting) = (http_config.calls.message_bytes, http_config.calls.message_setting);
            tracing::info!(bytes, setting, "messages may have fewer bytes than max_message_bytes says");
        }
        let (listener, address) = listen(config.listen).await?;
        let metrics_listener = match config.metrics_listen {
            Some(address) => Some(listen(address).await?.0),
            None => None,
        };
        let clock = Clock::start();
        // Numbers that are asked for before anybody counts would be lost.
        let metrics = http::install_metrics();
        let Opened { journal, keyring, cluster } = match &config.cluster {
            Some(servers) => join(config, servers, address, &clock).await?,
            None => open(config)?,
        };
        http_config.cluster_password = cluster.as_ref().map(|cluster| cluster.password());
        let (tracing, exporter) = trace(config)?;
        let ownership = cluster.clone().map(|cluster| cluster as Arc<dyn Ownership>);
        let (shared, keys) = (Arc::clone(&journal), Arc::clone(&keyring));
        let matches = Matches::shared(shared, keys, limits(config), clock, rulesets, tracing, ownership);
        let token = config.admin_token.as_ref().map(|token| token.expose());
        let gate = Arc::new(Gate::new(keyring, token, config.gate_limits()));
        let service = Service::new(matches.clone(), Arc::clone(&gate)).in_cluster(cluster.clone());
        http_config.admission = Some(service.admission());
        let routes = routes(&service, config.max_message_bytes).await;
        let (per_connection, thinkers) = (config.house_bots_per_connection, matches.limits.work.threads.max(1));
        let policies = matches.rulesets.policies.clone();
        let house = HouseBots::new(http_config.clone(), routes.clone(), policies, per_connection, thinkers);
        // Nobody else sets them: the matches were made above.
        let _ = matches.house.set(Box::new(house));
        if config.cluster.is_none() && config.store == Store::Embedded {
            let _ = matches.disk.set(Disk::of(&config.data, config.disk_free_to_create, config.disk_free_to_play));
        }
        let routes = match &cluster {
            Some(cluster) => {
                cluster.begin(matches.clone()).await;
                let services = routes.prepare().into_axum_router();
                Routes::from(cluster::forward_calls(services, Arc::clone(cluster), config.max_message_bytes))
            }
            None => routes,
        };
        let drain = Duration::from_secs(config.drain_seconds);
        let ready = watch::Sender::new(false);
        Ok(Self {
            listener,
            address,
            http_config,
            matches,
            cluster,
            journal,
            routes,
            ready,
            drain,
            metrics,
            metrics_listener,
            gate,
            exporter,
        })
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The matches of the service.
    pub fn matches(&self) -> &Matches {
        &self.matches
    }

    /// Serves until `shutdown`, or until an administrator asks it to stop. Then no match is created any more, streams
    /// end so that they can be resumed, open calls finish, and everything that was acknowledged is on the disk.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> io::Result<()> {
        let budget = Budget::new(self.http_config.budget);
        let (matches, counted) = (self.matches.clone(), Arc::clone(&budget));
        let gather = move || {
            metrics::gauge!("parley_watchers").set(matches.stats.watchers.load(Ordering::Relaxed) as f64);
            metrics::gauge!("parley_in_flight_bytes").set(counted.in_flight() as f64);
            metrics::gauge!("parley_work_waiting").set(matches.work.waiting() as f64);
        };
        let metrics_page = MetricsPage::new(self.metrics, gather);
        let (gate, clock) = (self.gate, self.matches.clock);
        let is_admin = move |headers: &HeaderMap, peer| gate.is_admin(headers, peer, clock.now_s());
        let readiness = readiness(self.ready.subscribe(), self.matches.clone());
        let operators = http::observability_router(readiness, metrics_page.clone(), is_admin);
        let http = operators.merge(http::page_router());
        let telling = self.metrics_listener.map(|listener| {
            let budget = Budget::new(BudgetLimits { unread: self.http_config.budget.unread, ..METRICS_BUDGET });
            let http_config = HttpConfig { tls: None, hosts: None, ..self.http_config.clone() };
            let told = http::metrics_router(metrics_page);
            tokio::spawn(http::serve(http_config, budget, listener, Routes::default(), told, std::future::pending()))
        });
        self.ready.send_replace(true);
        let waking = tokio::spawn({
            let (matches, alone) = (self.matches.clone(), self.cluster.is_none());
            async move {
                // In a cluster, matches wake where they are claimed.
                if alone && let Err(refusal) = matches.wake().await {
                    tracing::error!(why = refusal.message, "the list of matches cannot be read");
                }
            }
        });
        let clock = tokio::spawn(self.matches.clock.log_steps());
        let expiring = tokio::spawn({
            let matches = self.matches.clone();
            async move { matches.keep_expiring().await }
        });
        let watching = self.matches.disk.get().map(Disk::watch);
        let (ready, matches, cluster) = (self.ready.clone(), self.matches.clone(), self.cluster.clone());
        let patience = self.drain.max(Duration::from_secs(1));
        let stopping = async move {
            let drained = matches.drained();
            tokio::select! {
                () = shutdown => {}
                () = drained => {}
            }
            ready.send_replace(false);
            if let Some(cluster) = cluster
                && tokio::time::timeout(patience, cluster.hand_over()).await.is_err()
            {
                tracing::warn!("not all matches were handed over in time; the others take them when the lease ends");
            }
            matches.drain();
            tracing::info!("shutting down: streams end, open calls finish");
        };
        let served = http::serve(self.http_config, budget, self.listener, self.routes, http, stopping).await;
        waking.abort();
        telling.into_iter().for_each(|telling| telling.abort());
        [clock, expiring].into_iter().for_each(|task| task.abort());
        drop(watching);
        if tokio::time::timeout(patience, self.journal.close()).await.is_err() {
            tracing::error!("the journal did not close in time");
        }
        if let Some(cluster) = self.cluster {
            cluster.leave().await;
        }
        if let Some(exporter) = self.exporter {
            exporter.finish().await;
        }
        tracing::info!("shut down; everything that was acknowledged is on the disk");
        served
    }
}

/// What `/readyz` says: whether the service takes calls, and whether it has the room for them.
fn readiness(ready: watch::Receiver<bool>, matches: Matches) -> impl Fn() -> (bool, String) + Clone {
    move || {
        if !*ready.borrow() {
            return (false, "not ready".to_owned());
        }
        match matches.disk.get().and_then(|disk| disk.complaint()) {
            None => (true, "ready".to_owned()),
            Some((Room::Full, sentence)) => (false, format!("not ready: {sentence}")),
            Some((_, sentence)) => (true, format!("ready, but {sentence}")),
        }
    }
}

/// Begins to listen on an address.
async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { address, source };
    match TcpListener::bind(address).await {
        Ok(listener) => listener.local_addr().map(|address| (listener, address)).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Err(StartError::Taken { address, parley: http::is_parley(address).await })
        }
        Err(error) => Err(failed(error)),
    }
}

/// Begins to send traces, if somebody wants them.
fn trace(config: &Config) -> Result<(Tracing, Option<Exporter>), StartError> {
    let url = config.jaeger_ui.as_ref().map(|url| format!("{}/trace/", url.0)).unwrap_or_default();
    let Some(settings) = TraceSettings::read(config, |name| std::env::var(name).ok())? else {
        return Ok((Tracing { tracer: None, url }, None));
    };
    let (tracer, exporter) = trace::start(&settings)?;
    Ok((Tracing { tracer: Some(tracer), url }, Some(exporter)))
}

/// What matches are kept with: the journal, the keys and the cluster, if there is one.
struct Opened {
    journal: Arc<dyn Journal>,
    keyring: Arc<Keyring>,
    cluster: Option<Arc<Cluster>>,
}

/// How large a record may be: the first of a match holds a map and rules, each of which may have come in a message of
/// its own.
fn record_bytes(config: &Config) -> usize {
    4 * config.max_message_bytes + (1 << 20)
}

fn open(config: &Config) -> Result<Opened, StartError> {
    if config.store == Store::Memory {
        let (journal, keyring) = (Arc::new(Memory::new()), Arc::new(Keyring::ephemeral()?));
        return Ok(Opened { journal, keyring, cluster: None });
    }
    folder::check(&config.data)?;
    let keyring = Arc::new(Keyring::load_or_create(&config.data)?);
    let options = EmbeddedOptions { record_bytes: record_bytes(config), ..EmbeddedOptions::default() };
    let journal = Arc::new(Embedded::open(&config.data.join(STORE_FOLDER), options)?);
    keyring.write_admin_token(&config.data)?;
    Ok(Opened { journal, keyring, cluster: None })
}

/// The NATS servers that a configuration names, and what is asked of them.
pub fn nats(config: &Config, servers: &Servers) -> NatsOptions {
    NatsOptions {
        servers: servers.addresses().to_vec(),
        name: config.cluster_name.0.clone(),
        replicas: config.cluster_replicas,
        message_bytes: record_bytes(config),
    }
}

async fn join(config: &Config, servers: &Servers, address: SocketAddr, clock: &Clock) -> Result<Opened, StartError> {
    let trust = match &config.tls_certificate {
        Some(certificate) => {
            let path = config.cluster_tls_ca.as_ref().unwrap_or(certificate);
            let pem = std::fs::read(path).map_err(|source| TlsError::Failed { path: path.clone(), source })?;
            Some(Trust { pem, name: config.cluster_tls_name.clone() })
        }
        None => None,
    };
    let options = ClusterOptions {
        nats: nats(config, servers),
        lease: Duration::from_millis(config.cluster_lease_ms),
        address: config.cluster_advertise.as_ref().map_or_else(|| address.to_string(), |address| address.0.clone()),
        trust,
        calls_per_connection: config.max_streams_per_connection as usize / 2,
    };
    folder::check(&config.data)?;
    let (cluster, keyring) = Cluster::join(options, clock.now_ms()).await?;
    keyring.write_admin_token(&config.data)?;
    Ok(Opened { journal: cluster.journal(), keyring, cluster: Some(cluster) })
}

async fn routes(service: &Service, max_message_bytes: usize) -> Routes {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status("", tonic_health::ServingStatus::Serving).await;
    let reflection = || {
        Reflection::configure()
            .register_encoded_file_descriptor_set(parley_proto::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let mut routes = service.routes(max_message_bytes).add_service(health);
    if let Ok(reflection) = reflection().build_v1() {
        routes = routes.add_service(reflection);
    }
    if let Ok(reflection) = reflection().build_v1alpha() {
        routes = routes.add_service(reflection);
    }
    routes
}

/// The limits that a configuration gives to matches.
pub fn limits(config: &Config) -> Limits {
    Limits {
        orders_per_sheet: config.max_orders_per_sheet,
        map_tiles: config.max_map_tiles,
        mailbox: config.mailbox_length,
        channels_per_session: config.max_channels_per_session,
        session_in_flight: config.session_in_flight,
        watchers_per_match: config.max_watchers_per_match,
        matches: config.max_matches,
        matches_in_memory: config.max_matches_in_memory,
        match_bytes: Shares::of(config.memory_budget()).matches,
        request_memory: config.request_memory,
        watch_backlog: config.watch_backlog,
        idle_after: Duration::from_secs(config.idle_after_seconds),
        snapshot_every: config.snapshot_every_turns,
        large_match_units: config.large_match_units,
        work: WorkLimits {
            threads: config.work_threads.unwrap_or_else(work::default_threads),
            waiting_per_address: config.max_work_waiting_per_address,
            waiting: config.max_work_waiting,
        },
        planning: Duration::from_secs(config.planning_seconds),
        decision: Duration::from_secs(config.decision_seconds),
        max_deadline: config.max_deadline(),
        token_lifetime: config.token_lifetime(),
        allow_fixed_secrets: config.allow_fixed_secrets,
        matches_per_address: config.max_matches_per_address,
        unattended_turns: config.unattended_turns,
        unattended_turns_per_second: config.unattended_turns_per_second,
        watched_turns: config.watched_turns,
        watched_turns_per_second: config.watched_turns_per_second,
        lobby_expiry: Duration::from_secs(config.lobby_expiry_hours * 60 * 60),
        missed_deadlines: config.missed_deadlines_before_expiry,
        match_expiry: Duration::from_secs(config.match_expiry_days * 24 * 60 * 60),
    }
}

//! The table of settings: name, kind, default, range and what it is for, once.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::LazyLock;

use super::value::{ByteSize, HostNames, HostPort, LogFormat, Name, Ratio, Secret, Servers, Store, Url, Value};
use crate::http::{Origins, Proxies};

/// A row of the table.
pub(super) struct Setting {
    /// The key in the file, and the field of [`Config`].
    pub(super) name: &'static str,
    /// What it is for, in a sentence.
    pub(super) what: &'static str,
    /// What values are allowed, after "must be".
    pub(super) shape: &'static str,
    /// The least and the greatest number.
    pub(super) range: Option<(u64, u64)>,
    /// Whether it is a flag that needs no value.
    pub(super) switch: bool,
    /// Puts a value into the configuration, or says what it must be.
    pub(super) set: fn(&mut Config, &str) -> Result<(), String>,
    /// The value as it is printed.
    pub(super) show: fn(&Config) -> Option<toml::Value>,
}

impl Setting {
    /// `--max-matches` for `max_matches`, without the dashes in front.
    pub(super) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// `PARLEY_MAX_MATCHES` for `max_matches`.
    pub(super) fn variable(&self) -> String {
        format!("PARLEY_{}", self.name.to_ascii_uppercase())
    }

    /// What values are allowed, after "must be".
    pub(super) fn allowed(&self) -> String {
        match self.range {
            Some((least, greatest)) => format!("{} from {least} to {greatest}", self.shape),
            None => self.shape.to_owned(),
        }
    }
}

/// The flags, which live as long as the process because the parser of the command line wants them so.
pub(super) static FLAGS: LazyLock<Vec<String>> = LazyLock::new(|| SETTINGS.iter().map(Setting::flag).collect());

macro_rules! settings {
    ($( #[doc = $what:literal] $name:ident: $type:ty = $default:expr $(, $least:literal..=$greatest:literal)?; )*) => {
        /// Everything the operator may set.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Config {
            $( #[doc = $what] pub $name: $type, )*
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $( $name: $default, )* }
            }
        }

        /// The table of all settings.
        pub(super) const SETTINGS: &[Setting] = &[$(
            Setting {
                name: stringify!($name),
                what: $what,
                shape: <$type as Value>::SHAPE,
                range: settings!(@range $($least, $greatest)?),
                switch: <$type as Value>::SWITCH,
                set: |config, text| {
                    let value = <$type as Value>::parse(text).filter(|value| {
                        let range: Option<(u64, u64)> = settings!(@range $($least, $greatest)?);
                        range.is_none_or(|(least, greatest)| {
                            value.number().is_some_and(|number| (least..=greatest).contains(&number))
                        })
                    });
                    config.$name = value.ok_or_else(|| named(stringify!($name)).allowed())?;
                    Ok(())
                },
                show: |config| config.$name.show(),
            },
        )*];
    };
    (@range) => { None };
    (@range $least:literal, $greatest:literal) => { Some(($least, $greatest)) };
}

/// The row of a name that is in the table.
pub(super) fn named(name: &str) -> &'static Setting {
    find(name).expect("only names of the table are asked for")
}

/// The row of a name.
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

settings! {
    /// The address and port that the service listens on.
    listen: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7400);
    /// An address of its own for /metrics, in plain HTTP; without it they are told to this machine and to the administrator only.
    metrics_listen: Option<SocketAddr> = None;
    /// Names of hosts that requests may be meant for while the service listens on loopback, beside those of the machine itself and of web_origins, separated by commas.
    host_names: HostNames = HostNames::default();
    /// The folder for matches and keys.
    data: PathBuf = PathBuf::from("parley-data");
    /// How much room has to be free on the disk of the data folder for matches to be created.
    disk_free_to_create: ByteSize = ByteSize::mebibytes(512);
    /// How much room has to be free there for matches to go on; below it they pause until there is more.
    disk_free_to_play: ByteSize = ByteSize::mebibytes(128);
    /// Where matches are written down: embedded (in the data folder) or memory (gone at the end).
    store: Store = Store::Embedded;
    /// The NATS servers whose JetStream keeps matches instead, for a service of several servers; a user and a password go into the address.
    cluster: Option<Servers> = None;
    /// What the names of everything in NATS begin with, so that several clusters can share it.
    cluster_name: Name = Name("parley".to_owned());
    /// On how many NATS servers everything is kept.
    cluster_replicas: usize = 3, 1..=5;
    /// After how many milliseconds without a sign of life a server's matches are taken over by the others.
    cluster_lease_ms: u64 = 10_000, 500..=600_000;
    /// Where the other servers of the cluster reach this one, where that is not the address it listens on.
    cluster_advertise: Option<HostPort> = None;
    /// The PEM file with the certificates that the servers of the cluster trust each other by, where that is not tls_certificate.
    cluster_tls_ca: Option<PathBuf> = None;
    /// The name in the certificates of the cluster's servers, where it is not the host that they advertise.
    cluster_tls_name: Option<String> = None;
    /// The PEM file with the certificate chain for TLS.
    tls_certificate: Option<PathBuf> = None;
    /// The PEM file with the private key for TLS.
    tls_key: Option<PathBuf> = None;
    /// Whether an address that others can reach may be served without TLS.
    insecure: bool = false;
    /// Origins of web pages that may call beside the service's own, separated by commas.
    web_origins: Origins = Origins::default();
    /// A token of your own for the admin, beside the one in the data folder; better set in the environment than as a flag, which other users of the machine can see.
    admin_token: Option<Secret> = None;
    /// How many hours a token is good.
    token_lifetime_hours: u64 = 720, 1..=87600;
    /// Whether a match may be created with a secret that its creator knows, for tests and demonstrations.
    allow_fixed_secrets: bool = false;

    /// How many bytes one message may have; fewer where max_bytes_in_flight_per_connection is not about 65 times as much.
    max_message_bytes: usize = 1_048_576, 4096..=67_108_864;
    /// How many orders one sheet may have.
    max_orders_per_sheet: usize = 2048, 1..=1_000_000;
    /// How many may watch one match at a time.
    max_watchers_per_match: usize = 256, 1..=65_536;
    /// How many matches that are not finished there may be.
    max_matches: usize = 100_000, 1..=10_000_000;
    /// How many matches that are not finished there may be from one address, of which each server of a cluster counts those that it has served; loopback and the admin have no such limit.
    max_matches_per_address: usize = 100, 1..=10_000_000;
    /// How many matches are held in memory at a time; the others sleep in the store.
    max_matches_in_memory: usize = 10_000, 1..=1_000_000;
    /// How much memory the service keeps to, whatever anybody does; where it is not said, a quarter of the machine's or the container's.
    memory_budget: Option<ByteSize> = None;
    /// How many bytes may be in flight in all: connections, open calls, requests and answers; where it is not said, half of memory_budget.
    max_bytes_in_flight: Option<ByteSize> = None;
    /// How many of them may be one address's; where it is not said, a quarter of max_bytes_in_flight.
    max_bytes_in_flight_per_address: Option<ByteSize> = None;
    /// How many of them may be one connection's; where it is not said, a sixteenth of max_bytes_in_flight.
    max_bytes_in_flight_per_connection: Option<ByteSize> = None;
    /// How many seconds the message of a call may take to arrive.
    request_seconds: u64 = 20, 1..=3600;
    /// For how many seconds an answer waits for a client that does not read it, before the connection is closed.
    unread_seconds: u64 = 60, 1..=3600;
    /// After how many seconds without an open call a connection is ended.
    idle_connection_seconds: u64 = 300, 1..=86_400;
    /// How many tiles the map of a match may have.
    max_map_tiles: usize = 16_384, 1..=1_048_576;
    /// How many calls may be open at a time on one connection.
    max_streams_per_connection: u32 = 1024, 1..=65_536;
    /// How many connections may be open at a time; over that, new ones are closed at once.
    max_connections: usize = 4096, 1..=1_000_000;
    /// How many of them may come from one address; callers on this machine and trusted proxies may have any number.
    max_connections_per_address: usize = 256, 1..=1_000_000;
    /// Whether callers on this machine are exempt from quotas of creations, matches and connections.
    exempt_loopback: bool = true;
    /// Addresses of proxies, separated by commas, whose X-Forwarded-For or Forwarded header says where a call comes from.
    trusted_proxies: Proxies = Proxies::default();
    /// How many calls a second one token may make.
    calls_per_second_per_token: u32 = 500, 1..=1_000_000;
    /// How many calls one token may make at once after a quiet time.
    burst_per_token: u32 = 1000, 1..=1_000_000;
    /// How many calls a second without a good token may come from one address.
    calls_per_second_per_address: u32 = 200, 1..=1_000_000;
    /// How many calls without a good token may come at once from one address after a quiet time.
    burst_per_address: u32 = 2000, 1..=1_000_000;
    /// How many matches a minute may be created from one address; loopback and the admin have no such limit.
    creations_per_minute_per_address: u32 = 30, 1..=1_000_000;
    /// How many matches may be created at once from one address after a quiet time.
    creation_burst_per_address: u32 = 60, 1..=1_000_000;
    /// How many channels, each for a seat of a match or a spectator, one session may have at a time.
    max_channels_per_session: usize = 256, 1..=65_536;
    /// How many messages of one channel of a session may be in work at a time.
    session_in_flight: usize = 64, 1..=4096;
    /// How many requests may wait for one match.
    mailbox_length: usize = 64, 1..=65_536;
    /// How many answered requests of each seat, beside lock-ins, are remembered for repeats.
    request_memory: usize = 8, 1..=1024;
    /// How many updates a watcher may fall behind before it has to take a snapshot.
    watch_backlog: u64 = 4096, 1..=1_000_000;
    /// How many house bots share one connection inside the process.
    house_bots_per_connection: usize = 64, 1..=1024;
    /// How many ships make a resolution large, so that it runs beside the other work.
    large_match_units: usize = 2000, 1..=10_000_000;
    /// How many threads do heavy work such as drawing maps and building replays; where it is not said, half of the cores, and at least one.
    work_threads: Option<usize> = None, 1..=1024;
    /// How much heavy work may wait for one address.
    max_work_waiting_per_address: usize = 256, 1..=65_536;
    /// How much heavy work may wait in all.
    max_work_waiting: usize = 4096, 1..=1_000_000;

    /// How many seconds players plan where a match does not say; 0 for ever.
    planning_seconds: u64 = 0, 0..=31_536_000;
    /// How many seconds a turn waits for answers where a match does not say.
    decision_seconds: u64 = 60, 1..=31_536_000;
    /// How many days the deadline of a match may be away.
    max_deadline_days: u64 = 30, 1..=365;
    /// After how many hours a match that has not begun is stopped, if nobody joins.
    lobby_expiry_hours: u64 = 24, 1..=87_600;
    /// After how many planning deadlines in a row without a person's input a match is stopped.
    missed_deadlines_before_expiry: u32 = 3, 1..=1_000_000;
    /// After how many days without a person's input a match without deadlines is stopped.
    match_expiry_days: u64 = 30, 1..=3650;
    /// After how many turns a match of house bots alone is stopped, if nobody watches it.
    unattended_turns: u32 = 500, 1..=10_000_000;
    /// How many turns a second a match of house bots alone plays while nobody watches it.
    unattended_turns_per_second: u32 = 2, 1..=1000;
    /// After how many turns a match of house bots alone is stopped while somebody watches it.
    watched_turns: u32 = 10_000, 1..=10_000_000;
    /// How many turns a second a match of house bots alone plays while somebody watches it.
    watched_turns_per_second: u32 = 20, 1..=1000;
    /// After how many seconds without a call a match leaves memory.
    idle_after_seconds: u64 = 300, 1..=86_400;
    /// How many seconds open calls get to end when the service stops.
    drain_seconds: u64 = 20, 0..=3600;
    /// After how many turns a snapshot is written.
    snapshot_every_turns: u32 = 64, 1..=65_536;

    /// Where traces of turns are sent by OTLP over gRPC; nowhere if neither this nor OTEL_EXPORTER_OTLP_ENDPOINT says so.
    otlp: Option<Url> = None;
    /// Which part of all turns is traced, where OTEL_TRACES_SAMPLER is not to say it: 1 is all of them.
    trace_ratio: Option<Ratio> = None;
    /// Where Jaeger shows traces, so that the page and replays can link to them.
    jaeger_ui: Option<Url> = None;

    /// How lines of the log look: human or json.
    log_format: LogFormat = LogFormat::Human;
    /// Which lines of the log are written, as in parley_gateway=debug,info.
    log_filter: String = "info".to_owned();
}

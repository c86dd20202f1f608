//! The real binary under attack: its memory is watched, somebody honest plays on it, and at the end it is told what is
//! wrong.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::Attack;
use super::honest::{Honest, Waits};
use super::wire::{RawConnection, Tally};
use crate::common::process::{Process, memory_of, plain};

/// Where somebody honest calls from.
pub const HONEST: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// Where attackers call from.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// The most memory that the server may ever hold in a test, in the words of the setting and in bytes.
pub const BUDGET: (&str, u64) = ("512M", 512 << 20);
/// The same where maps may be as large as the rules allow, which is the least that the server takes for that.
pub const BUDGET_FOR_HUGE_MAPS: (&str, u64) = ("1G", 1 << 30);
/// A server that holds more than this many times its budget is ended, for the sake of the machine.
const BEYOND_HOPE: u64 = 2;
/// How often its memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long somebody honest plays before an attack begins.
pub const QUIET: Duration = Duration::from_secs(2);
/// How long an honest call may take under attack in a test, unless the machine is so busy that it took long before.
const HONEST_WITHIN: Duration = Duration::from_secs(5);
/// How long an honest call may take in a test at most, however busy the machine was before.
const HONEST_AT_MOST: Duration = Duration::from_secs(10);
/// How long 99 of 100 honest calls may take under attack where that is measured, unless they took long before.
const HONEST_P99: Duration = Duration::from_millis(250);
/// An address for documentation (RFC 5737), which nobody calls from: a setting that is empty counts as not set.
const NO_PROXY: &str = "192.0.2.1";
/// How many files and connections a process of a test may have open.
const OPEN_FILES: u64 = 16_384;

/// Where an attack goes, and how hard and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    pub server: SocketAddr,
    /// The address that it comes from.
    pub source: Ipv4Addr,
    /// When it is over, if the server has not ended it before.
    pub until: Instant,
    /// Which part of the full numbers it has.
    pub scale: f64,
    /// The seed of random choices.
    pub seed: u64,
    /// How long each side of the largest map is.
    pub side: u32,
}

impl Aim {
    /// A part of a full number, as the scale says.
    pub fn of(&self, full: usize) -> usize {
        ((full as f64 * self.scale).ceil() as usize).max(1)
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Opens a connection with the usual windows from the address that the attack comes from.
    pub async fn connect(&self) -> std::io::Result<RawConnection> {
        RawConnection::open(self.server, self.source).await
    }
}

/// The part of the full numbers that attacks have: `PARLEY_ATTACK_SCALE`.
pub fn scale() -> f64 {
    std::env::var("PARLEY_ATTACK_SCALE").map_or(1.0, |text| text.parse().expect("a number such as 0.25"))
}

/// Lets this process, and those that it starts, have many connections open.
pub fn allow_many_connections() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES, |most| most.min(OPEN_FILES));
    if limit.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).expect("up to the maximum");
    }
}

/// Watches the memory of a process, and ends it if nothing else will.
struct Guard {
    highest: Arc<AtomicU64>,
    hopeless: Arc<AtomicBool>,
    watching: JoinHandle<()>,
}

impl Guard {
    fn set(id: u32, budget: u64) -> Self {
        let (highest, hopeless) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (most, beyond) = (Arc::clone(&highest), Arc::clone(&hopeless));
        let watching = tokio::spawn(async move {
            while let Some(peak) = memory_of(id, "VmHWM:") {
                most.fetch_max(peak, Ordering::Relaxed);
                if peak > BEYOND_HOPE * budget && !beyond.swap(true, Ordering::Relaxed) {
                    let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
                }
                sleep(LOOK_EVERY).await;
            }
        });
        Self { highest, hopeless, watching }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

/// What a server is started with.
pub struct Setup<'a> {
    /// The most memory that it may ever hold, in the words of the setting and in bytes.
    pub budget: (&'a str, u64),
    /// How long somebody honest plays before an attack begins.
    pub quiet: Duration,
    /// More settings. They go into the environment, where one that a server does not know keeps it from nothing.
    pub settings: &'a [(&'a str, &'a str)],
}

/// How the server stood an attack: a row of the table that is printed.
pub struct Row {
    pub attack: String,
    pub quiet: Waits,
    pub under: Waits,
    /// The most memory that the server held, in MiB.
    pub peak: u64,
    /// Everything that was wrong.
    pub faults: Vec<String>,
}

impl Row {
    /// The headings of the columns.
    pub const HEAD: &'static str =
        "attack                 quiet p50, p99, most in ms    attacked p50, p99, most in ms  errors  peak";
}

impl std::fmt::Display for Row {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { attack, quiet, under, peak, .. } = self;
        let errors = under.errors.len();
        write!(formatter, "{attack:20} {}    {} {errors:7} {peak:5} MiB", quiet.in_brief(), under.in_brief())
    }
}

/// A server that is started to be attacked, with somebody honest who plays on it.
pub struct AttackRun {
    pub server: Process,
    settings: Vec<(String, String)>,
    folder: TempDir,
    guard: Guard,
    honest: Honest,
    quiet: Waits,
    /// What was waited for under attack, as far as it was noted.
    under: Option<Waits>,
    /// The most memory that servers held which were ended since, in bytes.
    peak: u64,
    budget: u64,
    faults: Vec<String>,
}

impl AttackRun {
    /// Starts the server with the budget of tests, and lets somebody honest play for a while. There is no mercy for
    /// loopback, which is where attackers come from, and no proxy on it, whose connections would not be counted.
    pub async fn begin(settings: &[(&str, &str)]) -> Self {
        let huge = settings.contains(&("max_map_tiles", "1048576"));
        let budget = if huge { BUDGET_FOR_HUGE_MAPS } else { BUDGET };
        Self::with(Setup { budget, quiet: QUIET, settings }).await
    }

    /// Begins like [`AttackRun::begin`], with another setup.
    pub async fn with(Setup { budget: (words, budget), quiet, settings }: Setup<'_>) -> Self {
        allow_many_connections();
        let folder = tempfile::tempdir().expect("a folder");
        let fixed = [("memory_budget", words), ("exempt_loopback", "false"), ("trusted_proxies", NO_PROXY)];
        let settings = fixed.iter().chain(settings);
        let settings: Vec<(String, String)> =
            settings.map(|(name, value)| (format!("PARLEY_{}", name.to_uppercase()), (*value).to_owned())).collect();
        let server = start(&folder, &settings).await;
        let guard = Guard::set(server.id(), budget);
        let honest = Honest::begin(server.address, HONEST).await;
        sleep(quiet).await;
        let quiet = honest.take();
        let (under, peak, faults) = (None, 0, Vec::new());
        let mut attack_run = Self { server, settings, folder, guard, honest, quiet, under, peak, budget, faults };
        let errors = attack_run.quiet.errors.clone();
        attack_run.expect(errors.is_empty(), || format!("somebody honest was refused before any attack: {errors:?}"));
        attack_run
    }

    /// An attack of a number of seconds from the attackers' address.
    pub fn aim(&self, seconds: u64) -> Aim {
        let until = Instant::now() + Duration::from_secs(seconds);
        Aim { server: self.server.address, source: ATTACKER, until, scale: scale(), seed: 1, side: 128 }
    }

    /// Something that has to hold; what does not is told at the end, with everything else.
    pub fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(otherwise());
        }
    }

    /// Prepares an attack, makes it for a number of seconds, and expects that it came about.
    pub async fn stand(&mut self, attack: &Attack, seconds: u64) -> Tally {
        let wave = match attack.prepare(self.aim(0)).await {
            Ok(wave) => wave,
            Err(error) => {
                self.expect(false, || error);
                return Tally::default();
            }
        };
        let aim = Aim { side: attack.side, ..self.aim(seconds) };
        let tally = self.attacked(aim, wave(aim)).await;
        let fault = attack.fault(&tally);
        self.expect(fault.is_none(), || fault.unwrap_or_default());
        tally
    }

    /// An attack that was prepared begins now. What somebody honest waited for since the quiet time is not its doing,
    /// but nobody is refused while it is prepared either.
    pub fn attack_begins(&mut self) {
        let errors = self.honest.take().errors;
        self.expect(errors.is_empty(), || format!("somebody honest was refused before the attack: {errors:?}"));
    }

    /// The attack is over. Whatever somebody honest waits for from now on is not its doing.
    pub fn attack_ends(&mut self) {
        self.note_waits();
    }

    /// Adds what was waited for since it was last noted.
    fn note_waits(&mut self) {
        let waits = self.honest.take();
        self.under.get_or_insert_default().add(waits);
    }

    /// What was waited for under attack: until it was over, where somebody said so, or else until now. What was refused
    /// since is wrong as well.
    fn waits(&mut self, still: bool) -> Waits {
        if still || self.under.is_none() {
            self.note_waits();
        } else {
            let errors = self.honest.take().errors;
            self.under.get_or_insert_default().errors.extend(errors);
        }
        self.under.take().unwrap_or_default()
    }

    /// Waits for an attack, which has a while to end after its time.
    pub async fn attacked(&mut self, aim: Aim, attack: impl Future<Output = Tally>) -> Tally {
        let patience = aim.until.saturating_duration_since(Instant::now()) + Duration::from_secs(60);
        let tally = timeout(patience, attack).await.ok();
        self.expect(tally.is_some(), || format!("the attack did not end within {patience:?}"));
        tally.unwrap_or_default()
    }

    /// Somebody whom the server has not seen yet gets an answer, from an address of this machine.
    pub async fn expect_welcome(&mut self, source: Ipv4Addr) {
        let mut client = super::honest::client_from(self.server.address, source);
        let asking = client.lobby.list_matches(parley_proto::v1::ListMatchesRequest::default());
        let welcome = match timeout(HONEST_WITHIN, asking).await {
            Ok(answer) => answer.map(drop).map_err(|status| status.to_string()),
            Err(_) => Err(format!("nothing within {HONEST_WITHIN:?}")),
        };
        self.expect(welcome.is_ok(), || format!("somebody new from {source} is not answered: {welcome:?}"));
    }

    /// Ends the server as a power failure would, and starts it anew. Somebody honest begins other matches; what they
    /// waited for before, and how much memory the server held, is kept.
    pub async fn restart(&mut self) {
        self.note_waits();
        self.note_memory();
        self.server.signal("KILL");
        while memory_of(self.server.id(), "VmRSS:").is_some() {
            sleep(LOOK_EVERY).await;
        }
        // A process lets go of its memory before it lets go of its files, and with them of the lock on its folder.
        let files = format!("/proc/{}/fd", self.server.id());
        while std::fs::read_dir(&files).is_ok_and(|mut open| open.next().is_some()) {
            sleep(LOOK_EVERY).await;
        }
        self.server = start(&self.folder, &self.settings).await;
        self.guard = Guard::set(self.server.id(), self.budget);
        self.honest = Honest::begin(self.server.address, HONEST).await;
    }

    /// Notes the most memory that the server has held, and whether it had to be ended for it.
    fn note_memory(&mut self) {
        let now = memory_of(self.server.id(), "VmHWM:").unwrap_or(0);
        self.peak = self.peak.max(now).max(self.guard.highest.load(Ordering::Relaxed));
        let hopeless = self.guard.hopeless.load(Ordering::Relaxed);
        self.expect(!hopeless, || "the server was ended, because it took all memory".to_owned());
    }

    /// The folder with the server's data.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Tells how it was, and fails with everything that was wrong. With a server that is built for debugging, and
    /// attackers who have its processors for themselves as well, nobody honest waits for ever.
    pub fn end(mut self, attack: &str, tally: &Tally) {
        let under = self.waits(true);
        let (longest, late) = (under.longest(), under.at(0.99));
        let allowed = (10 * self.quiet.longest()).clamp(HONEST_WITHIN, HONEST_AT_MOST);
        self.expect(longest <= allowed, || format!("somebody honest waited for {longest:?}; p99 was {late:?}"));
        let row = self.row(attack, under);
        eprintln!("{}\n{row}\n  {tally}", Row::HEAD);
        assert!(row.faults.is_empty(), "{attack}:\n- {}", row.faults.join("\n- "));
    }

    /// Tells how it was, with a server that is built for release and attackers of little priority: 99 of 100 honest
    /// calls take no more than ten times as long as before, or a quarter of a second. A build for debugging is not held
    /// to that.
    pub fn measure(mut self, attack: &str) -> Row {
        let under = self.waits(false);
        let (late, quiet) = (under.at(0.99), self.quiet.at(0.99));
        let allowed = (10 * quiet).max(HONEST_P99);
        self.expect(late <= allowed || cfg!(debug_assertions), || {
            format!("the honest p99 is {late:?}, and {allowed:?} is allowed")
        });
        self.row(attack, under)
    }

    fn row(mut self, attack: &str, under: Waits) -> Row {
        self.note_memory();
        let (peak, hopeless) = (self.peak >> 20, self.guard.hopeless.load(Ordering::Relaxed));
        let alive = memory_of(self.server.id(), "VmRSS:").is_some();
        let said = std::fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default();
        let budget = self.budget >> 20;
        self.expect(alive || hopeless, || format!("the server has ended by itself:\n{said}"));
        self.expect(peak < budget, || format!("it held {peak} MiB, and its budget is {budget} MiB"));
        self.expect(!said.contains("panicked"), || format!("it panicked:\n{said}"));
        let errors = under.errors.len();
        self.expect(errors == 0, || format!("somebody honest was refused {errors} times: {}", under.errors[0]));
        Row { attack: attack.to_owned(), quiet: self.quiet, under, peak, faults: self.faults }
    }
}

/// Starts the server on a folder.
async fn start(folder: &TempDir, settings: &[(String, String)]) -> Process {
    let log = File::options().create(true).append(true).open(folder.path().join("stderr")).expect("a file");
    let mut command = plain(&folder.path().join("data"));
    command.envs(settings.iter().map(|(name, value)| (name, value))).stderr(log);
    Process::launch(&mut command).await
}

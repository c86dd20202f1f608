//! Everything at once: honest players, and all attackers beside them, for minutes. Or the attackers one after the other.
//!
//! ```sh
//! cargo build --release
//! export PARLEY_BINARY=target/release/parley
//! cargo run --release -p parley-gateway --example soak -- all
//! cargo run --release -p parley-gateway --example soak -- figures
//! ```
//!
//! `all` plays for `PARLEY_SOAK_SECONDS` (300) as `PARLEY_SOAK_SEED` (1) chooses: matches with encounters and answers,
//! at tables of their own, and ten matches whose players lock in 20 times a second, whose waits are measured. Attackers have a
//! process of their own with the least priority, which first makes the matches that they ask for; time begins when all are
//! ready. It is wrong if one of them cannot be prepared, also when that is tried again, or did nothing of its kind. In runs of
//! less than two minutes, in which they wait for what others have taken, it is enough that half of them come about: each is
//! made alone by the tests in `tests/attacks`, which demand every one. In the end
//! every acknowledged lock-in and answer is in a replay that proves itself, nobody honest was refused, the server has never
//! held more memory than its budget, and 99 of 100 honest calls took no more than ten times as long as before the attack, or
//! a quarter of a second. Of a build for debugging, which `.ci/run` uses, only the last is not demanded.
//!
//! `figures` makes one attack after the other for `PARLEY_FIGURE_SECONDS` (15) and prints a table of the honest waits. After
//! it may stand the names of those that are wanted.

#[path = "../tests/attacks/mod.rs"]
mod attacks;
#[path = "../tests/common/mod.rs"]
mod common;

use std::io::{BufRead, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use attacks::attack_run::{Aim, AttackRun, BUDGET_FOR_HUGE_MAPS, Row, Setup, allow_many_connections, scale};
use attacks::honest::client_from;
use attacks::wire::Tally;
use attacks::{ATTACKS, Attack, HUGE, Wave};
use common::caller::{Caller, Experience, Manners, Servers};
use common::checks::check_kept;
use common::number;
use common::player::{Pace, Played, play};
use common::process::Held;
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep};

/// The word for all attacks at once.
const ALL: &str = "all";
/// What the process of the attackers says when it has made all that they need.
const READY: &str = "ready";
/// How long one wave of an attack lasts before it begins anew.
const WAVE: Duration = Duration::from_secs(10);
/// How often it is tried to prepare an attack, which the others that are being prepared may hold up.
const ATTEMPTS: usize = 5;
/// How long to wait between two attempts.
const BEFORE_NEXT_ATTEMPT: Duration = Duration::from_secs(2);
/// From how many seconds on every attack has the time to come about, however much the others hold it up.
const LONG_RUN: u64 = 120;
/// How long somebody honest plays alone before the attack.
const QUIET: Duration = Duration::from_secs(10);
/// How many honest tables there are.
const TABLES: u64 = 10;
/// How many turns a match at them has at most.
const TURNS: u32 = 20;
/// Nobody honest is ever refused, or waits for longer than a minute.
const MANNERS: Manners = Manners {
    forgives: |_| false,
    answer: Duration::from_secs(60),
    silence: Duration::MAX,
    pause: Duration::ZERO,
    thinks: Duration::from_millis(400),
};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mode, names): (String, Vec<String>) = (arguments.next().unwrap_or_default(), arguments.collect());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let faults = runtime.block_on(async {
        match mode.as_str() {
            ALL => soak().await,
            "figures" => figures(&names).await,
            "attack" => attack(&names).await,
            _ => vec!["say whether it is `all` or `figures`".to_owned()],
        }
    });
    for fault in &faults {
        eprintln!("wrong: {fault}");
    }
    std::process::exit(i32::from(!faults.is_empty()));
}

/// The process of the attackers: which attack, where to, for how many seconds, and which seed. It says when all of them
/// are ready.
async fn attack(arguments: &[String]) -> Vec<String> {
    let [name, server, seconds, seed] = arguments else { return vec!["an attack has four arguments".to_owned()] };
    let server: SocketAddr = server.parse().expect("an address");
    let seconds: u64 = seconds.parse().expect("a number of seconds");
    let seed: u64 = seed.parse().expect("a number");
    allow_many_connections();
    let wanted = (2..).zip(ATTACKS).filter(|(_, attack)| name == ALL || name == attack.name);
    let preparing = wanted.map(|(number, attack)| {
        let source = Ipv4Addr::new(127, 0, 2, number);
        let aim = Aim { server, source, until: Instant::now(), scale: scale(), seed, side: attack.side };
        (attack.side, async move { (attack, aim, prepare(attack, aim).await) })
    });
    // There is room for a match on the largest map only while it is the only heavy one, so these come first, one by one.
    let (huge, others): (Vec<_>, Vec<_>) = preparing.partition(|(side, _)| *side == HUGE);
    let mut prepared = Vec::new();
    for (_, preparing) in huge {
        prepared.push(preparing.await);
    }
    prepared.extend(join_all(others.into_iter().map(|(_, preparing)| preparing)).await);
    let (mut faults, mut ready) = (Vec::new(), Vec::new());
    let mut missing = Vec::new();
    for (attack, aim, wave) in prepared {
        match wave {
            Ok(wave) => ready.push((attack, aim, wave)),
            Err(reason) => missing.push(reason),
        }
    }
    writeln!(std::io::stdout(), "{READY}").expect("somebody waits for it");
    let (until, mut attacking) = (Instant::now() + Duration::from_secs(seconds), JoinSet::new());
    for (attack, aim, wave) in ready {
        attacking.spawn(waves(attack, Aim { until, ..aim }, wave));
    }
    while let Some(tally) = attacking.join_next().await {
        let (attack, tally) = tally.expect("no panic");
        eprintln!("  {}: {tally}", attack.name);
        faults.extend(tally.faults());
        missing.extend(attack.fault(&tally));
    }
    let may_miss = if name == ALL && seconds < LONG_RUN { ATTACKS.len() / 2 } else { 0 };
    if missing.len() > may_miss {
        faults.extend(missing);
    } else {
        missing.iter().for_each(|reason| eprintln!("  {reason}"));
    }
    faults
}

/// Prepares an attack, in several attempts where the first fail.
async fn prepare(attack: &Attack, aim: Aim) -> Result<Wave, String> {
    for _ in 1..ATTEMPTS {
        match attack.prepare(aim).await {
            Ok(wave) => return Ok(wave),
            Err(error) => eprintln!("  {error}; it is tried again"),
        }
        sleep(BEFORE_NEXT_ATTEMPT).await;
    }
    attack.prepare(aim).await
}

/// Makes an attack again and again.
async fn waves(attack: &'static Attack, aim: Aim, wave: Wave) -> (&'static Attack, Tally) {
    let mut tally = Tally::default();
    for number in 0.. {
        let until = aim.until.min(Instant::now() + WAVE);
        tally.add(wave(Aim { until, seed: aim.seed + number, ..aim }).await);
        tally.count("waves");
        if aim.is_over() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    (attack, tally)
}

/// The process of the attackers.
struct Attackers {
    process: Held,
    output: BufReader<ChildStdout>,
}

impl Attackers {
    /// Starts the process and waits until the attackers are ready.
    async fn ready(name: &str, attack_run: &mut AttackRun, seconds: u64, seed: u64) -> Self {
        let server = attack_run.server.address;
        let own = std::env::current_exe().expect("this program");
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(own).args(["attack", name, &server.to_string()]);
        command.args([seconds.to_string(), seed.to_string()]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = Held::spawn(&mut command);
        let mut output = BufReader::new(process.output());
        let reading = spawn_blocking(move || {
            let mut line = String::new();
            let _ = output.read_line(&mut line);
            (output, line)
        });
        let (output, line) = reading.await.expect("no panic");
        attack_run.expect(line.trim() == READY, || format!("the attackers are not ready: {line:?}"));
        attack_run.attack_begins();
        Self { process, output }
    }

    /// Waits until the attackers have ended. They fail if one of them got an answer that nobody may get, or did nothing.
    async fn attack(self, attack_run: &mut AttackRun) {
        let Self { mut process, output } = self;
        let status = spawn_blocking(move || process.wait()).await.expect("no panic");
        drop(output);
        attack_run.attack_ends();
        attack_run.expect(status.success(), || {
            "the attackers failed, did nothing, or got answers that nobody may get".to_owned()
        });
    }
}

/// A server with the largest maps that there are.
async fn attacked_server() -> AttackRun {
    let tiles = (HUGE * HUGE).to_string();
    AttackRun::with(Setup { budget: BUDGET_FOR_HUGE_MAPS, quiet: QUIET, settings: &[("max_map_tiles", &tiles)] }).await
}

/// One attack after the other.
async fn figures(names: &[String]) -> Vec<String> {
    let (seconds, seed) = (number("PARLEY_FIGURE_SECONDS", 15), number("PARLEY_SOAK_SEED", 1));
    let mut rows = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| names.is_empty() || names.iter().any(|name| name == attack.name)) {
        let mut attack_run = attacked_server().await;
        Attackers::ready(attack.name, &mut attack_run, seconds, seed).await.attack(&mut attack_run).await;
        rows.push(attack_run.measure(attack.name));
        eprintln!("{}", rows[rows.len() - 1]);
    }
    told(&rows)
}

/// Plays at a table until it is time.
async fn sit(server: SocketAddr, table: u64, until: Instant) -> (Caller, Vec<Played>) {
    let source = Ipv4Addr::new(127, 0, 1, 1 + table as u8);
    let servers = watch::Sender::new(Servers { generation: 1, clients: vec![client_from(server, source)] });
    let caller = Caller::new(&servers, MANNERS, &Arc::new(Experience::default()), table);
    let (mut played, mut number) = (Vec::new(), table);
    while Instant::now() < until {
        played.push(play(&caller, number, 2, TURNS, Pace::Ample).await);
        number += TABLES;
    }
    (caller, played)
}

/// All at once.
async fn soak() -> Vec<String> {
    let (seconds, seed) = (number("PARLEY_SOAK_SECONDS", 300), number("PARLEY_SOAK_SEED", 1));
    let mut attack_run = attacked_server().await;
    let server = attack_run.server.address;
    let attackers = Attackers::ready(ALL, &mut attack_run, seconds, seed).await;
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tables = JoinSet::new();
    for table in 0..TABLES {
        tables.spawn(sit(server, table, until));
    }
    attackers.attack(&mut attack_run).await;
    let (mut matches, mut locks, mut answers) = (0, 0, 0);
    while let Some(table) = tables.join_next().await {
        let (mut caller, played) = match table {
            Ok(table) => table,
            Err(error) => {
                attack_run.expect(false, || format!("an honest table failed: {error}"));
                continue;
            }
        };
        for played in played {
            matches += 1;
            locks += played.locks();
            answers += played.answers().values().map(|answers| answers.len()).sum::<usize>();
            if let Err(fault) = check_kept(&mut caller, &played).await {
                attack_run.expect(false, || fault);
            }
        }
    }
    attack_run.expect(matches >= TABLES && answers > 0, || format!("only {matches} matches with {answers} answers"));
    eprintln!("{matches} matches proved: {locks} lock-ins and {answers} answers were acknowledged, and all were kept");
    told(&[attack_run.measure(ALL)])
}

/// Prints a table, and gives everything that was wrong.
fn told(rows: &[Row]) -> Vec<String> {
    eprintln!("\n{}", Row::HEAD);
    rows.iter().for_each(|row| eprintln!("{row}"));
    let named = |row: &Row| row.faults.iter().map(|fault| format!("{}: {fault}", row.attack)).collect::<Vec<_>>();
    rows.iter().flat_map(named).collect()
}

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
//! process of their own with the least priority. In the end every acknowledged lock-in and answer is in a replay that
//! proves itself, nobody honest was refused, the server has never held more memory than its budget, and 99 of 100 honest
//! calls took no more than ten times as long as before the attack, or a quarter of a second. Of a build for debugging, which
//! `.ci/run` uses, only the last is not demanded.
//!
//! `figures` makes one attack after the other for `PARLEY_FIGURE_SECONDS` (15) and prints a table of the honest waits. After
//! it may stand the names of those that are wanted.

#[path = "../tests/attacks/mod.rs"]
mod attacks;
#[path = "../tests/common/mod.rs"]
mod common;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use attacks::honest::client_from;
use attacks::siege::{Aim, BUDGET_FOR_HUGE_MAPS, Row, Setup, Siege, allow_many_connections, scale};
use attacks::wire::Tally;
use attacks::{ATTACKS, Attack, HUGE};
use common::caller::{Caller, Experience, Manners, Servers};
use common::checks::check_kept;
use common::number;
use common::player::{Pace, Played, play};
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep};

/// The word for all attacks at once.
const ALL: &str = "all";
/// How long one wave of an attack lasts before it begins anew.
const WAVE: Duration = Duration::from_secs(10);
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

/// The process of the attackers: which attack, where to, for how many seconds, and which seed.
async fn attack(arguments: &[String]) -> Vec<String> {
    let [name, server, seconds, seed] = arguments else { return vec!["an attack has four arguments".to_owned()] };
    let server: SocketAddr = server.parse().expect("an address");
    let seconds: u64 = seconds.parse().expect("a number of seconds");
    let seed: u64 = seed.parse().expect("a number");
    allow_many_connections();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut attacking = JoinSet::new();
    for (number, attack) in (2..).zip(ATTACKS) {
        if name == ALL || name == attack.name {
            let source = Ipv4Addr::new(127, 0, 2, number);
            let aim = Aim { server, source, until: end, scale: scale(), seed, side: attack.side };
            attacking.spawn(waves(attack, aim));
        }
    }
    while let Some(tally) = attacking.join_next().await {
        let (name, tally) = tally.expect("no panic");
        eprintln!("  {name}: {tally}");
    }
    Vec::new()
}

/// Makes an attack again and again.
async fn waves(attack: &'static Attack, aim: Aim) -> (&'static str, Tally) {
    let mut tally = Tally::default();
    for wave in 0.. {
        let until = aim.until.min(Instant::now() + WAVE);
        tally.add((attack.run)(Aim { until, seed: aim.seed + wave, ..aim }).await);
        tally.count("waves");
        if aim.is_over() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    (attack.name, tally)
}

/// Starts the process of the attackers and waits until it has ended.
async fn attacked_by(name: &str, server: SocketAddr, seconds: u64, seed: u64) {
    let own = std::env::current_exe().expect("this program");
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(own).args(["attack", name, &server.to_string()]);
    command.args([seconds.to_string(), seed.to_string()]).stdin(Stdio::null());
    let status = spawn_blocking(move || command.status()).await.expect("no panic").expect("nice runs");
    assert!(status.success(), "the attackers failed");
}

/// A server with the largest maps that there are.
async fn besieged() -> Siege {
    let tiles = (HUGE * HUGE).to_string();
    Siege::with(Setup { budget: BUDGET_FOR_HUGE_MAPS, quiet: QUIET, settings: &[("max_map_tiles", &tiles)] }).await
}

/// One attack after the other.
async fn figures(names: &[String]) -> Vec<String> {
    let (seconds, seed) = (number("PARLEY_FIGURE_SECONDS", 15), number("PARLEY_SOAK_SEED", 1));
    let mut rows = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| names.is_empty() || names.iter().any(|name| name == attack.name)) {
        let siege = besieged().await;
        attacked_by(attack.name, siege.server.address, seconds, seed).await;
        rows.push(siege.measure(attack.name));
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
    let mut siege = besieged().await;
    let server = siege.server.address;
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tables = JoinSet::new();
    for table in 0..TABLES {
        tables.spawn(sit(server, table, until));
    }
    attacked_by(ALL, server, seconds, seed).await;
    let (mut matches, mut locks, mut answers) = (0, 0, 0);
    while let Some(table) = tables.join_next().await {
        let (mut caller, played) = match table {
            Ok(table) => table,
            Err(error) => {
                siege.expect(false, || format!("an honest table failed: {error}"));
                continue;
            }
        };
        for played in played {
            matches += 1;
            locks += played.locks();
            answers += played.decisions().values().map(|window| window.len()).sum::<usize>();
            if let Err(fault) = check_kept(&mut caller, &played).await {
                siege.expect(false, || fault);
            }
        }
    }
    siege.expect(matches >= TABLES && answers > 0, || format!("only {matches} matches with {answers} answers"));
    eprintln!("{matches} matches proved: {locks} lock-ins and {answers} answers were acknowledged, and all were kept");
    told(&[siege.measure(ALL)])
}

/// Prints a table, and gives everything that was wrong.
fn told(rows: &[Row]) -> Vec<String> {
    eprintln!("\n{}", Row::HEAD);
    rows.iter().for_each(|row| eprintln!("{row}"));
    let named = |row: &Row| row.faults.iter().map(|fault| format!("{}: {fault}", row.attack)).collect::<Vec<_>>();
    rows.iter().flat_map(named).collect()
}

//! Nothing that was acknowledged is lost, however often the server is killed.
//!
//! Many matches are played at once against the real binary, which is killed (SIGKILL) again and again at moments that
//! a seed chooses, counted in acknowledged calls, and started anew on the same folder. The same matches are played
//! without disturbance in memory, and everything has to be the same.
//!
//! The long form has 200 kills, with the binary that `PARLEY_BINARY` names: `PARLEY_CRASH_MATCHES` (50) matches,
//! `PARLEY_CRASH_KILLS` (20) kills, `PARLEY_CRASH_TURNS` (20) turns at most in each, and `PARLEY_CRASH_SEED` (1) for
//! other moments. It says how many lock-ins and answers were acknowledged, all of which were found again:
//!
//! ```sh
//! PARLEY_CRASH_KILLS=200 PARLEY_CRASH_MATCHES=200 PARLEY_CRASH_TURNS=60 PARLEY_BINARY=target/release/parley \
//!   cargo test -p parley-gateway --test crash -- --nocapture
//! ```

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::caller::{Caller, Experience, Manners, Servers};
use common::checks::check_played;
use common::player::{Pace, Played, play};
use common::process::Process;
use common::{Running, config, number, script};
use tokio::task::JoinSet;

/// How long the whole of it may take before something hangs, and how much longer with each kill.
const PATIENCE: Duration = Duration::from_secs(600);
const PATIENCE_PER_KILL: Duration = Duration::from_secs(10);
/// Few enough that matches are read back from snapshots too.
const SNAPSHOT_EVERY: &str = "3";
/// More than a seat calls in one turn, so that its last lock-in can be repeated in the middle of it.
const REQUEST_MEMORY: &str = "64";

/// Plays all matches at once.
async fn play_all(caller: Caller, matches: u64, turns: u32) -> Vec<Played> {
    let mut playing = JoinSet::new();
    for number in 0..matches {
        let caller = caller.clone();
        playing.spawn(async move { play(&caller, number, 2 + (number % 3) as usize, turns, Pace::Endless).await });
    }
    let mut played = playing.join_all().await;
    played.sort_by_key(|played| played.number);
    played
}

/// Lets the matches be played while servers come and go, and kills the last one too.
async fn play_with_kills(flags: &[&str], data: &std::path::Path, kills: &[usize], plan: (u64, u32)) -> Vec<Played> {
    let mut server = Process::start(data, flags).await;
    let servers = Servers::at([server.address]);
    let experience = Arc::new(Experience::default());
    let mut count = experience.acknowledged.subscribe();
    let mut playing = JoinSet::new();
    playing.spawn(play_all(Caller::new(&servers, Manners::ONE_SERVER, &experience, 0), plan.0, plan.1));
    for &moment in kills {
        tokio::select! {
            reached = count.wait_for(|count| *count >= moment) => drop(reached.expect("the test goes on")),
            early = playing.join_next() => panic!("over before kill {moment}: {:?}", early.and_then(Result::err)),
        }
        server.kill();
        server = Process::start(data, flags).await;
        servers.send_modify(|servers| servers.replace(0, server.address));
    }
    let played = playing.join_next().await.expect("one task").unwrap_or_else(|error| panic!("{error}"));
    server.kill();
    played
}

/// Moments to kill at, seeded, spread over a number of acknowledged calls. The first comes while matches are created.
fn moments(kills: u64, calls: usize, matches: u64, seed: u64) -> Vec<usize> {
    let moment = |kill| script::mixed(&[seed, kill]) as usize % (calls * 19 / 20);
    let mut moments: Vec<usize> = (1..kills).map(moment).chain([matches as usize / 2]).collect();
    moments.sort_unstable();
    moments
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let (matches, turns) = (number("PARLEY_CRASH_MATCHES", 50), number("PARLEY_CRASH_TURNS", 20) as u32);
    let (kills, seed) = (number("PARLEY_CRASH_KILLS", 20), number("PARLEY_CRASH_SEED", 1));
    let test = async {
        let quiet = Running::start(&config()).await;
        let (quiet_servers, experience) = (Servers::at([quiet.address]), Arc::new(Experience::default()));
        let mut quiet_caller = Caller::new(&quiet_servers, Manners::ONE_SERVER, &experience, 0);
        let undisturbed = play_all(quiet_caller.clone(), matches, turns).await;
        let calls = *experience.acknowledged.borrow();

        let folder = tempfile::tempdir().expect("a folder");
        let flags = ["--snapshot-every-turns", SNAPSHOT_EVERY, "--request-memory", REQUEST_MEMORY];
        let moments = moments(kills, calls, matches, seed);
        let disturbed = play_with_kills(&flags, folder.path(), &moments, (matches, turns)).await;

        let server = Process::start(folder.path(), &flags).await;
        let servers = Servers::at([server.address]);
        let mut caller = Caller::new(&servers, Manners::ONE_SERVER, &experience, 0);
        let (mut locked, mut answered) = (0, 0);
        for (played, quiet) in disturbed.iter().zip(&undisturbed) {
            check_played(&mut caller, played, &mut quiet_caller, quiet).await.expect("nothing is lost");
            locked += played.locks();
            answered += played.answers().values().map(|answers| answers.len()).sum::<usize>();
        }
        eprintln!("{kills} kills: {locked} lock-ins and {answered} answers were acknowledged, none was lost");
        assert!(answered >= 2 * matches as usize, "only {answered} answers were given");
        quiet.stop().await;
    };
    tokio::time::timeout(PATIENCE + PATIENCE_PER_KILL * kills as u32, test).await.expect("something hangs");
}

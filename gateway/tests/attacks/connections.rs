//! Connections that do nothing, that only ping, and whose headers never end.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::attack_run::Aim;
use super::wire::{Counter, Frames, HELD, LET_GO, Tally, dial, kind};

/// How many connections one address opens: as many as the server allows in all by default.
const IDLE: usize = 4096;
/// How many of them only ping.
const PINGING: usize = 64;
/// How many send headers that never end.
const SLOW: usize = 256;

/// 4,096 connections that say nothing.
pub async fn idle(aim: Aim) -> Tally {
    hold_idle(aim, open(aim, IDLE).await).await
}

async fn hold_idle(aim: Aim, opened: (Vec<TcpStream>, Tally)) -> Tally {
    hold(aim, opened, async |mut stream: TcpStream, _| {
        stream.read_to_end(&mut Vec::new()).await?;
        Ok(())
    })
    .await
}

/// 64 connections that say of themselves that they live, and nothing else.
pub async fn pinging(aim: Aim) -> Tally {
    let (mut pinging, held) = (JoinSet::new(), Counter::default());
    for _ in 0..aim.of(PINGING) {
        let held = held.clone();
        pinging.spawn(async move {
            let Ok(frames) = Frames::open(aim.server, aim.source, &[]).await else { return "refused" };
            let _ = held.held(ping(frames)).await;
            LET_GO
        });
    }
    let mut tally = Tally::default();
    tally.count_until(aim.until, pinging).await;
    tally.count_all(HELD, held.get());
    tally
}

/// Sends a ping a second and answers those of the server, until the connection ends.
async fn ping(mut frames: Frames) -> io::Result<()> {
    loop {
        frames.push(kind::PING, 0, 0, &[7; 8]);
        frames.flush().await?;
        if let Ok(ended) = timeout(Duration::from_secs(1), answer_pings(&mut frames)).await {
            return ended;
        }
    }
}

async fn answer_pings(frames: &mut Frames) -> io::Result<()> {
    loop {
        if let (kind::PING, 0, _, payload) = frames.read().await? {
            frames.push(kind::PING, 1, 0, &payload);
        }
    }
}

/// 256 connections whose HTTP/1.1 headers come one byte a second and never end.
pub async fn slow_headers(aim: Aim) -> Tally {
    hold(aim, open(aim, SLOW).await, async |mut stream: TcpStream, number: usize| {
        stream.write_all(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ").await?;
        for byte in b"abcdefgh".iter().cycle() {
            stream.write_all(&[*byte]).await?;
            let mut said = [0; 1024];
            // Who answers, if only to say that it has waited long enough, lets go as well.
            match timeout(Duration::from_millis(900 + number as u64 % 200), stream.read(&mut said)).await {
                Ok(_) => return Ok(()),
                Err(_) => continue,
            }
        }
        Ok(())
    })
    .await
}

/// Opens connections, and counts those that were refused.
async fn open(aim: Aim, full: usize) -> (Vec<TcpStream>, Tally) {
    let (mut streams, mut tally) = (Vec::new(), Tally::default());
    for _ in 0..aim.of(full) {
        match dial(aim.server, aim.source).await {
            Ok(stream) => streams.push(stream),
            Err(_) => tally.count("refused"),
        }
    }
    (streams, tally)
}

/// Does something with each connection until it is time, or until the server has ended it.
async fn hold<F>(aim: Aim, opened: (Vec<TcpStream>, Tally), hold: impl Fn(TcpStream, usize) -> F) -> Tally
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let (streams, mut tally) = opened;
    let (mut holding, held) = (JoinSet::new(), Counter::default());
    for (number, stream) in streams.into_iter().enumerate() {
        let (holds, held) = (hold(stream, number), held.clone());
        holding.spawn(async move {
            let _ = held.held(holds).await;
            LET_GO
        });
    }
    tally.count_until(aim.until, holding).await;
    tally.count_all(HELD, held.get());
    tally
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::time::sleep;

    use super::*;
    use crate::attacks::Attack;
    use crate::attacks::attack_run::AttackRun;
    use crate::attacks::wire::OPEN;

    /// How many seconds servers are told to keep a connection on which no call is made, and a call that does not
    /// arrive.
    const IDLE_SECONDS: &str = "5";
    /// When they are to have ended it at the latest.
    const LET_GO_WITHIN: u64 = 15;

    /// How many connections one address may have in the test of that.
    const PER_ADDRESS: u64 = 200;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 15 seconds; .ci/run runs it"]
    async fn one_address_has_only_so_many_connections_and_shuts_out_nobody() {
        let most = PER_ADDRESS.to_string();
        let mut attack_run = AttackRun::begin(&[("max_connections_per_address", &most)]).await;
        let opened = open(attack_run.aim(0), IDLE).await;
        // The server is given a moment to see them all.
        sleep(Duration::from_secs(2)).await;
        for other in 1..=5 {
            attack_run.expect_welcome(Ipv4Addr::new(127, 0, 1, other)).await;
        }
        let aim = attack_run.aim(3);
        let tally = attack_run.attacked(aim, hold_idle(aim, opened)).await;
        let open = tally.of(OPEN);
        attack_run.expect(open == PER_ADDRESS, || format!("{open} connections of one address are open, not {most}"));
        attack_run.end("idle connections", &tally);
    }

    async fn attack(name: &str) {
        let mut attack_run =
            AttackRun::begin(&[("idle_connection_seconds", IDLE_SECONDS), ("request_seconds", IDLE_SECONDS)]).await;
        let tally = attack_run.stand(Attack::named(name), LET_GO_WITHIN).await;
        let open = tally.of(OPEN);
        attack_run.expect(open == 0, || format!("{open} connections are kept for {LET_GO_WITHIN} s"));
        attack_run.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 18 seconds; .ci/run runs it"]
    async fn connections_that_only_ping_are_idle() {
        attack("pinging-connections").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 18 seconds; .ci/run runs it"]
    async fn headers_that_never_end_are_let_go() {
        attack("slow-headers").await;
    }
}

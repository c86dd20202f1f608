//! Calls that are begun and not ended, and bodies that come one byte at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};

use super::attack_run::Aim;
use super::wire::{
    Counter, END_STREAM, Frames, HELD, LET_GO, LET_IN, OPEN, RawConnection, Tally, given_up, kind, read,
};

/// How many connections half-sent calls come over.
const CONNECTIONS: usize = 60;
/// How many there are on each, which is how many a server allows by default.
const STREAMS: u32 = 1024;
/// How many calls have slow bodies.
const SLOW: usize = 1500;
/// How many of them come over one connection.
const SLOW_PER_CONNECTION: usize = 100;
/// How long a slow body says it is: as long as a server allows by default.
const LENGTH: u32 = 1 << 20;
/// The call whose body does not come.
const METHOD: &str = "Lobby/CreateMatch";

/// 60 connections with 1,024 calls each of which nothing but the headers comes.
pub async fn calls(aim: Aim) -> Tally {
    let mut holding = JoinSet::new();
    for _ in 0..aim.of(CONNECTIONS) {
        holding.spawn(hold(aim));
    }
    Tally::sum(holding).await
}

/// Begins calls on one connection, and counts how many of them the server has ended when it is time.
async fn hold(aim: Aim) -> Tally {
    let mut tally = Tally::default();
    let Ok(mut frames) = Frames::open(aim.server, aim.source, &[]).await else {
        tally.count("connections refused");
        return tally;
    };
    for stream in 0..STREAMS {
        frames.push_headers(2 * stream + 1, METHOD);
    }
    let (mut ended, mut let_in) = (BTreeSet::new(), false);
    let mut open = frames.flush().await.is_ok();
    while open && ended.len() < STREAMS as usize {
        let Ok(read) = timeout_at(aim.until, frames.read()).await else { break };
        match read {
            // A server that has answered a call has ended it, whether or not it also says that it wants no more of it.
            Ok((kind, flags, stream, _)) => {
                let_in = true;
                if kind == kind::RST_STREAM || (kind == kind::HEADERS && flags & END_STREAM != 0) {
                    ended.insert(stream);
                }
            }
            Err(_) => open = false,
        }
    }
    for stream in 0..STREAMS {
        let kept = open && !ended.contains(&(2 * stream + 1));
        tally.count(if kept { OPEN } else { LET_GO });
    }
    tally.count_all(LET_IN, let_in.into());
    tally
}

/// 1,500 calls that announce a body of 1 MiB and send a byte of it each second.
pub async fn bodies(aim: Aim) -> Tally {
    let (mut tally, mut connections, mut sending) = (Tally::default(), Vec::new(), JoinSet::new());
    let (count, held) = (aim.of(SLOW), Counter::default());
    for first in (0..count).step_by(SLOW_PER_CONNECTION) {
        let Ok(connection) = aim.connect().await else {
            tally.count("connections refused");
            continue;
        };
        for _ in first..count.min(first + SLOW_PER_CONNECTION) {
            match begin(&connection).await {
                Ok(body) => {
                    let held = held.clone();
                    sending.spawn(async move { held.held(body).await });
                }
                Err(_) => tally.count("calls refused"),
            }
        }
        connections.push(connection);
    }
    tally.count_until(aim.until, sending).await;
    tally.count_all(HELD, held.get());
    tally
}

/// Begins a call and gives what sends its body, slowly, until the server has had enough of it.
async fn begin(connection: &RawConnection) -> Result<impl Future<Output = String> + use<>, h2::Error> {
    let (response, mut stream) = connection.begin(METHOD, "").await?;
    let mut prefix = BytesMut::new();
    prefix.put_u8(0);
    prefix.put_u32(LENGTH);
    stream.send_data(prefix.freeze(), false)?;
    Ok(async move {
        let answered = tokio::spawn(read(response));
        loop {
            sleep(Duration::from_secs(1)).await;
            if answered.is_finished() {
                let answer = answered.await.expect("no panic");
                return answer.map_or(LET_GO.to_owned(), |answer| answer.name());
            }
            if stream.send_data(Bytes::from_static(&[0]), false).is_err() {
                given_up(&mut stream).await;
                return LET_GO.to_owned();
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::attacks::Attack;
    use crate::attacks::attack_run::AttackRun;
    use crate::attacks::wire::OPEN;

    /// How many seconds servers are told to wait for a message.
    const REQUEST_SECONDS: &str = "5";
    /// When they are to have given up at the latest.
    const LET_GO_WITHIN: u64 = 20;

    async fn attack(name: &str) {
        let mut attack_run = AttackRun::begin(&[("request_seconds", REQUEST_SECONDS)]).await;
        let tally = attack_run.stand(Attack::named(name), LET_GO_WITHIN).await;
        let open = tally.of(OPEN);
        attack_run.expect(open == 0, || format!("{open} calls are waited for after {LET_GO_WITHIN} s"));
        attack_run.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes up to 25 seconds; .ci/run runs it"]
    async fn calls_that_are_half_sent_are_let_go() {
        attack("half-sent-calls").await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes up to 25 seconds; .ci/run runs it"]
    async fn bodies_of_a_byte_a_second_are_let_go() {
        attack("slow-bodies").await;
    }
}

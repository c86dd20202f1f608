//! Measures how many records an embedded store makes durable per second, with 1, 64 and 1024 appends under way.
//!
//! `cargo run --release -p parley-gateway --example journal_throughput [FOLDER]`, about ten seconds. Without a folder
//! it writes to a temporary one, which may be in memory; then the figures say nothing about a disk.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parley_gateway::journal::embedded::{Embedded, EmbeddedOptions};
use parley_gateway::journal::{Append, Journal, MatchId};
use tokio::sync::oneshot;
use uuid::Uuid;

/// How long each measurement takes.
const DURATION: Duration = Duration::from_secs(3);

/// How large a record is.
const RECORD_BYTES: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);
    runtime.block_on(measure(&folder))
}

async fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    for matches in [1, 64, 1024] {
        let store = std::sync::Arc::new(Embedded::open(folder, EmbeddedOptions::default())?);
        let began = Instant::now();
        let tasks: Vec<_> = (0..matches).map(|_| tokio::spawn(play(std::sync::Arc::clone(&store), began))).collect();
        let mut records = 0;
        for task in tasks {
            records += task.await??;
        }
        let seconds = began.elapsed().as_secs_f64();
        store.close().await;
        writeln!(
            std::io::stdout(),
            "{matches:5} appends under way: {:8.0} durable records/s, {:6.1} µs each",
            f64::from(records) / seconds,
            seconds * 1e6 / f64::from(records),
        )?;
    }
    Ok(())
}

/// Writes to one match, one record after the other.
async fn play(store: std::sync::Arc<Embedded>, began: Instant) -> Result<u32, String> {
    let id = MatchId(Uuid::now_v7());
    let record = Bytes::from(vec![b'x'; RECORD_BYTES]);
    let mut records = 0;
    while began.elapsed() < DURATION {
        let (done, told) = oneshot::channel();
        let append = Append {
            id,
            after: u64::from(records),
            records: [record.clone()].into_iter().collect(),
            snapshot: None,
            listing: None,
            done,
        };
        store.appends().send(append).await.map_err(|error| error.to_string())?;
        told.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        records += 1;
    }
    Ok(records)
}

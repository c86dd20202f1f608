//! Receipts get their signatures here, many at once (see `parley_bots::receipt`).
//!
//! What was promised is durable before it comes here, so whoever waits waits for a signature only. The task lets all
//! others run that are ready before it signs: one signature then stands for everything that one sync made durable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parley_bots::receipt::{LEAVES, Promise, seal};
use parley_proto::v1;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::command::Reply;
use crate::auth::Keyring;

/// Promises that wait for their signature. Those beyond are signed by whoever brings them.
const WAITING: usize = 4096;

/// Somebody who waits for a receipt.
type Waiting = (Promise, Reply<v1::LockInResponse>);

/// Signs receipts.
pub struct Sealer {
    pen: Arc<Pen>,
    queue: mpsc::Sender<Waiting>,
}

/// The key, and random numbers that never repeat.
struct Pen {
    keyring: Arc<Keyring>,
    noise: [u8; 32],
    count: AtomicU64,
}

impl Pen {
    fn seal(&self, promises: &[Promise]) -> Vec<v1::Receipt> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let random = blake3::keyed_hash(&self.noise, &count.to_le_bytes());
        seal(promises, random.as_bytes(), |root| self.keyring.sign_receipt(root))
    }

    fn answer(&self, waiting: &mut Vec<Waiting>) {
        let promises: Vec<Promise> = waiting.iter().map(|(promise, _)| *promise).collect();
        let receipts = promises.chunks(LEAVES).flat_map(|promises| self.seal(promises));
        for ((_, reply), receipt) in waiting.drain(..).zip(receipts) {
            // Whoever asked may have gone away meanwhile.
            let _ = reply.send(Ok(v1::LockInResponse { receipt: Some(receipt) }));
        }
    }
}

impl Sealer {
    /// Signs with a key, from a task of its own. The random bytes must be known to nobody.
    pub fn start(keyring: Arc<Keyring>, noise: [u8; 32]) -> Self {
        let pen = Arc::new(Pen { keyring, noise, count: AtomicU64::new(0) });
        let (queue, promises) = mpsc::channel(WAITING);
        tokio::spawn(run(Arc::clone(&pen), promises));
        Self { pen, queue }
    }

    /// Has a promise signed and sent to whoever waits for it.
    pub fn give(&self, promise: Promise, reply: Reply<v1::LockInResponse>) {
        match self.queue.try_send((promise, reply)) {
            Ok(()) => {}
            Err(TrySendError::Full(waiting) | TrySendError::Closed(waiting)) => self.pen.answer(&mut vec![waiting]),
        }
    }

    /// Signs promises at once, in their order.
    pub fn seal(&self, promises: &[Promise]) -> Vec<v1::Receipt> {
        promises.chunks(LEAVES).flat_map(|promises| self.pen.seal(promises)).collect()
    }
}

async fn run(pen: Arc<Pen>, mut promises: mpsc::Receiver<Waiting>) {
    let mut waiting = Vec::with_capacity(WAITING);
    while let Some(first) = promises.recv().await {
        waiting.push(first);
        tokio::task::yield_now().await;
        while waiting.len() < WAITING {
            let Ok(next) = promises.try_recv() else { break };
            waiting.push(next);
        }
        pen.answer(&mut waiting);
    }
}

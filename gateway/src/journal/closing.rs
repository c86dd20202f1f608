//! How a store is closed whose writer is a task or a thread of its own.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// The store's end of closing: asks the writer to close, and knows when it has ended.
pub(super) struct Closing {
    asked: watch::Sender<bool>,
    ended: watch::Receiver<()>,
}

/// The writer's end of closing.
pub(super) struct Closed {
    /// Becomes true, or loses its sender, when the queue is to be closed.
    pub(super) asked: watch::Receiver<bool>,
    /// A sender that is dropped last, when everything that the writer held is free again.
    pub(super) alive: watch::Sender<()>,
}

/// Makes both ends of closing.
pub(super) fn closing() -> (Closing, Closed) {
    let (asked, is_asked) = watch::channel(false);
    let (alive, ended) = watch::channel(());
    (Closing { asked, ended }, Closed { asked: is_asked, alive })
}

impl Closing {
    /// Comes back when everything that was sent before is durable and the writer has ended.
    pub(super) fn close(&self) -> BoxFuture<'_, ()> {
        let mut ended = self.ended.clone();
        async move {
            self.asked.send_replace(true);
            // The writer never sends; it only ends.
            while ended.changed().await.is_ok() {}
        }
        .boxed()
    }
}

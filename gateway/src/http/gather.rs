//! One write for what many streams of a connection send at the same moment.
//!
//! When a turn is resolved, all who follow it are woken, and each of their streams puts a message into the connection.
//! The scheduler runs a connection as soon as it is woken, so that each message would become a system call of its own.
//! Here a flush first lets everything run that is ready, again as long as more bytes come of it, and then writes what has
//! gathered meanwhile. A connection that is alone waits for nobody.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker, ready};

use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::yield_now;

/// How many bytes gather before they are written without waiting for others. No more are ever taken: what waits here is
/// not counted as in flight, because whoever offers it regards it as written.
const GATHERED: usize = 64 * 1024;
/// How many times a flush lets everything run that is ready, so that nobody waits for ever behind a connection on which
/// bytes keep coming.
const MOST_ROUNDS: u32 = 16;
/// How much room is kept while there is nothing to write.
const KEPT: usize = 16 * 1024;

/// A connection whose writes are gathered.
pub(super) struct Gathered<T> {
    io: T,
    waiting: Vec<u8>,
    /// How many of the gathered bytes are written.
    written: usize,
    /// Is woken when everything that was ready has run, and whether that is waited for.
    wakeup: Arc<Wakeup>,
    asked: bool,
    /// How many bytes had gathered when the last round began, and how many rounds have been waited for.
    gathered_before: usize,
    rounds: u32,
}

/// Wakes the task of a connection when everything that was ready has run.
#[derive(Default)]
struct Wakeup {
    woken: AtomicBool,
    connection: AtomicWaker,
}

impl Wake for Wakeup {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.connection.wake();
    }
}

impl<T: AsyncWrite + Unpin> Gathered<T> {
    pub(super) fn new(io: T) -> Self {
        Self {
            io,
            waiting: Vec::new(),
            written: 0,
            wakeup: Arc::default(),
            asked: false,
            gathered_before: 0,
            rounds: 0,
        }
    }

    /// Writes everything that waits.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.waiting.len() {
            let count = ready!(Pin::new(&mut self.io).poll_write(cx, &self.waiting[self.written..]))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
        }
        self.waiting.clear();
        self.waiting.shrink_to(KEPT);
        (self.written, self.gathered_before, self.rounds) = (0, 0, 0);
        Poll::Ready(Ok(()))
    }

    /// Waits until everything that was ready has run and nothing more came of it.
    fn poll_others(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.rounds < MOST_ROUNDS && (self.asked || self.waiting.len() > self.gathered_before) {
            ready!(self.poll_round(cx));
            self.rounds += 1;
        }
        Poll::Ready(())
    }

    /// Waits until everything that was ready has run once.
    fn poll_round(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.wakeup.connection.register(cx.waker());
        if !self.asked {
            (self.asked, self.gathered_before) = (true, self.waiting.len());
            self.wakeup.woken.store(false, Ordering::Release);
            let wakeup = Waker::from(Arc::clone(&self.wakeup));
            // It keeps the waker and wakes it when the others have run; it is not polled again.
            let _ = pin!(yield_now()).poll(&mut Context::from_waker(&wakeup));
        }
        if !self.wakeup.woken.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        self.asked = false;
        Poll::Ready(())
    }

    /// How many bytes may still be taken; where none may, what waits is written first.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.waiting.len() >= GATHERED {
            ready!(self.poll_send(cx))?;
        }
        Poll::Ready(Ok(GATHERED - self.waiting.len()))
    }

    /// Takes as many bytes as there is room for, and says how many.
    fn take(&mut self, bytes: &[u8], room: usize) -> usize {
        let taken = bytes.len().min(room);
        self.waiting.extend_from_slice(&bytes[..taken]);
        taken
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Gathered<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let room = ready!(self.poll_room(cx))?;
        Poll::Ready(Ok(self.take(bytes, room)))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let room = ready!(self.poll_room(cx))?;
        Poll::Ready(Ok(pieces.iter().fold(0, |taken, piece| taken + self.take(piece, room - taken))))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.waiting.is_empty() {
            // A write that has begun goes on.
            if self.written == 0 {
                ready!(self.poll_others(cx));
            }
            ready!(self.poll_send(cx))?;
        }
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Gathered<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::io::AsyncWriteExt;

    use super::*;

    /// Keeps each write apart, and takes at most so many bytes in one.
    #[derive(Clone)]
    struct Paper(Arc<Mutex<Vec<Vec<u8>>>>, usize);

    impl AsyncWrite for Paper {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let taken = bytes.len().min(self.1);
            self.0.lock().expect("no panic").push(bytes[..taken].to_vec());
            Poll::Ready(Ok(taken))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Runs on the one worker, so that nothing else does before everything is ready, however busy the machine is.
    async fn written(messages: usize, most: usize) -> Vec<Vec<u8>> {
        written_in_rounds(messages, 1, most).await
    }

    /// The same where each stream has so many messages, and lets the others run after each.
    async fn written_in_rounds(streams: usize, each: usize, most: usize) -> Vec<Vec<u8>> {
        tokio::spawn(write(streams, each, most)).await.expect("no panic")
    }

    /// Writes as a connection does: each message is flushed, and the connection is woken when there is another.
    async fn write(streams: usize, each: usize, most: usize) -> Vec<Vec<u8>> {
        let paper = Paper(Arc::default(), most);
        let mut connection = Gathered::new(paper.clone());
        let (sender, mut messages_to_send) = tokio::sync::mpsc::channel::<u8>(streams * each);
        let connection = tokio::spawn(async move {
            let mut open = true;
            while open {
                tokio::select! {
                    biased;
                    message = messages_to_send.recv() => match message {
                        Some(message) => connection.write_all(&[message]).await.expect("written"),
                        None => open = false,
                    },
                    flushed = connection.flush(), if !connection.waiting.is_empty() => flushed.expect("flushed"),
                }
            }
            connection.shutdown().await.expect("shut down");
        });
        let streams = (0..streams).map(|number| {
            let sender = sender.clone();
            tokio::spawn(async move {
                for _ in 0..each {
                    sender.send(number as u8).await.expect("sent");
                    yield_now().await;
                }
            })
        });
        for stream in streams.collect::<Vec<_>>() {
            stream.await.expect("no panic");
        }
        drop(sender);
        connection.await.expect("no panic");
        paper.0.lock().expect("no panic").clone()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_is_sent_at_the_same_moment_is_one_write() {
        let written = written(40, usize::MAX).await;
        let mut all: Vec<u8> = written.concat();
        all.sort_unstable();
        assert_eq!(all, (0..40).collect::<Vec<u8>>(), "nothing is lost");
        assert!(written.len() <= 4, "{} writes", written.len());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_follows_from_it_at_once_is_part_of_the_same_write() {
        let written = written_in_rounds(10, 8, usize::MAX).await;
        assert_eq!(written.concat().len(), 80, "nothing is lost");
        assert!(written.len() <= 4, "{} writes for eight rounds", written.len());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn who_never_stops_sending_does_not_hold_up_what_was_sent() {
        let rounds = 20 * MOST_ROUNDS as usize;
        let written = written_in_rounds(1, rounds, usize::MAX).await;
        assert_eq!(written.concat().len(), rounds, "nothing is lost");
        assert!(written.len() >= 10, "only {} writes for {rounds} rounds", written.len());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_does_not_fit_is_written_in_the_same_order() {
        let whole: Vec<u8> = written(40, usize::MAX).await.concat();
        let pieces = written(40, 3).await;
        assert!(pieces.iter().all(|piece| piece.len() <= 3));
        assert_eq!(pieces.concat().len(), whole.len());
    }

    #[tokio::test]
    async fn too_much_is_written_without_being_flushed() {
        let paper = Paper(Arc::default(), usize::MAX);
        let mut connection = Gathered::new(paper.clone());
        for _ in 0..3 {
            connection.write_all(&[7; GATHERED]).await.expect("written");
        }
        assert_eq!(paper.0.lock().expect("no panic").concat().len(), 2 * GATHERED);
        connection.shutdown().await.expect("shut down");
        assert_eq!(paper.0.lock().expect("no panic").concat().len(), 3 * GATHERED);
    }

    /// Takes nothing, as the network of somebody does who does not read.
    struct Stuck;

    impl AsyncWrite for Stuck {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Pending
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    #[test]
    fn no_more_is_taken_than_may_gather() {
        let mut cx = Context::from_waker(Waker::noop());
        let large = vec![7; 16 << 20];
        let mut connection = Gathered::new(Stuck);
        assert!(matches!(Pin::new(&mut connection).poll_write(&mut cx, b"first"), Poll::Ready(Ok(5))));
        let taken = Pin::new(&mut connection).poll_write(&mut cx, &large);
        assert!(matches!(taken, Poll::Ready(Ok(taken)) if taken == GATHERED - 5), "{taken:?}");
        assert!(Pin::new(&mut connection).poll_write(&mut cx, &large).is_pending());
        assert_eq!(connection.waiting.len(), GATHERED);

        let mut connection = Gathered::new(Stuck);
        let pieces = [IoSlice::new(b"head"), IoSlice::new(&large), IoSlice::new(b"tail")];
        let taken = Pin::new(&mut connection).poll_write_vectored(&mut cx, &pieces);
        assert!(matches!(taken, Poll::Ready(Ok(GATHERED))), "{taken:?}");
        assert!(Pin::new(&mut connection).poll_write_vectored(&mut cx, &pieces).is_pending());
        assert!(connection.waiting.starts_with(b"head\x07") && connection.waiting.len() == GATHERED);
    }

    #[tokio::test]
    async fn whoever_is_alone_is_written_at_once() {
        let paper = Paper(Arc::default(), usize::MAX);
        let mut connection = Gathered::new(paper.clone());
        connection.write_all(b"alone").await.expect("written");
        connection.flush().await.expect("flushed");
        assert_eq!(*paper.0.lock().expect("no panic"), [b"alone".to_vec()]);
    }
}

//! The newest news of one viewer, for those who follow at the pace of the match.
//!
//! A feed is not a queue: it keeps the last few news and whoever follows asks for the one after the last they had. Who
//! is too slow for it is told so and reads the journal instead; so a follower who does not read costs nothing.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::task::AtomicWaker;
use smallvec::SmallVec;

use super::encoded_news::EncodedNews;

/// How many news a feed keeps.
pub const FEED_LENGTH: usize = 16;
/// How many bytes of them a feed keeps, beside the newest, which it always has.
pub const FEED_BYTES: usize = 256 * 1024;

/// The newest news of one viewer.
#[derive(Debug, Default)]
pub struct Feed {
    tail: Mutex<Newest>,
}

#[derive(Debug, Default)]
struct Newest {
    /// The news that are kept, without gaps; the last of them is the newest.
    news: VecDeque<EncodedNews>,
    /// How many bytes these news have.
    bytes: usize,
    newest: u64,
    gone: bool,
    /// The wakers of everybody who follows.
    wakers: Vec<Arc<AtomicWaker>>,
}

/// What a follower gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The news after the last one that the follower had.
    News(EncodedNews),
    /// The feed does not reach back that far; the journal does.
    Behind {
        /// The cursor of the newest news.
        newest: u64,
    },
    /// The match has left memory, or is being built again; it can be asked for anew.
    Gone,
}

impl Feed {
    /// A feed that starts after some news that it does not have.
    pub fn starting_after(newest: u64) -> Self {
        Self { tail: Mutex::new(Newest { newest, ..Newest::default() }) }
    }

    /// The cursor of the newest news.
    pub fn newest(&self) -> u64 {
        self.lock().newest
    }

    /// Adds news. Where some before it are missing, those who want them have to read the journal.
    pub fn push(&self, news: EncodedNews) {
        let mut tail = self.lock();
        if news.cursor() != tail.newest + 1 {
            tail.forget();
        }
        tail.newest = news.cursor();
        tail.bytes += news.encoded_len();
        tail.news.push_back(news);
        while tail.news.len() > FEED_LENGTH || tail.bytes > FEED_BYTES && tail.news.len() > 1 {
            let oldest = tail.news.pop_front();
            tail.bytes -= oldest.map_or(0, |oldest| oldest.encoded_len());
        }
        wake(tail);
    }

    /// Lets followers go on to a cursor whose news are only in the journal.
    pub fn skip_to(&self, newest: u64) {
        let mut tail = self.lock();
        if newest > tail.newest {
            tail.forget();
            tail.newest = newest;
            wake(tail);
        }
    }

    /// Notes that nothing more will come, and tells all followers so.
    pub fn leave(&self) {
        let mut tail = self.lock();
        tail.gone = true;
        wake(tail);
    }

    /// How many bytes the news have that are kept.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// How many follow this feed.
    pub fn followers(&self) -> usize {
        self.lock().wakers.len()
    }

    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Newest {
    /// Forgets all news; they are in the journal.
    fn forget(&mut self) {
        self.news.clear();
        self.bytes = 0;
    }

    /// The news after a cursor, if there are any.
    fn look(&self, after: u64) -> Option<Next> {
        if after < self.newest {
            let missing = (self.newest - after) as usize;
            let place = self.news.len().checked_sub(missing);
            let news = place.and_then(|place| self.news.get(place));
            return Some(news.map_or(Next::Behind { newest: self.newest }, |news| Next::News(news.clone())));
        }
        self.gone.then_some(Next::Gone)
    }
}

/// Wakes everybody who waits, after the tail is free again.
fn wake(tail: MutexGuard<'_, Newest>) {
    let waiting: SmallVec<[Waker; 4]> = tail.wakers.iter().filter_map(|waker| waker.take()).collect();
    drop(tail);
    waiting.into_iter().for_each(Waker::wake);
}

/// Somebody who follows a feed, counted as long as it lives.
#[derive(Debug)]
pub struct Follower {
    feed: Arc<Feed>,
    /// The number of all followers of the server.
    all: Arc<AtomicU64>,
    waker: Arc<AtomicWaker>,
}

impl Follower {
    /// One more follower of a feed.
    pub fn new(feed: &Arc<Feed>, all: &Arc<AtomicU64>) -> Self {
        all.fetch_add(1, Ordering::Relaxed);
        let waker = Arc::new(AtomicWaker::new());
        feed.lock().wakers.push(Arc::clone(&waker));
        Self { feed: Arc::clone(feed), all: Arc::clone(all), waker }
    }

    /// The news after a cursor, as soon as there are any.
    pub fn poll_next(&self, after: u64, cx: &mut Context<'_>) -> Poll<Next> {
        self.waker.register(cx.waker());
        self.feed.lock().look(after).map_or(Poll::Pending, Poll::Ready)
    }

    /// The feed that is followed.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.feed.lock().wakers.retain(|waker| !Arc::ptr_eq(waker, &self.waker));
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use parley_proto::opaque::v1;
    use parley_proto::opaque::v1::news::What;

    use super::*;

    fn news(cursor: u64) -> EncodedNews {
        EncodedNews::new(cursor, What::LocksChanged(v1::LocksChanged::default()))
    }

    #[test]
    fn a_follower_gets_each_news_in_turn() {
        let feed = Feed::starting_after(3);
        assert_eq!(feed.lock().look(3), None);
        feed.push(news(4));
        feed.push(news(5));
        assert_eq!(feed.lock().look(3), Some(Next::News(news(4))));
        assert_eq!(feed.lock().look(4), Some(Next::News(news(5))));
        assert_eq!(feed.lock().look(5), None);
        assert_eq!(feed.lock().look(2), Some(Next::Behind { newest: 5 }));
    }

    #[test]
    fn a_slow_follower_is_sent_to_the_journal_and_costs_nothing() {
        let feed = Feed::starting_after(0);
        (1..=1000).for_each(|cursor| feed.push(news(cursor)));
        assert_eq!(feed.lock().news.len(), FEED_LENGTH);
        assert_eq!(feed.lock().look(0), Some(Next::Behind { newest: 1000 }));
        assert_eq!(feed.lock().look(1000 - FEED_LENGTH as u64), Some(Next::News(news(1001 - FEED_LENGTH as u64))));
    }

    #[test]
    fn large_news_are_kept_only_as_far_as_they_fit() {
        let large = |cursor| {
            let reason = "x".repeat(100 * 1024);
            EncodedNews::new(cursor, What::MatchStopped(v1::MatchStopped { reason }))
        };
        let feed = Feed::starting_after(0);
        (1..=9).for_each(|cursor| feed.push(large(cursor)));
        assert_eq!(feed.lock().news.len(), 2, "of 256 KiB");
        assert_eq!(feed.lock().look(6), Some(Next::Behind { newest: 9 }));
        assert_eq!(feed.lock().look(7), Some(Next::News(large(8))));
    }

    #[test]
    fn news_that_were_skipped_are_in_the_journal_only() {
        let feed = Feed::starting_after(0);
        feed.push(news(1));
        feed.skip_to(4);
        assert_eq!(feed.lock().look(0), Some(Next::Behind { newest: 4 }));
        feed.push(news(5));
        assert_eq!(feed.lock().look(4), Some(Next::News(news(5))));
        assert_eq!(feed.lock().look(3), Some(Next::Behind { newest: 5 }));
        feed.push(news(8));
        assert_eq!(feed.lock().look(5), Some(Next::Behind { newest: 8 }));
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_news_and_by_the_end() {
        let feed = Arc::new(Feed::starting_after(0));
        let waiting = tokio::spawn({
            let follower = Follower::new(&feed, &Arc::default());
            let next = async move |after| poll_fn(|cx| follower.poll_next(after, cx)).await;
            async move { (next(0).await, next(1).await) }
        });
        tokio::task::yield_now().await;
        feed.push(news(1));
        tokio::task::yield_now().await;
        feed.leave();
        let (first, second) = waiting.await.expect("no panic");
        assert_eq!((first, second), (Next::News(news(1)), Next::Gone));
    }
}

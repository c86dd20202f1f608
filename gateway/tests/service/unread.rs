//! Whoever does not read holds up nobody else: what a stream waits for is given back also while nobody looks at it.

use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use crate::sea::{Play, duel, limits, matches};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parley_bots::arms::Arms;
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Append, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail};
use parley_gateway::matches::past_turns::{Perspective, past_turns};
use parley_gateway::work::Customer;
use parley_proto::plunder::v1 as plunder;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// How long the store takes for everything.
const SLOW: Duration = Duration::from_millis(2);
/// How many follow a match; more than short matches are read back at the same time.
const FOLLOWERS: usize = 32;
/// How many turns the match has; more than whoever follows it is told without the journal.
const TURNS: u32 = 40;

/// A store that takes a moment to answer, as one on a disk does.
struct Slow(Memory);

impl Journal for Slow {
    fn appends(&self) -> &mpsc::Sender<Append> {
        self.0.appends()
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        sleep(SLOW).then(move |()| self.0.read_piece(id, from, bytes)).boxed()
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        sleep(SLOW).then(move |()| self.0.snapshot(id, records)).boxed()
    }

    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>> {
        self.0.listing(id)
    }

    fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>> {
        self.0.list(stage, before, limit)
    }

    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>> {
        self.0.ending_in(tail)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.0.close()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_follows_from_the_journal_and_does_not_read_holds_up_nobody() {
    let play = Play::begin(&matches(Arc::new(Slow(Memory::new())), limits()), duel()).await;
    for turn in 1..=TURNS {
        for seat in 0..2 {
            play.lock(seat, turn, plunder::Sheet::default()).await;
        }
    }
    let sleeping = Play::begin(&play.matches, duel()).await;
    sleeping.matches.stop(sleeping.id).await;

    let mut unread = Vec::new();
    for _ in 0..FOLLOWERS {
        let mut following = play.follow(0, 0).await;
        // It begins to read the journal, and is not looked at any more.
        assert!(following.poll_next(&mut Context::from_waker(Waker::noop())).is_pending());
        unread.push(following);
    }
    let honest = async {
        assert_eq!(
            sleeping.view(0).await.view.and_then(Arms::into_plunder).expect("a view").turn,
            1,
            "a match that sleeps is woken"
        );
        let customer = Customer::Address([192, 0, 2, 1].into());
        let told = past_turns(&play.matches, customer, play.id, Perspective::All, TURNS, 1, 2).await.expect("turns");
        assert_eq!(told.turns.len(), 2);
    };
    timeout(Duration::from_secs(20), honest).await.expect("whoever reads is answered");

    for mut following in unread {
        let first = following.next().await.expect("no refusal").expect("news");
        assert_eq!(first.cursor(), 1, "nothing is lost for who begins to read");
    }
}

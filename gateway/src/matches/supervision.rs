//! What brings matches into memory, and sees to it that a task which fails takes nothing with it.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use dashmap::mapref::entry::Entry as Slot;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tonic::Code;

use super::Matches;
use super::actor::{Actor, GaveUp};
use super::history::{Past, PastError};
use super::mailbox::{Inbox, WANTED_BY};
use super::weight::Arriving;
use crate::journal::{MatchId, ReadError};
use crate::refusal::{Reason, Refusal};
use crate::work::Customer;

/// The target of the lines that are logged here. Operators filter by it, so it stays what it was before this was a file
/// of its own.
const LOG_TARGET: &str = "parley_gateway::matches";

/// How often it is said that matches cannot be read back now.
const SAY_UNREADABLE_EVERY: Duration = Duration::from_secs(1);

impl Matches {
    /// Reads a match back and serves it.
    pub(super) async fn bring_back(&self, id: MatchId, serial: u64, mut inbox: Inbox) {
        let recovered = match self.hold_and_recover(id, inbox.wanting.take()).await {
            Ok(Ok(past)) => match self.check_weight(&past.match_state, Arriving::Back) {
                Ok(()) => Ok(Ok(past)),
                Err(refusal) => Err(Some(refusal)),
            },
            other => other,
        };
        let error = match recovered {
            Ok(Ok(past)) => {
                if let Some(creator) = past.match_state.setup.address.filter(|_| !past.match_state.is_over()) {
                    self.quotas.add(&creator, id);
                }
                let actor = Actor::new(Arc::clone(&self.0), past, inbox);
                return self.supervise(id, serial, actor).await;
            }
            Err(Some(refusal)) => refusal,
            Ok(Err(error)) => {
                if error == PastError::Unknown {
                    tracing::debug!(target: LOG_TARGET, match_id = %id.0, "there is no such match");
                } else if matches!(error, PastError::Unreadable(ReadError::Failed(_))) {
                    self.say_unreadable(id, &error);
                } else {
                    tracing::error!(target: LOG_TARGET, match_id = %id.0, %error, "a match cannot be read back; the others go on");
                }
                Refusal::from(error)
            }
            Err(None) => {
                tracing::error!(target: LOG_TARGET, match_id = %id.0, "reading a match back panicked; the others go on");
                Refusal::new(Code::Internal, Reason::MatchBroken, "the match cannot be read back")
            }
        };
        self.forget(id, serial);
        inbox.mailbox.close();
        while let Some(command) = inbox.mailbox.recv().await {
            command.refuse(error.clone());
        }
    }

    /// Says that the store does not read a match just now. After a failed commit that is so for all matches, each of
    /// which is tried again and again, so it is not said of every one.
    fn say_unreadable(&self, id: MatchId, error: &PastError) {
        let mut said = self.unreadable_said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|last| last.elapsed() >= SAY_UNREADABLE_EVERY) {
            *said = Some(Instant::now());
            tracing::warn!(target: LOG_TARGET, match_id = %id.0, %error, "a match cannot be read back now, and maybe others");
        }
    }

    /// Serves a match until its task ends, and sees to it that nothing else ends with it.
    pub(super) async fn supervise(&self, id: MatchId, serial: u64, actor: Actor) {
        metrics::gauge!("parley_matches_in_memory").increment(1);
        let ended = AssertUnwindSafe(actor.run()).catch_unwind().await;
        metrics::gauge!("parley_matches_in_memory").decrement(1);
        let sleeps_for_good = matches!(ended, Ok(Ok(None)));
        let releasing = self.ownership.as_ref().filter(|_| sleeps_for_good).and_then(|ownership| {
            // Nobody finds the match between its release and its removal. Whoever brought it back before keeps it.
            match self.handles.entry(id) {
                Slot::Occupied(slot) if slot.get().serial == serial => {
                    let releasing = ownership.release(id);
                    slot.remove();
                    Some(releasing)
                }
                _ => None,
            }
        });
        self.forget(id, serial);
        match ended {
            Ok(Ok(Some(deadline))) => self.wake_at(id, Some(deadline)),
            Ok(Ok(None)) => {
                if let Some(releasing) = releasing {
                    releasing.await;
                }
            }
            Ok(Err(GaveUp::Moved)) => {
                tracing::debug!(target: LOG_TARGET, match_id = %id.0, "a match went to another server")
            }
            Ok(Err(GaveUp::NotDurable(error))) if self.ownership.is_some() => {
                tracing::info!(target: LOG_TARGET, match_id = %id.0, %error, "a match is let go: somebody else may have it");
                self.look_again(id);
            }
            Ok(Err(error)) => self.rebuild(id, &error.to_string()),
            Err(panic) => self.rebuild(id, panic_text(&*panic)),
        }
    }

    /// Has a match read back whose task has failed, because others may be waiting for its deadlines.
    pub(super) fn rebuild(&self, id: MatchId, why: &str) {
        self.stats.rebuilt.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("parley_matches_rebuilt_total").increment(1);
        tracing::error!(target: LOG_TARGET, match_id = %id.0, why, "the task of a match failed; it is built again from the journal");
        self.look_again(id);
    }

    /// Has a match brought back in a second, to see in the journal what became of it. It has to be held anew, because
    /// it may not be this server's any more.
    fn look_again(&self, id: MatchId) {
        if let Some(ownership) = &self.ownership {
            ownership.lost(id);
        }
        self.wake_at(id, Some(self.clock.now_ms() + 1000));
    }

    /// Reads a match back that is this server's; otherwise refuses. Nothing is said of reading that panicked.
    async fn hold_and_recover(
        &self,
        id: MatchId,
        wanting: Option<mpsc::Receiver<Customer>>,
    ) -> Result<Result<Past, PastError>, Option<Refusal>> {
        if let Some(ownership) = &self.ownership {
            ownership.hold(id).await.map_err(Some)?;
        }
        let recovered = AssertUnwindSafe(self.recover_for(id, wanting)).catch_unwind().await.map_err(|_| None)?;
        if let (Some(ownership), Err(PastError::Unreadable(ReadError::Failed(_)))) = (&self.ownership, &recovered) {
            ownership.lost(id);
        }
        Ok(recovered)
    }

    /// Reads a match back for all who wait for it, each in their own turn; whoever's comes first, it is there for all. So
    /// nobody who asks for much can hold up a match that others wait for, and it is refused only to those who are alone.
    async fn recover_for(&self, id: MatchId, wanting: Option<mpsc::Receiver<Customer>>) -> Result<Past, PastError> {
        let Some(mut wanting) = wanting else { return Past::recover(self, Customer::Service, id).await };
        let (mut asked, mut recovering) = (HashSet::new(), FuturesUnordered::new());
        let mut refused = PastError::Unknown;
        loop {
            tokio::select! {
                biased;
                Some(customer) = wanting.recv(), if asked.len() < WANTED_BY => {
                    if asked.insert(customer) {
                        recovering.push(Past::recover(self, customer, id));
                    }
                }
                Some(recovered) = recovering.next() => match recovered {
                    Err(error @ PastError::Refused(_)) => refused = error,
                    recovered => return recovered,
                },
                else => return Err(refused),
            }
            if recovering.is_empty() && wanting.is_empty() {
                return Err(refused);
            }
        }
    }
}

pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

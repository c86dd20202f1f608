//! A line in which addresses take turns, so that whoever asks for much waits for themselves.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::work::Customer;

/// Something that only a few may do at the same time. Everybody else waits, each customer in a queue of its own, and the
/// queues take turns.
#[derive(Clone, Debug)]
pub(crate) struct FairLine<C: Copy + Eq + Hash = Customer>(Arc<Mutex<Waiting<C>>>);

#[derive(Debug)]
struct Waiting<C: Copy + Eq + Hash> {
    /// How many more may begin at once.
    free: usize,
    queues: HashMap<C, VecDeque<oneshot::Sender<Permit<C>>>>,
    /// The customers whose turn it is next; everybody who waits is in it once.
    turns: VecDeque<C>,
}

impl<C: Copy + Eq + Hash> Waiting<C> {
    /// The one who comes next; where nobody waits, one more may begin at once.
    fn next(&mut self) -> Option<oneshot::Sender<Permit<C>>> {
        let next = self.turns.pop_front().and_then(|customer| {
            let queue = self.queues.get_mut(&customer)?;
            let next = queue.pop_front();
            if queue.is_empty() {
                self.queues.remove(&customer);
            } else {
                self.turns.push_back(customer);
            }
            next
        });
        if next.is_none() {
            self.free += 1;
        }
        next
    }
}

/// The right to do it, as long as this lives.
#[derive(Debug)]
pub(crate) struct Permit<C: Copy + Eq + Hash = Customer>(Option<FairLine<C>>);

impl<C: Copy + Eq + Hash> FairLine<C> {
    /// A line for something that so many may do at the same time.
    pub(crate) fn new(free: usize) -> Self {
        Self(Arc::new(Mutex::new(Waiting { free, queues: HashMap::new(), turns: VecDeque::new() })))
    }

    /// Waits until it is somebody's turn. Who stops waiting holds up nobody.
    pub(crate) async fn wait(&self, customer: C) -> Permit<C> {
        let turn = {
            let mut waiting = self.lock();
            if waiting.free > 0 {
                waiting.free -= 1;
                return Permit(Some(self.clone()));
            }
            let (sender, turn) = oneshot::channel();
            let queue = waiting.queues.entry(customer).or_default();
            let first = queue.is_empty();
            queue.push_back(sender);
            if first {
                waiting.turns.push_back(customer);
            }
            turn
        };
        // A sender that waits is never dropped, because whoever waits keeps the line.
        turn.await.unwrap_or(Permit(None))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<C>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Copy + Eq + Hash> Drop for Permit<C> {
    /// Hands the right on to whoever comes next and still waits.
    fn drop(&mut self) {
        let Some(line) = self.0.take() else { return };
        loop {
            let Some(next) = line.lock().next() else { return };
            match next.send(Self(Some(line.clone()))) {
                Ok(()) => return,
                Err(mut back) => drop(back.0.take()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn address(last: u8) -> Customer {
        Customer::Address([10, 0, 0, last].into())
    }

    #[tokio::test]
    async fn addresses_take_turns_and_who_stops_waiting_is_passed_over() {
        let line = FairLine::new(1);
        let first = line.wait(address(1)).await;
        let mut waiting: Vec<_> = [1, 1, 2, 1].map(|last| Box::pin(line.wait(address(last)))).into();
        for one in &mut waiting {
            assert!(one.as_mut().now_or_never().is_none(), "somebody is at it");
        }
        drop(waiting.remove(1));
        drop(first);
        let first = waiting[0].as_mut().now_or_never().expect("the first of the first address");
        assert!(waiting[1].as_mut().now_or_never().is_none());
        drop(first);
        let other = waiting[1].as_mut().now_or_never().expect("the other address does not wait for all of the first");
        drop(other);
        let last = waiting[2].as_mut().now_or_never().expect("the last of the first address");
        drop(last);
        let waiting = line.lock();
        assert_eq!((waiting.free, waiting.queues.len(), waiting.turns.len()), (1, 0, 0));
    }

    #[tokio::test]
    async fn a_turn_that_comes_to_somebody_who_has_gone_is_not_lost() {
        let line = FairLine::new(1);
        let first = line.wait(address(1)).await;
        let mut gone = Box::pin(line.wait(address(2)));
        assert!(gone.as_mut().now_or_never().is_none());
        drop(first);
        drop(gone);
        drop(line.wait(address(3)).now_or_never().expect("nobody is at it"));
        assert_eq!(line.lock().free, 1);
    }
}

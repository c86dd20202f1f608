//! Which channels of a session have something to say: each is looked at only when it was woken, in the order of waking.
//!
//! A session with many channels is one task. If it looked at all of them whenever one was woken, each message would cost as
//! much as there are channels. A channel that said something is put behind all others that wait, so that they take turns.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

/// The channels of a session that wait to be looked at.
#[derive(Default)]
pub(super) struct Wakeups(Arc<Waiting>);

#[derive(Default)]
struct Waiting {
    /// The numbers of the channels. Each is in it once, beside those that were closed meanwhile.
    channels: Mutex<VecDeque<u32>>,
    session: AtomicWaker,
}

impl Waiting {
    fn channels(&self) -> MutexGuard<'_, VecDeque<u32>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wakeups {
    /// Notes whom to wake when a channel is woken.
    pub(super) fn register(&self, session: &Waker) {
        self.0.session.register(session);
    }

    /// How many channels wait. One that is looked at may ask at once to be looked at later, so whoever looks at all of them
    /// counts them first.
    pub(super) fn count(&self) -> usize {
        self.0.channels().len()
    }

    /// The channel that has waited longest. Whoever takes it says so to the channel's [`Wakeup::taken`].
    pub(super) fn next(&self) -> Option<u32> {
        self.0.channels().pop_front()
    }

    /// The way in which a new channel is woken, which it is at once.
    pub(super) fn channel(&self, number: u32) -> Wakeup {
        let state = Arc::new(ChannelState { number, is_waiting: AtomicBool::new(false), waiting: Arc::clone(&self.0) });
        let wakeup = Wakeup { waker: Waker::from(Arc::clone(&state)), state };
        wakeup.put_last();
        wakeup
    }
}

/// The way in which one channel is woken.
pub(super) struct Wakeup {
    state: Arc<ChannelState>,
    waker: Waker,
}

impl Wakeup {
    /// The waker of the channel.
    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Notes that the channel is looked at now.
    pub(super) fn taken(&self) {
        self.state.is_waiting.swap(false, Ordering::AcqRel);
    }

    /// Puts the channel behind all others that wait.
    pub(super) fn put_last(&self) {
        self.state.put_last();
    }
}

/// Whether a channel waits to be looked at.
struct ChannelState {
    number: u32,
    is_waiting: AtomicBool,
    waiting: Arc<Waiting>,
}

impl ChannelState {
    fn put_last(&self) {
        if !self.is_waiting.swap(true, Ordering::AcqRel) {
            self.waiting.channels().push_back(self.number);
        }
    }
}

impl Wake for ChannelState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.put_last();
        self.waiting.session.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_take_turns_and_each_waits_once() {
        let wakeups = Wakeups::default();
        let channels = [wakeups.channel(7), wakeups.channel(8), wakeups.channel(9)];
        channels[1].waker().wake_by_ref();
        let mut told = Vec::new();
        for _ in 0..6 {
            let number = wakeups.next().expect("all of them have something to say");
            let channel = &channels[number as usize - 7];
            channel.taken();
            told.push(number);
            channel.put_last();
        }
        assert_eq!(told, [7, 8, 9, 7, 8, 9]);
        let left: Vec<u32> = std::iter::from_fn(|| wakeups.next()).collect();
        assert_eq!(left, [7, 8, 9]);
    }
}

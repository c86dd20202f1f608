//! How a match is asked something: the mailbox of its task, which is started where there is none.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dashmap::mapref::entry::Entry as Slot;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::Matches;
use super::command::{Asker, Command, Reply, Request};
use super::weight::{Arriving, NoRoom};
use crate::journal::MatchId;
use crate::match_state::MatchState;
use crate::refusal::{Reason, Refusal};
use crate::trace::TraceContext;
use crate::work::Customer;

/// How many of those who wait for a match that is read back can let it be read in their turn.
pub(super) const WANTED_BY: usize = 8;

/// The sending ends of the channels to the task of a match in memory.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) mailbox: mpsc::Sender<Box<Command>>,
    pub(super) leave: watch::Sender<Leave>,
    pub(super) serial: u64,
    /// Says who waits for the match while it is read back; closed when it is there.
    pub(super) wanted: Option<mpsc::Sender<Customer>>,
}

impl Handle {
    /// Says that somebody waits for the match.
    pub(super) fn want(&self, customer: Customer) {
        if let Some(wanted) = self.wanted.as_ref().filter(|wanted| !wanted.is_closed()) {
            // Where the channel is full, enough of those who wait are known.
            let _ = wanted.try_send(customer);
        }
    }
}

/// What the task of a match is told to do by those who know whose the match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// Stay on this server.
    Stay,
    /// Write down what is not written yet, and then leave.
    Orderly,
    /// Leave as it is: the match is another server's.
    AtOnce,
    /// Leave if nobody needs the match just now, because others want the room.
    IfIdle,
}

/// The ends that the task of a match has of the channels through which it is asked things and told to leave.
pub(super) struct Inbox {
    pub(super) mailbox: mpsc::Receiver<Box<Command>>,
    pub(super) leave: watch::Receiver<Leave>,
    /// Those who wait for the match while it is read back.
    pub(super) wanting: Option<mpsc::Receiver<Customer>>,
}

impl Matches {
    /// Asks as [`Matches::ask`] does for something that is as large as the match. Of such answers of heavy matches only
    /// a few are in memory before they are counted.
    pub async fn ask_for_much<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let asker = asker.into();
        let heavy = self.heavy.contains_key(&id);
        let _turn = if heavy { Some(self.large_answers.wait(asker.customer).await) } else { None };
        self.ask(id, asker, request).await
    }

    /// Asks a match something and waits for the answer.
    pub async fn ask<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        self.ask_within(id, asker, None, request).await
    }

    /// Asks as [`Matches::ask`] does, as a part of the caller's trace.
    pub async fn ask_within<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        context: Option<TraceContext>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let Asker { claims, customer } = asker.into();
        let (reply, answer) = oneshot::channel();
        let request = request(Reply::to_caller(reply));
        self.tell(id, Box::new(Command { claims, customer, context, request })).await;
        answer.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Gives a command to a match, when there is room for it. A match that cannot be asked refuses.
    pub async fn tell(&self, id: MatchId, mut command: Box<Command>) {
        loop {
            let handle = match self.find(id, command.customer) {
                Ok(handle) => handle,
                Err(refusal) => return command.refuse(refusal),
            };
            match handle.mailbox.send(command).await {
                Ok(()) => return,
                // The match is leaving memory, and is brought back by the next attempt. What it still has to write comes
                // before it is read back.
                Err(mpsc::error::SendError(returned)) => {
                    handle.leave.closed().await;
                    self.forget(id, handle.serial);
                    command = returned;
                }
            }
        }
    }

    /// Gives a command to a match if there is room for it now; gives it back where that takes time.
    pub fn try_tell(&self, id: MatchId, command: Box<Command>) -> Option<Box<Command>> {
        let Some(handle) = self.handles.get(&id) else { return Some(command) };
        handle.want(command.customer);
        match handle.mailbox.try_send(command) {
            Ok(()) => None,
            Err(TrySendError::Full(command)) => {
                metrics::counter!("parley_mailbox_full_total").increment(1);
                Some(command)
            }
            Err(TrySendError::Closed(command)) => Some(command),
        }
    }

    pub(super) fn forget(&self, id: MatchId, serial: u64) {
        self.handles.remove_if(&id, |_, handle| handle.serial == serial);
    }

    /// The way to a match, which is brought into memory for whoever asks if it is not there.
    pub(super) fn find(&self, id: MatchId, customer: Customer) -> Result<Handle, Refusal> {
        if let Some(handle) = self.handles.get(&id) {
            handle.want(customer);
            return Ok(handle.clone());
        }
        self.check_room()?;
        match self.handles.entry(id) {
            Slot::Occupied(slot) => {
                slot.get().want(customer);
                Ok(slot.get().clone())
            }
            Slot::Vacant(slot) => {
                let (handle, mut inbox) = self.new_handle();
                let (wanted, wanting) = mpsc::channel(WANTED_BY);
                inbox.wanting = Some(wanting);
                let handle = Handle { wanted: Some(wanted), ..handle };
                handle.want(customer);
                slot.insert(handle.clone());
                let matches = self.clone();
                let serial = handle.serial;
                tokio::spawn(async move { matches.bring_back(id, serial, inbox).await });
                Ok(handle)
            }
        }
    }

    pub(super) fn check_room(&self) -> Result<(), Refusal> {
        if self.is_crowded() {
            self.ask_for_room();
        }
        let limit = self.limits.matches_in_memory;
        if self.handles.len() >= limit {
            let message = format!("{limit} matches are in memory, which is the limit");
            return Err(Refusal::limit(Reason::TooManyMatchesInMemory, message, Duration::from_secs(1)));
        }
        self.weights.check_any()
    }

    /// Whether there is room for a match that is about to be served. Where there is none, matches that nobody needs are
    /// asked to leave, so that it may be there when somebody tries again: memory need not be nearly full for a match that
    /// is too heavy for what is left.
    pub(super) fn check_weight(&self, match_state: &MatchState, arriving: Arriving) -> Result<(), Refusal> {
        self.weights.check(match_state, arriving).map_err(|missing| {
            match missing {
                NoRoom::InAll => self.ask_for_room(),
                NoRoom::OfCreator => self.ask_for_room_of(match_state.setup.creator()),
            }
            missing.into()
        })
    }

    pub(super) fn new_handle(&self) -> (Handle, Inbox) {
        let (sender, mailbox) = mpsc::channel(self.limits.mailbox);
        let (leave, told) = watch::channel(Leave::Stay);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        (Handle { mailbox: sender, leave, serial, wanted: None }, Inbox { mailbox, leave: told, wanting: None })
    }

    /// Tells a match that it is another server's.
    pub fn revoke(&self, id: MatchId) {
        if let Some(handle) = self.handles.get(&id) {
            handle.leave.send_replace(Leave::AtOnce);
        }
    }

    /// Tells all matches that they are other servers'.
    pub fn revoke_all(&self) {
        for handle in &self.handles {
            handle.leave.send_replace(Leave::AtOnce);
        }
    }

    /// Lets a match leave memory, with everything written down, and waits until it has.
    pub async fn stop(&self, id: MatchId) {
        let Some(leave) = self.handles.get(&id).map(|handle| handle.leave.clone()) else { return };
        leave.send_replace(Leave::Orderly);
        leave.closed().await;
    }
}

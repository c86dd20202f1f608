//! The one task that owns a match.
//!
//! It takes one request after the other, checks it against the state of the match, applies it there, and hands the
//! record to the journal without waiting. What follows from a record, answers and news alike, is kept in the outbox until
//! the record is durable; so is every answer that was given after it, because it may rest on what the record changed. If
//! a record cannot be made durable, the task gives itself up, with everything in its outbox, and the match is built again
//! from what is in the journal.

mod live;
mod pace;
mod requests;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant as StdInstant};

use parley_games::receipt::Promise;
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{self as disk, Entry};
use parley_proto::opaque::v1;
use prost::Message;
use smallvec::SmallVec;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

use super::Shared;
use super::command::{Command, Reply};
use super::encoded_news::EncodedNews;
use super::fair_line::Permit;
use super::feed::Feed;
use super::history::Past;
use super::listing::Listed;
use super::mailbox::{Inbox, Leave};
use super::receipts::{Outbound, OutboundItem, Received, Unpublished};
use crate::auth::{Claims, Role};
use crate::journal::{Append, AppendError};
use crate::match_state::{AddressKey, MatchState, Place, Play, ReplayError, Sheet, check_of};
use crate::refusal::Refusal;
use crate::trace::TurnTrace;
use live::{Live, OpenWindow};
use pace::Pace;

/// What became of an append, once that is known.
type Appending = oneshot::Receiver<Result<(), AppendError>>;

/// How often a match looks whether there is room on the disk for what it has to write.
const LOOK_FOR_ROOM: Duration = Duration::from_secs(1);
/// How often a match looks whether its house bots are still there.
const LOOK_FOR_BOTS: Duration = Duration::from_secs(10);

/// How many bytes of news are held back from the spectators of one feed. Those before them are read from the journal when
/// spectators may see them.
const HELD_BYTES: usize = 1 << 20;

/// Something that waits until a record is durable.
enum Effect {
    /// An answer, a receipt, or news.
    Out(OutboundItem),
    /// News that spectators may see by now.
    Release(u64),
}

/// A feed and the place that it is for.
struct Slot {
    place: Place,
    views: bool,
    feed: Arc<Feed>,
    /// News that are held back until spectators may see them.
    held: VecDeque<EncodedNews>,
    /// How many bytes these news have.
    held_bytes: usize,
}

impl Slot {
    /// Holds news back, and forgets the oldest where they are too many bytes.
    fn hold(&mut self, news: EncodedNews) {
        self.held_bytes += news.encoded_len();
        self.held.push_back(news);
        while self.held_bytes > HELD_BYTES && self.held.len() > 1 {
            self.pop_held();
        }
    }

    /// The oldest news that are held back, which are held no longer.
    fn pop_held(&mut self) -> Option<EncodedNews> {
        let news = self.held.pop_front()?;
        self.held_bytes -= news.encoded_len();
        Some(news)
    }

    /// How many bytes of news are kept for those who follow.
    fn bytes(&self) -> usize {
        self.feed.bytes() + self.held_bytes
    }
}

/// Why a task gave up its match.
#[derive(Debug, thiserror::Error)]
pub(super) enum GaveUp {
    #[error("a record was not made durable: {0}")]
    NotDurable(AppendError),
    #[error("the journal is closed")]
    Closed,
    #[error("the match is another server's")]
    Moved,
    #[error("a request that was checked could not happen: {0}")]
    Impossible(ReplayError),
}

/// The owner of a match.
pub(super) struct Actor {
    shared: Arc<Shared>,
    match_state: MatchState,
    records: u64,
    mailbox: mpsc::Receiver<Box<Command>>,
    /// Says when the match has to leave this server.
    leave: watch::Receiver<Leave>,
    /// Appends that are not durable yet, in their order.
    appending: VecDeque<Appending>,
    /// How many appends were handed over, and how many of them are durable.
    issued: u64,
    durable: u64,
    outbox: VecDeque<(u64, Effect)>,
    /// How many batches have left the outbox and are not published yet.
    unpublished: Unpublished,
    slots: Vec<Slot>,
    /// The house bots that play, with their seats.
    house: Vec<(u8, AbortHandle)>,
    /// When they were looked at last.
    house_looked: Instant,
    timer: Pin<Box<Sleep>>,
    last_asked: Instant,
    /// Before this moment nobody looks whether the match may leave: somebody followed it when that was looked at last.
    stays_until: Instant,
    last_saved: u32,
    /// The window that is open.
    window: Option<OpenWindow>,
    /// The trace of the turn that is being played, if it is taken.
    trace: Option<TurnTrace>,
    /// The stage of the match when it was listed last.
    stage: v1::MatchStage,
    /// Whether orders were staged that would be forgotten if the match left memory.
    unkept: bool,
    /// About how many bytes the match takes.
    weight: usize,
    /// When a person was last heard of, according to what is listed.
    listed_ms: u64,
    /// Whether the match waits without a deadline although planning has one, according to what is listed.
    listed_without_deadline: bool,
    /// How many people do not play any more, according to what is listed.
    listed_out: usize,
    /// How far the match has come where only house bots play it.
    pace: Pace,
    over: bool,
}

impl Actor {
    /// The owner of a match that is as its past left it.
    pub(super) fn new(shared: Arc<Shared>, past: Past, inbox: Inbox) -> Self {
        let tracer = shared.tracing.tracer.as_ref();
        let weight = past.match_state.weight();
        shared.weights.add(weight, past.match_state.setup.creator());
        if shared.weights.is_heavy(weight) {
            shared.heavy.insert(past.match_state.setup.id, past.match_state.setup.creator());
        }
        let setup = &past.match_state.setup;
        let trace = tracer
            .filter(|_| past.match_state.turn() > 0)
            .and_then(|tracer| TurnTrace::of(tracer, setup.ruleset.labels(), setup.id.0, past.match_state.turn()));
        Self {
            pace: Pace::new(&past.match_state),
            weight,
            over: past.match_state.is_over(),
            stage: past.match_state.stage(),
            window: OpenWindow::of(&past.match_state),
            trace,
            listed_ms: past.match_state.last_input_ms,
            listed_without_deadline: false,
            listed_out: 0,
            match_state: past.match_state,
            records: past.records,
            mailbox: inbox.mailbox,
            leave: inbox.leave,
            appending: VecDeque::new(),
            issued: 0,
            durable: 0,
            outbox: VecDeque::new(),
            unpublished: Unpublished::default(),
            slots: Vec::new(),
            house: Vec::new(),
            house_looked: Instant::now(),
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            last_asked: Instant::now(),
            stays_until: Instant::now(),
            unkept: false,
            last_saved: past.saved,
            shared,
        }
    }

    /// Makes the first record durable and answers whoever created the match.
    pub(super) async fn write_first_record(
        &mut self,
        first: Entry,
        answer: Box<dyn FnOnce() + Send>,
    ) -> Result<(), GaveUp> {
        self.records = 0;
        self.append(Some(first)).await?;
        self.answer(answer);
        self.start_when_full().await
    }

    /// Serves until nobody asks any more. Gives back when the match has to be looked at again.
    pub(super) async fn run(mut self) -> Result<Option<u64>, GaveUp> {
        self.serve().await?;
        Ok(self.comes_back_ms().or_else(|| self.match_state.deadline_ms()))
    }

    async fn serve(&mut self) -> Result<(), GaveUp> {
        // A crash can come between the last player and the start, and the clock can be another than before.
        self.start_when_full().await?;
        self.look_at_the_clock().await?;
        self.seat_house_bots();
        loop {
            self.set_timer();
            tokio::select! {
                biased;
                Ok(()) = self.leave.changed() => {
                    let how = *self.leave.borrow_and_update();
                    if how != Leave::IfIdle {
                        return self.depart(how).await;
                    }
                    self.leave_if_idle(true).await?;
                }
                done = oldest(&mut self.appending), if !self.appending.is_empty() => {
                    self.note_durable(done)?;
                }
                command = self.mailbox.recv() => {
                    let Some(command) = command else { return self.wait_until_durable().await };
                    self.last_asked = Instant::now();
                    self.take(command).await?;
                }
                permit = self.pace.turn_comes(), if self.pace.is_in_line() => {
                    self.play_turn(permit).await?;
                }
                () = self.timer.as_mut() => {
                    self.look_at_the_clock().await?;
                    self.look_at_the_pace().await?;
                    self.look_at_the_house();
                    self.leave_if_idle(false).await?;
                }
            }
        }
    }

    /// Takes nothing more where nobody needs the match; what has come by then is still answered. A heavy match that is
    /// asked to leave does so as soon as where memory is full: a heavier one may have found no room beside it.
    async fn leave_if_idle(&mut self, asked: bool) -> Result<(), GaveUp> {
        self.forget_unfollowed();
        self.weigh();
        let is_heavy = self.shared.weights.is_heavy(self.weight);
        let idle_after = if asked && is_heavy { self.shared.crowded_idle() } else { self.shared.idle_after() };
        if self.may_leave(idle_after) && !self.keep_staged().await? {
            self.list_anew().await?;
            // Whoever has come meanwhile needs the match.
            if self.mailbox.is_empty() {
                self.mailbox.close();
            }
        } else {
            self.stays_until = Instant::now() + self.shared.idle_after();
            if self.stays_until < self.timer.deadline() {
                self.timer.as_mut().reset(self.stays_until);
            }
        }
        Ok(())
    }

    /// Takes note of what became of the oldest append.
    fn note_durable(&mut self, done: Result<Result<(), AppendError>, RecvError>) -> Result<(), GaveUp> {
        match done {
            Ok(Ok(())) => self.durable += 1,
            Ok(Err(error)) => return Err(GaveUp::NotDurable(error)),
            Err(_) => return Err(GaveUp::Closed),
        }
        self.flush();
        Ok(())
    }

    /// Leaves this server. Whoever still waits asks again, and finds the match where it is then.
    async fn depart(&mut self, how: Leave) -> Result<(), GaveUp> {
        self.mailbox.close();
        if how == Leave::Orderly {
            self.keep_staged().await?;
            self.wait_until_durable().await?;
        }
        while let Some(command) = self.mailbox.recv().await {
            command.refuse(Refusal::moved());
        }
        Err(GaveUp::Moved)
    }

    /// Answers everybody who is still waiting.
    async fn wait_until_durable(&mut self) -> Result<(), GaveUp> {
        while !self.appending.is_empty() {
            let done = oldest(&mut self.appending).await;
            self.note_durable(done)?;
        }
        Ok(())
    }

    /// Sets the timer to what comes first: the deadline, or the time to leave.
    fn set_timer(&mut self) {
        let deadline = self.match_state.deadline_ms().filter(|_| !self.is_paced());
        let deadline = deadline.map(|deadline| self.shared.clock.instant(deadline));
        let bots = (!self.house.is_empty() && !self.match_state.is_over()).then(|| self.house_looked + LOOK_FOR_BOTS);
        let urgent = deadline.into_iter().chain(self.pace_alarm()).chain(bots).min();
        // What has to be written waits for room on the disk, and looks for it now and then.
        let urgent = if self.has_to_start() {
            Some(Instant::now() + LOOK_FOR_ROOM)
        } else if self.shared.holds_deadlines() {
            urgent.map(|urgent| urgent.max(Instant::now() + LOOK_FOR_ROOM))
        } else {
            urgent
        };
        // A timer that is too early does no harm, and setting it costs. The time to leave only moves away while the match is
        // asked things, so that a timer that runs is not too late for that; who is asked to leave sets it anew.
        if !self.timer.is_elapsed() && urgent.is_none_or(|urgent| self.timer.deadline() <= urgent) {
            return;
        }
        let idle = (self.last_asked + self.shared.idle_after()).max(self.stays_until);
        self.timer.as_mut().reset(urgent.map_or(idle, |urgent| urgent.min(idle)));
    }

    fn may_leave(&self, idle_after: Duration) -> bool {
        let quiet = self.last_asked.elapsed() >= idle_after;
        let soon = self.match_state.deadline_ms().is_some_and(|at| at < self.shared.clock.now_ms() + 1000);
        let soon = soon && !self.is_paced();
        let writable = self.shared.check_play().is_ok() && !self.has_to_start();
        // Bots that wait for their turn leave only where others need the memory.
        let plays = self.is_paced() && self.match_state.play.is_some() && !self.shared.is_crowded();
        quiet
            && !soon
            && writable
            && !plays
            && self.appending.is_empty()
            && self.mailbox.is_empty()
            && !self.is_followed()
    }

    /// Whether somebody follows beside the house bots.
    fn is_followed(&self) -> bool {
        self.slots.iter().any(|slot| !self.is_bots(slot.place) && slot.feed.followers() > 0)
    }

    /// Whether a place is the seat of a house bot.
    fn is_bots(&self, place: Place) -> bool {
        match place {
            Place::Seat(seat) => {
                self.match_state.seats.get(usize::from(seat)).is_some_and(|seat| !seat.house_bot.is_empty())
            }
            Place::Spectators => false,
        }
    }

    /// Lets a deadline come that is there, and one come nearer that is too far away.
    async fn look_at_the_clock(&mut self) -> Result<(), GaveUp> {
        self.start_when_full().await?;
        if self.shared.holds_deadlines() {
            return Ok(());
        }
        let now = self.shared.clock.now_ms();
        if self.match_state.is_deadline_too_far(now) || self.match_state.is_heard_too_late(now) {
            let (turn, window) = (self.match_state.turn(), self.match_state.window());
            tracing::warn!(match_id = %self.match_state.setup.id.0, turn, "times that lay in the future are put right");
            let what = Some(What::DeadlineShortened(disk::DeadlineShortened { turn, window }));
            return self.apply_entry(Entry { at_ms: now, what }).await;
        }
        // Those of house bots alone come in the line: they are not played faster because their time is short.
        if !self.is_paced() {
            self.end_waiting_if_late().await?;
        }
        let expired = Listed::of(&self.match_state).expired(now, &self.shared.limits);
        match expired.filter(|_| !self.match_state.is_over()) {
            Some(reason) => {
                tracing::info!(match_id = %self.match_state.setup.id.0, reason, "a match has expired");
                self.apply_entry(Entry { at_ms: now, what: Some(What::Stopped(disk::Stopped { reason })) }).await
            }
            None => Ok(()),
        }
    }

    /// Ends the time to plan, or to answer, if it is over.
    async fn end_waiting_if_late(&mut self) -> Result<(), GaveUp> {
        let now = self.shared.clock.now_ms();
        let is_late = self.match_state.deadline_ms().is_some_and(|deadline| deadline <= now);
        let Some(play) = self.match_state.play.as_ref().filter(|_| is_late) else { return Ok(()) };
        let turn = self.match_state.turn();
        let what = if play.window.is_some() {
            metrics::counter!("parley_deadlines_total", "phase" => "decision").increment(1);
            What::WindowClosed(disk::WindowClosed { turn, window: self.match_state.window() })
        } else {
            metrics::counter!("parley_deadlines_total", "phase" => "planning").increment(1);
            let before = check_of(play.digest());
            What::PlanningEnded(disk::PlanningEnded { turn, staged: staged(play), before })
        };
        self.apply_entry(Entry { at_ms: now, what: Some(what) }).await
    }

    /// Lists the match as it is, where what is listed is older.
    async fn list_anew(&mut self) -> Result<(), GaveUp> {
        let is_listed = self.listed_ms == self.match_state.last_input_ms && !self.is_listed_otherwise();
        if is_listed || self.match_state.is_over() {
            return Ok(());
        }
        self.append(None).await
    }

    /// Whether what is listed says something else about whether there is a deadline, or who still plays, on which it
    /// depends when the match expires.
    fn is_listed_otherwise(&self) -> bool {
        self.listed_without_deadline != self.match_state.waits_without_deadline()
            || self.listed_out != self.match_state.people_out()
    }

    /// Writes staged orders down before the match leaves memory; `false` where there are none that were not.
    async fn keep_staged(&mut self) -> Result<bool, GaveUp> {
        let staged = match self.match_state.play.as_ref().filter(|play| self.unkept && play.window.is_none()) {
            Some(play) => staged(play),
            None => Vec::new(),
        };
        self.unkept = false;
        if staged.is_empty() {
            return Ok(false);
        }
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Staged(disk::Staged { staged })) }).await?;
        Ok(true)
    }

    /// Applies a record to the match and hands it to the journal.
    async fn apply_entry(&mut self, entry: Entry) -> Result<(), GaveUp> {
        let received = StdInstant::now();
        let applied = entry.clone();
        self.apply(received, |match_state, live| match_state.apply(applied, live)).await?;
        self.write(Some(entry)).await
    }

    /// Applies a change to the match, whose request was received at a moment. Of large matches only a few are worked on
    /// at the same time, so that they do not take all threads.
    async fn apply(
        &mut self,
        received: StdInstant,
        change: impl FnOnce(&mut MatchState, &mut Live<'_>) -> Result<(), ReplayError>,
    ) -> Result<(), GaveUp> {
        let large = self.match_state.size() > self.shared.limits.large_match_units;
        let _turn = if large { Some(self.large_turn().await) } else { None };
        self.forget_unfollowed();
        self.issued += 1;
        let (trace, window) = (self.trace.take(), self.window.take());
        let (slots, outbox) = (&self.slots, &mut self.outbox);
        let mut live =
            Live { slots, outbox, ticket: self.issued, shared: &self.shared, alike: None, received, trace, window };
        let match_state = &mut self.match_state;
        block_in_place_if(large, || change(match_state, &mut live)).map_err(GaveUp::Impossible)?;
        live.note_window(match_state);
        (self.trace, self.window) = (live.trace, live.window);
        self.weigh();
        self.pace.note_change(&self.match_state);
        Ok(())
    }

    /// Waits until a large match of this one's creator may be worked on. Creators take turns.
    fn large_turn(&self) -> impl Future<Output = Permit<AddressKey>> + Send + use<> {
        let (line, creator) = (self.shared.large_turns.clone(), self.match_state.setup.creator());
        async move { line.wait(creator).await }
    }

    /// Forgets the feeds that nobody follows any more, with everything that they keep. Whoever follows next begins with a
    /// new one, and with the journal for what was before.
    fn forget_unfollowed(&mut self) {
        self.slots.retain(|slot| slot.feed.followers() > 0);
    }

    /// Weighs the match anew: ships are built and sink, and news are kept for those who follow. Those for house bots are
    /// part of what the bots weigh.
    fn weigh(&mut self) {
        let slots = self.slots.iter().filter(|slot| !self.is_bots(slot.place));
        let weight = self.match_state.weight() + slots.map(Slot::bytes).sum::<usize>();
        let before = std::mem::replace(&mut self.weight, weight);
        if before == weight {
            return;
        }
        let (id, creator, weights) =
            (self.match_state.setup.id, self.match_state.setup.creator(), &self.shared.weights);
        weights.remove(before, creator);
        weights.add(weight, creator);
        match (weights.is_heavy(before), weights.is_heavy(weight)) {
            (false, true) => drop(self.shared.heavy.insert(id, creator)),
            (true, false) => drop(self.shared.heavy.remove(&id)),
            _ => {}
        }
    }

    /// Hands a record that has already been applied to the journal, or only what is listed.
    async fn append(&mut self, entry: Option<Entry>) -> Result<(), GaveUp> {
        self.issued += 1;
        self.write(entry).await
    }

    /// Hands a record that has been applied to the journal, with everything that is written with it.
    async fn write(&mut self, entry: Option<Entry>) -> Result<(), GaveUp> {
        self.outbox.push_back((self.issued, Effect::Release(self.match_state.released(Place::Spectators))));
        let quiet = matches!(
            entry.as_ref().and_then(|entry| entry.what.as_ref()),
            Some(What::Locked(_) | What::Answers(_) | What::Staged(_) | What::DeadlineShortened(_))
        );
        let listing = (!quiet || self.match_state.is_over() || self.is_listed_otherwise())
            .then(|| Listed::of(&self.match_state).write());
        if listing.is_some() {
            self.listed_ms = self.match_state.last_input_ms;
            self.listed_without_deadline = self.match_state.waits_without_deadline();
            self.listed_out = self.match_state.people_out();
        }
        let due = self.match_state.turn() >= self.last_saved.saturating_add(self.shared.limits.snapshot_every);
        let snapshot = if due { self.match_state.save() } else { None };
        if snapshot.is_some() {
            self.last_saved = self.match_state.turn();
        }
        let stage = self.match_state.stage();
        if stage != self.stage {
            tracing::debug!(match_id = %self.match_state.setup.id.0, turn = self.match_state.turn(), ?stage, "a match went on");
            self.shared.metrics.stage_changed(self.stage, stage, &self.match_state);
            self.stage = stage;
        }
        if self.match_state.is_over() && !std::mem::replace(&mut self.over, true) {
            self.shared.finished(&self.match_state.setup);
        }
        let (done, durable) = oneshot::channel();
        let records = entry.iter().map(|entry| entry.encode_to_vec().into()).collect::<SmallVec<_>>();
        let count = records.len() as u64;
        let append = Append { id: self.match_state.setup.id, after: self.records, records, snapshot, listing, done };
        self.shared.journal.appends().send(append).await.map_err(|_| GaveUp::Closed)?;
        self.records += count;
        self.appending.push_back(durable);
        Ok(())
    }

    /// Answers, after everything that the answer may rest on is durable. A server that may have lost the match knows
    /// nothing of it.
    fn reply<T: Send + 'static>(&mut self, mut reply: Reply<T>, answer: Result<T, Refusal>) {
        let lost = self.shared.ownership.as_ref().is_some_and(|ownership| !ownership.is_good());
        let answer = reply.count(if lost { Err(Refusal::moved()) } else { answer });
        // What was told before must not be overtaken: an answer may name its cursor.
        if self.durable == self.issued && self.unpublished.load(Ordering::Acquire) == 0 {
            reply.deliver(answer);
        } else {
            self.answer(Box::new(move || reply.deliver(answer)));
        }
    }

    /// Gives a receipt, after what it promises is durable.
    fn give_receipt(&mut self, promise: Promise, reply: Reply<v1::LockInResponse>, received: Received) {
        self.outbox.push_back((self.issued, Effect::Out(OutboundItem::Receipt(promise, reply, received))));
        self.flush();
    }

    fn answer(&mut self, answer: Box<dyn FnOnce() + Send>) {
        self.outbox.push_back((self.issued, Effect::Out(OutboundItem::Answer(answer))));
        self.flush();
    }

    /// Lets everything out that waited for records which are durable by now.
    fn flush(&mut self) {
        let mut outbound = Outbound::new();
        while self.outbox.front().is_some_and(|(ticket, _)| *ticket <= self.durable) {
            let Some((_, effect)) = self.outbox.pop_front() else { break };
            match effect {
                Effect::Out(item) => self.publish(item, &mut outbound),
                Effect::Release(newest) => self.release(newest, &mut outbound),
            }
        }
        if !outbound.is_empty() {
            self.shared.publisher.publish(outbound, &self.unpublished);
        }
    }

    /// Lets something out, unless spectators have to wait for it.
    fn publish(&mut self, item: OutboundItem, outbound: &mut Outbound) {
        let delayed = self.match_state.setup.settings.spectator_delay_turns > 0;
        match item {
            OutboundItem::Turn(mut turn) => {
                turn.durable = StdInstant::now();
                outbound.push(OutboundItem::Turn(turn));
            }
            OutboundItem::News(feed, news) if delayed => {
                let slot = self.slots.iter_mut().find(|slot| Arc::ptr_eq(&slot.feed, &feed));
                match slot.filter(|slot| slot.place == Place::Spectators) {
                    Some(slot) => slot.hold(news),
                    None => outbound.push(OutboundItem::News(feed, news)),
                }
            }
            item => outbound.push(item),
        }
    }

    /// Lets spectators see news that were held back from them.
    fn release(&mut self, newest: u64, outbound: &mut Outbound) {
        for slot in self.slots.iter_mut().filter(|slot| slot.place == Place::Spectators) {
            while slot.held.front().is_some_and(|news| news.cursor() <= newest) {
                let Some(news) = slot.pop_held() else { break };
                outbound.push(OutboundItem::Held(Arc::clone(&slot.feed), news));
            }
            outbound.push(OutboundItem::SkipTo(Arc::clone(&slot.feed), newest));
        }
    }

    /// Seats house bots again that have stopped for whatever reason, now and then.
    fn look_at_the_house(&mut self) {
        if self.house_looked.elapsed() >= LOOK_FOR_BOTS {
            self.house_looked = Instant::now();
            self.seat_house_bots();
        }
    }

    /// Lets house bots play those of their seats that are alive and that none of them plays.
    fn seat_house_bots(&mut self) {
        let Some(play) = self.match_state.play.as_ref().filter(|_| !self.match_state.is_over()) else { return };
        let Some(house) = self.shared.house.get() else { return };
        self.house.retain(|(_, bot)| !bot.is_finished());
        for number in play.living() {
            let is_played = self.house.iter().any(|(seat, _)| *seat == number);
            let seat = self.match_state.seats.get(usize::from(number)).filter(|seat| !seat.house_bot.is_empty());
            let Some(seat) = seat.filter(|_| !is_played) else { continue };
            let id = self.match_state.setup.id;
            let claims = Claims { match_id: Some(id), role: Role::Seat(number), expires_at: seat.expires_at };
            let token = self.shared.keyring.mint(&claims);
            let creator = self.match_state.setup.creator();
            self.house.push((number, house.play(id, number, &seat.house_bot, token, creator)));
        }
    }
}

impl Drop for Actor {
    /// However the task ends, its house bots end with it, and whoever follows asks for the match anew.
    fn drop(&mut self) {
        self.shared.weights.remove(self.weight, self.match_state.setup.creator());
        self.shared.heavy.remove(&self.match_state.setup.id);
        self.mailbox.close();
        self.house.drain(..).for_each(|(_, bot)| bot.abort());
        self.slots.iter().for_each(|slot| slot.feed.leave());
    }
}

/// Waits for the oldest append. Giving up waiting loses nothing.
async fn oldest(appending: &mut VecDeque<Appending>) -> Result<Result<(), AppendError>, RecvError> {
    let Some(oldest) = appending.front_mut() else { return std::future::pending().await };
    let done = oldest.await;
    appending.pop_front();
    done
}

/// The orders that are staged and not locked.
fn staged(play: &Play) -> Vec<disk::StagedSheet> {
    let staged = (0..).zip(&play.sheets).filter_map(|(seat, sheet)| match sheet {
        Sheet::Staged(sheet) => Some(disk::StagedSheet { seat, sheet: sheet.clone() }),
        _ => None,
    });
    staged.collect()
}

/// Does work, and lets other tasks leave the thread first where it is large, so that it holds no other match up.
pub fn block_in_place_if<T>(large: bool, work: impl FnOnce() -> T) -> T {
    let many = || tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread;
    if large && many() { tokio::task::block_in_place(work) } else { work() }
}

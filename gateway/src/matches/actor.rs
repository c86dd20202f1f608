//! The one task that owns a match.
//!
//! It takes one request after the other, checks it against the table, lets it happen there, and hands the record to the
//! journal without waiting. What follows from a record, answers and news alike, is kept in the outbox until the record
//! is durable; so is every answer that was given after it, because it may rest on what the record changed. If a record
//! cannot be made durable, the task gives itself up, with everything in its outbox, and the match is built again from
//! what is in the journal.

mod live;
mod pace;
mod requests;

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant as StdInstant};

use parley_bots::receipt::Promise;
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{self as disk, Entry};
use parley_proto::v1;
use prost::Message;
use smallvec::SmallVec;
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep};

use super::command::{Command, Reply};
use super::feed::Feed;
use super::history::Past;
use super::listing::Listed;
use super::seal::{Asked, Out, Parcel, Sealing};
use super::told::Told;
use super::weight::is_heavy;
use super::{Inlet, Leave, Shared};
use crate::auth::{Claims, Role};
use crate::journal::{Append, AppendError};
use crate::refusal::Refusal;
use crate::table::{Game, Nonsense, Place, Sheet, Table, check_of};
use crate::trace::TurnTrace;
use live::{Live, OpenWindow};
use pace::Pace;

/// What became of an append, once that is known.
type Appending = oneshot::Receiver<Result<(), AppendError>>;

/// How often a match looks whether there is room on the disk for what it has to write.
const LOOK_FOR_ROOM: Duration = Duration::from_secs(1);

/// Something that waits until a record is durable.
enum Effect {
    /// An answer, a receipt, or news.
    Out(Out),
    /// News that spectators may see by now.
    Release(u64),
}

/// A feed and the place that it is for.
struct Slot {
    place: Place,
    views: bool,
    feed: Arc<Feed>,
    /// News that are held back until spectators may see them.
    held: VecDeque<Told>,
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
    Impossible(Nonsense),
}

/// The owner of a match.
pub(super) struct Actor {
    shared: Arc<Shared>,
    table: Table,
    records: u64,
    mailbox: mpsc::Receiver<Command>,
    /// Says when the match has to leave this server.
    leave: watch::Receiver<Leave>,
    /// Appends that are not durable yet, in their order.
    appending: VecDeque<Appending>,
    /// How many appends were handed over, and how many of them are durable.
    issued: u64,
    durable: u64,
    outbox: VecDeque<(u64, Effect)>,
    /// How many parcels have left the outbox and are not out yet.
    sealing: Sealing,
    slots: Vec<Slot>,
    house: Vec<AbortHandle>,
    timer: Pin<Box<Sleep>>,
    last_asked: Instant,
    /// Before this moment nobody looks whether the match may leave: somebody followed it when that was looked at last.
    stays_until: Instant,
    last_saved: u32,
    /// The decision window that is open.
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
    /// How far the match has come where only house bots play it.
    pace: Pace,
    over: bool,
}

impl Actor {
    /// The owner of a match that is as its past left it.
    pub(super) fn new(shared: Arc<Shared>, past: Past, inlet: Inlet) -> Self {
        let tracer = shared.tracing.tracer.as_ref();
        let weight = past.table.weight();
        shared.weights.add(weight, shared.limits.match_bytes);
        if is_heavy(weight, shared.limits.match_bytes) {
            shared.heavy.insert(past.table.setup.id);
        }
        let trace = tracer
            .filter(|_| past.table.turn() > 0)
            .and_then(|tracer| TurnTrace::of(tracer, past.table.setup.id.0, past.table.turn()));
        Self {
            weight,
            over: past.table.is_over(),
            stage: past.table.stage(),
            window: OpenWindow::of(&past.table),
            trace,
            listed_ms: past.table.last_input_ms,
            table: past.table,
            records: past.records,
            mailbox: inlet.mailbox,
            leave: inlet.leave,
            appending: VecDeque::new(),
            issued: 0,
            durable: 0,
            outbox: VecDeque::new(),
            sealing: Sealing::default(),
            slots: Vec::new(),
            house: Vec::new(),
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            last_asked: Instant::now(),
            stays_until: Instant::now(),
            unkept: false,
            last_saved: past.saved,
            pace: Pace::new(),
            shared,
        }
    }

    /// Makes the first record durable and answers whoever created the match.
    pub(super) async fn found(&mut self, first: Entry, answer: Box<dyn FnOnce() + Send>) -> Result<(), GaveUp> {
        self.records = 0;
        self.append(Some(first)).await?;
        self.answer(answer);
        self.start_when_full().await
    }

    /// Serves until nobody asks any more. Gives back when the match has to be looked at again.
    pub(super) async fn run(mut self) -> Result<Option<u64>, GaveUp> {
        self.serve().await?;
        Ok(self.table.deadline_ms().into_iter().chain(self.comes_back_ms()).min())
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
                    self.leave_if_idle().await?;
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
                    self.leave_if_idle().await?;
                }
            }
        }
    }

    /// Takes nothing more where nobody needs the match; what has come by then is still answered.
    async fn leave_if_idle(&mut self) -> Result<(), GaveUp> {
        if self.may_leave() && !self.keep_staged().await? {
            self.list_anew().await?;
            self.mailbox.close();
        } else {
            self.stays_until = Instant::now() + self.shared.idle_after();
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
        let idle = (self.last_asked + self.shared.idle_after()).max(self.stays_until);
        let deadline = self.table.deadline_ms().filter(|_| !self.holds_deadline());
        let deadline = deadline.map(|deadline| self.shared.clock.instant(deadline));
        let wanted = deadline.into_iter().chain(self.pace.alarm()).fold(idle, Instant::min);
        // What has to be written waits for room on the disk, and looks for it now and then.
        let wanted = if self.has_to_start() {
            Instant::now() + LOOK_FOR_ROOM
        } else if self.shared.holds_deadlines() {
            wanted.max(Instant::now() + LOOK_FOR_ROOM)
        } else {
            wanted
        };
        // A timer that is too early does no harm, and setting it costs.
        if wanted < self.timer.deadline() || self.timer.is_elapsed() {
            self.timer.as_mut().reset(wanted);
        }
    }

    fn may_leave(&self) -> bool {
        let quiet = self.last_asked.elapsed() >= self.shared.idle_after();
        let soon = self.table.deadline_ms().is_some_and(|at| at < self.shared.clock.now_ms() + 1000);
        let writable = self.shared.check_play().is_ok() && !self.has_to_start();
        // Bots that wait for their turn leave only where others need the memory.
        let plays = self.is_paced() && self.table.game.is_some() && !self.shared.is_crowded();
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
        let followers: usize = self.slots.iter().map(|slot| slot.feed.followers()).sum();
        followers > self.house.len()
    }

    /// Whether a deadline has to wait: a match without people is not played faster because its time is short.
    fn holds_deadline(&self) -> bool {
        self.is_paced() && self.pace.holds_deadline()
    }

    /// Lets a deadline come that is there, and one come nearer that is too far away.
    async fn look_at_the_clock(&mut self) -> Result<(), GaveUp> {
        self.start_when_full().await?;
        if self.shared.holds_deadlines() {
            return Ok(());
        }
        let now = self.shared.clock.now_ms();
        if self.table.is_deadline_too_far(now) {
            let (turn, tick) = (self.table.turn(), self.table.tick());
            tracing::warn!(match_id = %self.table.setup.id.0, turn, "a deadline was too far away and is shortened");
            let what = Some(What::DeadlineShortened(disk::DeadlineShortened { turn, tick }));
            return self.happen(Entry { at_ms: now, what }).await;
        }
        if self.table.deadline_ms().is_some_and(|deadline| deadline <= now) && !self.holds_deadline() {
            self.end_waiting(now).await?;
        }
        let expired = Listed::of(&self.table).expired(now, &self.shared.limits);
        match expired.filter(|_| !self.table.is_over()) {
            Some(reason) => {
                tracing::info!(match_id = %self.table.setup.id.0, reason, "a match has expired");
                self.happen(Entry { at_ms: now, what: Some(What::Stopped(disk::Stopped { reason })) }).await
            }
            None => Ok(()),
        }
    }

    /// Ends the time to plan, or to answer, because it is over.
    async fn end_waiting(&mut self, now: u64) -> Result<(), GaveUp> {
        let Some(game) = self.table.game.as_ref() else { return Ok(()) };
        let turn = self.table.turn();
        let what = if game.window.is_some() {
            metrics::counter!("parley_deadlines_total", "phase" => "decision").increment(1);
            What::WindowEnded(disk::WindowEnded { turn, tick: self.table.tick() })
        } else {
            metrics::counter!("parley_deadlines_total", "phase" => "planning").increment(1);
            let before = check_of(game.digest);
            What::PlanningEnded(disk::PlanningEnded { turn, staged: staged(game), before })
        };
        self.begin_pause(Instant::now());
        self.happen(Entry { at_ms: now, what: Some(what) }).await
    }

    /// Lists the match as it is, where what is listed is older.
    async fn list_anew(&mut self) -> Result<(), GaveUp> {
        if self.listed_ms == self.table.last_input_ms || self.table.is_over() {
            return Ok(());
        }
        self.append(None).await
    }

    /// Writes staged orders down before the match leaves memory; `false` where there are none that were not.
    async fn keep_staged(&mut self) -> Result<bool, GaveUp> {
        let staged = match self.table.game.as_ref().filter(|game| self.unkept && game.window.is_none()) {
            Some(game) => staged(game),
            None => Vec::new(),
        };
        self.unkept = false;
        if staged.is_empty() {
            return Ok(false);
        }
        let at_ms = self.shared.clock.now_ms();
        self.happen(Entry { at_ms, what: Some(What::Staged(disk::Staged { staged })) }).await?;
        Ok(true)
    }

    /// Writes a record down and lets it happen.
    async fn happen(&mut self, entry: Entry) -> Result<(), GaveUp> {
        let asked = StdInstant::now();
        let happening = entry.clone();
        self.let_happen(asked, |table, live| table.apply(happening, live)).await?;
        self.write(Some(entry)).await
    }

    /// Lets something happen to the table that was taken up at a moment. Of large tables only a few are worked on at the
    /// same time.
    async fn let_happen(
        &mut self,
        asked: StdInstant,
        happening: impl FnOnce(&mut Table, &mut Live<'_>) -> Result<(), Nonsense>,
    ) -> Result<(), GaveUp> {
        let large = self.table.size() > self.shared.limits.large_match_units;
        // It is never closed.
        let _turn = if large { self.shared.large_turns.acquire().await.ok() } else { None };
        self.issued += 1;
        let (trace, window) = (self.trace.take(), self.window.take());
        let (slots, outbox) = (&self.slots, &mut self.outbox);
        let mut live =
            Live { slots, outbox, ticket: self.issued, shared: &self.shared, alike: None, asked, trace, window };
        let table = &mut self.table;
        apart(large, || happening(table, &mut live)).map_err(GaveUp::Impossible)?;
        live.note_window(table);
        (self.trace, self.window) = (live.trace, live.window);
        Ok(())
    }

    /// Hands over a record that has already happened, or only what is listed.
    async fn append(&mut self, entry: Option<Entry>) -> Result<(), GaveUp> {
        self.issued += 1;
        self.write(entry).await
    }

    /// Hands over a record that has happened, with everything that is written with it.
    async fn write(&mut self, entry: Option<Entry>) -> Result<(), GaveUp> {
        self.outbox.push_back((self.issued, Effect::Release(self.table.released(Place::Spectators))));
        let quiet = matches!(
            entry.as_ref().and_then(|entry| entry.what.as_ref()),
            Some(What::Locked(_) | What::Decided(_) | What::Staged(_) | What::DeadlineShortened(_))
        );
        let listing = (!quiet || self.table.is_over()).then(|| Listed::of(&self.table).write());
        if listing.is_some() {
            self.listed_ms = self.table.last_input_ms;
        }
        let due = self.table.turn() >= self.last_saved.saturating_add(self.shared.limits.snapshot_every);
        let snapshot = if due { self.table.save() } else { None };
        if snapshot.is_some() {
            self.last_saved = self.table.turn();
        }
        let stage = self.table.stage();
        if stage != self.stage {
            tracing::debug!(match_id = %self.table.setup.id.0, turn = self.table.turn(), ?stage, "a match went on");
            self.shared.numbers.went(self.stage, stage, &self.table);
            self.stage = stage;
        }
        if self.table.is_over() && !std::mem::replace(&mut self.over, true) {
            self.shared.finished(&self.table.setup);
        }
        let (done, durable) = oneshot::channel();
        let records = entry.iter().map(|entry| entry.encode_to_vec().into()).collect::<SmallVec<_>>();
        let count = records.len() as u64;
        let append = Append { id: self.table.setup.id, after: self.records, records, snapshot, listing, done };
        self.shared.journal.appends().send(append).await.map_err(|_| GaveUp::Closed)?;
        self.records += count;
        self.appending.push_back(durable);
        Ok(())
    }

    /// Answers, after everything that the answer may rest on is durable. A server that may have lost the match knows
    /// nothing of it.
    fn reply<T: Send + 'static>(&mut self, reply: Reply<T>, answer: Result<T, Refusal>) {
        let lost = self.shared.ownership.as_ref().is_some_and(|ownership| !ownership.is_good());
        let answer = if lost { Err(Refusal::moved()) } else { answer };
        // What was told before must not be overtaken: an answer may name its cursor.
        if self.durable == self.issued && self.sealing.load(Ordering::Acquire) == 0 {
            reply.send(answer);
        } else {
            self.answer(Box::new(move || reply.send(answer)));
        }
    }

    /// Gives a receipt, after what it promises is durable.
    fn give_receipt(&mut self, promise: Promise, reply: Reply<v1::LockInResponse>, asked: Asked) {
        self.outbox.push_back((self.issued, Effect::Out(Out::Receipt(promise, reply, asked))));
        self.flush();
    }

    fn answer(&mut self, answer: Box<dyn FnOnce() + Send>) {
        self.outbox.push_back((self.issued, Effect::Out(Out::Answer(answer))));
        self.flush();
    }

    /// Lets everything out that waited for records which are durable by now.
    fn flush(&mut self) {
        let mut parcel = Parcel::new();
        while self.outbox.front().is_some_and(|(ticket, _)| *ticket <= self.durable) {
            let Some((_, effect)) = self.outbox.pop_front() else { break };
            match effect {
                Effect::Out(out) => self.publish(out, &mut parcel),
                Effect::Release(newest) => self.release(newest, &mut parcel),
            }
        }
        if !parcel.is_empty() {
            self.shared.sealer.let_out(parcel, &self.sealing);
        }
    }

    /// Lets something out, unless spectators have to wait for it.
    fn publish(&mut self, out: Out, parcel: &mut Parcel) {
        let delayed = self.table.setup.settings.spectator_delay_turns > 0;
        match out {
            Out::Turn(mut turn) => {
                turn.durable = StdInstant::now();
                parcel.push(Out::Turn(turn));
            }
            Out::News(feed, news) if delayed => {
                let slot = self.slots.iter_mut().find(|slot| Arc::ptr_eq(&slot.feed, &feed));
                match slot.filter(|slot| slot.place == Place::Spectators) {
                    Some(slot) => slot.held.push_back(news),
                    None => parcel.push(Out::News(feed, news)),
                }
            }
            out => parcel.push(out),
        }
    }

    /// Lets spectators see news that were held back from them.
    fn release(&mut self, newest: u64, parcel: &mut Parcel) {
        for slot in self.slots.iter_mut().filter(|slot| slot.place == Place::Spectators) {
            while slot.held.front().is_some_and(|news| news.cursor() <= newest) {
                let Some(news) = slot.held.pop_front() else { break };
                parcel.push(Out::Held(Arc::clone(&slot.feed), news));
            }
            parcel.push(Out::SkipTo(Arc::clone(&slot.feed), newest));
        }
    }

    /// Lets house bots play their seats.
    fn seat_house_bots(&mut self) {
        if self.table.game.is_none() || self.table.is_over() || !self.house.is_empty() {
            return;
        }
        let Some(house) = self.shared.house.get() else { return };
        for (number, seat) in self.table.seats.iter().enumerate().filter(|(_, seat)| !seat.house_bot.is_empty()) {
            let id = self.table.setup.id;
            let claims = Claims { match_id: Some(id), role: Role::Seat(number as u8), expires_at: seat.expires_at };
            let token = self.shared.keyring.mint(&claims);
            self.house.push(house.play(id, number as u8, &seat.house_bot, token));
        }
    }
}

impl Drop for Actor {
    /// However the task ends, its house bots end with it, and whoever follows asks for the match anew.
    fn drop(&mut self) {
        self.shared.weights.remove(self.weight, self.shared.limits.match_bytes);
        self.shared.heavy.remove(&self.table.setup.id);
        self.mailbox.close();
        self.house.drain(..).for_each(|seat| seat.abort());
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
fn staged(game: &Game) -> Vec<disk::StagedSheet> {
    let staged = (0..).zip(&game.sheets).filter_map(|(seat, sheet)| match sheet {
        Sheet::Staged(sheet) => Some(disk::StagedSheet { seat, sheet: sheet.clone() }),
        _ => None,
    });
    staged.collect()
}

/// Does large work where it holds no other match up.
pub fn apart<T>(large: bool, work: impl FnOnce() -> T) -> T {
    let many = || tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread;
    if large && many() { tokio::task::block_in_place(work) } else { work() }
}

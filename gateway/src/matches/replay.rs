//! A match as a replay: everything that was said, and what came of it.

use std::collections::{BTreeMap, VecDeque};

use parley_core::digest::Digest;
use parley_games::hosted::HostedOutcome;
use parley_games::receipt::{LEAVES, Promise};
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::opaque::v1;
use prost::Message;

use super::history::{PIECE_BYTES, Past, PastError, Reader, Since};
use super::{Matches, Shared};
use crate::http::{Reservation, too_much};
use crate::journal::MatchId;
use crate::match_state::{Audience, MatchEvent, MatchState, Place, Sheet};
use crate::refusal::Refusal;
use crate::work::Customer;

/// How many bytes of a replay are written at once, beside the turn that is too many. A turn holds the whole state, so
/// that a long match is hundreds of megabytes.
const REPLAY_BYTES: usize = 512 * 1024;

/// The replay of a match that is over, which is written as fast as it is read.
pub struct Replay {
    matches: Matches,
    customer: Customer,
    id: MatchId,
    /// Where everything is counted that is kept until the next piece.
    room: Option<Reservation>,
    /// The part that is still to be written; `None` once the whole replay is.
    writing: Option<Box<Writing>>,
}

/// A replay that is not written to its end.
struct Writing {
    recorder: Recorder,
    /// The journal as far as it was read; `None` before it is the customer's turn for the first time.
    reader: Option<Reader>,
}

impl Replay {
    /// The replay of a match, of which nothing is read yet.
    pub fn new(matches: &Matches, customer: Customer, id: MatchId, room: Option<Reservation>) -> Self {
        let writing = Writing { recorder: Recorder::new(matches.clone()), reader: None };
        Self { matches: matches.clone(), customer, id, room, writing: Some(Box::new(writing)) }
    }

    /// The first records: all of them where the match is short.
    pub async fn first(&mut self) -> Result<Vec<v1::ReplayRecord>, Refusal> {
        // Without a snapshot: a replay begins at the beginning.
        let Some(mut past) = Past::short(&self.matches, self.customer, self.id, Since::Beginning).await? else {
            return self.next().await;
        };
        self.writing = None;
        let mut recorder = Recorder::new(self.matches.clone());
        recorder.write(&mut past, |_| true)?;
        recorder.end(&past.match_state);
        let records = recorder.take();
        self.count(0, &records)?;
        Ok(records)
    }

    /// The next records; none after the last.
    pub async fn next(&mut self) -> Result<Vec<v1::ReplayRecord>, Refusal> {
        let Some(mut writing) = self.writing.take() else { return Ok(Vec::new()) };
        if let Some(room) = &mut self.room {
            // The records that were written before are on their way to the client, and counted there. Those that are
            // written now may have to wait for somebody who does not read.
            room.shrink_to(writing.weight());
            room.grow(REPLAY_BYTES).map_err(too_much)?;
        }
        let (shared, id) = (self.matches.clone(), self.id);
        let written = async move { writing.write_on(&shared, id).await.map(|records| (writing, records)) };
        let (writing, records) = self.matches.work.run_async(self.customer, written).await??;
        self.count(writing.weight(), &records)?;
        self.writing = Some(writing).filter(|writing| !writing.recorder.is_over);
        Ok(records)
    }

    /// Counts what is kept.
    fn count(&mut self, weight: usize, records: &[v1::ReplayRecord]) -> Result<(), Refusal> {
        let Some(room) = &mut self.room else { return Ok(()) };
        room.shrink_to(0);
        room.grow(weight + records.iter().map(Message::encoded_len).sum::<usize>()).map_err(too_much)
    }
}

impl Writing {
    /// About how many bytes it takes.
    fn weight(&self) -> usize {
        let match_state = self.reader.as_ref().map_or(0, |reader| reader.past.match_state.weight() + PIECE_BYTES);
        match_state + self.recorder.open_bytes
    }

    /// Writes a piece; nothing where everything was written before.
    async fn write_on(&mut self, shared: &Shared, id: MatchId) -> Result<Vec<v1::ReplayRecord>, PastError> {
        if self.reader.is_none() {
            self.reader = Some(Reader::open(shared, id, Since::Beginning).await?);
        }
        let Some(reader) = &mut self.reader else { return Ok(Vec::new()) };
        while !self.recorder.is_over && self.recorder.ready_bytes < REPLAY_BYTES {
            self.recorder.write(&mut reader.past, |recorder| recorder.ready_bytes < REPLAY_BYTES)?;
            let is_read = reader.past.rest.is_empty() && !reader.go_on(shared, id).await?;
            if is_read {
                self.recorder.end(&reader.past.match_state);
            }
        }
        Ok(self.recorder.take())
    }
}

/// Writes a match down as the records of a replay.
struct Recorder {
    matches: Matches,
    /// Records that are complete.
    ready: Vec<v1::ReplayRecord>,
    ready_bytes: usize,
    /// Records after those, which lack receipts, and how many bytes each of them has.
    open: VecDeque<(usize, v1::ReplayRecord)>,
    open_bytes: usize,
    /// The sheets of the turn that is being played.
    sheets: Vec<v1::ReplaySheet>,
    /// The windows of the turn that is being played, in the order in which they opened.
    windows: Vec<v1::ReplayWindow>,
    /// What receipts say that are not signed yet, in the order in which they were given.
    promises: Vec<Promise>,
    /// Receipts that are signed and not at their sheets yet, by turn and seat.
    receipts: BTreeMap<(u32, u32), v1::Receipt>,
    at_ms: u64,
    is_over: bool,
}

impl Recorder {
    /// A recorder that has not written anything yet.
    fn new(matches: Matches) -> Self {
        let (ready, open, sheets, windows, promises, receipts) = Default::default();
        let (ready_bytes, open_bytes, at_ms, is_over) = Default::default();
        Self { matches, ready, ready_bytes, open, open_bytes, sheets, windows, promises, receipts, at_ms, is_over }
    }

    /// Plays the records of a match that were read, and writes them down as long as there is to be more.
    fn write(&mut self, past: &mut Past, more: impl Fn(&Self) -> bool) -> Result<(), PastError> {
        past.each(
            self,
            |recorder, _| more(recorder),
            |recorder, match_state, entry| {
                recorder.at_ms = entry.at_ms;
                recorder.note(match_state, &entry);
                match_state.apply(entry, recorder)?;
                recorder.sign();
                Ok(())
            },
        )
    }

    /// Takes what is complete.
    fn take(&mut self) -> Vec<v1::ReplayRecord> {
        self.ready_bytes = 0;
        std::mem::take(&mut self.ready)
    }

    fn push(&mut self, record: v1::replay_record::Record) {
        let record = v1::ReplayRecord { record: Some(record) };
        let bytes = record.encoded_len();
        self.open_bytes += bytes;
        self.open.push_back((bytes, record));
    }

    /// Notes what was said, before it happens.
    fn note(&mut self, match_state: &MatchState, entry: &Entry) {
        match &entry.what {
            Some(What::Locked(locked)) => {
                let hash = Digest::of(&locked.sheet);
                // A seat that the match does not have is refused when the record is applied.
                let Some(owner) = match_state.seats.get(locked.seat as usize) else { return };
                let previous = owner.receipt;
                let seat = locked.seat as u8;
                let promise =
                    Promise { match_id: match_state.setup.id.0, turn: locked.turn, seat, sheet_hash: hash, previous };
                self.promises.push(promise);
                let origin = v1::SheetOrigin::Locked.into();
                let sheet = locked.sheet.clone();
                self.sheets.push(v1::ReplaySheet { seat: locked.seat, origin, sheet, ..v1::ReplaySheet::default() });
            }
            Some(What::PlanningEnded(ended)) => {
                let origin = v1::SheetOrigin::AtDeadline.into();
                self.sheets.extend(ended.staged.iter().map(|staged| v1::ReplaySheet {
                    seat: staged.seat,
                    origin,
                    sheet: staged.sheet.clone(),
                    ..v1::ReplaySheet::default()
                }));
            }
            Some(What::Conceded(conceded)) if !conceded.sheet.is_empty() => self.sheets.push(v1::ReplaySheet {
                seat: conceded.seat,
                origin: v1::SheetOrigin::AtDeadline.into(),
                sheet: conceded.sheet.clone(),
                conceded: true,
                ..v1::ReplaySheet::default()
            }),
            Some(What::Answers(given)) => {
                let Some(window) = self.open_window(match_state) else { return };
                window.answers.extend(given.answers.iter().map(|answer| {
                    let mut options = answer.options.clone();
                    options.sort_unstable();
                    v1::ReplayAnswer { seat: given.seat, question: answer.question, options, defaulted: false }
                }));
            }
            Some(What::WindowClosed(_)) => self.note_defaults(match_state),
            _ => {}
        }
    }

    /// The window that is open in the match. `None` where there is none, which is refused when the record is applied.
    fn open_window(&mut self, match_state: &MatchState) -> Option<&mut v1::ReplayWindow> {
        let number = match_state.window() as usize;
        if self.windows.len() < number {
            self.windows.resize_with(number, v1::ReplayWindow::default);
        }
        self.windows.get_mut(number.checked_sub(1)?)
    }

    /// Notes the answers that nobody gave: the defaults of the questions that are still open (R7.2).
    fn note_defaults(&mut self, match_state: &MatchState) {
        let Some(play) = match_state.play.as_ref() else { return };
        let Some(window) = self.open_window(match_state) else { return };
        let is_given = |given: &v1::ReplayAnswer, default: &v1::ReplayAnswer| {
            (given.seat, given.question) == (default.seat, default.question)
        };
        for default in play.game.defaults() {
            if !window.answers.iter().any(|given| is_given(given, &default)) {
                window.answers.push(default);
            }
        }
    }

    fn header(&self, match_state: &MatchState) -> Option<v1::ReplayHeader> {
        let setup = &match_state.setup;
        let play = match_state.play.as_ref()?;
        let seat = |(number, seat): (usize, &crate::match_state::Seat)| v1::ReplaySeat {
            seat: number as u32,
            name: seat.name.clone(),
            policy: seat.house_bot.clone(),
            added: seat.added().map(|added| added.to_vec().into()).unwrap_or_default(),
        };
        Some(v1::ReplayHeader {
            format: parley_games::replay::FORMAT,
            match_id: setup.id.0.to_string(),
            name: setup.settings.name.clone(),
            rules: setup.game.rules_text(),
            rules_hash: setup.game.rules_hash().as_bytes().to_vec().into(),
            map: setup.game.replay_map(),
            initial_state: encoded(match_state),
            genesis_digest: play.digest().as_bytes().to_vec().into(),
            seats: match_state.seats.iter().enumerate().map(seat).collect(),
            seed_commitment: setup.commitment.as_bytes().to_vec().into(),
            receipt_key: self.matches.keyring.receipt_public_key().to_vec().into(),
            created_ms: setup.created_ms,
            started_ms: self.at_ms,
            ruleset: setup.ruleset.name().to_owned(),
        })
    }

    /// The record of the turn that has just been resolved.
    fn turn(&mut self, match_state: &MatchState, outcome: &dyn HostedOutcome) -> v1::ReplayTurn {
        let mut sheets = std::mem::take(&mut self.sheets);
        for seat in outcome.living_before().into_iter().map(u32::from) {
            if !sheets.iter().any(|sheet| sheet.seat == seat) {
                sheets.push(v1::ReplaySheet {
                    seat,
                    origin: v1::SheetOrigin::Absent.into(),
                    ..v1::ReplaySheet::default()
                });
            }
        }
        sheets.sort_by_key(|sheet| sheet.seat);
        let mut windows = std::mem::take(&mut self.windows);
        for window in &mut windows {
            window.answers.sort_by_key(|answer| (answer.seat, answer.question));
        }
        v1::ReplayTurn {
            turn: outcome.turn(),
            sheets,
            windows,
            state: encoded(match_state),
            digest: match_state.play.as_ref().map(|play| play.digest().as_bytes().to_vec().into()).unwrap_or_default(),
            resolved_ms: self.at_ms,
        }
    }

    /// Signs as many promises as are signed at once, or all where too many records wait for that, and completes those
    /// records. It depends on nothing but the match, so that a replay is always the same file.
    fn sign(&mut self) {
        let all = self.is_over || self.open_bytes >= REPLAY_BYTES;
        while self.promises.len() >= LEAVES || all && !self.promises.is_empty() {
            let together = self.promises.len().min(LEAVES);
            let receipts = self.matches.publisher.sign(&self.promises[..together]);
            self.receipts.extend(receipts.into_iter().map(|receipt| ((receipt.turn, receipt.seat), receipt)));
            self.promises.drain(..together);
        }
        while let Some((bytes, mut record)) = self.open.pop_front() {
            if !put_receipts(&mut record, &mut self.receipts) {
                self.open.push_front((bytes, record));
                break;
            }
            self.open_bytes -= bytes;
            self.ready_bytes += record.encoded_len();
            self.ready.push(record);
        }
    }

    fn end(&mut self, match_state: &MatchState) {
        use parley_proto::common::v1::match_result::Result;
        use v1::replay_end::{Draw, End, Stopped};
        let result = match_state.play.as_ref().and_then(|play| play.game.result()?.result);
        let end = match (result, &match_state.stopped) {
            (Some(Result::Winner(seat)), _) => End::Winner(seat),
            (Some(Result::Draw(draw)), _) => End::Draw(Draw { seats: draw.players }),
            (None, Some(reason)) => End::Stopped(Stopped { reason: reason.clone() }),
            (None, None) => return self.close(),
        };
        let record = v1::replay_record::Record::End(v1::ReplayEnd {
            secret: match_state.setup.secret.0.to_vec().into(),
            end: Some(end),
            final_digest: match_state
                .play
                .as_ref()
                .map(|play| play.digest().as_bytes().to_vec().into())
                .unwrap_or_default(),
            ended_ms: self.at_ms,
        });
        self.push(record);
        self.close();
    }

    /// Notes that nothing more comes, so that the last records can be signed.
    fn close(&mut self) {
        self.is_over = true;
        self.sign();
    }
}

/// Puts receipts to the sheets of a turn; `false` where they are not there yet.
fn put_receipts(record: &mut v1::ReplayRecord, receipts: &mut BTreeMap<(u32, u32), v1::Receipt>) -> bool {
    let Some(v1::replay_record::Record::Turn(turn)) = &mut record.record else { return true };
    let number = turn.turn;
    let locked = |sheet: &&mut v1::ReplaySheet| sheet.origin() == v1::SheetOrigin::Locked;
    let mut sheets = turn.sheets.iter_mut().filter(locked);
    if !sheets.all(|sheet| receipts.contains_key(&(number, sheet.seat))) {
        return false;
    }
    for sheet in turn.sheets.iter_mut().filter(locked) {
        sheet.receipt = receipts.remove(&(number, sheet.seat));
    }
    true
}

impl Audience for Recorder {
    fn tell(&mut self, match_state: &MatchState, place: Place, _: u64, event: &MatchEvent<'_>) {
        use v1::replay_record::Record;
        if place != Place::Spectators {
            return;
        }
        let record = match event {
            MatchEvent::Opened => self.header(match_state).map(Record::Header),
            MatchEvent::Resolved(resolved) => Some(Record::Turn(self.turn(match_state, resolved.outcome))),
            _ => None,
        };
        if let Some(record) = record {
            self.push(record);
        }
        // Who has given up is played by nobody: the match itself has frozen those sheets for the turn that begins.
        if let (MatchEvent::Opened | MatchEvent::Resolved(_), Some(play)) = (event, match_state.play.as_ref()) {
            let frozen = (0..).zip(&play.sheets).filter_map(|(seat, sheet)| match sheet {
                Sheet::Locked(said) => Some((seat, said.clone())),
                _ => None,
            });
            let origin = v1::SheetOrigin::AtDeadline.into();
            self.sheets.extend(frozen.map(|(seat, sheet)| v1::ReplaySheet {
                seat,
                origin,
                sheet,
                conceded: true,
                ..v1::ReplaySheet::default()
            }));
        }
    }
}

fn encoded(match_state: &MatchState) -> bytes::Bytes {
    match_state.play.as_ref().map(|play| play.game.encode_state().into()).unwrap_or_default()
}

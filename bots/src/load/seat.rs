//! One seat: its session, its lock-ins, and everything that it is told.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderValue;
use parley_core::digest::Digest;
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::session_request::What as Call;
use prost::Message;
use tokio::sync::watch;
use tokio::time::{sleep, sleep_until, timeout};

use super::connection::{SharedConnection, Stream};
use super::game::{Begin, Phase, SharedMatch};
use super::meter::Meter;
use super::shuttle::Shuttle;
use super::trouble::Trouble;
use super::wire::{EncodedLockIn, LockInCall, News, SessionAnswer, TurnOutcome, frame};
use crate::arms::Arms;
use crate::backoff::{Backoff, Retry};
use crate::refusal::Refusal;

/// The path of the call that opens a session.
pub(super) const SESSION: &str = "/parley.v1.Play/Session";
/// How long a session may take to open.
const OPEN_TIMEOUT: Duration = Duration::from_secs(60);
/// How often and how patiently a session is opened again.
const AGAIN: Backoff = Backoff { first: Duration::from_millis(10), longest: Duration::from_secs(1), attempts: 60 };

/// What a seat needs to play.
pub(super) struct LoadSeat {
    pub(super) number: u32,
    pub(super) match_id: String,
    pub(super) token: HeaderValue,
    pub(super) rules: Arc<Rules>,
    pub(super) connection: Rc<SharedConnection>,
    pub(super) game: Rc<SharedMatch>,
    pub(super) meter: Rc<RefCell<Meter>>,
    pub(super) phase: watch::Receiver<Phase>,
}

/// What a seat has of a match that it has played to its end.
#[derive(Debug)]
pub(super) struct SeatLog {
    pub(super) number: u32,
    /// The sheets of all turns but the last: of odd turns, and of even ones.
    pub(super) sheets: [Bytes; 2],
    /// The sheet of the last turn.
    pub(super) last_sheet: Bytes,
    /// The encoded receipts, by turn.
    pub(super) receipts: Vec<Box<[u8]>>,
    /// The digest that the seat was told at the end.
    pub(super) digest: Digest,
}

/// A lock-in on its way.
struct Pending {
    turn: u32,
    begin: Begin,
    call: u64,
    frame: Bytes,
    /// When it was first sent, if it was.
    sent: Option<Instant>,
    /// Whether it was sent on the stream that stands now.
    on_its_way: bool,
    receipt: bool,
    outcome: bool,
}

/// A seat at play.
pub(super) struct Player {
    seat: LoadSeat,
    cursor: u64,
    calls: u64,
    /// The turn that is to be planned; 0 before the first.
    turn: u32,
    sheets: Option<[Bytes; 2]>,
    last_sheet: Bytes,
    pending: Option<Pending>,
    receipts: Vec<Box<[u8]>>,
    ended: Option<v1::MatchEnded>,
}

impl Player {
    pub(super) const fn new(seat: LoadSeat) -> Self {
        Self {
            seat,
            cursor: 0,
            calls: 0,
            turn: 0,
            sheets: None,
            last_sheet: Bytes::new(),
            pending: None,
            receipts: Vec::new(),
            ended: None,
        }
    }

    /// Plays to the end of the match, over as many streams as it takes.
    pub(super) async fn play(mut self) -> Result<SeatLog, Trouble> {
        let mut retry = Retry::new(AGAIN, u64::from(self.seat.number));
        loop {
            let known = self.cursor;
            match self.session().await {
                Ok(digest) => return self.log(digest),
                Err(Trouble::Lost(refusal)) => {
                    if self.cursor > known {
                        retry.succeeded();
                    }
                    self.seat.meter.borrow_mut().resumed += 1;
                    let wait = refusal.retry_after.unwrap_or_default();
                    retry.failed(wait).map_err(|_| Trouble::Away(refusal.message))?;
                    retry.wait().await;
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    fn log(self, digest: Digest) -> Result<SeatLog, Trouble> {
        let sheets = self.sheets.ok_or_else(|| Trouble::fault("NO_VIEW", "the match ended before it began"))?;
        let Self { seat, receipts, last_sheet, .. } = self;
        Ok(SeatLog { number: seat.number, sheets, last_sheet, receipts, digest })
    }

    /// Plays over one stream for as long as it stands.
    async fn session(&mut self) -> Result<Digest, Trouble> {
        let opening = timeout(OPEN_TIMEOUT, self.open()).await;
        let mut stream = opening.unwrap_or_else(|_| Err(Refusal::away("the session did not open in time").into()))?;
        if let Some(pending) = &mut self.pending {
            pending.on_its_way = false;
        }
        loop {
            let Some(pending) = &mut self.pending else {
                self.begin().await?;
                continue;
            };
            if pending.receipt && pending.outcome {
                if let Some(ended) = &self.ended {
                    let digest = ended.digest.as_ref().try_into().map(Digest::from_bytes);
                    return digest.map_err(|_| Trouble::fault("NO_DIGEST", "the end of the match has no digest"));
                }
                self.turn += 1;
                self.pending = None;
                continue;
            }
            if !pending.receipt && !pending.on_its_way {
                stream.send(pending.frame.clone())?;
                pending.on_its_way = true;
                if pending.sent.is_none() {
                    let now = Instant::now();
                    pending.sent = Some(now);
                    self.seat.game.sent(pending.turn, now);
                }
            }
            let message = stream.next().await?;
            self.hear(message).await?;
        }
    }

    /// Opens a session where the last one ended, and looks at the sea if it was never seen.
    async fn open(&mut self) -> Result<Stream, Trouble> {
        let mut stream = self.seat.connection.open(Some(&self.seat.token)).await?;
        let open = v1::SessionOpen {
            match_id: self.seat.match_id.clone(),
            after: self.cursor,
            views: false,
            no_changes: true,
        };
        stream.send(self.call(Call::Open(open)))?;
        let opened = decode(stream.next().await?)?;
        match (opened.opened, opened.refused) {
            (Some(opened), _) if opened.seat == Some(self.seat.number) => {}
            (None, Some(refusal)) => return Err(Refusal::from(*refusal).into()),
            _ => return Err(Trouble::fault("NOT_OPENED", "the session did not open with an answer")),
        }
        self.seat.connection.check_room()?;
        if self.sheets.is_none() {
            stream.send(self.call(Call::GetView(v1::GetViewRequest::default())))?;
            while self.sheets.is_none() || self.turn == 0 {
                let message = stream.next().await?;
                self.hear(message).await?;
            }
            self.seat.meter.borrow_mut().ready += 1;
        }
        Ok(stream)
    }

    fn call(&mut self, what: Call) -> Bytes {
        self.calls += 1;
        frame(&v1::SessionRequest { call: self.calls, what: Some(what), ..Default::default() })
    }

    /// Waits until the next turn begins, and makes its lock-in.
    async fn begin(&mut self) -> Result<(), Trouble> {
        let begin = loop {
            let phase = *self.seat.phase.borrow_and_update();
            if let Some(begin) = self.seat.game.begin(self.turn, &phase, Instant::now()) {
                break begin;
            }
            let changed = self.seat.phase.changed().await;
            changed.map_err(|_| Trouble::fault("GIVEN_UP", "the run was given up"))?;
        };
        if let Some(due) = begin.due {
            sleep_until(due.into()).await;
        }
        let sheets = self.sheets.as_ref().ok_or_else(|| Trouble::fault("NO_VIEW", "nothing was seen yet"))?;
        let mut sheet = sheets[self.turn as usize % 2].clone();
        if begin.last {
            if self.seat.number > 0 {
                sheet = conceding(&sheet);
            }
            self.last_sheet = sheet.clone();
        }
        self.calls += 1;
        let lock_in = EncodedLockIn { request_id: self.turn.to_string(), turn: self.turn, sheet };
        let frame = frame(&LockInCall { call: self.calls, lock_in: Some(lock_in) });
        let (turn, call) = (self.turn, self.calls);
        let pending =
            Pending { turn, begin, call, frame, sent: None, on_its_way: false, receipt: false, outcome: false };
        self.pending = Some(pending);
        Ok(())
    }

    /// Acts on a message of the server.
    async fn hear(&mut self, message: Bytes) -> Result<(), Trouble> {
        let answer = decode(message)?;
        if let Some(news) = answer.news {
            return self.hear_news(news);
        }
        if let Some(locked) = answer.lock_in {
            return self.take_receipt(answer.call, &locked.receipt);
        }
        if let Some(refusal) = answer.refused {
            return self.refused(answer.call, Refusal::from(*refusal)).await;
        }
        if let Some(view) = answer.view {
            let view = view.view.and_then(Arms::into_plunder);
            let view = view.ok_or_else(|| Trouble::fault("NO_VIEW", "the match has not begun"))?;
            let shuttle = Shuttle::plan(&self.seat.rules, &view);
            let shuttle = shuttle.ok_or_else(|| Trouble::fault("NO_VIEW", "the view makes no sense"))?;
            self.sheets = Some([2, 1].map(|turn| shuttle.encoded(turn)));
            return Ok(());
        }
        Err(Trouble::fault("UNEXPECTED", "the server sent something that nobody asked for"))
    }

    fn take_receipt(&mut self, call: u64, receipt: &Bytes) -> Result<(), Trouble> {
        let Some(pending) = self.pending.as_mut().filter(|pending| pending.call == call && !pending.receipt) else {
            return Err(Trouble::fault("UNEXPECTED", "a receipt for nothing"));
        };
        pending.receipt = true;
        self.receipts.push(receipt.as_ref().into());
        let mut meter = self.seat.meter.borrow_mut();
        meter.lock_ins += 1;
        meter.lock_in.record(pending.sent.map_or(Duration::ZERO, |sent| sent.elapsed()));
        Ok(())
    }

    fn hear_news(&mut self, news: News) -> Result<(), Trouble> {
        if news.cursor != self.cursor + 1 {
            let text = format!("cursor {} came after {}", news.cursor, self.cursor);
            return Err(Trouble::fault("CURSOR", text));
        }
        self.cursor = news.cursor;
        match news {
            News { outcome: Some(outcome), .. } => self.hear_outcome(*outcome),
            News { turn_opened: Some(opened), .. } if self.turn == 0 && opened.turn == 1 => {
                self.turn = 1;
                Ok(())
            }
            News { seats_changed: Some(_), .. } if self.turn == 0 => Ok(()),
            _ => Err(Trouble::fault("UNEXPECTED", "news of something that should not happen")),
        }
    }

    fn hear_outcome(&mut self, outcome: TurnOutcome) -> Result<(), Trouble> {
        let now = Instant::now();
        let expected = self.pending.as_mut().filter(|pending| pending.turn == outcome.turn && !pending.outcome);
        let Some(pending) = expected else {
            let text = format!("the outcome of turn {} came while turn {} was planned", outcome.turn, self.turn);
            return Err(Trouble::fault("TURN", text));
        };
        let told = outcome.own.and_then(|news| news.plunder);
        if told.is_some_and(|told| !told.shortfalls.is_empty()) {
            return Err(Trouble::fault(
                "SHORTFALL",
                format!("an order of turn {} did not do all it asked", outcome.turn),
            ));
        }
        let next = outcome.next.map(|next| next.turn);
        let fits = if pending.begin.last { next.is_none() } else { next == Some(outcome.turn + 1) };
        if !fits || outcome.ended.is_some() != pending.begin.last {
            return Err(Trouble::fault("END", format!("turn {} is followed by the wrong thing", outcome.turn)));
        }
        pending.outcome = true;
        self.ended = outcome.ended;
        self.seat.game.told(pending.turn, now);
        let sent = pending.sent.unwrap_or(now);
        self.seat.meter.borrow_mut().seat_outcome.record(now - sent);
        Ok(())
    }

    /// A refusal is an error, even where waiting helps; then the call is made again.
    async fn refused(&mut self, call: u64, refusal: Refusal) -> Result<(), Trouble> {
        let pending = self.pending.as_mut().filter(|pending| pending.call == call && refusal.is_passing());
        let Some(pending) = pending else { return Err(Trouble::refused(&refusal)) };
        self.seat.meter.borrow_mut().errors.count(&refusal.reason);
        sleep(refusal.retry_after.unwrap_or(AGAIN.first)).await;
        pending.on_its_way = false;
        Ok(())
    }
}

fn decode(message: Bytes) -> Result<SessionAnswer, Trouble> {
    SessionAnswer::decode(message).map_err(|error| Trouble::fault("MALFORMED", error.to_string()))
}

/// The same sheet with the addition that the player gives up at the end of the turn.
pub(super) fn conceding(sheet: &Bytes) -> Bytes {
    let said = v1::Sheet::decode(sheet.as_ref()).ok().and_then(Arms::into_plunder).unwrap_or_default();
    v1::Sheet::of_plunder(plunder::Sheet { concede: true, ..said }).encode_to_vec().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conceding_sheet_says_the_same_and_gives_up() {
        let units = vec![plunder::UnitOrder { unit: 3, ..Default::default() }];
        let [sheet, expected] = [false, true].map(|concede| {
            v1::Sheet::of_plunder(plunder::Sheet { units: units.clone(), concede, ..Default::default() })
        });
        let conceded = v1::Sheet::decode(conceding(&sheet.encode_to_vec().into())).expect("a sheet");
        assert_eq!(conceded, expected);
    }
}

//! A match read back from its journal: to go on with it, or for a viewer who was away.

use bytes::Bytes;
use parley_proto::journal::v1::{self as disk, Entry};
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;
use prost::Message;
use tonic::Code;

use super::encoded_news::EncodedNews;
use super::older_version::{OLDER_VERSION, is_of_older_version};
use super::{Matches, Shared};
use crate::journal::{Mark, MatchId, Piece, ReadError, Snapshot};
use crate::match_state::{Audience, MatchEvent, MatchState, Nobody, Place, ReplayError, project};
use crate::refusal::{Reason, Refusal};
use crate::work::Customer;

/// How many news are read from the journal at once.
pub const HISTORY_CHUNK: usize = 64;
/// How many bytes of them are read at once, beside the one that is too many.
const HISTORY_BYTES: usize = 1 << 20;
/// How much effort is made at once: about a millisecond's.
const SHORT: usize = 64 * 1024;
/// How many bytes of a longer match are read at once.
pub const PIECE_BYTES: usize = 256 * 1024;
/// How much effort playing a record is, in bytes that could be read meanwhile.
const RECORD_EFFORT: usize = 1024;

/// Where reading a match back begins: with its newest snapshot that is not too new, or else with its first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// With the first record, whatever snapshots there are.
    Beginning,
    /// With the newest snapshot.
    Now,
    /// Not later than when a turn was planned.
    Turn(u32),
    /// Before a viewer was told anything after a cursor.
    News(Place, u64),
}

impl Since {
    /// Whether a snapshot is not too new. What it was saved from is not built for that.
    fn fits(self, state: &Bytes) -> bool {
        let saved = || disk::Snapshot::decode(state.clone()).ok();
        match self {
            Self::Beginning => false,
            Self::Now => true,
            Self::Turn(turn) => saved().is_some_and(|saved| saved.turn <= turn),
            Self::News(place, cursor) => saved().is_some_and(|saved| {
                let told = match place {
                    Place::Seat(seat) => saved.news.get(usize::from(seat)),
                    Place::Spectators => saved.news.last(),
                };
                told.is_some_and(|told| *told <= cursor)
            }),
        }
    }
}

/// The state of a match, and some of the records that come after it.
#[derive(Debug)]
pub struct Past {
    /// The state of the match as the records that were played left it.
    pub match_state: MatchState,
    /// How many records that state stands for.
    pub records: u64,
    /// The turn of the snapshot that it began with, or 0 where there was none.
    pub saved: u32,
    /// Records that were read and not played yet.
    pub rest: Vec<Bytes>,
}

/// A match that is read back, a piece of its journal at a time.
#[derive(Debug)]
pub struct Reader {
    /// The match as far as it was read.
    pub past: Past,
    /// Where reading goes on; `None` after the last record.
    next: Option<Mark>,
}

/// Why a match cannot be read back.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PastError {
    /// There is no such match.
    #[error("there is no such match")]
    Unknown,
    /// The store cannot read it.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// What was read makes no sense.
    #[error("record {record} makes no sense: {what}")]
    ReplayError {
        /// The number of the record, counted from 1.
        record: u64,
        /// Why the record makes no sense.
        what: ReplayError,
    },
    /// There is a record that only versions before this one can read.
    #[error("{OLDER_VERSION}")]
    OlderVersion,
    /// Reading the match takes long, and too much heavy work waits already.
    #[error("{}", .0.message)]
    Refused(Refusal),
}

impl From<PastError> for Refusal {
    fn from(error: PastError) -> Self {
        match error {
            PastError::Unknown => Self::no_match(),
            PastError::Refused(refusal) => refusal,
            PastError::OlderVersion => {
                Self::new(Code::FailedPrecondition, Reason::MatchOfOlderVersion, error.to_string())
            }
            PastError::Unreadable(ReadError::Failed(_)) => {
                Self::new(Code::Unavailable, Reason::StoreFailed, "the store does not answer; try again")
            }
            broken => Self::new(Code::DataLoss, Reason::MatchDamaged, format!("the match cannot go on: {broken}")),
        }
    }
}

impl Reader {
    /// Begins to read a match.
    pub async fn open(shared: &Shared, id: MatchId, since: Since) -> Result<Self, PastError> {
        let mut most = Some(u64::MAX);
        while let Some(records) = most
            && let Some(snapshot) = newest_that_fits(shared, id, since, records).await?
        {
            let records = snapshot.records;
            match Past::saved(shared, id, snapshot) {
                Ok(past) => return Self::read_on(shared, id, past).await,
                Err(error) => {
                    tracing::warn!(match_id = %id.0, records, %error, "a snapshot is left out");
                    // Of a match of an older version none of the snapshots can be read, and a long one has thousands.
                    if begins_with_older_version(shared, id).await {
                        return Err(PastError::OlderVersion);
                    }
                }
            }
            most = records.checked_sub(1);
        }
        let piece = shared.journal.read_piece(id, Mark::after(0), PIECE_BYTES).await?;
        Ok(Self { past: Past::created(shared, id, piece.records)?, next: piece.next })
    }

    async fn read_on(shared: &Shared, id: MatchId, past: Past) -> Result<Self, PastError> {
        let next = Some(Mark::after(past.records));
        let mut reader = Self { past, next };
        reader.go_on(shared, id).await?;
        Ok(reader)
    }

    /// Reads the next piece; `false` where there is none, or where something of the last one was left, because whoever
    /// plays it wants no more.
    pub async fn go_on(&mut self, shared: &Shared, id: MatchId) -> Result<bool, PastError> {
        let Some(next) = self.next.filter(|_| self.past.rest.is_empty()) else { return Ok(false) };
        let piece = shared.journal.read_piece(id, next, PIECE_BYTES).await?;
        (self.past.rest, self.next) = (piece.records, piece.next);
        Ok(true)
    }
}

/// Whether only an older version can read the first record of a match. One that cannot be read at all says nothing of that.
async fn begins_with_older_version(shared: &Shared, id: MatchId) -> bool {
    let first = shared.journal.read_piece(id, Mark::after(0), 1).await.ok();
    let first = first.and_then(|piece| piece.records.into_iter().next());
    first.is_some_and(|first| matches!(decode(first, 1), Err(PastError::OlderVersion)))
}

/// The newest snapshot that stands for at most so many records and fits. Those that are too new are halved and not gone
/// through: a long match has thousands.
async fn newest_that_fits(
    shared: &Shared,
    id: MatchId,
    since: Since,
    most: u64,
) -> Result<Option<Snapshot>, PastError> {
    if since == Since::Beginning {
        return Ok(None);
    }
    let Some(newest) = shared.journal.snapshot(id, most).await? else { return Ok(None) };
    if since.fits(&newest.state) {
        return Ok(Some(newest));
    }
    // Below `low` there is nothing better than what was found, and from `high` on nothing fits.
    let (mut found, mut low, mut high) = (None, 0, newest.records);
    while low < high {
        let middle = low + (high - low) / 2;
        match shared.journal.snapshot(id, middle).await?.filter(|snapshot| snapshot.records >= low) {
            Some(snapshot) if !since.fits(&snapshot.state) => high = snapshot.records,
            better => {
                found = better.or(found);
                low = middle + 1;
            }
        }
    }
    Ok(found)
}

impl Past {
    /// A match as a snapshot has it.
    fn saved(shared: &Shared, id: MatchId, snapshot: Snapshot) -> Result<Self, ReplayError> {
        let match_state = MatchState::restore(id, snapshot.state, &shared.rulesets, shared.limits.request_memory)?;
        Ok(Self { saved: match_state.turn(), match_state, records: snapshot.records, rest: Vec::new() })
    }

    /// A match as the first of its records has it.
    fn created(shared: &Shared, id: MatchId, records: Vec<Bytes>) -> Result<Self, PastError> {
        let mut records = records.into_iter();
        let first = records.next().ok_or(PastError::Unknown)?;
        let first = decode(first, 1)?;
        let match_state = MatchState::create(id, first, &shared.rulesets, shared.limits.request_memory)
            .map_err(|what| PastError::ReplayError { record: 1, what })?;
        Ok(Self { match_state, records: 1, saved: 0, rest: records.collect() })
    }

    /// A match with all records that are wanted of it, where reading and playing them is short; otherwise nothing. Only
    /// a few are read so at the same time.
    pub async fn short(
        matches: &Matches,
        customer: Customer,
        id: MatchId,
        since: Since,
    ) -> Result<Option<Self>, PastError> {
        if matches.heavy.contains_key(&id) {
            return Ok(None);
        }
        let _turn = matches.short_readings.wait(customer).await;
        let newest = match since {
            Since::Beginning => None,
            _ => matches.journal.snapshot(id, u64::MAX).await?,
        };
        if newest.as_ref().is_some_and(|newest| newest.state.len() > SHORT || !since.fits(&newest.state)) {
            return Ok(None);
        }
        let after = newest.as_ref().map_or(0, |newest| newest.records);
        let Piece { records, next } = matches.journal.read_piece(id, Mark::after(after), SHORT).await?;
        if next.is_some() || effort(&records) > SHORT {
            return Ok(None);
        }
        match newest {
            // A snapshot that makes no sense is passed over by the longer way of reading back, which this leaves it to.
            Some(newest) => Ok(Self::saved(matches, id, newest).ok().map(|past| Self { rest: records, ..past })),
            None => Self::created(matches, id, records).map(Some),
        }
    }

    /// Reads a match and does something with each piece of it, as long as nothing of the piece before was left: at once
    /// where that is short, and otherwise apart, when it is the customer's turn. Nothing is kept while it waits, and one
    /// piece of what is worked on is in memory. What `end` makes of it is all that is left of it for whoever asked: the
    /// match itself can be large, and they may be late in taking it.
    pub async fn with<S: Send + 'static, T: Send + 'static>(
        matches: &Matches,
        customer: Customer,
        id: MatchId,
        since: Since,
        mut state: S,
        step: impl Fn(&mut Self, &mut S) -> Result<(), PastError> + Send + 'static,
        end: impl FnOnce(Self, S) -> T + Send + 'static,
    ) -> Result<T, PastError> {
        if let Some(mut past) = Self::short(matches, customer, id, since).await? {
            step(&mut past, &mut state)?;
            return Ok(end(past, state));
        }
        let shared = matches.clone();
        let apart = async move {
            let mut reader = Reader::open(&shared, id, since).await?;
            step(&mut reader.past, &mut state)?;
            while reader.go_on(&shared, id).await? {
                step(&mut reader.past, &mut state)?;
            }
            Ok(end(reader.past, state))
        };
        matches.work.run_async(customer, apart).await.map_err(PastError::Refused)?
    }

    /// Applies each record that was read, as long as `more` says so.
    pub fn each<A>(
        &mut self,
        with: &mut A,
        mut more: impl FnMut(&A, &MatchState) -> bool,
        mut apply: impl FnMut(&mut A, &mut MatchState, Entry) -> Result<(), ReplayError>,
    ) -> Result<(), PastError> {
        let mut rest = std::mem::take(&mut self.rest).into_iter();
        while rest.len() > 0 && more(with, &self.match_state) {
            let record = self.records + 1;
            let entry = decode(rest.next().unwrap_or_default(), record)?;
            apply(with, &mut self.match_state, entry).map_err(|what| PastError::ReplayError { record, what })?;
            self.records = record;
        }
        self.rest = rest.collect();
        Ok(())
    }

    /// Plays the records that were read, as long as `more` says so of those who are told and of the match.
    pub fn play<A: Audience>(
        &mut self,
        audience: &mut A,
        more: impl FnMut(&A, &MatchState) -> bool,
    ) -> Result<(), PastError> {
        self.each(audience, more, |audience, match_state, entry| match_state.apply(entry, audience))
    }

    /// The match as it is now, for whoever asks for it.
    pub async fn recover(matches: &Matches, customer: Customer, id: MatchId) -> Result<Self, PastError> {
        let play = |past: &mut Self, nobody: &mut Nobody| past.play(nobody, |_, _| true);
        Self::with(matches, customer, id, Since::Now, Nobody, play, |past, _| past).await
    }
}

/// How much work records are: their bytes, and what playing each of them takes.
fn effort(records: &[Bytes]) -> usize {
    records.iter().map(|record| record.len() + RECORD_EFFORT).sum()
}

/// Reads a record with its number. One that says nothing, or creates a match without settings or map, is looked at again: it may
/// say what only older versions know.
fn decode(bytes: Bytes, record: u64) -> Result<Entry, PastError> {
    let entry = Entry::decode(bytes.clone())
        .map_err(|error| PastError::ReplayError { record, what: ReplayError(error.to_string()) })?;
    let says_too_little = match &entry.what {
        None => true,
        Some(disk::entry::What::Created(created)) => created.settings.is_none() || created.map.is_none(),
        Some(_) => false,
    };
    if says_too_little && is_of_older_version(&bytes) {
        return Err(PastError::OlderVersion);
    }
    Ok(entry)
}

/// Collects one viewer's news from a cursor on.
struct Collector {
    place: Place,
    views: bool,
    after: u64,
    newest: u64,
    bytes: usize,
    news: Vec<EncodedNews>,
}

impl Audience for Collector {
    fn tell(&mut self, match_state: &MatchState, place: Place, cursor: u64, event: &MatchEvent<'_>) {
        if place == self.place && cursor > self.after && cursor <= self.newest && self.bytes < HISTORY_BYTES {
            let what = with_view(match_state, place, project(match_state, place, event), self.views);
            let news = EncodedNews::new(cursor, what);
            self.bytes += news.encoded_len();
            self.news.push(news);
        }
    }
}

/// Looks for the last turn that a viewer was told can be planned.
struct LastOpened {
    place: Place,
    after: u64,
    newest: u64,
    opened: Option<v1::TurnOpened>,
}

impl Audience for LastOpened {
    fn tell(&mut self, match_state: &MatchState, place: Place, cursor: u64, event: &MatchEvent<'_>) {
        if place != self.place || cursor <= self.after || cursor > self.newest {
            return;
        }
        let opened = match project(match_state, place, event) {
            What::TurnOpened(opened) => Some(opened),
            What::Outcome(outcome) => outcome.next,
            _ => None,
        };
        if let Some(opened) = opened {
            self.opened = Some(v1::TurnOpened { view: match_state.view(place), ..opened });
        }
    }
}

/// The last turn up to a cursor that a viewer was told can be planned, with its view, from the journal. Mostly the news
/// at the cursor opened it; where they did not, more and more of those before are looked at.
pub async fn last_opened(
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    place: Place,
    newest: u64,
) -> Result<Option<v1::TurnOpened>, PastError> {
    let mut reach = 1;
    loop {
        let after = newest.saturating_sub(reach);
        let look = move |past: &mut Past, last: &mut LastOpened| {
            past.play(last, |_, match_state| match_state.news(place) < newest)
        };
        let last = LastOpened { place, after, newest, opened: None };
        let since = Since::News(place, after);
        let opened = Past::with(matches, customer, id, since, last, look, |_, last| last.opened).await?;
        if opened.is_some() || after == 0 {
            return Ok(opened);
        }
        reach = reach.saturating_mul(HISTORY_CHUNK as u64);
    }
}

/// News with the view of the turn that they open, where it is asked for.
pub fn with_view(match_state: &MatchState, place: Place, mut what: What, views: bool) -> What {
    if views {
        match &mut what {
            What::TurnOpened(opened) => opened.view = match_state.view(place),
            What::Outcome(v1::Outcome { next: Some(opened), .. }) => opened.view = match_state.view(place),
            _ => {}
        }
    }
    what
}

/// News of a viewer after a cursor, up to `newest` and at most a chunk of them, from the journal.
pub async fn news(
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    viewer: (Place, bool),
    after: u64,
    newest: u64,
) -> Result<Vec<EncodedNews>, PastError> {
    let (place, views) = viewer;
    let newest = newest.min(after.saturating_add(HISTORY_CHUNK as u64));
    let collector = Collector { place, views, after, newest, bytes: 0, news: Vec::new() };
    let collect = move |past: &mut Past, collector: &mut Collector| {
        past.play(collector, |_, match_state| match_state.news(place) < newest)
    };
    let since = Since::News(place, after);
    Past::with(matches, customer, id, since, collector, collect, |_, collector| collector.news).await
}

//! A match read back from its journal: to go on with it, or for a viewer who was away.

use bytes::Bytes;
use parley_proto::journal::v1::Entry;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;
use tonic::Code;

use super::told::Told;
use super::{Matches, Shared};
use crate::journal::{MatchId, ReadError};
use crate::refusal::Refusal;
use crate::table::{Audience, Happening, Nobody, Nonsense, Place, Table, project};
use crate::work::Customer;

/// How many news are read from the journal at once.
pub const HISTORY_CHUNK: usize = 64;
/// How many bytes of them are read at once, beside the one that is too many.
const HISTORY_BYTES: usize = 1 << 20;
/// How much effort is made at once: about a millisecond's.
const SHORT: usize = 64 * 1024;
/// How much effort playing a record is, in bytes that could be read meanwhile.
const RECORD_EFFORT: usize = 1024;

/// A table and the records that come after it.
#[derive(Debug)]
pub struct Past {
    /// The table as the snapshot, or the first record, left it.
    pub table: Table,
    /// How many records that table stands for.
    pub records: u64,
    /// The turn of that snapshot, or 0 where there was none.
    pub saved: u32,
    /// The encoded records that come after them.
    pub rest: Vec<Bytes>,
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
    Nonsense {
        /// The number of the record, counted from 1.
        record: u64,
        /// Why the record makes no sense.
        what: Nonsense,
    },
    /// Reading the match takes long, and too much heavy work waits already.
    #[error("{}", .0.message)]
    Refused(Refusal),
}

impl From<PastError> for Refusal {
    fn from(error: PastError) -> Self {
        match error {
            PastError::Unknown => Self::no_match(),
            PastError::Refused(refusal) => refusal,
            PastError::Unreadable(ReadError::Failed(_)) => {
                Self::new(Code::Unavailable, "STORE_FAILED", "the store does not answer; try again")
            }
            broken => Self::new(Code::DataLoss, "MATCH_DAMAGED", format!("the match cannot go on: {broken}")),
        }
    }
}

impl Past {
    /// Reads a match from its newest snapshot that `fits`, or from its beginning.
    pub async fn load(shared: &Shared, id: MatchId, fits: impl Fn(&Table) -> bool) -> Result<Self, PastError> {
        Self::load_at_most(shared, id, fits, usize::MAX).await.and_then(|past| past.ok_or(PastError::Unknown))
    }

    /// Reads as [`Past::load`] does, unless there is more to read than `most`; then it is not begun.
    async fn load_at_most(
        shared: &Shared,
        id: MatchId,
        fits: impl Fn(&Table) -> bool,
        most: usize,
    ) -> Result<Option<Self>, PastError> {
        let mut below = u64::MAX;
        while let Some(snapshot) = shared.journal.snapshot(id, below).await? {
            let records = snapshot.records;
            if snapshot.state.len() > most {
                return Ok(None);
            }
            match Table::restore(id, snapshot.state, &shared.shelf, shared.limits.request_memory) {
                Ok(table) if fits(&table) => {
                    let rest = shared.journal.read(id, records).await?;
                    let short = effort(&rest) <= most;
                    return Ok(short.then(|| Self { saved: table.turn(), table, records, rest }));
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(match_id = %id.0, records, %error, "a snapshot is left out"),
            }
            match records.checked_sub(1) {
                Some(next) => below = next,
                None => break,
            }
        }
        let mut rest = shared.journal.read(id, 0).await?;
        if rest.is_empty() {
            return Err(PastError::Unknown);
        }
        if effort(&rest) > most {
            return Ok(None);
        }
        let nonsense = |what| PastError::Nonsense { record: 1, what };
        let first = decode(rest.remove(0)).map_err(nonsense)?;
        let table = Table::create(id, first, &shared.shelf, shared.limits.request_memory).map_err(nonsense)?;
        Ok(Some(Self { table, records: 1, saved: 0, rest }))
    }

    /// Reads a match as [`Past::load`] does and does something with it: at once where that is short, and otherwise
    /// apart, when it is the customer's turn, so that only as much is in memory as is being worked on.
    pub async fn with<T: Send + 'static>(
        matches: &Matches,
        customer: Customer,
        id: MatchId,
        fits: impl Fn(&Table) -> bool + Clone + Send + Sync + 'static,
        work: impl FnOnce(&mut Self) -> Result<T, PastError> + Send + 'static,
    ) -> Result<(Self, T), PastError> {
        if let Some(mut past) = Self::load_at_most(matches, id, fits.clone(), SHORT).await? {
            let done = work(&mut past)?;
            return Ok((past, done));
        }
        let shared = matches.clone();
        let apart = async move {
            let mut past = Self::load(&shared, id, fits).await?;
            let done = work(&mut past)?;
            Ok((past, done))
        };
        matches.work.run_async(customer, apart).await.map_err(PastError::Refused)?
    }

    /// Plays the records that come after, as long as `more` says so of those who are told and of the table.
    pub fn play<A: Audience>(
        &mut self,
        audience: &mut A,
        mut more: impl FnMut(&A, &Table) -> bool,
    ) -> Result<(), PastError> {
        for bytes in std::mem::take(&mut self.rest) {
            if !more(audience, &self.table) {
                return Ok(());
            }
            let record = self.records + 1;
            let nonsense = |what| PastError::Nonsense { record, what };
            self.table.apply(decode(bytes).map_err(nonsense)?, audience).map_err(nonsense)?;
            self.records = record;
        }
        Ok(())
    }

    /// Reads a match back and plays all its records, so that the table is as it is now.
    pub async fn recover(matches: &Matches, id: MatchId) -> Result<Self, PastError> {
        let recover = |past: &mut Self| past.play(&mut Nobody, |_, _| true);
        Self::with(matches, Customer::Service, id, |_| true, recover).await.map(|(past, ())| past)
    }
}

/// How much work records are: their bytes, and what playing each of them takes.
fn effort(records: &[Bytes]) -> usize {
    records.iter().map(|record| record.len() + RECORD_EFFORT).sum()
}

fn decode(bytes: Bytes) -> Result<Entry, Nonsense> {
    Entry::decode(bytes).map_err(|error| Nonsense(error.to_string()))
}

/// Collects one viewer's news from a cursor on.
struct Collector {
    place: Place,
    views: bool,
    after: u64,
    newest: u64,
    bytes: usize,
    news: Vec<Told>,
}

impl Audience for Collector {
    fn tell(&mut self, table: &Table, place: Place, cursor: u64, happening: &Happening<'_>) {
        if place == self.place && cursor > self.after && cursor <= self.newest && self.bytes < HISTORY_BYTES {
            let what = with_view(table, place, project(table, place, happening), self.views);
            let news = Told::new(cursor, what);
            self.bytes += news.encoded_len();
            self.news.push(news);
        }
    }
}

/// News with the view of the turn that they open, where it is asked for.
pub fn with_view(table: &Table, place: Place, mut what: What, views: bool) -> What {
    if views {
        match &mut what {
            What::TurnOpened(opened) => opened.view = table.view(place),
            What::Outcome(v1::Outcome { next: Some(opened), .. }) => opened.view = table.view(place),
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
) -> Result<Vec<Told>, PastError> {
    let (place, views) = viewer;
    let newest = newest.min(after + HISTORY_CHUNK as u64);
    let collect = move |past: &mut Past| {
        let mut collector = Collector { place, views, after, newest, bytes: 0, news: Vec::new() };
        past.play(&mut collector, |_, table| table.news(place) < newest)?;
        Ok(collector.news)
    };
    let fits = move |table: &Table| table.news(place) <= after;
    Past::with(matches, customer, id, fits, collect).await.map(|(_, news)| news)
}

//! A match read back from its journal: to go on with it, or for a viewer who was away.

use bytes::Bytes;
use parley_proto::journal::v1::Entry;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;
use tonic::Code;

use super::Shared;
use super::told::Told;
use crate::journal::{MatchId, ReadError};
use crate::refusal::Refusal;
use crate::table::{Audience, Happening, Nobody, Nonsense, Place, Table, project};

/// News that are read from the journal at once.
pub const HISTORY_CHUNK: usize = 64;

/// A table and the records that come after it.
#[derive(Debug)]
pub struct Past {
    /// As the snapshot, or the first record, left it.
    pub table: Table,
    /// How many records that stands for.
    pub records: u64,
    /// The turn of that snapshot, or 0.
    pub saved: u32,
    /// The others.
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
        /// Which record, counted from 1.
        record: u64,
        /// Why.
        what: Nonsense,
    },
}

impl From<PastError> for Refusal {
    fn from(error: PastError) -> Self {
        match error {
            PastError::Unknown => Self::no_match(),
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
        let mut below = u64::MAX;
        while let Some(snapshot) = shared.journal.snapshot(id, below).await? {
            let records = snapshot.records;
            match Table::restore(id, snapshot.state, &shared.shelf, shared.limits.request_memory) {
                Ok(table) if fits(&table) => {
                    let rest = shared.journal.read(id, records).await?;
                    return Ok(Self { saved: table.turn(), table, records, rest });
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
        let nonsense = |what| PastError::Nonsense { record: 1, what };
        let first = decode(rest.remove(0)).map_err(nonsense)?;
        let table = Table::create(id, first, &shared.shelf, shared.limits.request_memory).map_err(nonsense)?;
        Ok(Self { table, records: 1, saved: 0, rest })
    }

    /// Plays the other records, as long as `more` says so.
    pub fn play(&mut self, audience: &mut dyn Audience, mut more: impl FnMut(&Table) -> bool) -> Result<(), PastError> {
        for bytes in std::mem::take(&mut self.rest) {
            if !more(&self.table) {
                return Ok(());
            }
            let record = self.records + 1;
            let nonsense = |what| PastError::Nonsense { record, what };
            self.table.apply(decode(bytes).map_err(nonsense)?, audience).map_err(nonsense)?;
            self.records = record;
        }
        Ok(())
    }

    /// The match as it is now.
    pub async fn recover(shared: &Shared, id: MatchId) -> Result<Self, PastError> {
        let past = Self::load(shared, id, |_| true).await?;
        on_a_thread_of_its_own(past.rest.len(), past, |past| past.play(&mut Nobody, |_| true)).await
    }
}

/// Long work goes where it holds nobody up.
pub async fn on_a_thread_of_its_own(
    records: usize,
    mut past: Past,
    work: impl FnOnce(&mut Past) -> Result<(), PastError> + Send + 'static,
) -> Result<Past, PastError> {
    const SHORT: usize = 64;
    if records <= SHORT {
        work(&mut past)?;
        return Ok(past);
    }
    let work = tokio::task::spawn_blocking(move || work(&mut past).map(|()| past));
    work.await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(PastError::Unreadable(ReadError::Failed("the server is shutting down".to_owned()))),
    })
}

fn decode(bytes: Bytes) -> Result<Entry, Nonsense> {
    Entry::decode(bytes).map_err(|error| Nonsense(error.to_string()))
}

/// One viewer's news from a cursor on.
struct Collector {
    place: Place,
    views: bool,
    after: u64,
    newest: u64,
    news: Vec<Told>,
}

impl Audience for Collector {
    fn tell(&mut self, table: &Table, place: Place, cursor: u64, happening: &Happening<'_>) {
        if place == self.place && cursor > self.after && cursor <= self.newest {
            let what = with_view(table, place, project(table, place, happening), self.views);
            self.news.push(Told::new(cursor, what));
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
    shared: &Shared,
    id: MatchId,
    place: Place,
    views: bool,
    after: u64,
    newest: u64,
) -> Result<Vec<Told>, PastError> {
    let past = Past::load(shared, id, |table| table.news(place) <= after).await?;
    let newest = newest.min(after + HISTORY_CHUNK as u64);
    let (sender, receiver) = tokio::sync::oneshot::channel();
    on_a_thread_of_its_own(past.rest.len(), past, move |past| {
        let mut collector = Collector { place, views, after, newest, news: Vec::new() };
        past.play(&mut collector, |table| table.news(place) < newest)?;
        // The receiver waits below; it cannot be gone.
        let _ = sender.send(collector.news);
        Ok(())
    })
    .await?;
    Ok(receiver.await.unwrap_or_default())
}

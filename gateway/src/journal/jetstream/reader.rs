//! Reading a match back, from its first message or from a snapshot on.

use std::time::Duration;

use async_nats::StatusCode;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, RawMessageErrorKind};
use bytes::Bytes;
use futures_util::StreamExt;
use parley_proto::journal::v1::{Appended, Listed, Saved};
use prost::Message;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::super::{Mark, MatchId, Piece, ReadError, Snapshot};
use super::{Seek, StreamFacts, StreamShared};
use crate::nats::ASK_TIME;

/// How many messages are asked for at once.
const BATCH: usize = 256;
/// How many bytes of them, at most: what is asked for at once is in memory at once.
const BATCH_BYTES: usize = 1 << 20;
/// How long to wait for a server that has not stored yet what the leader has.
const CATCH_UP: Duration = Duration::from_millis(20);
/// The header with the sequence of a message that is handed out.
const SEQUENCE: &str = "Nats-Sequence";

/// A message and its sequence in the stream.
type Found = (u64, Bytes);

impl StreamShared {
    pub(super) async fn read(&self, id: MatchId, from: Mark, bytes: usize) -> Result<Piece, ReadError> {
        let facts = self.facts.get(&id).map(|facts| *facts);
        let newest = match facts {
            Some(StreamFacts { sequence, .. }) => sequence,
            None => self.last(id).await.map_err(ReadError::Failed)?.map_or(0, |last| last.sequence),
        };
        let after = from.after;
        let mut seek = self.snapshot_place(id).filter(|seek| seek.records <= after);
        if from.hint > 0 {
            seek = Some(Seek { records: after, sequence: from.hint });
        }
        let mut reading =
            CollectedRecords { records: seek.map_or(0, |seek| seek.records), after, ..CollectedRecords::default() };
        let mut next = seek.map_or(1, |seek| seek.sequence.saturating_add(1));
        let end = Instant::now() + self.options.patience;
        let mut batches = self.nats.batches;
        while next <= newest {
            let found = if batches { self.batch(id, next, bytes).await } else { self.one(id, next).await };
            let mut got_on = false;
            for (sequence, message) in found.into_iter().flatten() {
                match reading.add(id, sequence, message) {
                    Ok(()) if reading.bytes >= bytes && !reading.kept.is_empty() && sequence < newest => {
                        let next = Some(Mark { after: reading.records, hint: sequence });
                        if facts.is_some() {
                            self.repair_listing(id, reading.listed).await?;
                        }
                        return Ok(Piece { records: reading.kept, next });
                    }
                    Ok(()) => (next, got_on) = (sequence.saturating_add(1), true),
                    // Some of a batch may be lost with a connection. The leader hands the next one out alone.
                    Err(_) if batches => {
                        (batches, got_on) = (false, true);
                        break;
                    }
                    Err(error) => return Err(error),
                }
                batches = self.nats.batches;
            }
            if !got_on {
                if Instant::now() >= end {
                    return Err(ReadError::Failed("NATS does not hand out what it has stored".to_owned()));
                }
                sleep(CATCH_UP).await;
            }
        }
        if facts.is_some() {
            self.repair_listing(id, reading.listed).await?;
        }
        Ok(Piece { records: reading.kept, next: None })
    }

    /// Lists what was read last of a match's listings, unless a newer one is listed: whoever wrote it may have died before
    /// everybody could see it.
    async fn repair_listing(&self, id: MatchId, listed: Option<(u64, Listed)>) -> Result<(), ReadError> {
        let Some((sequence, listed)) = listed else { return Ok(()) };
        self.keep_listing(id, sequence, listed).await.map_err(ReadError::Failed)
    }

    /// The next message of a match from a sequence on, from the leader; an empty list where there are no more. For
    /// servers that know no batches, and where a batch was not whole.
    async fn one(&self, id: MatchId, from: u64) -> Result<Vec<Found>, String> {
        let asked = self.journal.raw_message_builder().sequence(from).next_by_subject(self.subject(id));
        match asked.send().await {
            Ok(message) => Ok(vec![(message.sequence, message.payload)]),
            Err(error) if matches!(error.kind(), RawMessageErrorKind::NoMessageFound) => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Some messages of a match from a sequence on, about so many bytes of them, from any replica; none where there are no
    /// more, or not yet.
    async fn batch(&self, id: MatchId, from: u64, bytes: usize) -> Result<Vec<Found>, String> {
        let client = &self.nats.client;
        let inbox = client.new_inbox();
        let mut answers = client.subscribe(inbox.clone()).await.map_err(|error| error.to_string())?;
        let bytes = bytes.min(BATCH_BYTES);
        let ask =
            json!({ "seq": from, "next_by_subj": self.subject(id), "batch": BATCH, "max_bytes": bytes }).to_string();
        let subject = format!("$JS.API.DIRECT.GET.{}", self.journal.cached_info().config.name);
        client.publish_with_reply(subject, inbox, ask.into()).await.map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        loop {
            let answer = timeout(ASK_TIME, answers.next()).await.map_err(|_| "NATS does not answer".to_owned())?;
            let Some(answer) = answer else { return Err("the connection to NATS was lost".to_owned()) };
            match answer.status {
                None | Some(StatusCode::OK) => {}
                // The end of the batch, or nothing there.
                Some(status) if status.as_u16() == 204 || status == StatusCode::NOT_FOUND => return Ok(found),
                Some(status) => return Err(format!("NATS answers {status}")),
            }
            let sequence = answer.headers.as_ref().and_then(|headers| headers.get(SEQUENCE)?.as_str().parse().ok());
            let Some(sequence) = sequence else { return Err("NATS names no sequence".to_owned()) };
            found.push((sequence, answer.payload));
        }
    }

    pub(super) async fn snapshot(&self, id: MatchId, records: u64) -> Result<Option<Snapshot>, ReadError> {
        let all = format!("{}{}.*", self.snapshots.prefix, id.0.simple());
        let subject = if records == u64::MAX {
            all
        } else {
            let failed = |error: String| ReadError::Failed(error);
            let subjects = self.snapshots.stream.info_with_subjects(&all).await;
            let mut subjects = subjects.map_err(|error| failed(error.to_string()))?;
            let mut newest = None;
            while let Some(subject) = subjects.next().await {
                let (subject, _) = subject.map_err(|error| failed(error.to_string()))?;
                let number = subject.rsplit('.').next().and_then(|number| number.parse::<u64>().ok());
                newest = newest.max(number.filter(|number| *number <= records));
            }
            match newest {
                Some(newest) => format!("{}{}", self.snapshots.prefix, Self::snapshot_key(id, newest)),
                None => return Ok(None),
            }
        };
        let message = match self.snapshots.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => message,
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => return Ok(None),
            Err(error) => return Err(ReadError::Failed(error.to_string())),
        };
        let saved = Saved::decode(message.payload).map_err(|error| ReadError::Failed(error.to_string()))?;
        self.remember_snapshot(id, Seek { records: saved.records, sequence: saved.sequence });
        Ok(Some(Snapshot { records: saved.records, state: saved.state }))
    }
}

/// The records of a match, put together.
#[derive(Default)]
struct CollectedRecords {
    /// How many records there were in the messages so far.
    records: u64,
    /// How many of the first records nobody asked for.
    after: u64,
    kept: Vec<Bytes>,
    /// How many bytes those have.
    bytes: usize,
    listed: Option<(u64, Listed)>,
}

impl CollectedRecords {
    fn add(&mut self, id: MatchId, sequence: u64, message: Bytes) -> Result<(), ReadError> {
        let damaged = |what: String| ReadError::Damaged { id: id.0, record: self.records + 1, what };
        let message = Appended::decode(message).map_err(|error| damaged(error.to_string()))?;
        if message.after != self.records {
            return Err(damaged(format!("the message with it says that there were {} before", message.after)));
        }
        for record in message.records {
            self.records += 1;
            if self.records > self.after {
                self.bytes += record.len();
                self.kept.push(record);
            }
        }
        if let Some(listed) = message.listed {
            self.listed = Some((sequence, listed));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn message(after: u64, records: &[&'static str]) -> Bytes {
        let records = records.iter().map(|record| Bytes::from_static(record.as_bytes())).collect();
        Appended { after, records, ..Appended::default() }.encode_to_vec().into()
    }

    #[test]
    fn a_message_that_is_missing_is_noticed_and_nothing_is_taken() {
        let id = MatchId(Uuid::from_u128(1));
        let mut reading = CollectedRecords { after: 1, ..CollectedRecords::default() };
        reading.add(id, 5, message(0, &["one", "two"])).expect("the first");
        reading.add(id, 9, message(2, &[])).expect("somebody took the match over");
        assert!(matches!(reading.add(id, 20, message(3, &["four"])), Err(ReadError::Damaged { record: 3, .. })));
        reading.add(id, 12, message(2, &["three"])).expect("the one that was missing");
        reading.add(id, 20, message(3, &["four"])).expect("the next");
        assert_eq!(reading.kept, ["two", "three", "four"]);
    }
}

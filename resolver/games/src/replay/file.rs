//! The bytes of a replay file: a line that says what it is, then records with their lengths before them.

use std::io::{self, BufRead, Read, Write};

use parley_proto::v1::ReplayRecord;
use prost::Message;

/// The version of the format that is written and read.
pub const FORMAT: u32 = 2;
/// The first line of every replay file.
pub const MAGIC: &[u8; 16] = b"PARLEY-REPLAY 2\n";
/// The first line of replay files with decisions by unit and tick, which versions before questions wrote.
const EARLIER_MAGIC: &[u8; 16] = b"PARLEY-REPLAY 1\n";

/// How much of a replay file is read at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest record, in bytes.
    pub record_bytes: usize,
    /// The most records of a file.
    pub records: usize,
    /// The most bytes of all records together.
    pub total_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record_bytes: 64 << 20, records: 1 << 20, total_bytes: 2 << 30 }
    }
}

/// Why a file cannot be read as a replay.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The first line is not [`MAGIC`].
    #[error("this is not a replay: it does not begin with the line PARLEY-REPLAY 2")]
    NotAReplay,
    /// The first line is that of an earlier format.
    #[error("this replay was written by an earlier version of Parley (format 1), and only such a version can read it")]
    Earlier,
    /// The file ends within a record.
    #[error("record {record}: the file ends in the middle of it")]
    Truncated {
        /// The number of the record, counted from 1.
        record: usize,
    },
    /// The length before a record is malformed.
    #[error("record {record}: its length is malformed")]
    Length {
        /// The number of the record, counted from 1.
        record: usize,
    },
    /// A record is longer than the limit.
    #[error("record {record}: {bytes} bytes are too many, {most} are read")]
    TooLong {
        /// The number of the record, counted from 1.
        record: usize,
        /// How many bytes long the record says it is.
        bytes: u64,
        /// How many bytes long it may be.
        most: usize,
    },
    /// There are more records than the limit.
    #[error("record {record}: only {most} records are read")]
    TooMany {
        /// The number of the record, counted from 1.
        record: usize,
        /// How many records there may be.
        most: usize,
    },
    /// The records together have more bytes than the limit.
    #[error("record {record}: only {most} bytes are read in all")]
    TooMuch {
        /// The number of the record, counted from 1.
        record: usize,
        /// How many bytes there may be in all.
        most: usize,
    },
    /// The bytes of a record are not those of its message.
    #[error("record {record}: it is damaged: {reason}")]
    Damaged {
        /// The number of the record, counted from 1.
        record: usize,
        /// What is wrong with the record.
        reason: String,
    },
    /// The machine failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads a whole replay.
pub fn read(mut source: impl BufRead, limits: &Limits) -> Result<Vec<ReplayRecord>, FileError> {
    let mut line = [0; MAGIC.len()];
    match source.read_exact(&mut line) {
        Ok(()) if line == *MAGIC => {}
        Ok(()) if line == *EARLIER_MAGIC => return Err(FileError::Earlier),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error.into()),
        _ => return Err(FileError::NotAReplay),
    }
    let (mut records, mut total, mut bytes) = (Vec::new(), 0usize, Vec::new());
    while !source.fill_buf()?.is_empty() {
        let record = records.len() + 1;
        if record > limits.records {
            return Err(FileError::TooMany { record, most: limits.records });
        }
        let length = length(&mut source, record)?;
        if length > limits.record_bytes as u64 {
            return Err(FileError::TooLong { record, bytes: length, most: limits.record_bytes });
        }
        total = total.saturating_add(length as usize);
        if total > limits.total_bytes {
            return Err(FileError::TooMuch { record, most: limits.total_bytes });
        }
        bytes.clear();
        // Grows with what is there, not with what the length says.
        source.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(FileError::Truncated { record });
        }
        let decoded = ReplayRecord::decode(&bytes[..]);
        records.push(decoded.map_err(|error| FileError::Damaged { record, reason: error.to_string() })?);
    }
    Ok(records)
}

/// Reads the varint before a record, which is its length.
fn length(source: &mut impl BufRead, record: usize) -> Result<u64, FileError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        match source.read_exact(&mut byte) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(FileError::Truncated { record }),
            other => other?,
        }
        let low = u64::from(byte[0] & 0x7F);
        if low << shift >> shift != low {
            break;
        }
        value |= low << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(FileError::Length { record })
}

/// Writes the first line.
pub fn begin(out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)
}

/// Writes one record.
pub fn append(out: &mut impl Write, record: &ReplayRecord) -> io::Result<()> {
    out.write_all(&record.encode_length_delimited_to_vec())
}

/// Writes a whole replay.
pub fn write(out: &mut impl Write, records: &[ReplayRecord]) -> io::Result<()> {
    begin(out)?;
    records.iter().try_for_each(|record| append(out, record))
}

#[cfg(test)]
mod tests {
    use parley_proto::v1::{ReplayHeader, ReplayTurn, replay_record::Record};

    use super::*;

    fn records() -> Vec<ReplayRecord> {
        let header = ReplayHeader { format: FORMAT, name: "x".repeat(300), ..ReplayHeader::default() };
        let turn = ReplayTurn { turn: 1, ..ReplayTurn::default() };
        vec![ReplayRecord { record: Some(Record::Header(header)) }, ReplayRecord { record: Some(Record::Turn(turn)) }]
    }

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, &records()).expect("memory takes it");
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read(&bytes()[..], &Limits::default()).expect("a replay"), records());
        assert_eq!(read(&MAGIC[..], &Limits::default()).expect("a replay"), []);
    }

    #[test]
    fn every_cut_is_noticed_with_its_record() {
        let bytes = bytes();
        let first = MAGIC.len() + records()[0].encode_length_delimited_to_vec().len();
        for end in 0..bytes.len() {
            let said = read(&bytes[..end], &Limits::default()).map_err(|error| error.to_string());
            match end {
                _ if end == MAGIC.len() || end == first => assert!(said.is_ok(), "a cut between records at {end}"),
                _ if end < MAGIC.len() => assert!(said.is_err_and(|s| s.contains("not a replay"))),
                _ => {
                    let record = if end < first { 1 } else { 2 };
                    assert_eq!(said, Err(format!("record {record}: the file ends in the middle of it")));
                }
            }
        }
    }

    #[test]
    fn limits_and_damage_are_named() {
        let said = |bytes: &[u8], limits: Limits| read(bytes, &limits).expect_err("refused").to_string();
        let bytes = bytes();
        let limits = Limits::default();
        assert_eq!(said(&bytes, Limits { records: 1, ..limits }), "record 2: only 1 records are read");
        let short = said(&bytes, Limits { record_bytes: 100, ..limits });
        assert!(short.starts_with("record 1: ") && short.ends_with("bytes are too many, 100 are read"), "{short}");
        assert_eq!(said(&bytes, Limits { total_bytes: 310, ..limits }), "record 2: only 310 bytes are read in all");
        let endless = [&MAGIC[..], &[0xFF; 20]].concat();
        assert_eq!(said(&endless, limits), "record 1: its length is malformed");
        let huge = [&MAGIC[..], &[0xFF, 0xFF, 0xFF, 0xFF, 0x7F]].concat();
        assert!(said(&huge, limits).contains("bytes are too many"));
        let noise = [&MAGIC[..], &[3, 0x0A, 0x7F, 0x00]].concat();
        assert!(said(&noise, limits).starts_with("record 1: it is damaged: "));
        assert!(said(b"PARLEY-REPLAY 3\n", limits).contains("not a replay"));
        let earlier = [b"PARLEY-REPLAY 1\n", &bytes[MAGIC.len()..]].concat();
        let sentence =
            "this replay was written by an earlier version of Parley (format 1), and only such a version can read it";
        assert_eq!(said(&earlier, limits), sentence);
    }
}

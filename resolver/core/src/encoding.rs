//! The canonical encoding (R13.3): what everything that is hashed or kept is written with, and read back.
//!
//! All integers are little-endian and of fixed width; a list is its length as `u32`, followed by its items. Writing is
//! appending to a vector of bytes, and cannot fail. Reading believes nothing before it is checked.

use std::fmt;
use std::sync::Arc;

/// Something with one canonical encoding: equal things have equal bytes, on every machine.
pub trait Encode {
    /// Appends the canonical encoding.
    fn encode_into(&self, out: &mut Vec<u8>);
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode_into(&self, out: &mut Vec<u8>) {
        (**self).encode_into(out);
    }
}

impl<T: Encode + ?Sized> Encode for Arc<T> {
    fn encode_into(&self, out: &mut Vec<u8>) {
        (**self).encode_into(out);
    }
}

/// Appends the length of a list.
pub fn put_count(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(count as u32).to_le_bytes());
}

/// Why bytes are not what they were read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// How many bytes come before the one that is at fault.
    pub offset: usize,
    /// What is wrong, in one sentence.
    pub reason: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for DecodeError {}

/// Bytes that may end at any moment, and how far they have been read.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader that has read nothing yet.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been read, which is where the next byte is.
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// An error about the byte at an offset.
    #[cold]
    pub const fn fault(&self, offset: usize, reason: String) -> DecodeError {
        DecodeError { offset, reason }
    }

    /// The next byte, without reading past it.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some(&bytes) = self.bytes[self.at..].first_chunk() else {
            return Err(self.fault(self.bytes.len(), "the bytes end too early".to_owned()));
        };
        self.at += N;
        Ok(bytes)
    }

    /// Reads a byte.
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// Reads a number of two bytes.
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.take().map(u16::from_le_bytes)
    }

    /// Reads a number of four bytes.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    /// Reads a number of eight bytes that may be negative.
    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        self.take().map(i64::from_le_bytes)
    }

    /// The length of a list whose items have at least this many bytes each. More than can be left is refused, so that
    /// a length can be allocated for.
    pub fn count(&mut self, item: usize) -> Result<usize, DecodeError> {
        let at = self.at;
        let count = self.u32()? as usize;
        if count > (self.bytes.len() - self.at) / item {
            return Err(self.fault(at, format!("a list of {count} does not fit into the bytes that are left")));
        }
        Ok(count)
    }

    /// Checks that every byte has been read.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => Err(self.fault(self.at, format!("{more} bytes follow after the end"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_in_the_same_order() {
        let mut bytes = vec![7];
        bytes.extend_from_slice(&0x0102u16.to_le_bytes());
        put_count(2, &mut bytes);
        bytes.extend_from_slice(&[8, 9]);
        bytes.extend_from_slice(&(-5i64).to_le_bytes());
        let mut reader = Reader::new(&bytes);
        assert_eq!((reader.u8(), reader.u16(), reader.count(1)), (Ok(7), Ok(0x0102), Ok(2)));
        assert_eq!((reader.peek(), reader.u8(), reader.u8(), reader.i64()), (Some(8), Ok(8), Ok(9), Ok(-5)));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn bytes_that_end_early_or_late_and_lists_that_cannot_fit_are_refused() {
        assert_eq!(Reader::new(&[1, 2, 3]).u32().map_err(|error| error.offset), Err(3));
        assert_eq!(Reader::new(&[3, 0, 0, 0, 1, 2]).count(1).map_err(|error| error.offset), Err(0));
        let error = Reader::new(&[1, 2]).finish().expect_err("two bytes are left");
        assert_eq!(error.to_string(), "byte 0: 2 bytes follow after the end");
    }
}

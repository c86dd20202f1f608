//! Little-endian numbers from bytes that may end at any moment.

use super::DecodeError;

/// Bytes and how far they have been read.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been read, which is where the next byte is.
    pub(super) const fn offset(&self) -> usize {
        self.at
    }

    /// An error about the byte at an offset.
    #[cold]
    pub(super) const fn fault(&self, offset: usize, reason: String) -> DecodeError {
        DecodeError { offset, reason }
    }

    /// The next byte, without reading past it.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some(&bytes) = self.bytes[self.at..].first_chunk() else {
            return Err(self.fault(self.bytes.len(), "the bytes end too early".to_owned()));
        };
        self.at += N;
        Ok(bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, DecodeError> {
        self.take().map(i64::from_le_bytes)
    }

    /// The length of a list whose items have at least this many bytes each. More than can be left is refused, so that
    /// a length can be allocated for.
    pub(super) fn count(&mut self, item: usize) -> Result<usize, DecodeError> {
        let at = self.at;
        let count = self.u32()? as usize;
        if count > (self.bytes.len() - self.at) / item {
            return Err(self.fault(at, format!("a list of {count} does not fit into the bytes that are left")));
        }
        Ok(count)
    }

    /// Checks that every byte has been read.
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => Err(self.fault(self.at, format!("{more} bytes follow after the end"))),
        }
    }
}

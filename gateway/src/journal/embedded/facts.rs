//! What the writer has to know of a match before it adds to it.

use super::super::Stage;

/// What the writer has to know of a match before it adds to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// How many records it has.
    pub(super) records: u64,
    /// A bit for each stage that the index lists it under; sound stores have at most one.
    pub(super) stages: u8,
}

impl Facts {
    /// The bit of a stage.
    pub(super) const fn bit(stage: Stage) -> u8 {
        1 << stage as u8
    }
}

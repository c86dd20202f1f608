//! Small integer names of what only this game has: structures and classes of ships.

parley_core::bounded_id!(
    /// A structure; its ids are a series of their own.
    StructureId
);

/// A row of the rules' class table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub(crate) u8);

impl ClassId {
    /// The row number as an index into the class table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

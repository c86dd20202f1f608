//! The envelope of what happens in a turn: when it happened and what it belongs to, whatever game it is of.

/// Something that happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<B> {
    /// The stage that it happened in, by its place in the list that the rules give. The driver of the turn notes it, not
    /// the stage itself.
    pub stage: u8,
    /// The tick that it happened in, where it happened in one.
    pub tick: Option<u8>,
    /// What it belongs to, such as a fight, by a number that the game counts from 1 through the turn; 0 where it belongs to
    /// nothing. Events of one number belong together.
    pub group: u32,
    /// What happened.
    pub body: B,
}

impl<B> Event<B> {
    /// Something that happens in the stage that is running.
    pub const fn new(tick: Option<u8>, group: u32, body: B) -> Self {
        Self { stage: 0, tick, group, body }
    }
}

//! What speaks against a replay.

use std::fmt;

use crate::sentences::visible;

/// The first thing that is not as it should be, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The turn that it is about, where it is about one.
    pub turn: Option<u32>,
    /// The tick that it is about, where it is about one.
    pub tick: Option<u8>,
    /// The thing that it is about: `unit 7`, `seat 2`, `header`, `end`.
    pub entity: String,
    /// The part of that thing.
    pub field: &'static str,
    /// What is wrong, in one sentence.
    pub reason: String,
}

impl Finding {
    /// A finding about a part of something, and what is wrong with it.
    pub fn new(entity: impl Into<String>, field: &'static str, reason: impl Into<String>) -> Self {
        Self { turn: None, tick: None, entity: entity.into(), field, reason: visible(&reason.into()) }
    }

    /// The same finding, about a turn.
    pub fn in_turn(self, turn: u32) -> Self {
        Self { turn: Some(turn), ..self }
    }

    /// The same finding, about a tick.
    pub fn in_tick(self, tick: u8) -> Self {
        Self { tick: Some(tick), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(turn) = self.turn {
            write!(f, "turn {turn}, ")?;
        }
        if let Some(tick) = self.tick {
            write!(f, "tick {tick}, ")?;
        }
        write!(f, "{}, {}: {}", self.entity, self.field, self.reason)
    }
}

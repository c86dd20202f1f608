//! What is wrong with what somebody asks of a game.

use parley_proto::common::v1 as common;

/// What is wrong with settings, or with what was written down of them.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupFault {
    /// The field of the settings that makes no sense.
    pub field: String,
    /// What is wrong with it, in one sentence.
    pub text: String,
    /// Everything that is wrong with a map that was drawn.
    pub faults: Vec<common::Fault>,
}

impl SetupFault {
    /// A field that makes no sense, and why.
    pub fn new(field: impl Into<String>, text: impl ToString) -> Self {
        Self { field: field.into(), text: text.to_string(), faults: Vec::new() }
    }
}

/// Why there is no answer to a question about a game.
#[derive(Clone, Debug, PartialEq)]
pub enum AdviceError {
    /// A field of the question makes no sense.
    Field {
        /// The field of the message.
        field: &'static str,
        /// What is wrong with it, in one sentence.
        text: String,
    },
    /// There is no way to where a unit is to go.
    NoCourse {
        /// Why there is none, in one sentence.
        text: String,
        /// The same as a fault of the unit's.
        fault: common::Fault,
    },
    /// It is for players alone, and whoever asks is none.
    OnlyPlayers,
}

impl AdviceError {
    /// A field of the question that makes no sense, and why.
    pub fn field(field: &'static str, text: impl Into<String>) -> Self {
        Self::Field { field, text: text.into() }
    }
}

//! Why a seat does not simply play on.

use crate::refusal::Refusal;

/// Why a seat does not simply play on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// The stream is gone; another one can take its place.
    Lost(Refusal),
    /// The server cannot be reached any more.
    Away(String),
    /// The server does not let a connection carry as many streams as it is to carry.
    Full {
        /// How many it lets.
        room: usize,
        /// How many there are to be.
        wanted: u32,
    },
    /// Something that must not be.
    Fault {
        /// What it is counted as.
        kind: String,
        /// One sentence.
        text: String,
    },
}

impl Trouble {
    /// Something that must not be.
    pub(super) fn fault(kind: &str, text: impl Into<String>) -> Self {
        Self::Fault { kind: kind.to_owned(), text: text.into() }
    }

    /// A refusal as something that must not be.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let kind = if refusal.reason.is_empty() { refusal.code.description() } else { &refusal.reason };
        Self::fault(kind, refusal.to_string())
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        if refusal.is_passing() { Self::Lost(refusal) } else { Self::refused(&refusal) }
    }
}

#[cfg(test)]
mod tests {
    use tonic::Status;

    use super::*;

    #[test]
    fn what_can_pass_is_tried_again_and_what_cannot_is_a_fault() {
        let trouble = |status: Status| Trouble::from(Refusal::from(status));
        assert!(matches!(trouble(Status::unavailable("away")), Trouble::Lost(_)));
        let damaged = trouble(Status::data_loss("the match is damaged"));
        assert!(matches!(damaged, Trouble::Fault { text, .. } if text.starts_with("the match is damaged")));
    }
}

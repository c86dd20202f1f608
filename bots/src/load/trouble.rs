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
        /// How many streams it lets a connection carry.
        room: usize,
        /// How many streams the connection is to carry.
        wanted: u32,
    },
    /// Something happened that must not happen.
    Fault {
        /// The kind of error that it is counted as.
        kind: String,
        /// What happened, in one sentence.
        text: String,
    },
}

impl Trouble {
    /// A fault of this kind.
    pub(super) fn fault(kind: &str, text: impl Into<String>) -> Self {
        Self::Fault { kind: kind.to_owned(), text: text.into() }
    }

    /// The fault that a refusal is.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let kind = refusal.name();
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

//! Why a server did not do what it was asked.

use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use parley_games::sentences::visible;
use parley_games::times;
use parley_proto::common::v1 as common;
use parley_proto::v1::{self, Reason};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::connect::innermost;

/// How many faults of one refusal are told one by one.
pub const MAX_TOLD_FAULTS: usize = 16;

/// The prefix of reasons in the protos, which statuses leave out.
pub(crate) const PREFIX: &str = "REASON_";

/// A call that was refused and changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What kind of mistake it is.
    pub code: Code,
    /// The reason, for programs; unspecified where the server gave none, or one that is not known here.
    pub reason: Reason,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Everything that is wrong with orders or answers. Told within a session.
    pub faults: Vec<common::Fault>,
    /// The turn that the match is in; 0 where it was not told.
    pub turn: u32,
    /// The caller's number of the open window; 0 where the caller is not asked in one.
    pub window: u32,
    /// How long to wait before trying again, where that makes sense.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// Whether the same call can succeed later: the server is away, or asks for patience.
    pub fn is_passing(&self) -> bool {
        // Of a shared session somebody else may close a channel.
        let is_full = self.reason == Reason::TooManyChannels;
        self.code == Code::Unavailable || self.retry_after.is_some() || is_full
    }

    /// Whether the call was meant for another moment of the match.
    pub fn is_untimely(&self) -> bool {
        self.code == Code::FailedPrecondition
    }

    /// Whether what was sent is at fault, so that sending it again will not help.
    pub fn is_about_content(&self) -> bool {
        matches!(self.code, Code::InvalidArgument | Code::ResourceExhausted)
    }

    /// Whether whoever asked is at fault, and not the machine or the server.
    pub fn is_input(&self) -> bool {
        use Code::{AlreadyExists, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, Unauthenticated};
        let codes = [InvalidArgument, NotFound, AlreadyExists, PermissionDenied, Unauthenticated, FailedPrecondition];
        codes.contains(&self.code)
    }

    /// Everything that was wrong, a line for each fault: which order, what about it, and the rule it broke.
    pub fn reasons(&self) -> Vec<String> {
        let mut told: Vec<String> = self.faults.iter().take(MAX_TOLD_FAULTS).map(reason).collect();
        let left = self.faults.len() - told.len();
        if left > 0 {
            told.push(format!("and {left} more faults"));
        }
        if told.is_empty() {
            told.push(visible(&self.message));
        }
        told
    }

    /// The name of the reason without the prefix that all have, or of the kind of mistake where there is none.
    pub fn name(&self) -> &'static str {
        match self.reason {
            Reason::Unspecified => self.code.description(),
            reason => reason.as_str_name().trim_start_matches(PREFIX),
        }
    }

    /// The lines that tell what was refused, such as `turn 3: sheet refused`, and what is done instead.
    pub(crate) fn lines(&self, what: &str, instead: &str) -> Vec<String> {
        let name = self.name();
        self.reasons().iter().map(|reason| format!("{what} ({name}), {instead}: {reason}")).collect()
    }

    pub(crate) fn away(message: &str) -> Self {
        Status::unavailable(message).into()
    }
}

impl From<v1::Refusal> for Refusal {
    fn from(refusal: v1::Refusal) -> Self {
        let reason = refusal.reason();
        Self {
            code: Code::from_i32(refusal.code),
            reason,
            message: refusal.message,
            faults: refusal.faults,
            turn: refusal.turn,
            window: refusal.window,
            retry_after: refusal.retry_after.as_ref().and_then(times::duration_ms).map(Duration::from_millis),
        }
    }
}

impl From<Status> for Refusal {
    /// A status that came over the wire as it is; one that this side made of a broken connection is `Unavailable`, and
    /// says what broke it.
    fn from(status: Status) -> Self {
        let broken = status.source().map(innermost);
        let details = status.get_error_details();
        let named = details.error_info();
        let number = |key| named.and_then(|named| named.metadata.get(key)?.parse().ok()).unwrap_or(0);
        Self {
            code: if broken.is_some() { Code::Unavailable } else { status.code() },
            reason: named
                .and_then(|named| Reason::from_str_name(&format!("{PREFIX}{}", named.reason)))
                .unwrap_or_default(),
            message: broken.unwrap_or_else(|| status.message().to_owned()),
            faults: Vec::new(),
            turn: number("turn"),
            window: number("window"),
            retry_after: details.retry_info().and_then(|info| info.retry_delay),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.name())
    }
}

impl std::error::Error for Refusal {}

fn reason(fault: &common::Fault) -> String {
    let subject = match fault.subject.as_ref().and_then(|subject| subject.subject.as_ref()) {
        Some(common::subject::Subject::Unit(unit)) => format!("unit {unit}: "),
        Some(common::subject::Subject::Structure(structure)) => format!("structure {structure}: "),
        None => String::new(),
    };
    let rule = if fault.rule.is_empty() { String::new() } else { format!(" ({})", fault.rule) };
    visible(&format!("{subject}{}{rule}", fault.text))
}

#[cfg(test)]
mod tests {
    use tonic_types::ErrorDetails;

    use super::*;

    #[test]
    fn a_status_keeps_its_name_its_moment_and_its_patience() {
        let mut details = ErrorDetails::new();
        let moment = [("turn", "7"), ("window", "2")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        details.set_error_info("OTHER_TURN", "parley.v1", moment);
        let status = Status::with_error_details(Code::FailedPrecondition, "turn 7 is being played", details);
        let refusal = Refusal::from(status);
        assert_eq!((refusal.reason, refusal.turn, refusal.window), (Reason::OtherTurn, 7, 2));
        assert_eq!(refusal.retry_after, None);
        assert!(refusal.is_untimely() && !refusal.is_passing());
        assert_eq!(refusal.to_string(), "turn 7 is being played (OTHER_TURN)");
        let mut details = ErrorDetails::new();
        details.set_retry_info(Some(Duration::from_secs(2)));
        let refusal = Refusal::from(Status::with_error_details(Code::ResourceExhausted, "too fast", details));
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(2)));
        assert!(refusal.is_passing());
    }

    #[test]
    fn faults_are_told_one_by_one_up_to_a_number() {
        let fault = |unit| common::Fault {
            subject: Some(common::Subject { subject: Some(common::subject::Subject::Unit(unit)) }),
            rule: "R5.1".to_owned(),
            text: "is\nbad".to_owned(),
            ..Default::default()
        };
        let wire = v1::Refusal {
            code: 3,
            message: "bad".to_owned(),
            reason: Reason::OrdersInvalid.into(),
            ..Default::default()
        };
        let plain = Refusal::from(wire.clone());
        assert_eq!(
            plain.lines("turn 3: sheet refused", "nothing"),
            ["turn 3: sheet refused (ORDERS_INVALID), nothing: bad"]
        );
        let many = Refusal::from(v1::Refusal { faults: (0..20).map(fault).collect(), ..wire });
        let told = many.reasons();
        assert_eq!((told.len(), told[0].as_str()), (MAX_TOLD_FAULTS + 1, "unit 0: is\\nbad (R5.1)"));
        assert_eq!(told[MAX_TOLD_FAULTS], "and 4 more faults");
    }

    #[test]
    fn a_broken_connection_passes_and_an_error_of_the_server_does_not() {
        let broken = Status::from_error(Box::new(std::io::Error::other("broken pipe")));
        assert_eq!(broken.code(), Code::Unknown);
        let refusal = Refusal::from(broken);
        assert!(refusal.is_passing() && refusal.message == "broken pipe", "{refusal:?}");
        assert!(!Refusal::from(Status::unknown("a server's")).is_passing());
        assert!(!Refusal::from(Status::unauthenticated("whose?")).is_passing());
    }
}

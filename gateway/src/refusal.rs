//! Why a call changed nothing, for people, for programs, and in both kinds of calls.

use std::time::Duration;

use parley_proto::common::v1::Fault;
use parley_proto::common::v1::subject::Subject;
use parley_proto::opaque::v1;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The domain of reasons in `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "parley.v1";

/// How many faults the status of a call lists. A status travels in the headers of its answer, of which clients take some
/// kilobytes; the refusals of a session are messages, and list them all.
const MAX_FAULTS_LISTED: usize = 32;

/// A call that was refused and changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What kind of mistake it is.
    pub code: Code,
    /// A stable name in capitals.
    pub reason: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The field of the request that is wrong, where it is a field.
    pub field: Option<&'static str>,
    /// Everything that is wrong with orders, answers or fields.
    pub faults: Vec<Fault>,
    /// The turn that the match is in, and the caller's number of the open window, where the caller meant another. The number
    /// is 0 where the caller is not asked, whether others are or not.
    pub now: Option<(u32, u32)>,
    /// After how long to try again, where that helps.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// Counts the refusal in the metrics.
    fn count(&self) {
        metrics::counter!("parley_refusals_total", "reason" => self.reason).increment(1);
    }

    /// A refusal with a sentence.
    pub fn new(code: Code, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), field: None, faults: Vec::new(), now: None, retry_after: None }
    }

    /// A refusal because a field makes no sense.
    pub fn field(field: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut refusal = Self::new(Code::InvalidArgument, "FIELD_INVALID", format!("{field}: {text}"));
        refusal.field = Some(field);
        refusal.faults.push(Fault { text, ..Fault::default() });
        refusal
    }

    /// A refusal of a sheet or of answers, with all their faults.
    pub fn faulty(reason: &'static str, message: impl Into<String>, faults: Vec<Fault>) -> Self {
        Self { faults, ..Self::new(Code::InvalidArgument, reason, message) }
    }

    /// A refusal of something that is meant for another moment of the match; the window is the caller's number of it.
    pub fn moment(reason: &'static str, message: impl Into<String>, turn: u32, window: u32) -> Self {
        Self { now: Some((turn, window)), ..Self::new(Code::FailedPrecondition, reason, message) }
    }

    /// A refusal because a limit was reached.
    pub fn limit(reason: &'static str, message: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::ResourceExhausted, reason, message) }
    }

    /// A refusal because there is no such match, or the caller may not know of it.
    pub fn no_match() -> Self {
        Self::new(Code::NotFound, "MATCH_UNKNOWN", "there is no such match")
    }

    /// A refusal because the match is being built again; the call may or may not have taken effect, and can be
    /// repeated.
    pub fn restarted() -> Self {
        let retry_after = Some(Duration::from_millis(100));
        let message = "the match was interrupted; repeat the call with the same request id";
        Self { retry_after, ..Self::new(Code::Unavailable, "MATCH_INTERRUPTED", message) }
    }

    /// A refusal because the match is on its way to another server of the cluster.
    pub fn moved() -> Self {
        let retry_after = Some(Duration::from_millis(50));
        let message = "the match moves to another server; repeat the call with the same request id";
        Self { retry_after, ..Self::new(Code::Unavailable, "MATCH_MOVED", message) }
    }

    /// A refusal because the server is shutting down.
    pub fn draining() -> Self {
        let retry_after = Some(Duration::from_secs(1));
        let message = "the server is shutting down; connect again and go on from the last cursor";
        Self { retry_after, ..Self::new(Code::Unavailable, "DRAINING", message) }
    }

    /// A refusal because the caller may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, "NOT_ALLOWED", message)
    }
}

impl From<Refusal> for v1::Refusal {
    fn from(refusal: Refusal) -> Self {
        refusal.count();
        let (turn, window) = refusal.now.unwrap_or_default();
        Self {
            code: refusal.code as i32,
            reason: refusal.reason.to_owned(),
            message: refusal.message,
            faults: refusal.faults,
            turn,
            window,
            retry_after_ms: refusal.retry_after.map_or(0, |wait| wait.as_millis() as u64),
        }
    }
}

/// The refusal in the status of a call, as a session tells it. It was counted when the status was made.
pub fn told_in_session(status: &Status) -> v1::Refusal {
    let details = status.get_error_details();
    let info = details.error_info();
    let number = |key: &str| info.and_then(|info| info.metadata.get(key)?.parse().ok()).unwrap_or_default();
    let wait = details.retry_info().and_then(|info| info.retry_delay);
    v1::Refusal {
        code: status.code() as i32,
        reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
        message: status.message().to_owned(),
        faults: Vec::new(),
        turn: number("turn"),
        window: number("window"),
        retry_after_ms: wait.map_or(0, |wait| wait.as_millis() as u64),
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        refusal.count();
        let mut details = ErrorDetails::new();
        let metadata = refusal.now.map(|(turn, window)| [("turn", turn.to_string()), ("window", window.to_string())]);
        let metadata: std::collections::HashMap<_, _> =
            metadata.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)).collect();
        details.set_error_info(refusal.reason, DOMAIN, metadata);
        for fault in refusal.faults.iter().take(MAX_FAULTS_LISTED) {
            let field = refusal.field.map_or_else(|| subject(fault), str::to_owned);
            details.add_bad_request_violation(field, sentence(fault));
        }
        if let Some(more) = refusal.faults.len().checked_sub(MAX_FAULTS_LISTED).filter(|&more| more > 0) {
            details.add_bad_request_violation("request", format!("{more} more faults are not listed"));
        }
        if let Some(wait) = refusal.retry_after {
            details.set_retry_info(Some(wait));
        }
        Self::with_error_details(refusal.code, refusal.message, details)
    }
}

/// Gives errors a name that are found before a call reaches its service: messages that are too large, and bytes that
/// are none.
pub fn name_early(status: Status) -> Status {
    if !status.details().is_empty() {
        return status;
    }
    match status.code() {
        Code::OutOfRange => {
            let message = "the message has more bytes than this server takes (max_message_bytes)";
            Refusal::new(Code::ResourceExhausted, "MESSAGE_TOO_LARGE", message).into()
        }
        // Whatever fails here before a service was reached is the caller's: every refusal of ours has details.
        Code::Internal => Refusal::new(Code::InvalidArgument, "MESSAGE_MALFORMED", status.message()).into(),
        _ => status,
    }
}

/// Names the error of a response that is nothing but an error, as [`name_early`] does.
pub fn name_early_response<B>(mut response: http::Response<B>) -> http::Response<B> {
    if let Some(status) = Status::from_header_map(response.headers()) {
        // What cannot be written as headers stays as it was.
        let _ = name_early(status).add_header(response.headers_mut());
    }
    response
}

/// The unit or structure of a fault, as the name of a field.
fn subject(fault: &Fault) -> String {
    match fault.subject.as_ref().and_then(|subject| subject.subject.as_ref()) {
        Some(Subject::Unit(unit)) => format!("sheet.units[{unit}]"),
        Some(Subject::Structure(structure)) => format!("sheet.structures[{structure}]"),
        None => "request".to_owned(),
    }
}

fn sentence(fault: &Fault) -> String {
    if fault.rule.is_empty() { fault.text.clone() } else { format!("{} ({})", fault.text, fault.rule) }
}

//! Why a call changed nothing, for people, for programs, and in both kinds of calls.

use std::time::Duration;

use parley_games::times;
use parley_proto::common::v1::Fault;
use parley_proto::opaque::v1;
pub use parley_proto::opaque::v1::Reason;
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
    /// The reason, for programs.
    pub reason: Reason,
    /// What is wrong, in one sentence.
    pub message: String,
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
        metrics::counter!("parley_refusals_total", "reason" => reason_name(self.reason)).increment(1);
    }

    /// A refusal with a sentence.
    pub fn new(code: Code, reason: Reason, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), faults: Vec::new(), now: None, retry_after: None }
    }

    /// A refusal because a field makes no sense: its path in the request, such as `settings.seats[2].house_bot`.
    pub fn field(field: impl Into<String>, text: impl Into<String>) -> Self {
        let (field, text) = (field.into(), text.into());
        let message = format!("{field}: {text}");
        let faults = vec![Fault { text, field, ..Fault::default() }];
        Self { faults, ..Self::new(Code::InvalidArgument, Reason::FieldInvalid, message) }
    }

    /// A refusal of a sheet or of answers, with all their faults.
    pub fn faulty(reason: Reason, message: impl Into<String>, faults: Vec<Fault>) -> Self {
        Self { faults, ..Self::new(Code::InvalidArgument, reason, message) }
    }

    /// A refusal of something that is meant for another moment of the match; the window is the caller's number of it.
    pub fn moment(reason: Reason, message: impl Into<String>, turn: u32, window: u32) -> Self {
        Self { now: Some((turn, window)), ..Self::new(Code::FailedPrecondition, reason, message) }
    }

    /// A refusal because a limit was reached.
    pub fn limit(reason: Reason, message: impl Into<String>, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::ResourceExhausted, reason, message) }
    }

    /// A refusal because there is no such match, or the caller may not know of it.
    pub fn no_match() -> Self {
        Self::new(Code::NotFound, Reason::MatchUnknown, "there is no such match")
    }

    /// A refusal because the match is being built again; the call may or may not have taken effect, and can be
    /// repeated.
    pub fn restarted() -> Self {
        let retry_after = Some(Duration::from_millis(100));
        let message = "the match was interrupted; repeat the call with the same request id";
        Self { retry_after, ..Self::new(Code::Unavailable, Reason::MatchInterrupted, message) }
    }

    /// A refusal because the match is on its way to another server of the cluster.
    pub fn moved() -> Self {
        let retry_after = Some(Duration::from_millis(50));
        let message = "the match moves to another server; repeat the call with the same request id";
        Self { retry_after, ..Self::new(Code::Unavailable, Reason::MatchMoved, message) }
    }

    /// A refusal because the server is shutting down.
    pub fn draining() -> Self {
        let retry_after = Some(Duration::from_secs(1));
        let message = "the server is shutting down; connect again and go on from the last cursor";
        Self { retry_after, ..Self::new(Code::Unavailable, Reason::Draining, message) }
    }

    /// A refusal because the caller may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(Code::PermissionDenied, Reason::NotAllowed, message)
    }
}

impl From<Refusal> for v1::Refusal {
    fn from(refusal: Refusal) -> Self {
        refusal.count();
        let (turn, window) = refusal.now.unwrap_or_default();
        Self {
            code: refusal.code as i32,
            reason: refusal.reason.into(),
            message: refusal.message,
            faults: refusal.faults,
            turn,
            window,
            retry_after: refusal.retry_after.map(|wait| times::duration(wait.as_millis() as u64)),
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
        reason: info.and_then(|info| reason_named(&info.reason)).unwrap_or_default().into(),
        message: status.message().to_owned(),
        faults: Vec::new(),
        turn: number("turn"),
        window: number("window"),
        retry_after: wait.map(|wait| times::duration(wait.as_millis() as u64)),
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        refusal.count();
        let mut details = ErrorDetails::new();
        let metadata = refusal.now.map(|(turn, window)| [("turn", turn.to_string()), ("window", window.to_string())]);
        let metadata: std::collections::HashMap<_, _> =
            metadata.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)).collect();
        details.set_error_info(reason_name(refusal.reason), DOMAIN, metadata);
        for fault in refusal.faults.iter().take(MAX_FAULTS_LISTED) {
            let field = if fault.field.is_empty() { "request" } else { &fault.field };
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
            Refusal::new(Code::ResourceExhausted, Reason::MessageTooLarge, message).into()
        }
        // Whatever fails here before a service was reached is the caller's: every refusal of ours has details.
        Code::Internal => Refusal::new(Code::InvalidArgument, Reason::MessageMalformed, status.message()).into(),
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

/// The name of a reason as statuses and metrics have it, without the prefix that all values share.
pub fn reason_name(reason: Reason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("REASON_").unwrap_or(name)
}

/// The reason of a name as [`reason_name`] gives it; `None` where a newer server has one that is not known here.
fn reason_named(name: &str) -> Option<Reason> {
    Reason::from_str_name(&format!("REASON_{name}"))
}

fn sentence(fault: &Fault) -> String {
    if fault.rule.is_empty() { fault.text.clone() } else { format!("{} ({})", fault.text, fault.rule) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Every reason that code names below a folder, beside tests.
    fn named_below(folder: &Path, named: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the crate") {
            let path = entry.expect("a file of the crate").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            if path.is_dir() {
                named_below(&path, named);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = std::fs::read_to_string(&path).expect("a file of the crate");
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                // Names of other types end with this one's, such as `SessionClosedReason`.
                let is_whole = |at: &usize| !code[..*at].ends_with(|c: char| c.is_ascii_alphanumeric());
                let reasons = code.match_indices("Reason::").map(|(at, _)| at).filter(is_whole);
                let word = |at: usize| code[at..].chars().skip("Reason::".len());
                let words = reasons.map(|at| word(at).take_while(char::is_ascii_alphanumeric).collect());
                named.extend(words.filter(|word: &String| word.starts_with(char::is_uppercase)));
            }
        }
    }

    #[test]
    fn the_list_in_the_proto_is_what_the_service_says() {
        let mut named = BTreeSet::new();
        named_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut named);
        let listed = (1..).map_while(|number| Reason::try_from(number).ok());
        let listed: BTreeSet<String> = listed.map(|reason| format!("{reason:?}")).collect();
        assert!(listed.len() > 50, "only {} reasons are listed", listed.len());
        assert_eq!(named, listed);
    }

    #[test]
    fn a_status_names_the_reason_as_the_proto_does() {
        let status = Status::from(Refusal::moment(Reason::OtherTurn, "turn 7 is being played", 7, 0));
        let details = status.get_error_details();
        let told = details.error_info().expect("a reason");
        assert_eq!((told.reason.as_str(), told.domain.as_str()), ("OTHER_TURN", DOMAIN));
        assert_eq!(told.metadata["turn"], "7");
        let within = v1::Refusal::from(Refusal::limit(Reason::RateLimited, "slowly", Duration::from_millis(1500)));
        assert_eq!((within.reason(), within.retry_after), (Reason::RateLimited, Some(times::duration(1500))));
    }

    #[test]
    fn violations_name_fields() {
        let refusal = Refusal::field("settings.seats[2].house_bot", "there is no such bot");
        assert_eq!(refusal.message, "settings.seats[2].house_bot: there is no such bot");
        let details = Status::from(refusal).get_error_details();
        let violations = &details.bad_request().expect("violations").field_violations;
        assert_eq!(violations[0].field, "settings.seats[2].house_bot");
        assert_eq!(violations[0].description, "there is no such bot");
    }
}

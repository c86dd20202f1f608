//! The limits that matches live under, each with its default.

use std::time::Duration;

/// How much of everything a server allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Orders in one sheet.
    pub orders_per_sheet: usize,
    /// Calls that wait for one match.
    pub mailbox: usize,
    /// Calls of one session that are being answered at the same time.
    pub session_in_flight: usize,
    /// Streams that follow one match.
    pub watchers_per_match: usize,
    /// Matches that are not finished.
    pub matches: usize,
    /// Matches in memory.
    pub matches_in_memory: usize,
    /// Answered requests that are remembered for each seat.
    pub request_memory: usize,
    /// News that a returning viewer is sent from the journal; one who missed more has to get a view.
    pub watch_backlog: u64,
    /// After how long a match that nobody asks for leaves memory.
    pub idle_after: Duration,
    /// Turns from one snapshot to the next.
    pub snapshot_every: u32,
    /// Units from which on a match is resolved apart from the others.
    pub large_match_units: usize,
    /// How long a turn can be planned where the match does not say.
    pub planning: Duration,
    /// How long encounters wait where the match does not say.
    pub decision: Duration,
    /// The longest deadline that a match can have.
    pub max_deadline: Duration,
    /// How long a token is good for.
    pub token_lifetime: Duration,
    /// Whether whoever creates a match may choose its secret.
    pub allow_fixed_secrets: bool,
}

impl Default for Limits {
    fn default() -> Self {
        let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
        Self {
            orders_per_sheet: 2048,
            mailbox: 64,
            session_in_flight: 64,
            watchers_per_match: 256,
            matches: 100_000,
            matches_in_memory: 10_000,
            request_memory: 8,
            watch_backlog: 4096,
            idle_after: Duration::from_secs(300),
            snapshot_every: 64,
            large_match_units: 2000,
            planning: Duration::ZERO,
            decision: Duration::from_secs(60),
            max_deadline: days(30),
            token_lifetime: days(30),
            allow_fixed_secrets: false,
        }
    }
}

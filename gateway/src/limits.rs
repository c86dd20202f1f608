//! The limits that matches live under, each with its default.

use std::time::Duration;

use crate::memory::{self, Shares};
use crate::work::WorkLimits;

/// How much of everything a server allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many orders one sheet may have.
    pub orders_per_sheet: usize,
    /// How many tiles a map may have.
    pub map_tiles: usize,
    /// How many calls may wait for one match.
    pub mailbox: usize,
    /// How many channels one session may have.
    pub channels_per_session: usize,
    /// How many calls of one channel of a session may be in work at the same time.
    pub session_in_flight: usize,
    /// How many streams may follow one match.
    pub watchers_per_match: usize,
    /// How many matches may be unfinished.
    pub matches: usize,
    /// How many unfinished matches may have been created from one address.
    pub matches_per_address: usize,
    /// How many matches may be in memory.
    pub matches_in_memory: usize,
    /// About how many bytes matches in memory may take.
    pub match_bytes: usize,
    /// How many answered requests are remembered for each seat.
    pub request_memory: usize,
    /// How many news a returning viewer is sent from the journal; one who missed more has to get a view.
    pub watch_backlog: u64,
    /// After how long a match that nobody asks for leaves memory.
    pub idle_after: Duration,
    /// How many turns there are from one snapshot to the next.
    pub snapshot_every: u32,
    /// From how many units on a match is resolved apart from the others.
    pub large_match_units: usize,
    /// How much heavy work there may be.
    pub work: WorkLimits,
    /// How long a turn can be planned where the match does not say.
    pub planning: Duration,
    /// How long a turn waits for the answers of a window where the match does not say.
    pub decision: Duration,
    /// The longest deadline that a match can have.
    pub max_deadline: Duration,
    /// How long a token is good for.
    pub token_lifetime: Duration,
    /// Whether whoever creates a match may choose its secret.
    pub allow_fixed_secrets: bool,
    /// After how many turns a match of house bots that nobody watches is stopped.
    pub unattended_turns: u32,
    /// After how many turns a match of house bots alone is stopped while somebody watches it.
    pub watched_turns: u32,
    /// How many turns a second a match of house bots alone plays while somebody watches it.
    pub watched_turns_per_second: u32,
    /// Turns a second that a match of house bots plays while nobody watches it.
    pub unattended_turns_per_second: u32,
    /// How long a match waits for somebody to join before it is stopped.
    pub lobby_expiry: Duration,
    /// After how many deadlines in a row without a person's input a match is stopped.
    pub missed_deadlines: u32,
    /// How long a match that waits without a deadline may be without a person's input before it is stopped.
    pub match_expiry: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
        Self {
            orders_per_sheet: 2048,
            map_tiles: 16_384,
            mailbox: 64,
            channels_per_session: 256,
            session_in_flight: 64,
            watchers_per_match: 256,
            matches: 100_000,
            matches_per_address: 100,
            matches_in_memory: 10_000,
            match_bytes: Shares::of(memory::default_budget()).matches,
            request_memory: 8,
            watch_backlog: 4096,
            idle_after: Duration::from_secs(300),
            snapshot_every: 64,
            large_match_units: 2000,
            work: WorkLimits::default(),
            planning: Duration::ZERO,
            decision: Duration::from_secs(60),
            max_deadline: days(30),
            token_lifetime: days(30),
            allow_fixed_secrets: false,
            unattended_turns: 500,
            watched_turns: 10_000,
            watched_turns_per_second: 20,
            unattended_turns_per_second: 2,
            lobby_expiry: days(1),
            missed_deadlines: 3,
            match_expiry: days(30),
        }
    }
}

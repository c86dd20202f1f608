//! The real binary under attack, from this machine, by programs that know what the public protos say and nothing else.
//!
//! Every attack is a module. It is a function that takes an [`Aim`] and ends by itself, and most have a test that
//! starts the server as a process of its own, lets somebody honest play on it, attacks, and then says everything that
//! was wrong: more memory than the budget, a panic, an honest call that was refused or had to wait, and what the attack
//! is about.
//!
//! Tests that take longer than ten seconds are ignored unless they are asked for. `.ci/run` runs three at a time; figures
//! of one attack want the machine for themselves:
//!
//! ```sh
//! cargo test -p parley-gateway --test attacks -- --ignored --nocapture --test-threads 1
//! ```
//!
//! `PARLEY_ATTACK_SCALE` (1) is the part of the full numbers that attacks have.
//! `PARLEY_BINARY` names another binary than the one that was built with the tests. The full numbers are those of the
//! first attack that this server did not survive: 400 unread answers with 32 turns, 2,400 unread views, 61,440 calls
//! that are half sent, 1,500 bodies at a byte a second, 4,096 idle connections, 24 creations of the largest maps, 600
//! creations by six at once.
//!
//! `gateway/examples/soak.rs` runs all attacks at once, or one after the other, from a process with little priority,
//! and prints how long somebody honest waited.
#![allow(dead_code, unreachable_pub, reason = "tests and the soak use a part of it each")]

pub mod connections;
pub mod creations;
mod doors;
pub mod frames;
pub mod half_sent;
pub mod heavy;
pub mod honest;
pub mod hostile;
mod house_bots;
mod race;
pub mod siege;
pub mod unread;
pub mod wire;

use std::pin::Pin;

use siege::Aim;
use wire::Tally;

/// An attack that lasts as long as it is told.
pub struct Attack {
    pub name: &'static str,
    /// How long each side is of the maps that it uses.
    pub side: u32,
    pub run: fn(Aim) -> Pin<Box<dyn Future<Output = Tally> + Send>>,
}

macro_rules! attacks {
    ($( $name:literal, $side:expr, $run:path; )*) => {
        /// All attacks that can be made at any time, alone or with others.
        pub const ATTACKS: &[Attack] = &[
            $( Attack { name: $name, side: $side, run: |aim| Box::pin($run(Aim { side: $side, ..aim })) }, )*
        ];
    };
}

/// The sides of the largest map by default.
const LARGE: u32 = 128;
/// The sides of the largest map that the rules allow (R3.2), which is served where `max_map_tiles` says so.
pub const HUGE: u32 = 1024;

attacks! {
    "unread-turns", LARGE, unread::turns;
    "unread-huge-turns", HUGE, unread::turns;
    "unread-huge-views", HUGE, unread::views;
    "unread-news", LARGE, unread::news;
    "unread-replays", LARGE, unread::replays;
    "half-sent-calls", LARGE, half_sent::calls;
    "slow-bodies", LARGE, half_sent::bodies;
    "idle-connections", LARGE, connections::idle;
    "pinging-connections", LARGE, connections::pinging;
    "slow-headers", LARGE, connections::slow_headers;
    "large-creations", LARGE, heavy::creations;
    "huge-creations", HUGE, heavy::creations;
    "lists", LARGE, heavy::lists;
    "archives", LARGE, heavy::archives;
    "questions", LARGE, heavy::questions;
    "creations", LARGE, creations::anonymous;
    "rotating-tokens", LARGE, creations::rotating;
    "hostile-messages", LARGE, hostile::all_the_time;
    "resets", LARGE, frames::resets;
    "settings", LARGE, frames::settings;
    "pings", LARGE, frames::pings;
    "continuations", LARGE, frames::continuations;
    "large-headers", LARGE, frames::large_headers;
    "tiny-windows", LARGE, frames::tiny_windows;
}

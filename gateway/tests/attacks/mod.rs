//! The real binary under attack, from this machine, by programs that know what the public protos say and nothing else.
//!
//! Every attack is a module. It is a function that takes an [`Aim`] and ends by itself, and most have a test that
//! starts the server as a process of its own, lets somebody honest play on it, attacks, and then says everything that
//! was wrong: more memory than the budget, a panic, an honest call that was refused or had to wait, an attack that did
//! not come about, and what the attack is about.
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

pub mod attack_run;
pub mod connections;
pub mod creations;
pub mod frames;
pub mod half_sent;
pub mod heavy;
pub mod honest;
pub mod hostile;
mod house_bots;
mod http_access;
mod race;
pub mod unread;
pub mod wire;

use std::pin::Pin;

use attack_run::Aim;
use wire::{BEGUN, HELD, LET_IN, OPEN, Tally};

/// An attack that is prepared, and can be made again and again: each time it lasts as long as its aim says.
pub type Wave = Box<dyn Fn(Aim) -> Pin<Box<dyn Future<Output = Tally> + Send>> + Send + Sync>;

/// An attack that is being prepared.
type Preparing = Pin<Box<dyn Future<Output = Result<Wave, String>> + Send>>;

/// What makes an attack once it is prepared.
pub fn wave<F: Future<Output = Tally> + Send + 'static>(run: impl Fn(Aim) -> F + Send + Sync + 'static) -> Wave {
    Box::new(move |aim| Box::pin(run(aim)))
}

/// An attack that lasts as long as it is told.
pub struct Attack {
    pub name: &'static str,
    /// How long each side is of the maps that it uses.
    pub side: u32,
    /// What is counted when the attack has done something of its kind. Where nothing of it was, there was no attack.
    kind: &'static [&'static str],
    prepare: fn(Aim) -> Preparing,
}

impl Attack {
    /// The attack of a name.
    pub fn named(name: &str) -> &'static Self {
        ATTACKS.iter().find(|attack| attack.name == name).unwrap_or_else(|| panic!("no attack is called {name}"))
    }

    /// Makes the matches that the attack is about, before its time begins.
    pub async fn prepare(&self, aim: Aim) -> Result<Wave, String> {
        let prepared = (self.prepare)(Aim { side: self.side, ..aim }).await;
        prepared.map_err(|error| format!("the attack {} cannot be prepared: {error}", self.name))
    }

    /// What is wrong with an attack that did nothing of its kind: whatever it was to show, it has not shown it.
    pub fn fault(&self, tally: &Tally) -> Option<String> {
        let done = self.kind.iter().any(|what| tally.of(what) > 0);
        (!done).then(|| format!("the attack {} did not come about: {tally}", self.name))
    }
}

macro_rules! attacks {
    ($( $name:literal, $side:expr, $kind:expr, $how:ident $run:path; )*) => {
        /// All attacks that can be made at any time, alone or with others.
        pub const ATTACKS: &[Attack] = &[
            $( Attack { name: $name, side: $side, kind: $kind, prepare: attacks!(@prepare $how $run) }, )*
        ];
    };
    (@prepare at_once $run:path) => { |_| Box::pin(async { Ok(wave($run)) }) };
    (@prepare after $prepare:path) => { |aim| Box::pin($prepare(aim)) };
}

/// The sides of the largest map by default.
const LARGE: u32 = 128;
/// The sides of the largest map that the rules allow (R3.2), which is served where `max_map_tiles` says so.
pub const HUGE: u32 = 1024;

attacks! {
    "unread-turns", LARGE, &[BEGUN], after unread::turns;
    "unread-huge-turns", HUGE, &[BEGUN], after unread::turns;
    "unread-huge-views", HUGE, &[BEGUN], after unread::views;
    "unread-news", LARGE, &[BEGUN], after unread::news;
    "unread-histories", LARGE, &[BEGUN], after unread::histories;
    "unread-sessions", LARGE, &[BEGUN], after unread::sessions;
    "unread-replays", LARGE, &[BEGUN], after unread::replays;
    "unread-texts", LARGE, &[BEGUN], after unread::texts;
    "unread-pages", LARGE, &[BEGUN], after unread::pages;
    "half-sent-calls", LARGE, &[LET_IN], at_once half_sent::calls;
    "slow-bodies", LARGE, &[HELD], at_once half_sent::bodies;
    "idle-connections", LARGE, &[HELD], at_once connections::idle;
    "pinging-connections", LARGE, &[HELD], at_once connections::pinging;
    "slow-headers", LARGE, &[HELD], at_once connections::slow_headers;
    "large-creations", LARGE, &["Ok", OPEN], at_once heavy::creations;
    "huge-creations", HUGE, &["Ok", OPEN], at_once heavy::creations;
    "lists", LARGE, &["Ok"], at_once heavy::lists;
    "archives", LARGE, &["Ok"], after heavy::archives;
    "questions", LARGE, &["Ok"], after heavy::questions;
    "large-turns", LARGE, &[heavy::TURNS_RESOLVED], after heavy::large_turns;
    "creations", LARGE, &["Ok"], at_once creations::anonymous;
    "rotating-tokens", LARGE, &["Ok"], at_once creations::rotating;
    "hostile-messages", LARGE, &["InvalidArgument"], after hostile::all_the_time;
    "resets", LARGE, &["batches"], at_once frames::resets;
    "settings", LARGE, &["batches"], at_once frames::settings;
    "pings", LARGE, &["batches"], at_once frames::pings;
    "continuations", LARGE, &["batches"], at_once frames::continuations;
    "large-headers", LARGE, &["batches"], at_once frames::large_headers;
    "tiny-windows", LARGE, &["batches"], at_once frames::tiny_windows;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_that_did_nothing_of_its_kind_is_a_fault() {
        let mut refused = Tally::default();
        for what in ["connections refused", "calls refused", "refused", "let go", "waves", "late"] {
            refused.count(what);
        }
        for attack in ATTACKS {
            for tally in [&Tally::default(), &refused] {
                assert!(attack.fault(tally).is_some(), "{} needs nothing to come about", attack.name);
            }
            let mut done = refused.clone();
            done.count(attack.kind[0]);
            assert_eq!(attack.fault(&done), None);
        }
    }
}

//! The load generator: many matches at once over real `Session` streams, timed.
//!
//! A run creates its matches through the lobby, takes all their seats, opens a session for each, and plays: every seat
//! locks in a sheet that was prepared beforehand, reads its receipt and the outcome, and locks in the next. Sessions
//! share a few connections. A lost connection is opened again, sessions go on after the last cursor, and a lock-in that
//! was not answered is repeated with its request id.
//!
//! What is timed, each from handing a lock-in to the connection:
//!
//! * *lock-in*, per seat: until its receipt has been read. What a receipt is for is durable.
//! * *lock to outcome*, per seat: from sending its own lock-in until it has read the outcome of the turn.
//! * *lock to outcome*, per match: from sending the last lock-in of the turn until the outcome has reached every seat.
//!
//! Everything unexpected is an error: a refusal, a gap between cursors, another turn than the next, an order that did
//! not do all it asked, a message that nobody asked for.

mod ceiling;
mod connection;
mod crew;
mod embedded;
mod game;
mod meter;
mod plan;
mod processor;
mod report;
mod run;
mod saturation;
mod seat;
mod seating;
mod series;
mod shuttle;
mod trouble;
mod verify;
mod wire;

use std::time::Duration;

use trouble::Trouble;

use crate::connect::ConnectError;
use crate::refusal::Refusal;

pub use ceiling::{Ceiling, ceiling};
pub use crew::SAMPLE;
pub use embedded::{Embedded, embedded};
pub use meter::{Errors, Meter, Timing};
pub use plan::{
    Length, LoadPlan, MAX_CONNECTIONS, MAX_DURATION, MAX_MATCHES, MAX_RATE, MAX_RECEIPTS, MAX_SEATS, MAX_SHIPS,
    MAX_THREADS, MAX_TURNS,
};
pub use processor::used as processor_time;
pub use report::Report;
pub use run::{STEP_TIME, find_saturation, run};
pub use saturation::{MAX_STEPS, SaturationSearch, SaturationStep};
pub use series::{Piece, Series};
pub use shuttle::Shuttle;
pub use verify::Verified;

/// How long nothing may happen before a run is given up.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Why a load run failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// The plan is over a limit.
    #[error("{0}")]
    Plan(String),
    /// There is no connection to the server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server refused something that a run cannot do without.
    #[error("the server refused: {0}")]
    Refused(Refusal),
    /// The server went away and did not come back.
    #[error("the server is gone: {0}")]
    Away(String),
    /// The server sent something that makes no sense.
    #[error("the server sent nonsense: {0}")]
    UnexpectedAnswer(String),
    /// Nothing happened for [`PATIENCE`].
    #[error("nothing has happened for {} seconds: {ready} of {seats} sessions are open, {turns} turns are over", PATIENCE.as_secs())]
    Stuck {
        /// How many sessions are open.
        ready: u64,
        /// How many sessions there should be.
        seats: u64,
        /// How many turns are over.
        turns: u64,
    },
    /// This machine failed.
    #[error("{0}")]
    Machine(String),
}

impl From<Trouble> for LoadError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Lost(refusal) => Self::Refused(refusal),
            Trouble::Away(reason) => Self::Away(reason),
            Trouble::Fault { text, .. } => Self::UnexpectedAnswer(text),
            Trouble::Full { room, wanted } => Self::Plan(format!(
                "the server lets one connection carry {room} streams, and {wanted} are needed: use more connections"
            )),
        }
    }
}

/// Somebody who is told how a run goes.
pub trait Watcher: Send {
    /// Is told how many matches, of how many, have been created and their seats taken.
    fn seated(&mut self, _matches: u32, _of: u32) {}
    /// Is told what was measured since the last time, and over all.
    fn measured(&mut self, _since: &Meter, _all: &Meter) {}
    /// Is told that a step of the search for the highest rate is done.
    fn stepped(&mut self, _step: &SaturationStep) {}
    /// Is told how many matches, of how many, were found to be true.
    fn verified(&mut self, _matches: u32, _of: u32) {}
}

/// A watcher that ignores everything, for runs that nobody watches.
impl Watcher for () {}

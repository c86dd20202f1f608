//! Matches between policies in one process: no server, no clock, no tokens, and the same outcome for the same setup.
//!
//! Every seat is treated as the service would treat it. It sees its own view, in fog with its own memory; its sheet is
//! judged, and replaced by an empty one where an order is refused; questions are asked with what has happened so far.

mod arena_match;
mod outcome;
mod recording;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use parley_core::digest::Digest;
use parley_plunder::mapgen::{MapRequest, MapRequestError};
use parley_plunder::rules::Rules;
use parley_plunder::start::OpeningError;

pub use arena_match::ArenaMatch;
pub use outcome::{Counts, Ending, FinishedMatch, Standing};
pub use recording::Recording;

use crate::policy::Policy;

/// Everything that decides a match but the policies that play it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The rules; their `turn_limit` ends a match with a result (R12.2).
    pub rules: Arc<Rules>,
    /// The map. It is drawn for as many players as there are seats, whatever this says of them.
    pub map: MapRequest,
    /// What the dice come from (R13.4); nobody adds to it. [`secret`] makes one from a number.
    pub secret: [u8; 32],
    /// The last turn that is played. A match that goes on beyond it has no result.
    pub turns: u32,
    /// Whether everything is recorded, so that a replay can be made of the match.
    pub record: bool,
}

/// The secret of a match that is known by a number.
pub fn secret(seed: u64) -> [u8; 32] {
    *Digest::of(&seed.to_le_bytes()).as_bytes()
}

/// Plays a match to its end. Seats are in order, and each is played by its policy.
pub fn play(setup: &Setup, seats: Vec<Box<dyn Policy>>) -> Result<FinishedMatch, ArenaError> {
    let mut table = ArenaMatch::new(setup, seats)?;
    while table.turn()? {}
    Ok(table.finish())
}

/// Why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// There is no such map.
    #[error("{0}")]
    Map(#[from] MapRequestError),
    /// Nobody can start on the map.
    #[error("{0}")]
    Opening(#[from] OpeningError),
    /// The rules allow a turn that is too large to be resolved.
    #[error("turn {turn} cannot be resolved: {reason}")]
    Turn {
        /// The number of the turn.
        turn: u32,
        /// What the resolver says is wrong.
        reason: String,
    },
}

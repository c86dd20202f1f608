//! What would happen: the odds of a fight, and the way to a far tile.
//!
//! Previews decide nothing. They are asked by a player while planning, so that each of them is a function of what
//! that player may see (R14.2): whatever reads the map or the state does it through a [`Chart`].

mod chart;
mod course;
mod odds;
mod round;
mod survey;
#[cfg(test)]
pub(crate) mod worlds;

pub use chart::{Bar, Chart, Known};
pub use course::{Course, CourseError, Leg, course};
pub use odds::{Attacker, EXCHANGE, ExchangeOdds, FightOdds, Fighter, MAX_ROUNDS, OddsError, ShipOdds, fight};
pub use round::{MAX_EXCHANGES, MAX_SHIPS, Pairing, Side, pairings, round};
pub use survey::Survey;

//! Clients of Parley. They know the public API and a player's view, and nothing else.
//!
//! [`connect`](mod@connect) reaches a server, [`lobby`] finds a seat in a match, a [`Session`](session::Session)
//! plays in it and survives lost connections, a [`Policy`](policy::Policy) decides what to do, and
//! [`play`](play::play) drives one through the other to the end of the match. In the [`arena`] policies play each other
//! in one process. [`board`] keeps a view right by the changes that news bring, and [`news`] tells a turn step by step.
//! What clients share with the service is in `parley-games`. A seat of any game is played by a
//! [`SeatPlayer`](seat_player::SeatPlayer), which sees bytes.

pub mod arena;
pub mod arms;
pub mod backoff;
pub mod board;
pub mod connect;
#[cfg(test)]
mod fake;
#[cfg(feature = "tools")]
pub mod league;
#[cfg(feature = "tools")]
pub mod load;
pub mod lobby;
pub mod news;
pub mod play;
pub mod policy;
pub mod random;
pub mod refusal;
pub mod seat_player;
#[cfg(feature = "command-line")]
pub mod server;
pub mod session;
#[cfg(feature = "tools")]
pub mod terminal;

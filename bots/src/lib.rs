//! Clients of Parley. They know the public API and a player's view, and nothing else.
//!
//! [`connect`](mod@connect) reaches a server, [`lobby`] finds a seat in a match, a [`Session`](session::Session)
//! plays in it and survives lost connections, a [`Policy`](policy::Policy) decides what to do, and
//! [`play`](play::play) drives one through the other to the end of the match. [`tell`] says in sentences what happened,
//! and in the [`arena`] policies play each other in one process.

pub mod arena;
pub mod backoff;
pub mod connect;
pub mod convert;
#[cfg(test)]
mod fake;
#[cfg(feature = "tools")]
pub mod league;
#[cfg(feature = "tools")]
pub mod load;
pub mod lobby;
pub mod play;
pub mod policy;
pub mod random;
pub mod receipt;
pub mod refusal;
pub mod replay;
pub mod session;
pub mod tell;
#[cfg(feature = "tools")]
pub mod terminal;

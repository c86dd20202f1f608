//! The games of Parley at their edge: what the service, the clients and the command line share about them.
//!
//! The resolver knows the rules and no messages, and `parley-proto` knows the messages and no rules. This crate joins
//! both: [`plunder::wire`] converts between them, [`plunder::sentences`] says in words what happened, [`receipt`] is
//! what a player is given for locking in, and [`replay`] holds finished matches as files and verifies them. [`hosted`] is
//! what a service may know of a match, whatever game it is of, and [`times`] is between times of messages and milliseconds.
//!
//! What belongs to one game alone is in the module of that game; everything beside it serves any game. Like the
//! resolver, this crate has no IO of its own, no clock, no floats, no unordered maps and no threads: it reads from and
//! writes to what its callers give it.

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::float_arithmetic)]

pub mod hosted;
pub mod plunder;
pub mod receipt;
pub mod replay;
pub mod sentences;
pub mod times;

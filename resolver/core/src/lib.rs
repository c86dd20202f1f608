//! What all games of Parley share: the machinery of simultaneous turns on hexes, free of any game.
//!
//! Everybody plans in secret, everything resolves at once, and the same inputs lead to the same outcome on every
//! machine. This crate knows neither ships nor cities, neither messages nor files: it has no IO, no clock, no floats,
//! no unordered maps, no threads. Each game is a crate on top of it. Comments cite the rules that games have in common
//! by their numbers in `data/RULES.md`, as R6.5, and those of games whose steps have costs as E4.1.
//!
//! # Where to look
//!
//! - what a game is, and the one way through its turns: [`game`] (R5.6)
//! - what happens in a turn, in its envelope: [`event`] (R5.6)
//! - what a turn asks, and what is answered: [`question`] (R7.2)
//! - names and places: [`ids`] (R1), [`hex`] and [`grid`] (R3.1), [`path`] (R5.5)
//! - the tick of movement on dense arrays: [`field`] (R6)
//! - who sees which tiles, and has seen them: [`sight`] (R14.1)
//! - randomness that can be proven: [`dice`] (R13.2); for maps: [`chance`]
//! - bytes and proofs: [`encoding`], [`digest`] (R13.3)
//! - exact odds without rounding: [`odds`]

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::float_arithmetic)]

pub mod chance;
pub mod dice;
pub mod digest;
pub mod encoding;
pub mod event;
pub mod field;
pub mod game;
pub mod grid;
pub mod hex;
pub mod ids;
pub mod odds;
pub mod path;
pub mod question;
pub mod sight;

//! A game of a page: lanterns on a row of tiles in the dark. It is not part of the product.
//!
//! It is as small as a game with stages, a question and fog can be, and has nothing to do with the games of the house: what
//! the driver of turns promises with it, and what a service does with it that knows it only by the registry, holds for any
//! ruleset. [`ruleset`] is the game; with the feature `hosted` there is also what a game brings to be hosted.

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "it is a game for tests, whose names say what they are")]

#[cfg(feature = "hosted")]
pub mod hosted;
#[cfg(feature = "hosted")]
mod recorded;
pub mod ruleset;
#[cfg(feature = "hosted")]
pub mod wire;

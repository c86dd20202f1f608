//! The naval game at its edge: its matches as a service has them, its messages, its sentences, and its recorded matches
//! played again.

pub use parley_plunder as game;

pub mod advice;
pub mod changes;
pub mod hosted;
pub mod replay;
pub mod sentences;
pub mod setup;
pub mod tally;
mod tools;
pub mod wire;

//! A recorded match of the naval game, played again turn by turn: to prove it, to compare it, and to tell it.

pub mod account;
pub(crate) mod course;
pub(crate) mod divergence;
mod sheet;

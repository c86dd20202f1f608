//! The rules of Parley.

#![forbid(unsafe_code)]
#![deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::float_arithmetic)]

pub mod dice;
pub mod digest;
pub mod event;
pub mod explain;
pub mod hex;
pub mod ids;
pub mod legality;
pub mod map;
pub mod options;
pub mod order;
pub mod path;
pub mod preview;
pub mod resolution;
pub mod rules;
pub mod scenario;
pub mod sea;
pub mod state;
pub mod view;

//! Matches that are recorded without a server, for tests of replay files.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod play;
pub mod recorder;

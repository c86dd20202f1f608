//! The naval game at its edge: its messages, its sentences, and its recorded matches played again.

pub mod replay;
pub mod sentences;
pub mod wire;

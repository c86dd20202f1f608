//! The server under attack, see the module `attacks`.

#[path = "attacks/mod.rs"]
mod attacks;
mod common;

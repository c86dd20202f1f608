//! A match in a terminal: played, or watched.
//!
//! [`model`] is everything that can be shown, changed by keys, news, answers and the time, without IO.
//! [`draw`](mod@draw) puts it on a screen, and looks at nothing else. [`run`](run::run) joins both with a keyboard and
//! a [`Session`](crate::session::Session). [`plain`] tells a match line by line where there is no screen.

pub mod board;
pub mod draw;
pub mod lobby;
pub mod model;
pub mod pick;
pub mod plain;
pub mod run;
pub mod screen;
pub mod seat;
#[cfg(test)]
mod sketch;

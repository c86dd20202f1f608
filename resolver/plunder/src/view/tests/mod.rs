//! What views show and what they hide.

mod changes;
mod moving;
mod still;
mod stories;
mod worlds;

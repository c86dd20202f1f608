//! What views show and what they hide.

mod moving;
mod playback;
mod still;
mod stories;
mod worlds;

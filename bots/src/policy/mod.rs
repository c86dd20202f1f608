//! What a player does: a policy sees what a player may see, and answers.

mod answerable;
mod at_random;
mod cautious;
mod distances;
mod draft;
mod hold;
mod planner;
mod player;
mod raider;
mod reader;
mod scene;
mod sea;
#[cfg(test)]
mod tests;
mod wander;

use std::sync::Arc;

use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

pub use answerable::{Answerable, ENCOUNTER, answers, defaults};
pub use at_random::AtRandom;
pub use cautious::Cautious;
pub use hold::Hold;
pub use planner::{NODES, Planner};
pub use player::{PlunderPolicies, PolicyPlayer};
pub use raider::Raider;
pub use sea::Sea;
pub use wander::Wander;

/// A way to play one seat of one match. The view is always of the state that the turn is planned in.
pub trait Policy: Send {
    /// The orders for the turn that the view is of.
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet;

    /// The answers to the questions of a prompt, which also tells what has happened in the turn so far. A question that is
    /// left out, because the policy does not care or does not know its kind, is answered with its default.
    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer>;
}

/// Whether a policy looks at the whole map and at every ship to find its orders. With many of them that takes milliseconds,
/// so that it should not think where others wait.
pub fn is_slow(name: &str) -> bool {
    !matches!(name, "hold" | "wander")
}

/// The policies that [`named`] knows.
pub const NAMES: &[&str] = &["hold", "wander", "random", "cautious", "raider", "planner"];

/// Policies from the weakest to the strongest: each wins most games against the one before it.
pub const LADDER: &[&str] = &["hold", "random", "cautious", "raider", "planner"];

/// The policy with a name, for a match with these rules; the same seed plays the same way. `None` where there is no
/// such policy.
pub fn named(name: &str, seed: u64, rules: &Arc<Rules>) -> Option<Box<dyn Policy>> {
    match name {
        "hold" => Some(Box::new(Hold)),
        "random" => Some(Box::new(AtRandom::new(seed, Arc::clone(rules)))),
        "cautious" => Some(Box::new(Cautious::new(Arc::clone(rules)))),
        "raider" => Some(Box::new(Raider::new(Arc::clone(rules)))),
        "planner" => Some(Box::new(Planner::new(seed, Arc::clone(rules)))),
        "wander" => Some(Box::new(Wander::new(seed, Arc::clone(rules)))),
        _ => None,
    }
}

//! What a player does: a policy sees what a player may see, and answers.

mod at_random;
mod cautious;
mod distances;
mod draft;
mod hold;
mod planner;
mod raider;
mod reader;
mod scene;
mod sea;
#[cfg(test)]
mod tests;
mod wander;

use std::sync::Arc;

use parley_plunder::rules::Rules;
use parley_proto::v1;

pub use at_random::AtRandom;
pub use cautious::Cautious;
pub use hold::Hold;
pub use planner::{NODES, Planner};
pub use raider::Raider;
pub use sea::Sea;
pub use wander::Wander;

/// A ship that met others, and whose owner is asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The id of the ship.
    pub unit: u32,
    /// The encounter that the ship is in.
    pub encounter: &'a v1::Encounter,
    /// What has happened in the turn so far.
    pub events: &'a [v1::Event],
}

impl Asked<'_> {
    /// The peaceful answer: proceed in a passing, yield on entry.
    pub fn evasion(&self) -> v1::Choice {
        match self.encounter.kind() {
            v1::EncounterKind::Passing => v1::Choice::Proceed,
            v1::EncounterKind::Entry | v1::EncounterKind::Unspecified => v1::Choice::Yield,
        }
    }
}

/// A way to play one seat of one match. The view is always of the state that the turn is planned in.
pub trait Policy: Send {
    /// The orders for the turn that the view is of.
    fn orders(&mut self, view: &v1::View) -> v1::OrderSheet;

    /// The answer of one own ship in an encounter. The others of the same window are asked for one by one.
    fn decide(&mut self, view: &v1::View, asked: Asked<'_>) -> v1::Choice;
}

/// Whether a policy looks at the whole map and at every ship to find its orders. With many of them that takes milliseconds,
/// so that it should not think where others wait.
pub fn is_slow(name: &str) -> bool {
    !matches!(name, "hold" | "wander")
}

/// A decision for each own ship that a prompt asks about.
pub fn decisions(prompt: &v1::Prompt, mut decide: impl FnMut(Asked<'_>) -> v1::Choice) -> Vec<v1::Decision> {
    let mut decisions = Vec::new();
    for encounter in &prompt.encounters {
        for participant in encounter.participants.iter().filter(|participant| participant.asked == Some(true)) {
            let asked = Asked { unit: participant.unit, encounter, events: &prompt.events };
            decisions.push(v1::Decision { unit: participant.unit, choice: decide(asked).into() });
        }
    }
    decisions
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

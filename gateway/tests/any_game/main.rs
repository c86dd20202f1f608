//! A game that the service has never heard of, from its creation to its replay: lanterns, which is known here by the
//! registries and nowhere else. What holds for it holds for any game.
#![allow(unreachable_pub, reason = "the parts of a test are seen by nobody else")]

#[path = "../common/mod.rs"]
mod common;

mod bot;
mod client;
mod crash;
mod fog;
mod house;
mod proof;

use parley_bots::seat_player::Policies;
use parley_games::hosted::Games;
use parley_gateway::rulesets::Rulesets;
use parley_toy::hosted::LANTERNS;

/// The games of the house, and lanterns.
pub fn games() -> Games {
    Games::default().with(LANTERNS)
}

/// What a service is told that hosts lanterns too.
pub fn rulesets() -> Rulesets {
    Rulesets::new(games(), Policies::default().with(&bot::LanternPolicies))
}

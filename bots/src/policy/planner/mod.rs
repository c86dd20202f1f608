//! A policy that tries its orders out before it gives them.

mod search;
#[cfg(test)]
mod tests;
mod world;
mod worth;

use std::fmt;
use std::sync::Arc;

use parley_games::plunder::wire;
use parley_plunder::rules::Rules;
use parley_plunder::state::Unit;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use search::OrderSearch;

use super::Policy;
use super::answerable::attack_where;
use super::reader::{Reader, Reading};
use crate::random::Random;

/// How many turns a planner resolves to find the orders of one. A budget of turns and not of time, so that the same
/// seed plays the same way on every machine.
///
/// It is for 4 players and 1,024 tiles. With more of them a turn takes longer to resolve, and fewer are.
pub const NODES: usize = 160;

/// Up to how many players the whole budget is used.
const PLAYERS: usize = 4;
/// Up to how many tiles the whole budget is used.
const TILES: usize = 1024;

/// Lets its own resolver play out what could come of its orders, against opponents who are taken to be raiders, with
/// dice of its own; then orders what came out best. It begins with the plans of different raiders, played on for some
/// turns, and then changes the best of them ship by ship.
///
/// Planning takes about a hundredth of a second, all of it on the thread that asks. What it cannot see is not there for
/// it. Orders are a function of the seed and the view alone.
pub struct Planner {
    seed: u64,
    nodes: usize,
    reader: Reader,
}

impl Planner {
    /// A planner in a match with these rules.
    pub const fn new(seed: u64, rules: Arc<Rules>) -> Self {
        Self::with_nodes(seed, rules, NODES)
    }

    /// A planner that resolves at most so many turns to find its orders.
    pub const fn with_nodes(seed: u64, rules: Arc<Rules>, nodes: usize) -> Self {
        Self { seed, nodes, reader: Reader::new(rules) }
    }
}

impl Policy for Planner {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some(Reading { me, state, distances }) = self.reader.read(view) else { return plunder::Sheet::default() };
        let rules = self.reader.rules();
        let random = Random::mixed(&[self.seed, view.turn.into()]);
        let players = state.players().iter().filter(|player| player.alive).count();
        let nodes = self.nodes * PLAYERS / players.max(PLAYERS) * TILES / distances.tiles().len().max(TILES);
        let mut search = OrderSearch::new(rules, &distances, &state, me, random, nodes);
        wire::said(rules, &search.best())
    }

    /// Answers as it was tried out: a ship that is asked attacks while it is healthy.
    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let Some(Reading { state, .. }) = self.reader.read(view) else { return Vec::new() };
        let rules = self.reader.rules();
        let is_healthy = |unit: &Unit| world::is_healthy(rules, unit);
        attack_where(prompt, |id, _| state.units().iter().find(|unit| unit.id.get() == id).is_some_and(is_healthy))
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Planner")
    }
}

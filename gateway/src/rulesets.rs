//! The games that a service hosts: what each is, who plays seats of it for the house, and rules that matches share.

use std::any::Any;
use std::sync::{Arc, Weak};

use dashmap::DashMap;
use parley_bots::seat_player::{GamePolicies, Policies};
use parley_games::hosted::{AnyGame, Games, SharedRules};

/// The games that a service hosts. Which they are is said once, at its start.
#[derive(Debug, Default)]
pub struct Rulesets {
    /// The games.
    pub games: Games,
    /// Who plays seats of them for the house.
    pub policies: Policies,
    /// Rules that matches share, so that a thousand matches under the same rules hold them once: by the arm of their game and
    /// the hash of their text.
    rules: DashMap<(u32, [u8; 32]), Weak<dyn Any + Send + Sync>>,
}

impl Rulesets {
    /// A service of these games, with these policies for the house.
    pub fn new(games: Games, policies: Policies) -> Self {
        Self { games, policies, rules: DashMap::new() }
    }

    /// The policies that the house has for a game.
    pub fn policies_of(&self, game: &dyn AnyGame) -> Option<&'static dyn GamePolicies> {
        self.policies.of_game(game.name())
    }

    /// The rules of a game that were written down as this text.
    pub fn rules(&self, game: &dyn AnyGame, text: &str) -> Result<SharedRules, String> {
        let key = (game.arm(), *blake3::hash(text.as_bytes()).as_bytes());
        if let Some(rules) = self.rules.get(&key).and_then(|weak| weak.upgrade()) {
            return Ok(rules);
        }
        let rules = game.rules(text).map_err(|error| format!("rules: {error}"))?;
        self.rules.insert(key, Arc::downgrade(&rules));
        self.rules.retain(|_, weak| weak.strong_count() > 0);
        Ok(rules)
    }
}

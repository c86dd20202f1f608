//! A policy that looks for fights it will win.

mod economy;
mod influence;
mod odds;
mod plan;

use std::fmt;
use std::sync::Arc;

use parley_games::plunder::wire;
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

pub(super) use influence::Influence;
pub(super) use plan::{Style, plan};

use super::Policy;
use super::answerable::attack_where;
use super::reader::{Reader, Reading};
use super::scene::Scene;

/// Gathers its fleet where it is stronger than whoever could come there, takes the exact odds of a fight before it
/// fights, and fires on the weakest. Hurt ships sail home and are repaired; gold becomes ships and shipyards, and then
/// better ships.
///
/// Orders are a function of the view alone.
pub struct Raider {
    reader: Reader,
}

impl Raider {
    /// A raider in a match with these rules.
    pub const fn new(rules: Arc<Rules>) -> Self {
        Self { reader: Reader::new(rules) }
    }
}

impl Policy for Raider {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some(Reading { me, state, distances }) = self.reader.read(view) else { return plunder::Sheet::default() };
        let rules = self.reader.rules();
        let scene = Scene::new(rules, &distances, &state, me);
        wire::said(rules, &plan(&scene, &Influence::new(&scene), &Style::default()).finish(&scene))
    }

    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let Some(Reading { me, state, .. }) = self.reader.read(view) else { return Vec::new() };
        let rules = self.reader.rules();
        attack_where(prompt, |_, encounter| odds::favourable(rules, &state, me, encounter))
    }
}

impl fmt::Debug for Raider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Raider")
    }
}

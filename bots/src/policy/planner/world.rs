//! Turns that are only imagined.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::question::Answer;
use parley_plunder::event::Subject;
use parley_plunder::legality::{LegalSheet, judge};
use parley_plunder::order::{Choice, OrderSheet};
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Question, Step, Workspace};
use parley_plunder::state::{State, Unit};

/// Whether a ship is taken to attack when it is asked.
pub(super) fn is_healthy(rules: &Rules, unit: &Unit) -> bool {
    2 * u32::from(unit.hp) >= u32::from(unit.max_hp(rules))
}

/// Resolves imagined turns, and counts them.
pub(super) struct World<'a> {
    rules: &'a Arc<Rules>,
    /// How many turns may be resolved in all.
    budget: usize,
    /// How many turns have been resolved.
    pub(super) resolved: usize,
    /// The match that is imagined, in the state of the last turn that was.
    game: Option<Game>,
    workspace: Workspace,
}

impl<'a> World<'a> {
    pub(super) fn new(rules: &'a Arc<Rules>, budget: usize) -> Self {
        Self { rules, budget, resolved: 0, game: None, workspace: Workspace::new() }
    }

    /// How many turns may still be resolved.
    pub(super) const fn left(&self) -> usize {
        self.budget - self.resolved
    }

    /// The legal part of a sheet.
    pub(super) fn legal(&self, state: &State, sheet: &OrderSheet) -> LegalSheet {
        judge(self.rules, state, sheet).legal
    }

    /// The state after a turn; `None` where no turn may be resolved any more, or this one cannot be.
    pub(super) fn resolve(&mut self, state: &State, seed: &Seed, sheets: &[LegalSheet]) -> Option<State> {
        if self.left() == 0 {
            return None;
        }
        self.resolved += 1;
        // Nobody asks an imagined turn for its digest.
        let digest = Digest::from_bytes([0; 32]);
        match &mut self.game {
            Some(game) => game.set_state(state, seed, digest),
            None => self.game = Some(Game::revealed(Arc::clone(self.rules), state.clone(), *seed, digest)),
        }
        let game = self.game.as_mut()?;
        for sheet in sheets {
            game.lock(sheet.clone()).ok()?;
        }
        let mut answers = Vec::new();
        loop {
            match game.advance(&mut self.workspace, &answers).ok()? {
                Step::Asked => answers = attacks(self.rules, state, game.questions()),
                Step::Resolved(outcome) => {
                    return Some(game.swap_state(outcome.before));
                }
            }
        }
    }
}

/// What ships that are asked are taken to answer: those that are healthy attack.
fn attacks(rules: &Rules, state: &State, questions: &[Question]) -> Vec<Answer> {
    let attack = |question: &Question| {
        let Subject::Unit(unit) = question.about else { return None };
        state.unit(unit).filter(|unit| is_healthy(rules, unit)).and_then(|_| question.picking(&Choice::Attack))
    };
    questions.iter().filter_map(attack).collect()
}

//! Scenario files: one turn as JSON, in and out. A stable interface.
//!
//! A scenario names rules, map, state, orders and decisions; [`Scenario::resolve`] plays the turn. It is what rule
//! cases and bug reports are written in, and what other implementations are compared with. `data/SCENARIO.md`
//! describes the format.

mod account;
mod check;
pub mod journal;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::game::{AdvanceError, LockError};
use parley_core::ids::UnitId;
use parley_core::question::Answer;

use crate::event::Subject;
use crate::legality::{Fault, LegalSheet};
use crate::order::Choice;
use crate::rules::Rules;
use crate::ruleset::{Game, Outcome, Question, Step, Workspace};
use crate::state::State;

/// The longest scenario that is read.
pub const MAX_SCENARIO_BYTES: usize = 8 << 20;
/// The most units of a scenario.
pub const MAX_SCENARIO_UNITS: usize = 16_384;
/// How many faults of one scenario are named one by one.
pub const MAX_FAULTS: usize = 1_000;

/// A scenario that is known to be sound.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The rules, with what the scenario overrides.
    pub rules: Arc<Rules>,
    /// The seed of the dice.
    pub seed: Seed,
    /// The state at the start of the turn.
    pub state: State,
    /// The orders, one sheet per player that has any.
    pub sheets: Vec<LegalSheet>,
    /// The decisions by tick and unit.
    pub decisions: BTreeMap<(u8, UnitId), Choice>,
}

/// A scenario's outcome.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The match after the turn.
    pub game: Game,
    /// What the turn came to.
    pub outcome: Outcome,
    /// Decisions that nobody asked for.
    pub unused: Vec<(u8, UnitId, Choice)>,
}

impl Scenario {
    /// Reads a scenario, or returns all faults that could be found, one line each.
    pub fn parse(base: &Arc<Rules>, json: &str) -> Result<Self, Vec<String>> {
        if json.len() > MAX_SCENARIO_BYTES {
            return Err(vec![format!("{} bytes are too many, {MAX_SCENARIO_BYTES} are read", json.len())]);
        }
        let text = serde_json::from_str(json).map_err(|error| vec![one_line(&format!("not a scenario: {error}"))])?;
        check::check(base, text).map_err(|faults| lines(&faults))
    }

    /// The match at the start of the turn, with the orders locked. Orders were judged as if there was no fog.
    pub fn game(&self) -> Result<Game, LockError> {
        let digest = Digest::genesis(&self.rules, &self.state);
        let mut game = Game::revealed(Arc::clone(&self.rules), self.state.clone(), self.seed, digest);
        for sheet in &self.sheets {
            game.lock(sheet.clone())?;
        }
        Ok(game)
    }

    /// Plays the turn. A decision that its encounter does not know is a fault.
    pub fn resolve(self) -> Result<Resolved, Vec<String>> {
        let mut game = self.game().map_err(|error| vec![error.to_string()])?;
        let (outcome, unused) = play(&mut game, &mut Workspace::new(), self.decisions)?;
        Ok(Resolved { game, outcome, unused })
    }
}

/// What the players of one turn say: their sheets, and their decisions by tick and unit.
type Inputs = (Vec<LegalSheet>, Decisions);

/// What is chosen for ships, by tick and unit.
type Decisions = BTreeMap<(u8, UnitId), Choice>;

/// Decisions that nobody asked for.
type Unused = Vec<(u8, UnitId, Choice)>;

/// Plays one turn, whose sheets are locked, answering its questions from a list.
fn play(
    game: &mut Game,
    workspace: &mut Workspace,
    mut decisions: Decisions,
) -> Result<(Outcome, Unused), Vec<String>> {
    let mut answers = Vec::new();
    loop {
        let step = game.advance(workspace, &answers).map_err(|error| match error {
            AdvanceError::Over | AdvanceError::Answers(_) => vec![error.to_string()],
            AdvanceError::Exceeded(fault) => lines(&[fault]),
        })?;
        match step {
            Step::Resolved(outcome) => {
                let unused = decisions.into_iter().map(|((tick, unit), choice)| (tick, unit, choice)).collect();
                return Ok((*outcome, unused));
            }
            Step::Asked => answers = take_answers(game.questions(), &mut decisions).map_err(|faults| lines(&faults))?,
        }
    }
}

/// The answers that decisions give to questions, or every choice that its encounter does not know (R7.2).
fn take_answers(questions: &[Question], decisions: &mut Decisions) -> Result<Vec<Answer>, Vec<Fault>> {
    let (mut answers, mut faults) = (Vec::new(), Vec::new());
    for question in questions {
        let Subject::Unit(unit) = question.about else { continue };
        let Some(choice) = decisions.remove(&(question.tick, unit)) else { continue };
        match question.picking(&choice) {
            Some(answer) => answers.push(answer),
            None => {
                let passing = question.options.contains(&Choice::Proceed);
                let (kind, other) = if passing { ("PASSING", "PROCEED") } else { ("ENTRY", "YIELD") };
                let text = format!("a {kind} encounter is answered with {other} or ATTACK");
                faults.push(Fault::new(Some(question.about), question.rule, text));
            }
        }
    }
    if faults.is_empty() { Ok(answers) } else { Err(faults) }
}

impl Resolved {
    /// The result as one line of JSON.
    pub fn to_json(&self) -> String {
        account::json(self)
    }
}

/// Resolves a scenario from text to text.
pub fn resolve(base: &Arc<Rules>, json: &str) -> Result<String, Vec<String>> {
    Ok(Scenario::parse(base, json)?.resolve()?.to_json())
}

/// The text with what would break or colour a line written out, because it may quote its author.
fn one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(visible).collect()
}

fn lines(faults: &[Fault]) -> Vec<String> {
    let mut lines: Vec<String> = faults.iter().take(MAX_FAULTS).map(|fault| one_line(&fault.to_string())).collect();
    if faults.len() > MAX_FAULTS {
        lines.push(format!("and {} more faults", faults.len() - MAX_FAULTS));
    }
    lines
}

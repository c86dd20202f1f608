//! A match played again, turn by turn, from what was recorded of it.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::game::AdvanceError;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::event::EncounterKind;
use parley_plunder::legality::LegalSheet;
use parley_plunder::order::{Choice, Decision};
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Outcome, Step, Workspace};
use parley_plunder::stages::Encounter;
use parley_plunder::state::State;
use parley_proto::v1::{self, ReplayDecision, ReplaySheet, ReplayTurn, ReplayWindow, SheetOrigin};

use super::sheet;
use crate::replay::Finding;

/// A match as far as it has been played again.
pub(crate) struct Course {
    pub(crate) game: Game,
    workspace: Workspace,
}

impl Course {
    pub(crate) fn begin(rules: Arc<Rules>, state: State, seed: Seed) -> Self {
        Self { game: Game::new(rules, state, seed), workspace: Workspace::new() }
    }

    /// The players who have a sheet in the turn.
    fn living(&self) -> impl Iterator<Item = PlayerId> {
        self.game.state().players().iter().filter(|player| player.alive).map(|player| player.id)
    }

    /// Whether a turn is the next one, with one sheet of everybody who is alive, by seat.
    pub(crate) fn fits(&self, turn: &ReplayTurn) -> Result<(), Finding> {
        let here = self.game.turn();
        if turn.turn != here {
            let reason = format!("turn {} stands where turn {here} belongs", turn.turn);
            return Err(Finding::new("match", "turn", reason).in_turn(turn.turn));
        }
        let recorded: Vec<u32> = turn.sheets.iter().map(|sheet| sheet.seat).collect();
        let living: Vec<u32> = self.living().map(|player| player.get().into()).collect();
        if recorded != living {
            let reason = format!("recorded are those of seats {recorded:?}, in the match are {living:?}");
            return Err(Finding::new("match", "sheets", reason).in_turn(turn.turn));
        }
        Ok(())
    }

    /// Plays a turn as it was recorded, and says what it comes to. A match whose turn cannot be played goes no further.
    pub(crate) fn play(&mut self, turn: &ReplayTurn) -> Result<Outcome, Finding> {
        self.outcome(turn).map_err(|finding| finding.in_turn(turn.turn))
    }

    /// Takes in an outcome that nobody needs any more.
    pub(crate) fn reclaim(&mut self, outcome: Outcome) {
        self.workspace.reclaim(outcome);
    }

    fn outcome(&mut self, turn: &ReplayTurn) -> Result<Outcome, Finding> {
        self.fits(turn)?;
        for sheet in self.sheets(&turn.sheets)? {
            self.game.lock(sheet).map_err(|error| Finding::new("match", "turn", error.to_string()))?;
        }
        let (mut windows, mut answers, mut tick) = (turn.windows.iter(), Vec::new(), None);
        loop {
            let step = self.game.advance(&mut self.workspace, &answers).map_err(|error| match error {
                AdvanceError::Over => Finding::new("match", "turn", error.to_string()),
                AdvanceError::Faults(faults) => {
                    let reason = faults.first().map(ToString::to_string).unwrap_or_default();
                    Finding { tick, ..Finding::new("match", "decisions", reason) }
                }
            })?;
            match step {
                Step::Asked => {
                    tick = self.game.questions().first().map(|encounter| encounter.tick);
                    answers = answer(self.game.questions(), windows.next())?;
                }
                Step::Resolved(outcome) => {
                    return match windows.next() {
                        None => Ok(*outcome),
                        Some(window) => {
                            let reason = format!("nobody was asked in tick {}, though it is recorded", window.tick);
                            Err(Finding::new("match", "windows", reason))
                        }
                    };
                }
            }
        }
    }

    fn sheets(&self, recorded: &[ReplaySheet]) -> Result<Vec<LegalSheet>, Finding> {
        self.living().zip(recorded).map(|(player, sheet)| self.sheet(player, sheet)).collect()
    }

    fn sheet(&self, player: PlayerId, recorded: &ReplaySheet) -> Result<LegalSheet, Finding> {
        let fault = |field, reason: String| Finding::new(format!("seat {player}"), field, reason);
        let (mut orders, mut faults) =
            sheet::read(self.game.rules(), player, &recorded.sheet).map_err(|reason| fault("sheet", reason))?;
        orders.concede |= recorded.conceded;
        let verdict = self.game.judge(&orders);
        faults.extend(verdict.faults.iter().map(ToString::to_string));
        match SheetOrigin::try_from(recorded.origin) {
            Ok(SheetOrigin::Locked) if !faults.is_empty() => {
                Err(fault("sheet", format!("it is not legal: {}", faults.join("; "))))
            }
            Ok(SheetOrigin::Absent) if !recorded.sheet.is_empty() => {
                Err(fault("sheet", "nothing was staged, though there are orders".to_owned()))
            }
            Ok(SheetOrigin::Locked | SheetOrigin::AtDeadline | SheetOrigin::Absent) => Ok(verdict.legal),
            Ok(SheetOrigin::Unspecified) | Err(_) => {
                Err(fault("origin", "it is not known how it was given".to_owned()))
            }
        }
    }
}

/// The decisions that a window of the record holds for these encounters.
fn answer(encounters: &[Encounter], window: Option<&ReplayWindow>) -> Result<Vec<Decision>, Finding> {
    let tick = encounters.first().map_or(0, |encounter| encounter.tick);
    let fault = |entity: String, field, reason: &str| Finding::new(entity, field, reason).in_tick(tick);
    let mut asked: Vec<(UnitId, Choice)> = Vec::new();
    for encounter in encounters {
        let peaceful = if encounter.kind == EncounterKind::Passing { Choice::Proceed } else { Choice::Yield };
        asked.extend(encounter.participants.iter().filter(|p| p.asked).map(|p| (p.unit, peaceful)));
    }
    asked.sort_unstable();
    let Some(window) = window else {
        let unit = asked.first().map_or_else(|| "match".to_owned(), |(unit, _)| format!("unit {unit}"));
        return Err(fault(unit, "decision", "it was asked to decide, and no window is recorded"));
    };
    if window.tick != u32::from(tick) {
        let reason = format!("ships were asked in tick {tick}, recorded is a window in tick {}", window.tick);
        return Err(fault("match".to_owned(), "windows", &reason));
    }
    let mut answers = Vec::new();
    let mut recorded = window.decisions.iter();
    for (unit, peaceful) in asked {
        let entity = format!("unit {unit}");
        match recorded.next().filter(|decision| decision.unit == unit.get()) {
            None => return Err(fault(entity, "decision", "it was asked to decide, and nothing is recorded of it")),
            Some(decision) => match (choice(decision), decision.defaulted) {
                (None, _) => return Err(fault(entity, "decision", "there is no such choice")),
                (Some(choice), true) if choice != peaceful => {
                    return Err(fault(entity, "decision", "it attacked though nobody answered for it (R7.2)"));
                }
                (Some(_), true) => {}
                (Some(choice), false) => answers.push(Decision { unit, choice }),
            },
        }
    }
    match recorded.next() {
        Some(decision) => Err(fault(format!("unit {}", decision.unit), "decision", "nobody asked it to decide")),
        None => Ok(answers),
    }
}

fn choice(decision: &ReplayDecision) -> Option<Choice> {
    match v1::Choice::try_from(decision.choice) {
        Ok(v1::Choice::Proceed) => Some(Choice::Proceed),
        Ok(v1::Choice::Yield) => Some(Choice::Yield),
        Ok(v1::Choice::Attack) => Some(Choice::Attack),
        Ok(v1::Choice::Unspecified) | Err(_) => None,
    }
}

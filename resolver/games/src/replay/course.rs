//! A match played again, turn by turn, from what was recorded of it.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::game::{Game, Outcome, QuestionOf, Step, Workspace};
use parley_core::ids::PlayerId;
use parley_core::question::Answer;
use parley_proto::v1::{ReplayAnswer, ReplaySheet, ReplayTurn, ReplayWindow, SheetOrigin};

use super::Finding;
use crate::hosted::HostedRuleset;

/// A match as far as it has been played again.
pub(crate) struct Course<R: HostedRuleset> {
    pub(crate) game: Game<R>,
    workspace: Workspace<R>,
}

impl<R: HostedRuleset> Course<R> {
    pub(crate) fn begin(rules: Arc<R::Rules>, state: R::State, seed: Seed) -> Self {
        Self { game: Game::new(rules, state, seed), workspace: Workspace::new() }
    }

    /// The players who have a sheet in the turn.
    fn living(&self) -> impl Iterator<Item = PlayerId> {
        R::living(self.game.state())
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
    pub(crate) fn play(&mut self, turn: &ReplayTurn) -> Result<Outcome<R>, Finding> {
        self.outcome(turn).map_err(|finding| finding.in_turn(turn.turn))
    }

    /// Takes in an outcome that nobody needs any more.
    pub(crate) fn reclaim(&mut self, outcome: Outcome<R>) {
        self.workspace.reclaim(outcome);
    }

    fn outcome(&mut self, turn: &ReplayTurn) -> Result<Outcome<R>, Finding> {
        self.fits(turn)?;
        for sheet in self.sheets(&turn.sheets)? {
            self.game.lock(sheet).map_err(|error| Finding::new("match", "turn", error.to_string()))?;
        }
        let (mut windows, mut answers) = (turn.windows.iter(), Vec::new());
        loop {
            let step = self.game.advance(&mut self.workspace, &answers);
            match step.map_err(|error| Finding::new("match", "turn", error.to_string()))? {
                Step::Asked => answers = self.answers(windows.next())?,
                Step::Resolved(outcome) if windows.as_slice().is_empty() => return Ok(*outcome),
                Step::Resolved(_) => {
                    let (recorded, left) = (turn.windows.len(), windows.len());
                    let reason =
                        format!("{recorded} windows are recorded, and players were asked in {}", recorded - left);
                    return Err(Finding::new("match", "windows", reason));
                }
            }
        }
    }

    /// The answers that a window of the record holds for the open questions: one for each, by seat and then by question.
    fn answers(&self, window: Option<&ReplayWindow>) -> Result<Vec<Answer>, Finding> {
        let mut asked: Vec<&QuestionOf<R>> = self.game.questions().iter().collect();
        asked.sort_by_key(|question| (question.seat, question.id()));
        let mut recorded = window.map_or(&[][..], |window| &window.answers).iter();
        let mut answers = Vec::new();
        for question in asked {
            let fault = |reason: &str| about::<R>(question, reason);
            let named =
                |answer: &&ReplayAnswer| (answer.seat, answer.question) == (question.seat.get().into(), question.id());
            let Some(answer) = recorded.next().filter(named) else {
                return Err(fault("it was asked, and no answer is recorded where it belongs"));
            };
            let said = Answer { seat: question.seat, question: question.id(), options: answer.options.clone() };
            let faults = self.game.check(std::slice::from_ref(&said)).err().unwrap_or_default();
            if let Some(found) = faults.first() {
                return Err(fault(&format!("it {}", found.wrong)));
            }
            match (answer.options.is_sorted(), answer.defaulted) {
                (false, _) => return Err(fault("its options are not in ascending order")),
                (true, false) => answers.push(said),
                (true, true) if answer.options == question.default => {}
                (true, true) => return Err(fault("nobody answered it, and what counted is not its default (R7.2)")),
            }
        }
        match recorded.next() {
            None => Ok(answers),
            Some(answer) => {
                let entity = format!("question {} of seat {}", answer.question, answer.seat);
                let tick = self.game.questions().first().map(|question| question.tick);
                Err(Finding { tick, ..Finding::new(entity, "answer", "it was not asked") })
            }
        }
    }

    fn sheets(&self, recorded: &[ReplaySheet]) -> Result<Vec<R::Legal>, Finding> {
        self.living().zip(recorded).map(|(player, sheet)| self.sheet(player, sheet)).collect()
    }

    fn sheet(&self, player: PlayerId, recorded: &ReplaySheet) -> Result<R::Legal, Finding> {
        let fault = |field, reason: String| Finding::new(format!("seat {player}"), field, reason);
        // Where nothing was staged there is no sheet, not even an empty one.
        let is_absent = recorded.origin() == SheetOrigin::Absent && recorded.sheet.is_empty();
        let sheet = (!is_absent).then_some(&recorded.sheet[..]);
        let (orders, mut faults) = R::recorded_sheet(self.game.rules(), player, sheet, recorded.conceded)
            .map_err(|reason| fault("sheet", reason))?;
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

/// The finding that the record of a question is not as it should be.
fn about<R: HostedRuleset>(question: &QuestionOf<R>, reason: &str) -> Finding {
    let about = R::name_of(&question.about);
    let entity = format!("question {} of seat {} about {about}", question.id(), question.seat);
    Finding::new(entity, "answer", reason).in_tick(question.tick)
}

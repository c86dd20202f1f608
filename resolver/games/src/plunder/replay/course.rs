//! A match played again, turn by turn, from what was recorded of it.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::sight::Memory;
use parley_plunder::event::EncounterKind;
use parley_plunder::legality::{LegalSheet, judge, judge_charted};
use parley_plunder::order::{Choice, Decision, OrderSheet};
use parley_plunder::resolution::{Encounter, Outcome, Resolution, Step};
use parley_plunder::rules::Rules;
use parley_plunder::state::State;
use parley_plunder::view::{Viewer, events, sight_of};
use parley_proto::v1::{self, ReplayDecision, ReplaySheet, ReplayTurn, ReplayWindow, SheetOrigin};

use super::sheet;
use crate::replay::Finding;

/// A match as far as it has been played again.
pub(crate) struct Course {
    pub(crate) rules: Arc<Rules>,
    pub(crate) state: State,
    pub(crate) digest: Digest,
    seed: Seed,
    /// What each player has charted; empty where there is no fog.
    memories: Vec<(PlayerId, Memory)>,
}

impl Course {
    pub(crate) fn begin(rules: Arc<Rules>, state: State, seed: Seed) -> Self {
        let digest = Digest::genesis(&rules, &state);
        let mut memories = Vec::new();
        if rules.fog() {
            for player in state.players() {
                let mut memory = Memory::new(state.map().grid());
                memory.learn(&sight_of(&rules, &state, Viewer::Seat(player.id)));
                memories.push((player.id, memory));
            }
        }
        Self { rules, state, digest, seed, memories }
    }

    /// Whether a turn is the next one, with one sheet of everybody who is alive, by seat.
    pub(crate) fn fits(&self, turn: &ReplayTurn) -> Result<(), Finding> {
        let here = self.state.turn();
        if turn.turn != here {
            let reason = format!("turn {} stands where turn {here} belongs", turn.turn);
            return Err(Finding::new("match", "turn", reason).in_turn(turn.turn));
        }
        let recorded: Vec<u32> = turn.sheets.iter().map(|sheet| sheet.seat).collect();
        let living: Vec<u32> =
            self.state.players().iter().filter(|player| player.alive).map(|player| player.id.get().into()).collect();
        if recorded != living {
            let reason = format!("recorded are those of seats {recorded:?}, in the match are {living:?}");
            return Err(Finding::new("match", "sheets", reason).in_turn(turn.turn));
        }
        Ok(())
    }

    /// Plays a turn as it was recorded, and says what it comes to.
    pub(crate) fn play(&self, turn: &ReplayTurn) -> Result<Box<Outcome>, Finding> {
        self.outcome(turn).map_err(|finding| finding.in_turn(turn.turn))
    }

    /// Goes on from what a turn came to.
    pub(crate) fn accept(&mut self, outcome: Outcome) {
        for (player, memory) in &mut self.memories {
            events(&self.rules, &self.state, &outcome, Viewer::Seat(*player), memory);
            memory.learn(&sight_of(&self.rules, &outcome.state, Viewer::Seat(*player)));
        }
        (self.state, self.digest) = (outcome.state, outcome.digest);
    }

    fn outcome(&self, turn: &ReplayTurn) -> Result<Box<Outcome>, Finding> {
        self.fits(turn)?;
        let sheets = self.sheets(&turn.sheets)?;
        let mut resolution = Resolution::begin(&self.rules, &self.state, &self.seed, self.digest, &sheets)
            .map_err(|error| Finding::new("match", "turn", error.to_string()))?;
        let (mut windows, mut answers, mut tick) = (turn.windows.iter(), Vec::new(), None);
        loop {
            let step = resolution.advance(&answers).map_err(|faults| {
                let reason = faults.first().map(ToString::to_string).unwrap_or_default();
                Finding { tick, ..Finding::new("match", "decisions", reason) }
            })?;
            match step {
                Step::Awaiting(encounters) => {
                    tick = encounters.first().map(|encounter| encounter.tick);
                    answers = answer(&encounters, windows.next())?;
                }
                Step::Resolved(outcome) => {
                    return match windows.next() {
                        None => Ok(outcome),
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
        let living = self.state.players().iter().filter(|player| player.alive);
        living.zip(recorded).map(|(player, sheet)| self.sheet(player.id, sheet)).collect()
    }

    fn sheet(&self, player: PlayerId, recorded: &ReplaySheet) -> Result<LegalSheet, Finding> {
        let fault = |field, reason: String| Finding::new(format!("seat {player}"), field, reason);
        let (mut orders, mut faults) =
            sheet::read(&self.rules, player, &recorded.sheet).map_err(|reason| fault("sheet", reason))?;
        orders.concede |= recorded.conceded;
        let verdict = self.judge(&orders);
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

    /// Judges orders as they were judged then: in fog, paths lead over charted tiles only.
    fn judge(&self, orders: &OrderSheet) -> parley_plunder::legality::Verdict {
        match self.memories.iter().find(|(player, _)| *player == orders.player) {
            Some((_, memory)) => judge_charted(&self.rules, &self.state, orders, &|tile| memory.contains(tile)),
            None => judge(&self.rules, &self.state, orders),
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

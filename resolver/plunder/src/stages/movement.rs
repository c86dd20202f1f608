//! The movement stage: ticks, and the pauses in which owners decide (R6, R7).

use parley_core::field::Field;
use parley_core::path::Path;
use parley_core::question::Settled;

use crate::event::{Body, Cause, Event};
use crate::order::Choice;
use crate::state::Engagement;

use super::encounters::Meetings;
use super::turn::{Turn, When};
use super::{Encounter, Flow};

/// Movement in progress.
#[derive(Clone, Debug)]
pub(super) struct Movement {
    pub(super) field: Field,
    pub(super) tick: u8,
    meetings: Meetings,
    /// Whether the encounters of this tick wait for answers.
    paused: bool,
}

/// Runs movement from its start, or from where owners were asked.
pub(super) fn run(turn: &mut Turn, settled: &[Settled]) -> Flow {
    let mut movement = match turn.movement.take() {
        Some(movement) => movement,
        None => Movement::begin(turn.idle_movement.take(), turn),
    };
    match movement.run(turn, settled) {
        Flow::Done => {
            movement.end(turn);
            turn.idle_movement = Some(movement);
            Flow::Done
        }
        Flow::Ask(questions) => {
            turn.movement = Some(movement);
            Flow::Ask(questions)
        }
    }
}

impl Movement {
    /// Puts everybody on the field, which may be one that an earlier turn used.
    pub(super) fn begin(earlier: Option<Box<Self>>, turn: &Turn) -> Box<Self> {
        let grid = turn.state.map().grid();
        let mut movement = match earlier {
            Some(mut earlier) if earlier.field.grid() == grid => {
                earlier.field.clear();
                earlier.tick = 0;
                earlier
            }
            _ => Box::new(Self { field: Field::new(*grid), tick: 0, meetings: Meetings::default(), paused: false }),
        };
        let field = &mut movement.field;
        for structure in &turn.state.structures {
            field.reserve(structure.tile, structure.owner.map(|owner| owner.get()));
        }
        for contest in &turn.state.contests {
            field.set_contested(contest.tile, true);
        }
        for (unit, mark) in turn.state.units.iter().zip(&turn.marks) {
            if unit.hp == 0 {
                field.add_absent();
                continue;
            }
            let speed = if mark.bound { 0 } else { unit.speed(&turn.rules) };
            field.add_unit(unit.tile, unit.owner.get(), speed, unit.route.word(0), unit.route.len() as u8);
        }
        field.start();
        movement
    }

    /// The encounters of the tick as the outside sees them.
    pub(super) fn encounters(&self, turn: &Turn) -> Vec<Encounter> {
        self.meetings.encounters(turn, self.tick)
    }

    /// Runs ticks until somebody must be asked or nobody wants to move any more.
    fn run(&mut self, turn: &mut Turn, settled: &[Settled]) -> Flow {
        if std::mem::take(&mut self.paused) {
            self.meetings.answer(settled);
            self.settle(turn);
        }
        while self.field.has_movers() {
            self.tick += 1;
            self.move_freely(turn);
            assert_positions(turn, &self.field);
            self.meetings.form(turn, &self.field);
            if self.meetings.is_empty() {
                continue;
            }
            self.meetings.announce(turn, self.tick);
            if self.meetings.anybody_asked() {
                self.paused = true;
                return Flow::Ask(self.meetings.questions(turn, self.tick));
            }
            self.settle(turn);
        }
        Flow::Done
    }

    /// R6: looks at all intents, then moves what is free.
    fn move_freely(&mut self, turn: &mut Turn) {
        let tick = self.tick;
        self.field.look(tick);
        for &ship in &self.field.findings().blocked {
            let goal = self.field.goal(ship);
            let cause = match turn.state.structure_at(goal) {
                Some(structure) if !self.field.is_contested(goal) => Cause::ClosedHarbor { structure: structure.id },
                _ => Cause::Contested { tile: goal },
            };
            turn.tell(When::tick(tick), Body::Blocked { unit: turn.id(ship as usize), cause });
            turn.fell_short(ship as usize, tick, cause);
        }
        let before = turn.events.len();
        let units = &turn.state.units;
        let events = &mut turn.events;
        self.field.apply(
            |ship, word| units[ship as usize].route.word(word),
            |ship, to| events.push(Event::new(Some(tick), 0, Body::Moved { unit: units[ship as usize].id, to })),
        );
        if self.field.tells_out_of_order() {
            turn.events[before..].sort_by_key(|event| match event.body {
                Body::Moved { unit, .. } => Some(unit),
                _ => None,
            });
        }
        for wait in &self.field.findings().waiting {
            let index = wait.unit as usize;
            let unit = turn.id(wait.behind as usize);
            let cause = if wait.closed { Cause::WaitedForPassing { unit } } else { Cause::WaitedFor { unit } };
            turn.tell(When::tick(tick), Body::Waited { unit: turn.id(index), cause });
            if !std::mem::replace(&mut turn.marks[index].waited, true) {
                turn.fell_short(index, tick, cause);
            }
        }
    }

    fn settle(&mut self, turn: &mut Turn) {
        let mut meetings = std::mem::take(&mut self.meetings);
        meetings.settle(turn, &mut self.field, self.tick);
        self.meetings = meetings;
        assert_positions(turn, &self.field);
    }

    /// Writes positions and what is left of the paths back into the state.
    pub(super) fn end(&self, turn: &mut Turn) {
        for (index, unit) in turn.state.units.iter_mut().enumerate() {
            if let Some(tile) = self.field.tile(index as u32) {
                unit.tile = tile;
            }
            match self.field.progress(index as u32) {
                (_, 0) => unit.route = Path::EMPTY,
                (0, _) => {}
                (walked, _) => unit.route = unit.route.after(walked),
            }
        }
        let grid = self.field.grid();
        turn.state.contests.sort_by_key(|contest| grid.hex(contest.tile));
    }
}

/// In builds that check assertions: R2.1 and R9.1 hold after the moves of a tick and after its encounters.
fn assert_positions(turn: &Turn, field: &Field) {
    if cfg!(debug_assertions) {
        for ship in 0..turn.state.units.len() as u32 {
            if let Some(tile) = field.tile(ship) {
                assert_eq!(field.holder(tile), Some(turn.owner(ship as usize).get()), "R2.1");
                assert!(!field.is_contested(tile), "R9.1");
            }
        }
    }
}

/// What a ship answers without its owner (R7.6); `None` asks.
pub(super) fn standing_answer(turn: &Turn, index: usize, peaceful: Choice) -> Option<Choice> {
    let unit = &turn.state.units[index];
    match unit.engagement {
        Engagement::Ask => None,
        Engagement::Evade => Some(peaceful),
        Engagement::Fight => Some(Choice::Attack),
        Engagement::FightIfHealthy if 2 * u32::from(unit.hp) >= u32::from(unit.max_hp(&turn.rules)) => {
            Some(Choice::Attack)
        }
        Engagement::FightIfHealthy => Some(peaceful),
    }
}

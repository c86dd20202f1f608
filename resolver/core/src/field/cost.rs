//! Steps that cost more than one tick (E4.1, E4.2): from which tick on a unit tries its next one, and its rest before.
//!
//! A unit that is not ready yet has no intent, so it is put at rest like any other unit without one (R6.1), and is taken
//! back among the movers in the tick in which it is ready. All that is kept for it lies beside what a tick reads, so
//! that a game whose steps all cost one tick pays nothing.

use super::Field;
use super::layout::{Lane, Mover, NONE};
use crate::grid::Tile;

/// How many ticks a step takes.
pub(super) trait StepCost {
    /// Whether a step may take more than one tick; if none may, no account is kept.
    const VARIES: bool;

    /// The cost of the step of a unit, by its number, into a tile.
    fn of(&self, unit: u32, tile: Tile) -> u8;
}

/// One tick for each step.
pub(super) struct OneEach;

impl StepCost for OneEach {
    const VARIES: bool = false;

    fn of(&self, _unit: u32, _tile: Tile) -> u8 {
        1
    }
}

impl<F: Fn(u32, Tile) -> u8> StepCost for F {
    const VARIES: bool = true;

    fn of(&self, unit: u32, tile: Tile) -> u8 {
        self(unit, tile)
    }
}

/// The account of one unit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// The steps it had walked when its next step was judged.
    walked: u8,
    /// The tick from which on that step is tried; 0 before any was judged.
    ready: u8,
}

impl Pace {
    /// The tick from which on the next step of a mover is tried. Its cost is asked once, in the tick after the step
    /// before.
    pub(super) fn ready(&mut self, tick: u8, mover: &Mover, lane: &Lane, cost: impl FnOnce() -> u8) -> u8 {
        let walked = lane.path - mover.left;
        if self.ready == 0 || walked != self.walked {
            let ready = (tick - 1).saturating_add(cost().max(1));
            // The first step of a turn is always within reach (E4.2).
            let ready = if walked == 0 { ready.min(mover.speed) } else { ready };
            *self = Self { walked, ready };
        }
        self.ready
    }
}

/// A mover at rest until a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dozer {
    pub(super) mover: Mover,
    /// The tick in which it is a mover again.
    pub(super) ready: u8,
}

impl Field {
    /// Takes back among the movers whoever is ready for a step in this tick.
    pub(super) fn wake(&mut self, tick: u8) {
        self.paces.resize(self.lanes.len(), Pace::default());
        let mut dozing = std::mem::take(&mut self.dozing);
        let before = dozing.len();
        dozing.retain(|&Dozer { mover, ready }| {
            if ready <= tick {
                self.stop_resting(mover.lane);
                let lane = &mut self.lanes[mover.lane as usize];
                (lane.link, lane.rests) = (NONE, false);
                self.movers.push(mover);
            }
            ready > tick
        });
        if dozing.len() < before {
            self.movers.sort_unstable_by_key(|mover| mover.lane);
        }
        self.dozing = dozing;
    }

    /// Lets a unit at rest stay so for the rest of the turn.
    pub(super) fn stay_at_rest(&mut self, lane: u32) {
        self.dozing.retain(|dozer| dozer.mover.lane != lane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::hex::Direction;
    use crate::path::Path;

    /// A row of tiles that are entered at these costs.
    struct Row {
        field: Field,
        costs: Vec<u8>,
    }

    const EAST: Direction = Direction::E;
    const WEST: Direction = Direction::W;

    impl Row {
        /// Units by the column where they stand, their owner, their moves and their paths.
        fn new(costs: &[u8], units: &[(usize, u8, u8, &[Direction])]) -> Self {
            let mut field = Field::new(Grid::new(costs.len() as u32, 1, false).expect("a grid"));
            for &(column, owner, moves, steps) in units {
                let path: Path = steps.iter().copied().collect();
                field.add_unit(Tile::from_index(column), owner, moves, path.word(0), path.len() as u8);
            }
            field.start();
            Self { field, costs: costs.to_vec() }
        }

        /// Runs a tick and returns who moved where.
        fn tick(&mut self, tick: u8) -> Vec<(u32, usize)> {
            let mut moved = Vec::new();
            self.field.look_at_cost(tick, |_, tile| self.costs[tile.index()]);
            self.field.apply(|_, _| 0, |unit, to| moved.push((unit, to.index())));
            moved
        }

        /// In which ticks the first unit moves while anybody may want to.
        fn ticks_of_steps(&mut self) -> Vec<u8> {
            let mut ticks = Vec::new();
            for tick in 1.. {
                if !self.field.has_movers() {
                    break;
                }
                if !self.tick(tick).is_empty() {
                    ticks.push(tick);
                }
            }
            ticks
        }

        fn standing(&self, column: usize) -> Vec<u32> {
            self.field.standing(Tile::from_index(column)).collect()
        }
    }

    #[test]
    fn a_step_of_cost_c_is_tried_in_the_c_th_tick_after_the_last_one() {
        let steps = [EAST; 4];
        assert_eq!(Row::new(&[1, 1, 2, 3, 1], &[(0, 0, 9, &steps)]).ticks_of_steps(), [1, 3, 6, 7]);
        assert_eq!(Row::new(&[1, 2, 1, 2, 1], &[(0, 0, 9, &steps)]).ticks_of_steps(), [2, 3, 5, 6]);
        assert_eq!(Row::new(&[1, 1, 1, 1, 1], &[(0, 0, 9, &steps)]).ticks_of_steps(), [1, 2, 3, 4]);
    }

    #[test]
    fn points_that_do_not_suffice_for_a_later_step_are_lost_and_the_path_is_kept() {
        let mut row = Row::new(&[1, 1, 2, 1], &[(0, 0, 2, &[EAST; 3])]);
        assert_eq!(row.ticks_of_steps(), [1]);
        assert_eq!(row.field.progress(0), (1, 2));
        assert_eq!(row.standing(1), [0]);
    }

    #[test]
    fn a_first_step_beyond_the_moves_is_tried_in_the_last_tick() {
        assert_eq!(Row::new(&[1, 2, 1], &[(0, 0, 1, &[EAST; 2])]).ticks_of_steps(), [1]);
        assert_eq!(Row::new(&[1, 9, 1], &[(0, 0, 2, &[EAST; 2])]).ticks_of_steps(), [2]);
        assert_eq!(Row::new(&[1, 2, 9], &[(0, 0, 3, &[EAST; 2])]).ticks_of_steps(), [2], "the first step only");
    }

    #[test]
    fn a_unit_that_is_not_ready_is_at_rest() {
        // Both want the other's tile, but only the second is ready in the first tick: it enters upon a unit at rest.
        let mut row = Row::new(&[1, 2], &[(0, 0, 3, &[EAST]), (1, 1, 3, &[WEST])]);
        assert_eq!(row.tick(1), []);
        assert_eq!(row.field.findings().entering, [1]);
        assert_eq!(row.field.findings().passing, []);
        assert_eq!(row.standing(0), [0]);
        // Nobody was halted, so both try in the second tick and pass each other.
        assert_eq!(row.tick(2), []);
        let mut passing = row.field.findings().passing.clone();
        passing.sort_unstable();
        assert_eq!(passing, [0, 1]);
    }

    #[test]
    fn a_step_is_tried_again_in_each_tick_after_the_first_try() {
        // An enemy wants to leave for a contested tile: it is blocked in the second tick, and at rest in the third.
        let mut row = Row::new(&[1, 2, 2, 1], &[(0, 0, 9, &[EAST; 2]), (1, 1, 9, &[EAST])]);
        row.field.set_contested(Tile::from_index(2), true);
        assert_eq!(row.tick(1), []);
        assert_eq!((row.field.findings().blocked.len(), row.field.findings().waiting.len()), (0, 0));
        row.tick(2);
        assert_eq!(row.field.findings().blocked, [1]);
        assert_eq!(
            row.field.findings().waiting.iter().map(|wait| (wait.unit, wait.behind)).collect::<Vec<_>>(),
            [(0, 1)]
        );
        row.tick(3);
        assert_eq!(row.field.findings().entering, [0]);
        // Once the tile is free the step succeeds in the next tick, and the next one is counted from there.
        row.field.remove(1);
        row.field.set_contested(Tile::from_index(2), false);
        assert_eq!(row.tick(4), [(0, 1)]);
        assert_eq!(row.tick(5), []);
        assert_eq!(row.tick(6), [(0, 2)]);
    }

    #[test]
    fn the_step_after_an_encounter_is_counted_from_its_tick() {
        let mut row = Row::new(&[1, 1, 2], &[(0, 0, 9, &[EAST; 2]), (1, 1, 9, &[])]);
        row.tick(1);
        assert_eq!(row.field.findings().entering, [0]);
        row.field.remove(1);
        row.field.take_step(&[0], |_, _| 0);
        assert_eq!(row.tick(2), []);
        assert_eq!(row.tick(3), [(0, 2)]);
        assert!(row.tick(4).is_empty() && !row.field.has_movers());
    }

    #[test]
    fn a_unit_that_halts_while_it_is_not_ready_stays() {
        for lose_path in [false, true] {
            let mut row = Row::new(&[1, 2, 1], &[(0, 0, 9, &[EAST; 2])]);
            assert_eq!(row.tick(1), []);
            row.field.halt(0, lose_path);
            assert!(!row.field.has_movers());
            assert_eq!(row.tick(2), []);
            assert_eq!(row.standing(0), [0]);
            assert_eq!(row.field.progress(0), (0, if lose_path { 0 } else { 2 }));
        }
    }

    #[test]
    fn a_unit_that_is_not_ready_can_be_put_elsewhere_and_taken_off() {
        let mut row = Row::new(&[1, 2, 1], &[(0, 0, 9, &[EAST]), (0, 0, 9, &[EAST])]);
        row.tick(1);
        row.field.relocate(0, Tile::from_index(2));
        row.field.remove(1);
        assert_eq!((row.standing(0), row.standing(2)), (vec![], vec![0]));
        assert_eq!(row.field.holder(Tile::from_index(0)), None);
        assert_eq!(row.tick(2), []);
        assert!(!row.field.has_movers());
    }

    #[test]
    fn a_field_that_is_cleared_forgets_who_was_not_ready() {
        let mut row = Row::new(&[1, 2, 1], &[(0, 0, 9, &[EAST; 2])]);
        row.tick(1);
        row.field.clear();
        row.field.add_unit(Tile::from_index(1), 0, 9, Path::from_iter([EAST]).word(0), 1);
        row.field.start();
        assert_eq!((row.tick(1), row.field.holder(Tile::from_index(0))), (vec![(0, 2)], None));
        assert!(row.tick(2).is_empty() && !row.field.has_movers());
    }
}

//! Broadsides after the last tick (R10).

use parley_core::question::Settled;
use smallvec::SmallVec;

use crate::dice::BROADSIDE_TICK;
use crate::event::{Cause, Subject};
use crate::rules::Broadsides;

use super::Flow;
use super::combat::{self, Groups, Pair, Role};
use super::turn::{Place, Turn, When};

/// Every ship that may fires on one adjacent enemy; all targets are chosen before anybody fires.
pub(super) fn fire(turn: &mut Turn, _: &[Settled]) -> Flow {
    let off = turn.rules.raw().broadsides == Broadsides::Off;
    let mut places = None;
    let mut pairs = SmallVec::<[Pair; 8]>::new();
    for index in 0..turn.marks.len() {
        let mark = turn.marks[index];
        if !mark.broadside || !turn.afloat(index) {
            continue;
        }
        let target = if off {
            Err(Cause::BroadsidesOff)
        } else if mark.fought {
            Err(Cause::FoughtAlready)
        } else {
            aim(turn, places.get_or_insert_with(|| turn.by_tile()), index).ok_or(Cause::NoTarget)
        };
        match target {
            Ok(target) => pairs.push(Pair::new(index, target, Role::attacker(index, target))),
            Err(cause) => turn.skip(Subject::Unit(turn.id(index)), cause, When::tick(BROADSIDE_TICK)),
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.lower, pair.higher));
    // Two ships that aim at each other exchange once, and the coin says who attacks.
    pairs.dedup_by(|pair, before| {
        let same = (before.lower, before.higher) == (pair.lower, pair.higher);
        if same {
            before.role = Role::Coin;
        }
        same
    });
    combat::round(turn, BROADSIDE_TICK, Groups::Each, &pairs);
    Flow::Done
}

/// The adjacent enemy with the lowest hp, then the lowest id.
fn aim(turn: &Turn, places: &[Place], index: usize) -> Option<usize> {
    let unit = &turn.state.units[index];
    let around = turn.state.map().grid().neighbors(unit.tile);
    let there = around.flat_map(|(_, tile)| {
        let first = places.partition_point(|place| place.tile() < tile);
        places[first..].iter().take_while(move |place| place.tile() == tile)
    });
    let enemies = there.map(|place| place.unit()).filter(|&other| turn.owner(other) != unit.owner);
    enemies.min_by_key(|&other| (turn.state.units[other].hp, other))
}

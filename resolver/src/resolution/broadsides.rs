//! Broadsides after the last tick (R10).

use crate::dice::BROADSIDE_TICK;
use crate::event::{Cause, Subject};
use crate::map::Tile;
use crate::rules::Broadsides;

use super::combat::{self, Pair, Role};
use super::turn::Turn;

/// Every ship that may fires on one adjacent enemy; all targets are chosen before anybody fires.
pub(super) fn fire(turn: &mut Turn) {
    if turn.rules.raw().broadsides == Broadsides::Off {
        return;
    }
    let ready: Vec<usize> = (0..turn.marks.len()).filter(|&i| turn.marks[i].broadside && turn.afloat(i)).collect();
    if ready.is_empty() {
        return;
    }
    let places = turn.by_tile();
    let mut pairs = Vec::new();
    for index in ready {
        let target = if turn.marks[index].fought { None } else { aim(turn, &places, index) };
        match target {
            Some(target) => pairs.push(Pair::new(index, target, Role::attacker(index, target))),
            None => turn.skip(Subject::Unit(turn.id(index)), Cause::NoBroadside),
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.lower, pair.higher));
    // Two ships that aim at each other exchange once, and the coin says who attacks.
    let mut round: Vec<Pair> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        match round.last_mut().filter(|last| (last.lower, last.higher) == (pair.lower, pair.higher)) {
            Some(last) => last.role = Role::Coin,
            None => round.push(pair),
        }
    }
    combat::round(turn, BROADSIDE_TICK, &round);
}

/// The adjacent enemy with the lowest hp, then the lowest id.
fn aim(turn: &Turn, places: &[(Tile, usize)], index: usize) -> Option<usize> {
    let unit = &turn.state.units[index];
    let around = turn.state.map().grid().neighbors(unit.tile);
    let there = around.flat_map(|(_, tile)| {
        let first = places.partition_point(|&(t, _)| t < tile);
        places[first..].iter().take_while(move |&&(t, _)| t == tile)
    });
    let enemies = there.map(|&(_, other)| other).filter(|&other| turn.owner(other) != unit.owner);
    enemies.min_by_key(|&other| (turn.state.units[other].hp, other))
}

//! Random valid paths (R5.5) that look for trouble: head on, converging, in columns, in rotation.

use super::board::{Board, Ship};
use super::hex::Hex;
use super::rng::Rng;

/// What the ships of one scenario have in common, so that their paths meet.
pub struct Currents {
    focus: Hex,
    /// Rings of adjacent tiles to go round.
    cycles: Vec<Vec<Hex>>,
    /// Per cent of the ships that are caught by a ring they are on.
    pull: usize,
}

pub fn currents(board: &Board, rng: &mut Rng) -> Currents {
    let tiles = board.navigable_tiles();
    let focus = rng.pick(&tiles);
    let mut cycles = Vec::new();
    for _ in 0..rng.pick(&[0, 1, 2, 3]) {
        let center = rng.pick(&tiles);
        let ring = board.map.neighbours(center);
        let cycle = match rng.below(2) {
            0 => ring,
            _ => vec![center, ring[0], ring[1 % ring.len()]],
        };
        cycles.push(cycle);
    }
    cycles.retain(|cycle| is_cycle(board, cycle));
    let pull = rng.pick(&[50, 90]);
    Currents { focus, cycles, pull }
}

fn is_cycle(board: &Board, cycle: &[Hex]) -> bool {
    let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
    cycle.len() >= 3
        && cycle.iter().all(|tile| board.map.navigable(*tile))
        && steps.into_iter().all(|(a, b)| board.map.adjacent(*a, *b))
}

/// Navigable neighbours; may be empty.
fn steps(board: &Board, from: Hex) -> Vec<Hex> {
    let mut found = board.map.neighbours(from);
    found.retain(|tile| board.map.navigable(*tile));
    found
}

fn step_towards(board: &Board, from: Hex, goal: Hex, rng: &mut Rng) -> Option<Hex> {
    let all = steps(board, from);
    let nearest = all.iter().map(|tile| board.map.distance(*tile, goal)).min()?;
    let best: Vec<Hex> = all.into_iter().filter(|t| board.map.distance(*t, goal) == nearest).collect();
    rng.pick_or_none(&best)
}

/// A path of 1..=64 steps, or None where the ship has nowhere to go.
pub fn path(board: &Board, ship: &Ship, currents: &Currents, rng: &mut Rng) -> Option<Vec<Hex>> {
    let length = match rng.below(20) {
        0 => rng.between(9, 64) as usize,
        1..8 => rng.between(1, 3) as usize,
        _ => rng.between(2, 8) as usize,
    };
    let mut at = ship.at;
    let mut path = Vec::new();
    let caught = rng.chance(currents.pull);
    if let Some(cycle) = currents.cycles.iter().find(|cycle| caught && cycle.contains(&at)) {
        let start = cycle.iter().position(|tile| *tile == at).unwrap();
        for i in 1..=length {
            path.push(cycle[(start + i) % cycle.len()]);
        }
        return Some(path);
    }
    let enemies: Vec<Hex> = board.ships.iter().filter(|s| s.owner != ship.owner).map(|s| s.at).collect();
    let nearby: Vec<Hex> = enemies.iter().copied().filter(|tile| board.map.adjacent(at, *tile)).collect();
    let style = rng.below(10);
    let goal = match style {
        0..3 => rng.pick_or_none(&nearby),
        3..5 => Some(currents.focus),
        5..7 => rng.pick_or_none(&enemies),
        _ => None,
    };
    for _ in 0..length {
        let next = match goal {
            Some(goal) if goal != at => step_towards(board, at, goal, rng),
            _ => rng.pick_or_none(&steps(board, at)),
        };
        at = next?;
        path.push(at);
    }
    Some(path)
}

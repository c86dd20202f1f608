//! What a state is worth to a player.

use parley_resolver::ids::PlayerId;
use parley_resolver::rules::{Rules, Upgrade};
use parley_resolver::state::{MatchResult, State, Unit};

/// More than everything else together.
const VICTORY: i64 = 10_000_000;

/// What a state is worth, with so many turns to go.
pub(super) fn worth(rules: &Rules, state: &State, me: PlayerId, turns_left: u32) -> i64 {
    match state.result() {
        Some(MatchResult::Winner(winner)) if *winner == me => return VICTORY,
        Some(MatchResult::Draw(players)) if players.contains(&me) => return VICTORY / 2 / players.len() as i64,
        Some(_) => return -VICTORY,
        None => {}
    }
    let mut own = -VICTORY / 2;
    let (mut best, mut others) = (0, 0);
    for player in state.players().iter().filter(|player| player.alive) {
        let standing = standing(rules, state, player.id, player.gold, turns_left);
        if player.id == me {
            own = standing;
        } else {
            best = best.max(standing);
            others += standing;
        }
    }
    4 * own - 2 * best - others
}

/// What a player has.
fn standing(rules: &Rules, state: &State, player: PlayerId, gold: i64, turns_left: u32) -> i64 {
    let late = turns_left <= 3;
    let horizon = i64::from(turns_left.min(40));
    let cost = i64::from(rules.classes()[0].build_cost);
    let ship = |unit: &Unit| {
        let whole = i64::from(unit.max_hp(rules).max(1));
        let pieces: i64 =
            Upgrade::ALL.into_iter().map(|u| i64::from(unit.fitted(u)) * i64::from(rules.upgrade(u).cost)).sum();
        let base = if late { 2000 } else { cost * 10 + 20 * horizon };
        base + i64::from(unit.hp) * 200 / whole + pieces * 10 * horizon / 60
    };
    let ships: i64 = state.units().iter().filter(|unit| unit.owner == player).map(ship).sum();
    let yard = |structure: &parley_resolver::state::Structure| {
        let jobs: i64 =
            structure.queue.iter().map(|job| if i64::from(job.turns_left) < horizon { cost * 10 } else { 0 }).sum();
        50 * horizon + 200 + i64::from(structure.hp) * 5 + jobs
    };
    let yards: i64 = state.structures().iter().filter(|s| s.owner == Some(player)).map(yard).sum();
    ships + yards + gold * 8
}

//! What a state is worth to a player.

use parley_core::ids::PlayerId;
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::state::{MatchResult, Player, State, Structure, Unit};

/// The worth of a victory: more than everything else together, gold at its bound included.
const VICTORY: i64 = 1 << 50;
/// How many turns are looked forward to at most.
const HORIZON: u32 = 40;
/// How many last turns there are in which no ship can be built any more, and ships decide (R12.2).
const LAST_TURNS: i64 = 3;
/// The worth of a ship in the last turns.
const LAST_SHIP: i64 = 2000;
/// The worth of a piece of gold that is spent in the right place; all other figures here are in the same points.
const SPENT: i64 = 10;
/// The worth of a piece of gold that is not spent yet.
const GOLD: i64 = 8;
/// The worth of the hp of a whole ship.
const WHOLE: i64 = 200;
/// The worth of a shipyard, whatever it earns, and of each of its hp.
const YARD: i64 = 200;
const YARD_HP: i64 = 5;
/// How many turns a fitted piece has to serve to be worth its price.
const SERVICE: i64 = 60;

/// What a state is worth to a player: what they have, against the best of the others and all of them together.
pub(super) fn worth(rules: &Rules, state: &State, me: PlayerId) -> i64 {
    match state.result() {
        Some(MatchResult::Winner(winner)) if *winner == me => return VICTORY,
        Some(MatchResult::Draw(players)) if players.contains(&me) => return VICTORY / 2 / players.len() as i64,
        Some(_) => return -VICTORY,
        None => {}
    }
    let turns = match rules.raw().turn_limit.get() {
        0 => HORIZON,
        limit => (limit + 1).saturating_sub(state.turn()).min(HORIZON),
    };
    // A player who has been eliminated has nothing, and this is worse than anything.
    let mut own = -VICTORY / 4;
    let (mut best, mut others) = (0, 0);
    for player in state.players().iter().filter(|player| player.alive) {
        let has = belongings(rules, state, player, turns.into());
        if player.id == me {
            own = has;
        } else {
            best = best.max(has);
            others += has;
        }
    }
    4 * own - 2 * best - others
}

/// What a player has, with so many turns to go.
fn belongings(rules: &Rules, state: &State, player: &Player, turns: i64) -> i64 {
    let [per_ship, per_yard] = [&rules.economy().income_per_ship, &rules.economy().income_per_shipyard];
    let [per_ship, per_yard] = [per_ship, per_yard].map(|price| i64::from(price.get()) * SPENT * turns);
    let ship = |unit: &Unit| {
        let pieces = Upgrade::ALL.map(|u| i64::from(unit.fitted(u)) * i64::from(rules.upgrade(u).cost));
        let price = i64::from(rules.class(unit.class).build_cost) * SPENT;
        let afloat = if turns <= LAST_TURNS { LAST_SHIP } else { price + per_ship };
        let hp = i64::from(unit.hp) * WHOLE / i64::from(unit.max_hp(rules).max(1));
        afloat + hp + pieces.iter().sum::<i64>() * SPENT * turns / SERVICE
    };
    let yard = |structure: &Structure| {
        let in_time = structure.queue.iter().filter(|job| i64::from(job.turns_left) < turns);
        let jobs: i64 = in_time.map(|job| i64::from(rules.class(job.class).build_cost) * SPENT).sum();
        per_yard + YARD + i64::from(structure.hp) * YARD_HP + jobs
    };
    let ships: i64 = state.units().iter().filter(|unit| unit.owner == player.id).map(ship).sum();
    let yards: i64 = state.structures().iter().filter(|s| s.owner == Some(player.id)).map(yard).sum();
    ships + yards + player.gold * GOLD
}

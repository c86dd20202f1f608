//! Income (R11.1).

use crate::event::GoldReason;

use super::turn::Turn;

/// Pays every living player.
pub(super) fn income(turn: &mut Turn) {
    let mut shipyards = [0i64; 256];
    for owner in turn.state.structures.iter().filter_map(|s| s.owner) {
        shipyards[usize::from(owner.get())] += 1;
    }
    let economy = turn.rules.economy();
    let base = i64::from(economy.income.get());
    let per_shipyard = i64::from(economy.income_per_shipyard.get());
    let per_ship = i64::from(economy.income_per_ship.get());
    for index in 0..turn.state.players.len() {
        let player = &turn.state.players[index];
        if player.alive {
            let seat = usize::from(player.id.get());
            let sum = base + per_shipyard * shipyards[seat] + per_ship * i64::from(turn.fleets[seat]);
            turn.change_gold(player.id, sum, GoldReason::Income);
        }
    }
}

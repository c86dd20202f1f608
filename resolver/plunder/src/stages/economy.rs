//! Income (R11.1).

use parley_core::question::Settled;

use crate::event::GoldReason;

use super::Flow;
use super::turn::{Turn, When};

/// Pays every living player the income of the turn.
pub(super) fn income(turn: &mut Turn, _: &[Settled]) -> Flow {
    let mut shipyards = [0i64; 256];
    for owner in turn.state.structures.iter().filter_map(|s| s.owner) {
        shipyards[usize::from(owner.get())] += 1;
    }
    for index in 0..turn.state.players.len() {
        let player = &turn.state.players[index];
        if player.alive {
            let seat = usize::from(player.id.get());
            let sum = turn.rules.income(shipyards[seat], turn.fleets[seat].into());
            turn.change_gold(player.id, sum, GoldReason::Income, When::ANY_TIME);
        }
    }
    Flow::Done
}

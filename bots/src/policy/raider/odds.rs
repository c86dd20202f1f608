//! Whether a fight is worth it, by its exact odds.

use parley_core::ids::PlayerId;
use parley_plunder::preview::{self, Fighter, ShipOdds, Side};
use parley_plunder::rules::Rules;
use parley_plunder::state::{State, Unit};
use parley_proto::plunder::v1 as plunder;

/// What a lost hit point is worth, and what a ship is worth beyond its hit points, both against each other.
const HIT_POINT: i64 = 3;
const SHIP: i64 = 40;
/// The share of gains to losses from which on a fight is worth it.
const WORTHWHILE: (i64, i64) = (9, 10);

/// Whether a player gains by attacking in an encounter, if everybody in it attacks.
pub(super) fn favourable(rules: &Rules, state: &State, me: PlayerId, encounter: &plunder::Encounter) -> bool {
    let unit = |id: u32| state.units().iter().find(|unit| unit.id.get() == id);
    let parties: Vec<&Unit> = encounter.participants.iter().filter_map(|party| unit(party.unit)).collect();
    let fighters: Vec<Fighter> = parties.iter().map(|unit| Fighter::new(rules, unit)).collect();
    let sides: Vec<Side> = parties.iter().map(|unit| Side { owner: unit.owner, attacks: true }).collect();
    // Odds of very large fights are not computed, and nobody who is careful is in them.
    let Ok(odds) = preview::round(&fighters, &preview::pairings(&sides)) else { return false };
    let worth = |odds: &ShipOdds| i64::from(odds.mean_loss_milli) * HIT_POINT + i64::from(odds.sinks_ppm / 1000) * SHIP;
    let sum = |own: bool| -> i64 {
        let mine = parties.iter().zip(&odds).filter(|(unit, _)| (unit.owner == me) == own);
        mine.map(|(_, odds)| worth(odds)).sum()
    };
    let (lost, won) = (sum(true), sum(false));
    won * WORTHWHILE.1 >= lost * WORTHWHILE.0
}

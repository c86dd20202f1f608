//! Between the words of the wire and the types of the resolver. Nothing is decided here and nothing is left out: what
//! a viewer may not know is not in the resolver's types either.

mod changes;
mod events;
mod options;
mod orders;
mod questions;
#[cfg(test)]
mod tests;
mod view;

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::event::Subject;
use parley_plunder::legality::{Fault, Part};
use parley_plunder::order::Choice;
use parley_plunder::rules::Upgrade;
use parley_plunder::state::{Engagement, MatchResult};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

pub use changes::changes;
pub use events::{encounter, event, news, shortfall};
pub use options::{course, course_fault, fight_odds, round_odds, structure_options, unit_options};
pub use orders::{order_fault, said, sheet};
pub use questions::{answer, questions, replay_answers};
pub use view::{UNKNOWN_TERRAIN, view};

/// Converts a rule that was broken, and how, where it is not the fault of a field of a request.
pub fn fault(fault: &Fault) -> common::Fault {
    fault_in(String::new(), fault)
}

/// Converts a rule that was broken, and how, by a field of a request.
fn fault_in(field: String, fault: &Fault) -> common::Fault {
    common::Fault { subject: fault.subject.map(subject), rule: fault.rule.to_owned(), text: fault.text.clone(), field }
}

/// Converts what is wrong with a map that was drawn in a field of a request.
pub fn map_fault(drawn: &str, fault: &Fault) -> common::Fault {
    let field = match fault.part {
        Part::Row(row) => format!("{drawn}.rows[{row}]"),
        _ => format!("{drawn}.rows"),
    };
    fault_in(field, fault)
}

/// Converts the result of a match.
pub fn result(result: &MatchResult) -> common::MatchResult {
    use common::match_result::{Draw, Result};
    let result = match result {
        MatchResult::Winner(player) => Result::Winner(player_id(*player)),
        MatchResult::Draw(players) => Result::Draw(Draw { players: players.iter().copied().map(player_id).collect() }),
    };
    common::MatchResult { result: Some(result) }
}

/// Converts what an order, a fault or a question is about.
pub fn subject(subject: Subject) -> common::Subject {
    let subject = match subject {
        Subject::Unit(unit) => common::subject::Subject::Unit(unit.get()),
        Subject::Structure(structure) => common::subject::Subject::Structure(structure.get()),
    };
    common::Subject { subject: Some(subject) }
}

fn player_id(player: PlayerId) -> u32 {
    player.get().into()
}

fn unit_ids(units: &[UnitId]) -> Vec<u32> {
    units.iter().map(|unit| unit.get()).collect()
}

fn hex(hex: Hex) -> common::Hex {
    common::Hex { q: hex.q, r: hex.r }
}

/// The hex of a tile, as an option because fields of messages are options; it is never `None`.
fn at(grid: &Grid, tile: Tile) -> Option<common::Hex> {
    Some(hex(grid.hex(tile)))
}

/// Converts what is chosen for a ship in an encounter.
fn choice(choice: Choice) -> plunder::Choice {
    match choice {
        Choice::Proceed => plunder::Choice::Proceed,
        Choice::Yield => plunder::Choice::Yield,
        Choice::Attack => plunder::Choice::Attack,
    }
}

fn upgrade(upgrade: Upgrade) -> plunder::Upgrade {
    match upgrade {
        Upgrade::Sails => plunder::Upgrade::Sails,
        Upgrade::Cannons => plunder::Upgrade::Cannons,
        Upgrade::Hull => plunder::Upgrade::Hull,
    }
}

fn engagement(engagement: Option<Engagement>) -> plunder::Engagement {
    match engagement {
        None => plunder::Engagement::Unspecified,
        Some(Engagement::Ask) => plunder::Engagement::Ask,
        Some(Engagement::Evade) => plunder::Engagement::Evade,
        Some(Engagement::Fight) => plunder::Engagement::Fight,
        Some(Engagement::FightIfHealthy) => plunder::Engagement::FightIfHealthy,
    }
}

//! Between the words of the wire and the types of the resolver. Nothing is decided here and nothing is left out: what
//! a viewer may not know is not in the resolver's types either.

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
use parley_plunder::legality::Fault;
use parley_plunder::order::Choice;
use parley_plunder::rules::Upgrade;
use parley_plunder::state::{Engagement, MatchResult};
use parley_proto::v1;

pub use events::{encounter, event, shortfall};
pub use options::{course, course_fault, fight_odds, round_odds, structure_options, unit_options};
pub use orders::{said, sheet};
pub use questions::{answer, answer_faults, questions, replay_answers};
pub use view::{UNKNOWN_TERRAIN, view};

/// Converts a rule that was broken, and how.
pub fn fault(fault: &Fault) -> v1::Fault {
    v1::Fault { subject: fault.subject.map(subject), rule: fault.rule.to_owned(), text: fault.text.clone() }
}

/// Converts the result of a match.
pub fn result(result: &MatchResult) -> v1::MatchResult {
    use v1::match_result::{Draw, Result};
    let result = match result {
        MatchResult::Winner(player) => Result::Winner(player_id(*player)),
        MatchResult::Draw(players) => Result::Draw(Draw { players: players.iter().copied().map(player_id).collect() }),
    };
    v1::MatchResult { result: Some(result) }
}

fn subject(subject: Subject) -> v1::Subject {
    let subject = match subject {
        Subject::Unit(unit) => v1::subject::Subject::Unit(unit.get()),
        Subject::Structure(structure) => v1::subject::Subject::Structure(structure.get()),
    };
    v1::Subject { subject: Some(subject) }
}

fn player_id(player: PlayerId) -> u32 {
    player.get().into()
}

fn unit_ids(units: &[UnitId]) -> Vec<u32> {
    units.iter().map(|unit| unit.get()).collect()
}

fn hex(hex: Hex) -> v1::Hex {
    v1::Hex { q: hex.q, r: hex.r }
}

/// The hex of a tile, as an option because fields of messages are options; it is never `None`.
fn at(grid: &Grid, tile: Tile) -> Option<v1::Hex> {
    Some(hex(grid.hex(tile)))
}

/// Converts what is chosen for a ship in an encounter.
fn choice(choice: Choice) -> v1::Choice {
    match choice {
        Choice::Proceed => v1::Choice::Proceed,
        Choice::Yield => v1::Choice::Yield,
        Choice::Attack => v1::Choice::Attack,
    }
}

fn upgrade(upgrade: Upgrade) -> v1::Upgrade {
    match upgrade {
        Upgrade::Sails => v1::Upgrade::Sails,
        Upgrade::Cannons => v1::Upgrade::Cannons,
        Upgrade::Hull => v1::Upgrade::Hull,
    }
}

fn engagement(engagement: Option<Engagement>) -> v1::Engagement {
    match engagement {
        None => v1::Engagement::Unspecified,
        Some(Engagement::Ask) => v1::Engagement::Ask,
        Some(Engagement::Evade) => v1::Engagement::Evade,
        Some(Engagement::Fight) => v1::Engagement::Fight,
        Some(Engagement::FightIfHealthy) => v1::Engagement::FightIfHealthy,
    }
}

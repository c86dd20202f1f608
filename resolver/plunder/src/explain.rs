//! Why an order did not do all it asked, as a sentence for its owner.

use parley_core::grid::Grid;

use crate::event::{Cause, EncounterKind, Shortfall, Site, Subject};
use crate::order::Choice;

/// One sentence that says what kept an order from being carried out in full.
pub fn explain(grid: &Grid, shortfall: &Shortfall) -> String {
    let who = match shortfall.subject {
        Subject::Unit(unit) => format!("Ship {unit}"),
        Subject::Structure(structure) => format!("Shipyard {structure}"),
    };
    let when = shortfall.tick.map(|tick| format!(" in tick {tick}")).unwrap_or_default();
    let at = |site: Site| match site {
        Site::Tile(tile) => format!("at {}", grid.hex(tile)),
        Site::Edge(a, b) => format!("between {} and {}", grid.hex(a), grid.hex(b)),
    };
    let what = match shortfall.cause {
        Cause::Contested { tile } => format!("was blocked{when}: {} is contested (R6.2)", grid.hex(tile)),
        Cause::ClosedHarbor { structure } => {
            format!("was blocked{when}: shipyard {structure} closes its harbor (R3.3)")
        }
        Cause::WaitedFor { unit } => format!("had to wait{when}: ship {unit} did not leave the tile ahead (R6.5)"),
        Cause::WaitedForPassing { unit } => {
            format!("had to wait{when}: ship {unit} was in a passing encounter on the tile ahead (R6.3)")
        }
        Cause::Halted { kind, site, choice } => {
            let (kind, rule) = match kind {
                EncounterKind::Passing => ("passing", "R7.4"),
                EncounterKind::Entry => ("entry", "R7.5"),
            };
            let chose = match choice {
                Choice::Proceed => "proceed",
                Choice::Yield => "yield",
                Choice::Attack => "attack",
            };
            format!("halted{when} in the {kind} encounter {}, where it chose to {chose} ({rule})", at(site))
        }
        Cause::NoRoomToCross { unit } => format!("could not cross{when}: ship {unit} stayed on a tile beyond (R7.4)"),
        Cause::Sunk => format!("sank{when}"),
        Cause::Contending => "did not move: it is bound by a contest (R9.5)".to_owned(),
        Cause::Unpaid { cost, gold } => {
            format!("did nothing: its order costs {cost} gold and there were {gold} (R11.3)")
        }
        Cause::FleetFull => "built nothing: the fleet is as large as allowed (R11.2)".to_owned(),
        Cause::ShipyardsFull => "deployed nothing: there are as many shipyards as allowed (R11.2)".to_owned(),
        Cause::HarborTaken => "deployed nothing: the harbor carries a structure already (R11.2)".to_owned(),
        Cause::OutOfReach => "did not bombard: its target was no longer adjacent (R11.5)".to_owned(),
        Cause::NoTarget => "fired no broadside: no enemy was adjacent (R10)".to_owned(),
        Cause::FoughtAlready => "fired no broadside: it had fought in this turn (R10)".to_owned(),
        Cause::BroadsidesOff => "fired no broadside: these rules have none (R10)".to_owned(),
    };
    format!("{who} {what}.")
}

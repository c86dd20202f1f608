//! Converts what may be ordered, and what would come of it.

use parley_core::grid::Grid;
use parley_core::ids::UnitId;
use parley_plunder::event::Subject;
use parley_plunder::legality::Fault;
use parley_plunder::options::{ActionOption, BuildOption, CancelOption, Reach, StructureOptions, UnitOptions};
use parley_plunder::order::Action;
use parley_plunder::preview::{Course, CourseError, FightOdds, Leg, ShipOdds};
use parley_plunder::rules::Rules;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::{at, fault, hex, subject, upgrade};

/// Converts what a unit may do.
pub fn unit_options(grid: &Grid, options: &UnitOptions) -> plunder::UnitOptions {
    let reach = |reach: &Reach| plunder::Reach {
        hex: at(grid, reach.tile),
        tick: reach.tick.into(),
        from: at(grid, reach.from),
    };
    plunder::UnitOptions {
        unit: options.unit.get(),
        reach: options.reach.iter().map(reach).collect(),
        actions: options.actions.iter().map(|option| action_option(options.unit, option)).collect(),
        broadside_fault: against(&options.broadside),
    }
}

/// Converts what a structure may do.
pub fn structure_options(rules: &Rules, options: &StructureOptions) -> plunder::StructureOptions {
    let build = |option: &BuildOption| plunder::BuildOption {
        class: rules.class(option.class).key.clone(),
        cost: option.cost,
        turns: option.turns,
        ready_in: option.ready_in,
        fault: against(&option.available),
    };
    let cancel = |option: &CancelOption| plunder::CancelOption {
        index: option.index as u32,
        class: rules.class(option.class).key.clone(),
        refund: option.refund,
        fault: against(&option.available),
    };
    plunder::StructureOptions {
        structure: options.structure.get(),
        builds: options.builds.iter().map(build).collect(),
        cancels: options.cancels.iter().map(cancel).collect(),
    }
}

/// Converts a way to a tile.
pub fn course(grid: &Grid, course: &Course) -> plunder::Course {
    let leg = |leg: &Leg| plunder::Leg { hex: at(grid, leg.tile), turn: leg.turn, tick: leg.tick.into() };
    plunder::Course { legs: course.legs.iter().map(leg).collect(), turns: course.turns() }
}

/// Why a unit has no course to a tile, as the fault of an order to go there.
pub fn course_fault(unit: UnitId, error: &CourseError) -> common::Fault {
    let rule = error.rule();
    let mut text = error.to_string();
    // The sentence ends with its rule, which has a field of its own here.
    if let Some(sentence) = text.strip_suffix(&format!(" ({rule})")) {
        text.truncate(sentence.len());
    }
    let field = if matches!(error, CourseError::NoSuchUnit(_)) { "unit" } else { "target" };
    common::Fault {
        subject: Some(subject(Subject::Unit(unit))),
        rule: rule.to_owned(),
        text,
        field: format!("query.plunder.path.{field}"),
    }
}

/// Converts what a fight of two ships holds for them.
pub fn fight_odds(odds: &FightOdds) -> plunder::CombatOdds {
    let ships = [&odds.first, &odds.second];
    plunder::CombatOdds { ships: ships.map(ship_odds).to_vec(), both_sink_ppm: Some(odds.both_sink_ppm) }
}

/// Converts what a round of many ships holds for each.
pub fn round_odds(odds: &[ShipOdds]) -> plunder::CombatOdds {
    plunder::CombatOdds { ships: odds.iter().map(ship_odds).collect(), both_sink_ppm: None }
}

fn ship_odds(odds: &ShipOdds) -> plunder::ShipOdds {
    plunder::ShipOdds {
        sinks_ppm: odds.sinks_ppm,
        mean_loss_milli: odds.mean_loss_milli,
        best_hp: odds.best_hp.into(),
        worst_hp: odds.worst_hp.into(),
    }
}

fn action_option(unit: UnitId, option: &ActionOption) -> plunder::ActionOption {
    let order = plunder::UnitOrder {
        unit: unit.get(),
        action: Some(action(&option.action)),
        broadside: false,
        engagement: plunder::Engagement::Unspecified.into(),
    };
    plunder::ActionOption { order: Some(order), cost: option.cost, fault: against(&option.available) }
}

/// Converts what a unit is asked to do, as an order says it.
pub(super) fn action(action: &Action) -> plunder::unit_order::Action {
    use plunder::unit_order::Action as Said;
    match action {
        Action::Move(hexes) => Said::Move(plunder::Move { path: hexes.iter().copied().map(hex).collect() }),
        Action::Hold => Said::Hold(plunder::Hold {}),
        Action::Repair => Said::Repair(plunder::Repair {}),
        Action::Upgrade(piece) => Said::Upgrade(upgrade(*piece).into()),
        Action::DeployShipyard => Said::DeployShipyard(plunder::DeployShipyard {}),
        Action::Bombard(structure) => Said::Bombard(structure.get()),
        Action::Press => Said::Press(plunder::Press {}),
    }
}

fn against(available: &Result<(), Fault>) -> Option<common::Fault> {
    available.as_ref().err().map(fault)
}

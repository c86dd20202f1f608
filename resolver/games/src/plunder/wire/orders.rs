//! Reads orders from the wire. What cannot be said to the resolver at all is a fault here; everything
//! else is for the resolver to judge.

use parley_core::hex::Hex;
use parley_core::ids::{ID_BOUND, PlayerId, UnitId};
use parley_plunder::event::Subject;
use parley_plunder::ids::StructureId;
use parley_plunder::legality::{Fault, Part};
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::state::Engagement;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::fault_in;

/// How much of a key that nobody knows is repeated to whoever sent it, in characters.
const MAX_QUOTED: usize = 32;

/// The orders of the game in the requests that have a sheet.
const SHEET: &str = "sheet.plunder";
const UNITS: &str = "sheet.plunder.units";
const STRUCTURES: &str = "sheet.plunder.structures";
/// Fields of an order, as they stand behind it in a path.
const UNIT: &str = ".unit";
const STRUCTURE: &str = ".structure";
const BUILD: &str = ".build";

/// The rule that an order breaks, and one sentence about it.
type Refusal = (&'static str, String);

/// The orders of a player, and the faults of those that are left out because they mean nothing.
pub fn sheet(rules: &Rules, player: PlayerId, sheet: &plunder::Sheet) -> (OrderSheet, Vec<common::Fault>) {
    let mut faults = Vec::new();
    let mut orders = OrderSheet {
        player,
        units: Vec::with_capacity(sheet.units.len()),
        structures: Vec::with_capacity(sheet.structures.len()),
        concede: sheet.concede,
    };
    for (place, order) in sheet.units.iter().enumerate() {
        match unit_order(order) {
            Ok(order) => orders.units.push(order),
            Err((field, fault)) => faults.push(fault_in(format!("{UNITS}[{place}]{field}"), &fault)),
        }
    }
    for (place, order) in sheet.structures.iter().enumerate() {
        match structure_order(rules, order) {
            Ok(order) => orders.structures.push(order),
            Err((field, fault)) => faults.push(fault_in(format!("{STRUCTURES}[{place}]{field}"), &fault)),
        }
    }
    (orders, faults)
}

/// Converts what the resolver finds wrong with orders that were read from a sheet, with the field that is at fault.
pub fn order_fault(rules: &Rules, sheet: &plunder::Sheet, fault: &Fault) -> common::Fault {
    fault_in(order_field(rules, sheet, fault).unwrap_or_else(|| SHEET.to_owned()), fault)
}

/// The field of a sheet that is at fault, as a path; `None` where it is not of one order. Of several orders for one unit or
/// structure, the last one is too many.
fn order_field(rules: &Rules, sheet: &plunder::Sheet, fault: &Fault) -> Option<String> {
    use plunder::structure_order::Work as SaidWork;
    let (order, name, deed) = match fault.subject? {
        Subject::Unit(unit) => {
            let is_meant = |order: &plunder::UnitOrder| order.unit == unit.get() && unit_order(order).is_ok();
            let place = sheet.units.iter().rposition(is_meant)?;
            (format!("{UNITS}[{place}]"), UNIT, sheet.units[place].action.as_ref().map(action_field))
        }
        Subject::Structure(structure) => {
            let is_meant = |order: &plunder::StructureOrder| {
                order.structure == structure.get() && structure_order(rules, order).is_ok()
            };
            let place = sheet.structures.iter().rposition(is_meant)?;
            let work = sheet.structures[place].work.as_ref().map(|work| match work {
                SaidWork::Build(_) => BUILD,
                SaidWork::CancelBuild(_) => ".cancel_build",
            });
            (format!("{STRUCTURES}[{place}]"), STRUCTURE, work)
        }
    };
    Some(match (fault.part, deed) {
        (Part::Subject, _) => format!("{order}{name}"),
        (Part::Step(step), Some(deed)) => format!("{order}{deed}[{step}]"),
        (Part::Deed, Some(deed)) => format!("{order}{deed}"),
        _ => order,
    })
}

/// The field of an order that says what a unit is to do, behind that of the order.
fn action_field(action: &plunder::unit_order::Action) -> &'static str {
    use plunder::unit_order::Action as Said;
    match action {
        Said::Move(_) => ".move.path",
        Said::Hold(_) => ".hold",
        Said::Repair(_) => ".repair",
        Said::Upgrade(_) => ".upgrade",
        Said::DeployShipyard(_) => ".deploy_shipyard",
        Said::Bombard(_) => ".bombard",
        Said::Press(_) => ".press",
    }
}

/// The orders of a player as they are said on the wire. Read again, they are the same.
pub fn said(rules: &Rules, sheet: &OrderSheet) -> plunder::Sheet {
    let unit = |order: &UnitOrder| plunder::UnitOrder {
        unit: order.unit.get(),
        action: order.action.as_ref().map(super::options::action),
        broadside: order.broadside,
        engagement: super::engagement(order.engagement).into(),
    };
    let structure = |order: &StructureOrder| plunder::StructureOrder {
        structure: order.structure.get(),
        work: Some(match order.work {
            Work::Build(class) => plunder::structure_order::Work::Build(rules.class(class).key.clone()),
            Work::CancelBuild(index) => plunder::structure_order::Work::CancelBuild(index as u32),
        }),
    };
    plunder::Sheet {
        units: sheet.units.iter().map(unit).collect(),
        structures: sheet.structures.iter().map(structure).collect(),
        concede: sheet.concede,
    }
}

/// A field of an order, as it stands behind it in a path, and what is wrong with it.
type FieldFault = (&'static str, Fault);

fn unit_order(order: &plunder::UnitOrder) -> Result<UnitOrder, FieldFault> {
    let unit = UnitId::new(order.unit.into()).ok_or_else(|| beyond(UNIT, order.unit))?;
    let of_unit = |refusal| of(Some(Subject::Unit(unit)), refusal);
    let action = match &order.action {
        Some(said) => Some(action(said).map_err(|refusal| (action_field(said), of_unit(refusal)))?),
        None => None,
    };
    let engagement = engagement(order.engagement).map_err(|refusal| (".engagement", of_unit(refusal)))?;
    Ok(UnitOrder { unit, action, broadside: order.broadside, engagement })
}

fn action(action: &plunder::unit_order::Action) -> Result<Action, Refusal> {
    use plunder::unit_order::Action as Said;
    Ok(match action {
        Said::Move(plunder::Move { path }) => Action::Move(path.iter().map(|hex| Hex::new(hex.q, hex.r)).collect()),
        Said::Hold(_) => Action::Hold,
        Said::Repair(_) => Action::Repair,
        Said::Upgrade(number) => Action::Upgrade(upgrade(*number)?),
        Said::DeployShipyard(_) => Action::DeployShipyard,
        Said::Bombard(target) => match StructureId::new((*target).into()) {
            Some(target) => Action::Bombard(target),
            None => return Err(no_such_target(*target)),
        },
        Said::Press(_) => Action::Press,
    })
}

fn upgrade(number: i32) -> Result<Upgrade, Refusal> {
    match plunder::Upgrade::try_from(number) {
        Ok(plunder::Upgrade::Sails) => Ok(Upgrade::Sails),
        Ok(plunder::Upgrade::Cannons) => Ok(Upgrade::Cannons),
        Ok(plunder::Upgrade::Hull) => Ok(Upgrade::Hull),
        Ok(plunder::Upgrade::Unspecified) => Err(malformed("its order names no upgrade")),
        Err(_) => Err(unknown("upgrade", number)),
    }
}

fn engagement(number: i32) -> Result<Option<Engagement>, Refusal> {
    match plunder::Engagement::try_from(number) {
        Ok(plunder::Engagement::Unspecified) => Ok(None),
        Ok(plunder::Engagement::Ask) => Ok(Some(Engagement::Ask)),
        Ok(plunder::Engagement::Evade) => Ok(Some(Engagement::Evade)),
        Ok(plunder::Engagement::Fight) => Ok(Some(Engagement::Fight)),
        Ok(plunder::Engagement::FightIfHealthy) => Ok(Some(Engagement::FightIfHealthy)),
        Err(_) => Err(unknown("engagement", number)),
    }
}

fn structure_order(rules: &Rules, order: &plunder::StructureOrder) -> Result<StructureOrder, FieldFault> {
    let structure = StructureId::new(order.structure.into()).ok_or_else(|| beyond(STRUCTURE, order.structure))?;
    let work = match &order.work {
        Some(plunder::structure_order::Work::Build(key)) => {
            rules.class_named(key).map(Work::Build).ok_or_else(|| no_such_class(key))
        }
        Some(plunder::structure_order::Work::CancelBuild(index)) => Ok(Work::CancelBuild(*index as usize)),
        None => Err(malformed("its order names no work")),
    };
    match work {
        Ok(work) => Ok(StructureOrder { structure, work }),
        // The only work that can be wrong by itself is building.
        Err(refusal) => {
            Err((order.work.as_ref().map_or("", |_| BUILD), of(Some(Subject::Structure(structure)), refusal)))
        }
    }
}

fn of(subject: Option<Subject>, (rule, text): Refusal) -> Fault {
    Fault { subject, rule, text, part: Part::Whole }
}

/// The fault of a number that is no id, so that no subject can be named.
#[cold]
fn beyond(field: &'static str, id: u32) -> FieldFault {
    let what = field.trim_start_matches('.');
    (field, of(None, ("R1", format!("there is no {what} {id}, ids are below {ID_BOUND}"))))
}

#[cold]
fn malformed(text: &str) -> Refusal {
    ("", text.to_owned())
}

#[cold]
fn unknown(what: &str, number: i32) -> Refusal {
    ("", format!("{number} is no {what}"))
}

/// What the resolver says of any structure that is not adjacent.
#[cold]
fn no_such_target(target: u32) -> Refusal {
    ("R11.5", format!("no structure {target} is adjacent"))
}

#[cold]
fn no_such_class(key: &str) -> Refusal {
    let quoted: String = key.chars().take(MAX_QUOTED).collect();
    let more = if quoted.len() < key.len() { "..." } else { "" };
    ("R4", format!("there is no class {quoted:?}{more}"))
}

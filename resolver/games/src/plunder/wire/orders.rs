//! Reads orders from the wire. What cannot be said to the resolver at all is a fault here; everything
//! else is for the resolver to judge.

use parley_core::hex::Hex;
use parley_core::ids::{ID_BOUND, PlayerId, UnitId};
use parley_plunder::event::Subject;
use parley_plunder::ids::StructureId;
use parley_plunder::legality::Fault;
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::state::Engagement;
use parley_proto::plunder::v1 as plunder;

/// How much of a key that nobody knows is repeated to whoever sent it, in characters.
const MAX_QUOTED: usize = 32;

/// The rule that an order breaks, and one sentence about it.
type Refusal = (&'static str, String);

/// The orders of a player, and the faults of those that are left out because they mean nothing.
pub fn sheet(rules: &Rules, player: PlayerId, sheet: &plunder::Sheet) -> (OrderSheet, Vec<Fault>) {
    let mut faults = Vec::new();
    let mut orders = OrderSheet {
        player,
        units: Vec::with_capacity(sheet.units.len()),
        structures: Vec::with_capacity(sheet.structures.len()),
        concede: sheet.concede,
    };
    for order in &sheet.units {
        match unit_order(order) {
            Ok(order) => orders.units.push(order),
            Err(fault) => faults.push(fault),
        }
    }
    for order in &sheet.structures {
        match structure_order(rules, order) {
            Ok(order) => orders.structures.push(order),
            Err(fault) => faults.push(fault),
        }
    }
    (orders, faults)
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

fn unit_order(order: &plunder::UnitOrder) -> Result<UnitOrder, Fault> {
    let unit = unit_id(order.unit)?;
    let action = order.action.as_ref().map(action).transpose().map_err(|refusal| of_unit(unit, refusal))?;
    let engagement = engagement(order.engagement).map_err(|refusal| of_unit(unit, refusal))?;
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

fn structure_order(rules: &Rules, order: &plunder::StructureOrder) -> Result<StructureOrder, Fault> {
    let structure = structure_id(order.structure)?;
    let work = match &order.work {
        Some(plunder::structure_order::Work::Build(key)) => {
            rules.class_named(key).map(Work::Build).ok_or_else(|| no_such_class(key))
        }
        Some(plunder::structure_order::Work::CancelBuild(index)) => Ok(Work::CancelBuild(*index as usize)),
        None => Err(malformed("its order names no work")),
    };
    match work {
        Ok(work) => Ok(StructureOrder { structure, work }),
        Err(refusal) => Err(of(Some(Subject::Structure(structure)), refusal)),
    }
}

fn unit_id(id: u32) -> Result<UnitId, Fault> {
    UnitId::new(id.into()).ok_or_else(|| beyond("unit", id))
}

fn structure_id(id: u32) -> Result<StructureId, Fault> {
    StructureId::new(id.into()).ok_or_else(|| beyond("structure", id))
}

fn of(subject: Option<Subject>, (rule, text): Refusal) -> Fault {
    Fault { subject, rule, text }
}

fn of_unit(unit: UnitId, refusal: Refusal) -> Fault {
    of(Some(Subject::Unit(unit)), refusal)
}

/// The fault of a number that is no id, so that no subject can be named.
#[cold]
fn beyond(what: &str, id: u32) -> Fault {
    of(None, ("R1", format!("there is no {what} {id}, ids are below {ID_BOUND}")))
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

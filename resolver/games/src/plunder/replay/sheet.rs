//! Order sheets as they were journaled, turned into what the resolver judges.

use parley_core::game::Ruleset;
use parley_core::hex::Hex;
use parley_core::ids::{PlayerId, UnitId};
use parley_plunder::ids::StructureId;
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::{Rules, Upgrade};
use parley_plunder::ruleset::Plunder;
use parley_plunder::state::Engagement;
use parley_proto::plunder::v1::{self as plunder, structure_order, unit_order};
use parley_proto::v1;
use prost::Message;

/// Reads an encoded sheet: the orders that mean something, and a sentence for each that does not.
pub(super) fn read(rules: &Rules, player: PlayerId, bytes: &[u8]) -> Result<(OrderSheet, Vec<String>), String> {
    let message = v1::Sheet::decode(bytes).map_err(|error| format!("it is no order sheet: {error}"))?;
    let Some(v1::sheet::Game::Plunder(message)) = message.game else {
        return Err(format!("it is not one of {}, the game that was played", Plunder::NAME));
    };
    let mut sheet = OrderSheet { concede: message.concede, ..OrderSheet::empty(player) };
    let mut faults = Vec::new();
    for order in message.units {
        let number = order.unit;
        match unit(order) {
            Ok(order) => sheet.units.push(order),
            Err(fault) => faults.push(format!("unit {number}: {fault}")),
        }
    }
    for order in message.structures {
        let number = order.structure;
        match structure(rules, order) {
            Ok(order) => sheet.structures.push(order),
            Err(fault) => faults.push(format!("structure {number}: {fault}")),
        }
    }
    Ok((sheet, faults))
}

fn unit(order: plunder::UnitOrder) -> Result<UnitOrder, String> {
    let unit = UnitId::new(order.unit.into()).ok_or("there is no such unit (R1)")?;
    let engagement = match plunder::Engagement::try_from(order.engagement) {
        Ok(plunder::Engagement::Unspecified) => None,
        Ok(plunder::Engagement::Ask) => Some(Engagement::Ask),
        Ok(plunder::Engagement::Evade) => Some(Engagement::Evade),
        Ok(plunder::Engagement::Fight) => Some(Engagement::Fight),
        Ok(plunder::Engagement::FightIfHealthy) => Some(Engagement::FightIfHealthy),
        Err(_) => return Err(format!("there is no engagement {} (R7.6)", order.engagement)),
    };
    let action = order.action.map(action).transpose()?;
    Ok(UnitOrder { unit, action, broadside: order.broadside, engagement })
}

fn action(action: unit_order::Action) -> Result<Action, String> {
    Ok(match action {
        unit_order::Action::Move(path) => {
            Action::Move(path.path.into_iter().map(|hex| Hex::new(hex.q, hex.r)).collect())
        }
        unit_order::Action::Hold(_) => Action::Hold,
        unit_order::Action::Repair(_) => Action::Repair,
        unit_order::Action::Upgrade(number) => Action::Upgrade(match plunder::Upgrade::try_from(number) {
            Ok(plunder::Upgrade::Sails) => Upgrade::Sails,
            Ok(plunder::Upgrade::Cannons) => Upgrade::Cannons,
            Ok(plunder::Upgrade::Hull) => Upgrade::Hull,
            Ok(plunder::Upgrade::Unspecified) | Err(_) => return Err(format!("there is no upgrade {number} (R4)")),
        }),
        unit_order::Action::DeployShipyard(_) => Action::DeployShipyard,
        unit_order::Action::Bombard(number) => {
            Action::Bombard(StructureId::new(number.into()).ok_or(format!("there is no structure {number} (R11.5)"))?)
        }
        unit_order::Action::Press(_) => Action::Press,
    })
}

fn structure(rules: &Rules, order: plunder::StructureOrder) -> Result<StructureOrder, String> {
    let structure = StructureId::new(order.structure.into()).ok_or("there is no such structure (R1)")?;
    let work = match order.work {
        Some(structure_order::Work::Build(key)) => {
            Work::Build(rules.class_named(&key).ok_or(format!("there is no class {key:?} (R4)"))?)
        }
        Some(structure_order::Work::CancelBuild(place)) => Work::CancelBuild(place as usize),
        None => return Err("its order says nothing (R5.4)".to_owned()),
    };
    Ok(StructureOrder { structure, work })
}

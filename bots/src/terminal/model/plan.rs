//! The orders of a turn while they are planned, with a way back and forth.

use std::collections::BTreeMap;

use parley_proto::plunder::v1 as plunder;

/// How many changes can be taken back.
pub const MAX_UNDO: usize = 256;

/// The orders of all own ships and shipyards.
#[derive(Clone, Debug, Default, PartialEq)]
struct Orders {
    ships: BTreeMap<u32, plunder::UnitOrder>,
    shipyards: BTreeMap<u32, plunder::StructureOrder>,
}

/// Orders, those before the last changes, and those that were taken back.
#[derive(Clone, Debug, Default)]
pub struct OrderPlan {
    orders: Orders,
    past: Vec<Orders>,
    future: Vec<Orders>,
}

impl OrderPlan {
    /// A plan as it was staged before.
    pub fn of(sheet: &plunder::Sheet) -> Self {
        let ships = sheet.units.iter().map(|order| (order.unit, order.clone())).collect();
        let shipyards = sheet.structures.iter().map(|order| (order.structure, order.clone())).collect();
        Self { orders: Orders { ships, shipyards }, ..Self::default() }
    }

    /// The plan as it is said to the server.
    pub fn sheet(&self) -> plunder::Sheet {
        plunder::Sheet {
            units: self.orders.ships.values().cloned().collect(),
            structures: self.orders.shipyards.values().cloned().collect(),
            concede: false,
        }
    }

    /// The order that is planned for a ship.
    pub fn ship(&self, unit: u32) -> Option<&plunder::UnitOrder> {
        self.orders.ships.get(&unit)
    }

    /// The order that is planned for a shipyard.
    pub fn shipyard(&self, structure: u32) -> Option<&plunder::StructureOrder> {
        self.orders.shipyards.get(&structure)
    }

    /// All orders of ships, by id.
    pub fn ships(&self) -> impl Iterator<Item = &plunder::UnitOrder> {
        self.orders.ships.values()
    }

    /// All orders of shipyards, by id.
    pub fn shipyards(&self) -> impl Iterator<Item = &plunder::StructureOrder> {
        self.orders.shipyards.values()
    }

    /// How many orders there are.
    pub fn len(&self) -> usize {
        self.orders.ships.len() + self.orders.shipyards.len()
    }

    /// Whether nothing is ordered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes the order of a ship; one that says nothing any more is removed.
    pub fn order(&mut self, unit: u32, change: impl FnOnce(&mut plunder::UnitOrder)) {
        let mut orders = self.orders.clone();
        let order = orders.ships.entry(unit).or_insert(plunder::UnitOrder { unit, ..plunder::UnitOrder::default() });
        change(order);
        let silent =
            order.action.is_none() && !order.broadside && order.engagement() == plunder::Engagement::Unspecified;
        if silent {
            orders.ships.remove(&unit);
        }
        self.turn_into(orders);
    }

    /// Orders a shipyard to work, or not to.
    pub fn work(&mut self, structure: u32, work: Option<plunder::structure_order::Work>) {
        let mut orders = self.orders.clone();
        match work {
            Some(work) => {
                orders.shipyards.insert(structure, plunder::StructureOrder { structure, work: Some(work) });
            }
            None => {
                orders.shipyards.remove(&structure);
            }
        }
        self.turn_into(orders);
    }

    fn turn_into(&mut self, orders: Orders) {
        if orders == self.orders {
            return;
        }
        if self.past.len() == MAX_UNDO {
            self.past.remove(0);
        }
        self.past.push(std::mem::replace(&mut self.orders, orders));
        self.future.clear();
    }

    /// Takes the last change back; false where there is none.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.orders, before));
        true
    }

    /// Makes a change again that was taken back; false where there is none.
    pub fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.orders, after));
        true
    }
}

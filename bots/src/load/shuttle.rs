//! Orders for a whole match from one look at its first turn: every ship goes out and back, for ever.
//!
//! A ship stays on tiles that are nearer to its own start than to any other, so that players never meet, and nothing
//! ever stands against an order.

use bytes::Bytes;
use parley_core::grid::Tile;
use parley_plunder::rules::Rules;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use prost::Message;

use crate::arms::Arms;
use crate::policy::Sea;

/// The sheets of one seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuttle {
    /// The sheet for the first turn and every second one after it.
    pub out: plunder::Sheet,
    /// The sheet for the other turns.
    pub back: plunder::Sheet,
}

impl Shuttle {
    /// Plans for the seat whose view this is; `None` where the view makes no sense.
    pub fn plan(rules: &Rules, view: &plunder::View) -> Option<Self> {
        let seat = view.seat?;
        let sea = Sea::read(rules, view)?;
        let place = |unit: &plunder::Unit| sea.tile(unit.hex.as_ref()?);
        let rivals: Vec<Tile> = view.units.iter().filter(|unit| unit.owner != seat).filter_map(place).collect();
        let mut shuttle = Self { out: plunder::Sheet::default(), back: plunder::Sheet::default() };
        let mut known: Vec<(Tile, Vec<Vec<Tile>>)> = Vec::new();
        for (number, unit) in view.units.iter().filter(|unit| unit.owner == seat).enumerate() {
            let start = place(unit)?;
            let class = rules.class(rules.class_named(&unit.class)?);
            if !known.iter().any(|(tile, _)| *tile == start) {
                let own = |tile: Tile| {
                    let far = sea.grid().distance(start, tile);
                    sea.is_open(tile, class.domain)
                        && rivals.iter().all(|&rival| far < sea.grid().distance(rival, tile))
                };
                known.push((start, walks(&sea, start, class.speed.into(), &own)));
            }
            let walks = known.iter().find(|(tile, _)| *tile == start).map_or(&[][..], |(_, walks)| walks);
            let walk = walks.get(number % walks.len().max(1));
            let (out, back) = orders(&sea, start, walk);
            shuttle.out.units.push(plunder::UnitOrder { unit: unit.id, action: Some(out), ..Default::default() });
            shuttle.back.units.push(plunder::UnitOrder { unit: unit.id, action: Some(back), ..Default::default() });
        }
        Some(shuttle)
    }

    /// The sheet for a turn; the first is 1.
    pub fn sheet(&self, turn: u32) -> &plunder::Sheet {
        if turn % 2 == 1 { &self.out } else { &self.back }
    }

    /// The sheet for a turn as it is sent.
    pub(super) fn encoded(&self, turn: u32) -> Bytes {
        v1::Sheet::of_plunder(self.sheet(turn).clone()).encode_to_vec().into()
    }
}

fn orders(sea: &Sea<'_>, start: Tile, walk: Option<&Vec<Tile>>) -> (Action, Action) {
    let Some(walk) = walk else { return (Action::Hold(plunder::Hold {}), Action::Hold(plunder::Hold {})) };
    let home = walk.iter().rev().skip(1).copied().chain([start]);
    let path = |tiles: &mut dyn Iterator<Item = Tile>| {
        Action::Move(plunder::Move { path: tiles.map(|tile| sea.hex(tile)).collect() })
    };
    (path(&mut walk.iter().copied()), path(&mut home.into_iter()))
}

/// The longest walks from a tile that a turn has time for, one for each tile that they end on.
fn walks(sea: &Sea<'_>, start: Tile, speed: usize, own: &dyn Fn(Tile) -> bool) -> Vec<Vec<Tile>> {
    let mut walks = vec![Vec::new()];
    for _ in 0..speed {
        let mut longer: Vec<Vec<Tile>> = Vec::new();
        for walk in &walks {
            let here = walk.last().copied().unwrap_or(start);
            for (_, next) in sea.grid().neighbors(here) {
                let seen =
                    next == start || walk.contains(&next) || longer.iter().any(|walk| walk.last() == Some(&next));
                if !seen && own(next) {
                    longer.push(walk.iter().copied().chain([next]).collect());
                }
            }
        }
        if longer.is_empty() {
            break;
        }
        walks = longer;
    }
    walks.retain(|walk| !walk.is_empty());
    walks
}

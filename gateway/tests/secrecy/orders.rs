//! Maps and orders of the tests.

use crate::naval::Naval;
use parley_games::times;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::structure_order::Work;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;

pub type Sheet = plunder::Sheet;

/// The hex in a column of a row (R3.1).
pub fn at(column: i32, row: i32) -> common::Hex {
    common::Hex { q: column - (row - (row & 1)) / 2, r: row }
}

/// Settings of a match on an open sea. Seats 0 and 2 start near each other, seat 1 far away in the east, seat 3 in a
/// corner of its own.
pub fn settings(seats: usize, fog: bool) -> v1::MatchSettings {
    const STARTS: [(i32, i32); 4] = [(3, 4), (25, 4), (8, 4), (25, 12)];
    let starts: Vec<_> = STARTS.iter().take(seats).map(|&(column, row)| at(column, row)).collect();
    let letter = |column, row| if starts.contains(&at(column, row)) { 'H' } else { '.' };
    let rows = (0..14).map(|row| (0..30).map(|column| letter(column, row)).collect()).collect();
    let drawn = plunder::DrawnMap { rows, wrap: false, starts: starts.clone() };
    v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); seats],
        start_when_full: true,
        planning_time: Some(times::duration(0)),
        decision_time: Some(times::duration(0)),
        ..v1::MatchSettings::default().with_map(Source::Drawn(drawn)).with_fog(fog)
    }
}

/// All hexes of a view.
pub fn hexes(view: &plunder::View) -> Vec<common::Hex> {
    let (width, height) = (view.width as i32, view.height as i32);
    (0..height).flat_map(|row| (0..width).map(move |column| at(column, row))).collect()
}

pub fn order(unit: u32, action: Action) -> plunder::UnitOrder {
    plunder::UnitOrder { unit, action: Some(action), ..plunder::UnitOrder::default() }
}

/// A way over hexes.
pub fn go(unit: u32, path: &[common::Hex]) -> plunder::UnitOrder {
    order(unit, Action::Move(plunder::Move { path: path.to_vec() }))
}

/// A way along row 4, which has no bends, from one column to another.
pub fn along(unit: u32, from: i32, to: i32) -> plunder::UnitOrder {
    let path: Vec<_> = if from < to { (from + 1..=to).collect() } else { (to..from).rev().collect::<Vec<_>>() };
    go(unit, &path.into_iter().map(|column| at(column, 4)).collect::<Vec<_>>())
}

pub fn hold(unit: u32) -> plunder::UnitOrder {
    order(unit, Action::Hold(plunder::Hold {}))
}

pub fn engaging(order: plunder::UnitOrder, engagement: plunder::Engagement) -> plunder::UnitOrder {
    plunder::UnitOrder { engagement: engagement.into(), ..order }
}

pub fn sheet(units: Vec<plunder::UnitOrder>) -> Sheet {
    Sheet { units, ..Sheet::default() }
}

pub fn build(sheet: Sheet, structure: u32) -> Sheet {
    let work = Some(Work::Build("ship".to_owned()));
    Sheet { structures: vec![plunder::StructureOrder { structure, work }], ..sheet }
}

/// A sheet that is always refused.
pub fn bad() -> Sheet {
    sheet(vec![hold(1), hold(4), hold(7), hold(4000)])
}

/// Sheets that ask about everything: the own ships into the dark, everybody's ships, everybody's shipyards.
pub fn probes(view: &plunder::View, seat: u32) -> Vec<Sheet> {
    let straight = |unit: &plunder::Unit, step: (i32, i32)| {
        let from = unit.hex.unwrap_or_default();
        let path: Vec<_> = (1..=7).map(|n| common::Hex { q: from.q + n * step.0, r: from.r + n * step.1 }).collect();
        go(unit.id, &path)
    };
    let own = || view.units.iter().filter(|unit| unit.owner == seat);
    let ways = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
    let mut sheets: Vec<_> = ways.iter().map(|&way| sheet(own().map(|unit| straight(unit, way)).collect())).collect();
    let everybody = |action: fn() -> Action| sheet((1..=12).map(|unit| order(unit, action())).collect());
    sheets.push(everybody(|| Action::Hold(plunder::Hold {})));
    sheets.push(everybody(|| Action::Repair(plunder::Repair {})));
    sheets.push(everybody(|| Action::DeployShipyard(plunder::DeployShipyard {})));
    for target in 1..=5 {
        sheets.push(sheet(own().map(|unit| order(unit.id, Action::Bombard(target))).collect()));
    }
    let works = [Work::Build("ship".to_owned()), Work::CancelBuild(0), Work::CancelBuild(3)];
    sheets.extend(works.map(|work| Sheet {
        structures: (1..=5).map(|structure| plunder::StructureOrder { structure, work: Some(work.clone()) }).collect(),
        ..Sheet::default()
    }));
    sheets
}

//! The board of the naval game, kept right by applying changes: a view and its changes are the next view.
//!
//! No rule of the game is in here: a change says itself which part of the board is what from now on. [`apply`] changes a
//! view, and [`LiveView`] is the view of a match that follows what a session tells.

mod live;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::change::What;
use parley_proto::v1;

use crate::arms::Arms;
pub use live::LiveView;

/// The changes of a turn in the order in which they make the next view of this one: those that all viewers know, and then
/// the viewer's own.
pub fn changes(outcome: &v1::Outcome) -> impl Iterator<Item = &plunder::Change> {
    let lists = [&outcome.shared_changes, &outcome.own_changes];
    lists.into_iter().flatten().filter_map(Arms::as_plunder).flat_map(|list| &list.changes)
}

/// Changes a view. Tiles that are not on its map, and things that are gone already, change nothing.
pub fn apply(view: &mut plunder::View, change: &plunder::Change) {
    match &change.what {
        Some(What::Unit(patch)) => {
            let new = || plunder::Unit { id: patch.id, ..plunder::Unit::default() };
            change_unit(entry(&mut view.units, new, |unit| unit.id.cmp(&patch.id)), patch);
        }
        Some(What::UnitGone(id)) => remove(&mut view.units, |unit| unit.id.cmp(id)),
        Some(What::Structure(patch)) => {
            let new = || plunder::Structure { id: patch.id, ..plunder::Structure::default() };
            change_structure(entry(&mut view.structures, new, |structure| structure.id.cmp(&patch.id)), patch);
        }
        Some(What::StructureGone(id)) => remove(&mut view.structures, |structure| structure.id.cmp(id)),
        Some(What::Contest(patch)) => {
            let new = || plunder::Contest { hex: patch.hex, ..plunder::Contest::default() };
            change_contest(entry(&mut view.contests, new, |contest| compare(contest.hex, patch.hex)), patch);
        }
        Some(What::ContestGone(hex)) => remove(&mut view.contests, |contest| compare(contest.hex, Some(*hex))),
        Some(What::Player(patch)) => {
            let new = || plunder::Player { id: patch.id, ..plunder::Player::default() };
            let player = entry(&mut view.players, new, |player| player.id.cmp(&patch.id));
            set(&mut player.alive, &patch.alive);
            player.gold = patch.gold.or(player.gold);
        }
        Some(What::Sight(patch)) => change_sight(view, patch),
        Some(What::Turn(turn)) => view.turn = *turn,
        Some(What::Result(result)) => view.result = Some(result.clone()),
        None => {}
    }
}

/// The thing of a list in order that compares as equal; a new one in its place where there is none.
fn entry<T>(list: &mut Vec<T>, new: impl FnOnce() -> T, compare: impl Fn(&T) -> Ordering) -> &mut T {
    let place = match list.binary_search_by(compare) {
        Ok(place) => place,
        Err(place) => {
            list.insert(place, new());
            place
        }
    };
    &mut list[place]
}

/// Takes the thing off a list in order that compares as equal, where there is one.
fn remove<T>(list: &mut Vec<T>, compare: impl Fn(&T) -> Ordering) {
    if let Ok(place) = list.binary_search_by(compare) {
        list.remove(place);
    }
}

/// Compares the places of contests, which are in order by q and then by r.
fn compare(hex: Option<common::Hex>, other: Option<common::Hex>) -> Ordering {
    let place = |hex: Option<common::Hex>| hex.map(|hex| (hex.q, hex.r));
    place(hex).cmp(&place(other))
}

/// Gives a field what a patch sets it to.
fn set<T: Clone>(field: &mut T, to: &Option<T>) {
    if let Some(to) = to {
        field.clone_from(to);
    }
}

fn change_unit(unit: &mut plunder::Unit, patch: &plunder::UnitPatch) {
    set(&mut unit.class, &patch.class);
    set(&mut unit.owner, &patch.owner);
    unit.hex = patch.hex.or(unit.hex);
    set(&mut unit.hp, &patch.hp);
    set(&mut unit.sails, &patch.sails);
    set(&mut unit.cannons, &patch.cannons);
    set(&mut unit.hull, &patch.hull);
    set(&mut unit.engagement, &patch.engagement);
    if let Some(route) = &patch.route {
        unit.route.clone_from(&route.path);
    }
}

fn change_structure(structure: &mut plunder::Structure, patch: &plunder::StructurePatch) {
    if let Some(owner) = &patch.owner {
        structure.owner = owner.player;
    }
    structure.hex = patch.hex.or(structure.hex);
    set(&mut structure.hp, &patch.hp);
    if let Some(queue) = &patch.queue {
        structure.queue.clone_from(&queue.jobs);
        structure.queue_known = queue.known;
    }
}

fn change_contest(contest: &mut plunder::Contest, patch: &plunder::ContestPatch) {
    set(&mut contest.since, &patch.since);
    set(&mut contest.rounds, &patch.rounds);
    if let Some(contenders) = &patch.contenders {
        contest.contenders.clone_from(&contenders.units);
    }
}

fn change_sight(view: &mut plunder::View, patch: &plunder::SightPatch) {
    let (width, height) = (view.width, view.height);
    let place = |hex: Option<common::Hex>| {
        let common::Hex { q, r } = hex.unwrap_or_default();
        let column = u32::try_from(i64::from(q) + i64::from(r >> 1)).ok().filter(|&column| column < width)?;
        let row = u32::try_from(r).ok().filter(|&row| row < height)?;
        Some(row as usize * width as usize + column as usize)
    };
    let mut terrain = Vec::from(std::mem::take(&mut view.terrain));
    let every_bit = every_bit(terrain.len());
    // No bits at all mean that every tile is seen.
    let mut seen = if view.visible.is_empty() { every_bit.clone() } else { view.visible.to_vec() };
    for gained in &patch.gained {
        let Some(tile) = place(gained.hex) else { continue };
        if let (Some(ground), Some(byte)) = (terrain.get_mut(tile), seen.get_mut(tile / 8)) {
            *ground = u8::try_from(gained.terrain).unwrap_or(u8::MAX);
            *byte |= 1 << (tile % 8);
        }
    }
    for hex in &patch.lost {
        if let Some(byte) = place(Some(*hex)).and_then(|tile| Some((seen.get_mut(tile / 8)?, tile % 8))) {
            *byte.0 &= !(1 << byte.1);
        }
    }
    view.terrain = terrain.into();
    view.visible = if seen == every_bit { Vec::new() } else { seen }.into();
}

/// A bit for each tile, all of them set, and 0 beyond the last.
fn every_bit(tiles: usize) -> Vec<u8> {
    let byte = |byte: usize| u8::MAX >> (8 - (tiles - 8 * byte).min(8));
    (0..tiles.div_ceil(8)).map(byte).collect()
}

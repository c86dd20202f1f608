//! Converts how a viewer's board changes.

use parley_core::grid::Grid;
use parley_plunder::rules::Rules;
use parley_plunder::view::{Change, ContestPatch, PlayerPatch, RoutePatch, SightPatch, StructurePatch, UnitPatch};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::change::What;
use parley_proto::plunder::v1::{contest_patch, sight_patch, structure_patch, unit_patch};

use super::view::{job, route};
use super::{at, engagement, hex, player_id, result, unit_ids};

/// Converts changes, in order.
pub fn changes(rules: &Rules, grid: &Grid, changes: &[Change]) -> plunder::Changes {
    plunder::Changes {
        changes: changes.iter().map(|change| plunder::Change { what: Some(what(rules, grid, change)) }).collect(),
    }
}

fn what(rules: &Rules, grid: &Grid, change: &Change) -> What {
    match change {
        Change::Unit(patch) => What::Unit(unit(rules, grid, patch)),
        Change::UnitGone(unit) => What::UnitGone(unit.get()),
        Change::Structure(patch) => What::Structure(structure(rules, grid, patch)),
        Change::StructureGone(structure) => What::StructureGone(structure.get()),
        Change::Contest(patch) => What::Contest(contest(grid, patch)),
        Change::ContestGone(tile) => What::ContestGone(hex(grid.hex(*tile))),
        Change::Player(patch) => What::Player(player(patch)),
        Change::Sight(patch) => What::Sight(sight(grid, patch)),
        Change::Turn(turn) => What::Turn(*turn),
        Change::Result(how) => What::Result(result(how)),
    }
}

fn unit(rules: &Rules, grid: &Grid, patch: &UnitPatch) -> plunder::UnitPatch {
    let left = |RoutePatch { from, path }: RoutePatch| unit_patch::Route { path: route(grid, from, &path) };
    plunder::UnitPatch {
        id: patch.id.get(),
        class: patch.class.map(|class| rules.class(class).key.clone()),
        owner: patch.owner.map(player_id),
        hex: patch.tile.and_then(|tile| at(grid, tile)),
        hp: patch.hp.map(u32::from),
        sails: patch.sails.map(u32::from),
        cannons: patch.cannons.map(u32::from),
        hull: patch.hull.map(u32::from),
        engagement: patch.engagement.map(|standing| engagement(Some(standing)).into()),
        route: patch.route.map(left),
    }
}

fn structure(rules: &Rules, grid: &Grid, patch: &StructurePatch) -> plunder::StructurePatch {
    let queue = patch.queue.as_ref().map(|queue| structure_patch::Queue {
        jobs: queue.iter().flatten().map(|row| job(rules, row)).collect(),
        known: queue.is_some(),
    });
    plunder::StructurePatch {
        id: patch.id.get(),
        owner: patch.owner.map(|owner| structure_patch::Owner { player: owner.map(player_id) }),
        hex: patch.tile.and_then(|tile| at(grid, tile)),
        hp: patch.hp.map(u32::from),
        queue,
    }
}

fn contest(grid: &Grid, patch: &ContestPatch) -> plunder::ContestPatch {
    let contenders = patch.contenders.as_ref();
    plunder::ContestPatch {
        hex: at(grid, patch.tile),
        since: patch.since,
        rounds: patch.rounds,
        contenders: contenders.map(|units| contest_patch::Contenders { units: unit_ids(units) }),
    }
}

fn player(patch: &PlayerPatch) -> plunder::PlayerPatch {
    plunder::PlayerPatch { id: player_id(patch.id), alive: patch.alive, gold: patch.gold }
}

fn sight(grid: &Grid, patch: &SightPatch) -> plunder::SightPatch {
    let place = |tile| -> common::Hex { hex(grid.hex(tile)) };
    let gained = |&(tile, terrain): &(_, u8)| sight_patch::Gained { hex: at(grid, tile), terrain: terrain.into() };
    plunder::SightPatch {
        gained: patch.gained.iter().map(gained).collect(),
        lost: patch.lost.iter().map(|&tile| place(tile)).collect(),
    }
}

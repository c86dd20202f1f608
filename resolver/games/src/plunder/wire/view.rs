//! Converts states as a viewer sees them.

use parley_core::grid::{Grid, Tile};
use parley_core::path::Path;
use parley_plunder::rules::Rules;
use parley_plunder::state::Job;
use parley_plunder::view::{ContestView, Knowledge, PlayerView, StructureView, UnitView, View, Viewer};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::{at, engagement, hex, player_id, result, unit_ids};

/// The terrain of a tile that the viewer has never seen. Rules have at most 64 terrains.
pub const UNKNOWN_TERRAIN: u8 = u8::MAX;

/// Converts everything that a viewer may know of a state.
pub fn view(rules: &Rules, view: &View) -> plunder::View {
    let grid = &view.grid;
    let seat = match view.viewer {
        Viewer::Seat(player) => Some(player_id(player)),
        Viewer::Spectator | Viewer::Everything => None,
    };
    plunder::View {
        seat,
        turn: view.turn,
        width: grid.width(),
        height: grid.height(),
        wrap: grid.wrap(),
        terrain_keys: rules.terrains().iter().map(|terrain| terrain.key.clone()).collect(),
        terrain: view.terrain.iter().map(row).collect(),
        visible: visible(&view.terrain).into(),
        players: view.players.iter().map(player).collect(),
        units: view.units.iter().map(|u| unit(rules, grid, u)).collect(),
        structures: view.structures.iter().map(|s| structure(rules, grid, s)).collect(),
        contests: view.contests.iter().map(|c| contest(grid, c)).collect(),
        result: view.result.as_ref().map(result),
    }
}

/// Converts a unit in sight.
fn unit(rules: &Rules, grid: &Grid, unit: &UnitView) -> plunder::Unit {
    plunder::Unit {
        id: unit.id.get(),
        class: rules.class(unit.class).key.clone(),
        owner: player_id(unit.owner),
        hex: at(grid, unit.tile),
        hp: unit.hp.into(),
        sails: unit.sails.into(),
        cannons: unit.cannons.into(),
        hull: unit.hull.into(),
        engagement: engagement(unit.engagement).into(),
        route: unit.route.as_ref().map_or_else(Vec::new, |path| route(grid, unit.tile, path)),
    }
}

/// The hexes that a path leads over, without the one it begins on.
pub(super) fn route(grid: &Grid, from: Tile, path: &Path) -> Vec<common::Hex> {
    let mut hexes = Vec::with_capacity(path.len());
    let mut here = from;
    for direction in path.iter() {
        let Some(next) = grid.neighbor(here, direction) else { break };
        hexes.push(hex(grid.hex(next)));
        here = next;
    }
    hexes
}

fn row(knowledge: &Knowledge) -> u8 {
    match *knowledge {
        Knowledge::Unknown => UNKNOWN_TERRAIN,
        Knowledge::Remembered(row) | Knowledge::Visible(row) => row,
    }
}

/// One bit per tile, or nothing where all of them are seen.
fn visible(terrain: &[Knowledge]) -> Vec<u8> {
    let seen = |knowledge: &Knowledge| matches!(knowledge, Knowledge::Visible(_));
    if terrain.iter().all(seen) {
        return Vec::new();
    }
    let byte = |tiles: &[Knowledge]| tiles.iter().rev().fold(0, |bits, tile| bits << 1 | u8::from(seen(tile)));
    terrain.chunks(8).map(byte).collect()
}

fn player(player: &PlayerView) -> plunder::Player {
    plunder::Player { id: player_id(player.id), alive: player.alive, gold: player.gold }
}

/// Converts a build in a queue.
pub(super) fn job(rules: &Rules, job: &Job) -> plunder::Job {
    plunder::Job { class: rules.class(job.class).key.clone(), turns_left: job.turns_left.into() }
}

fn structure(rules: &Rules, grid: &Grid, structure: &StructureView) -> plunder::Structure {
    plunder::Structure {
        id: structure.id.get(),
        owner: structure.owner.map(player_id),
        hex: at(grid, structure.tile),
        hp: structure.hp.into(),
        queue: structure.queue.iter().flatten().map(|row| job(rules, row)).collect(),
        queue_known: structure.queue.is_some(),
    }
}

fn contest(grid: &Grid, contest: &ContestView) -> plunder::Contest {
    plunder::Contest {
        hex: at(grid, contest.tile),
        since: contest.since,
        rounds: contest.rounds,
        contenders: unit_ids(&contest.contenders),
    }
}

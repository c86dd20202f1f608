//! The eyes of a viewer: what is in sight of their ships and structures (R14.1).

use parley_core::grid::Tile;
use parley_core::sight::Sight;

use crate::rules::Rules;
use crate::state::State;

use super::Viewer;

/// The eyes of a player in a state: every ship and structure with how far it sees.
pub(super) fn eyes(rules: &Rules, state: &State, viewer: Viewer) -> impl Iterator<Item = (Tile, u32)> {
    let ships = state.units().iter().filter(move |u| viewer.owns(u.owner));
    let ships = ships.map(|u| (u.tile, u32::from(rules.class(u.class).vision)));
    let structures = state.structures().iter().filter(move |s| s.owner.is_some_and(|owner| viewer.owns(owner)));
    ships.chain(structures.map(|s| (s.tile, rules.shipyard().vision.get())))
}

/// What a viewer sees in a state: with fog the tiles within vision of their ships and structures, without it
/// every tile.
pub fn sight_of(rules: &Rules, state: &State, viewer: Viewer) -> Sight {
    let grid = state.map().grid();
    if viewer.is_unfogged(rules) { Sight::all(grid) } else { Sight::of(grid, eyes(rules, state, viewer)) }
}

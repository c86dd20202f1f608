//! A view read back into a state, so that a policy can think with the resolver's own types.
//!
//! What the view does not tell is left out: ships and structures out of sight are not there, other players' gold is
//! none where it is hidden, and tiles that were never seen are nowhere to go. The engagement of other ships is secret;
//! they are taken to fight while they are healthy.

use std::sync::Arc;

use parley_core::grid::Grid;
use parley_core::hex::Hex;
use parley_core::ids::PlayerId;
use parley_games::plunder::wire::UNKNOWN_TERRAIN;
use parley_plunder::map::Map;
use parley_plunder::rules::Rules;
use parley_plunder::state::State;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::distances::Distances;

/// The version of the canonical encoding (R13.3).
const VERSION: u8 = 1;
/// The owner of a structure that has none, in that encoding.
const NEUTRAL: u8 = 255;
/// How ships of others are taken to answer encounters, in that encoding: they fight if healthy.
const GUESSED_ENGAGEMENT: u8 = 3;

/// What a view tells.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// The player whose view it is.
    pub(super) me: PlayerId,
    /// The state, as far as it is known.
    pub(super) state: State,
    /// The map, measured for planning.
    pub(super) distances: Arc<Distances>,
}

/// Reads views. Keeps the last map, which is slow to measure; it remembers nothing else.
#[derive(Debug)]
pub(super) struct Reader {
    rules: Arc<Rules>,
    distances: Option<Arc<Distances>>,
}

impl Reader {
    pub(super) const fn new(rules: Arc<Rules>) -> Self {
        Self { rules, distances: None }
    }

    /// The rules of the match.
    pub(super) const fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Reads a view; `None` where it makes no sense, or there is nothing left to play.
    pub(super) fn read(&mut self, view: &plunder::View) -> Option<Reading> {
        let me = PlayerId::new(view.seat?.into())?;
        let distances = self.distances(view)?;
        let bytes = encode(&self.rules, distances.map().grid(), view)?;
        let state = State::decode(&self.rules, distances.map(), &bytes).ok()?;
        let alive = state.player(me).is_some_and(|player| player.alive) && state.result().is_none();
        alive.then_some(Reading { me, state, distances })
    }

    fn distances(&mut self, view: &plunder::View) -> Option<Arc<Distances>> {
        let row = |key: &String| self.rules.terrains().iter().position(|terrain| terrain.key == *key);
        let rows: Vec<Option<usize>> = view.terrain_keys.iter().map(row).collect();
        let known =
            |&number: &u8| (number != UNKNOWN_TERRAIN).then(|| rows.get(usize::from(number)).copied()?).flatten();
        let dark: Vec<bool> = view.terrain.iter().map(|number| known(number).is_none()).collect();
        let terrain: Vec<u8> = view.terrain.iter().map(|number| known(number).unwrap_or(0) as u8).collect();
        let map = Map::from_terrain(&self.rules, view.width, view.height, view.wrap, &terrain).ok()?;
        match &self.distances {
            Some(distances) if distances.is_of(&map, &dark) => {}
            _ => self.distances = Some(Distances::shared(&self.rules, map, dark)),
        }
        self.distances.clone()
    }
}

/// A view in the canonical encoding of states; `None` where something in it is nothing at all.
fn encode(rules: &Rules, grid: &Grid, view: &plunder::View) -> Option<Vec<u8>> {
    let mut out = vec![VERSION];
    let number = |out: &mut Vec<u8>, value: u32| out.extend(value.to_le_bytes());
    let count = |out: &mut Vec<u8>, items: usize| out.extend((items as u32).to_le_bytes());
    number(&mut out, view.turn);
    out.push(u8::from(view.result.is_some()));
    if view.result.is_some() {
        return None;
    }
    number(&mut out, view.units.iter().map(|unit| unit.id.saturating_add(1)).max().unwrap_or(1));
    number(&mut out, view.structures.iter().map(|structure| structure.id.saturating_add(1)).max().unwrap_or(1));
    count(&mut out, view.players.len());
    for player in &view.players {
        out.push(u8::try_from(player.id).ok()?);
        out.push(player.alive.into());
        out.extend(player.gold.unwrap_or(0).to_le_bytes());
    }
    count(&mut out, view.units.len());
    for unit in &view.units {
        number(&mut out, unit.id);
        number(&mut out, tile(grid, unit.hex.as_ref())?);
        out.push(u8::try_from(unit.owner).ok()?);
        out.push(rules.class_named(&unit.class)?.index() as u8);
        out.extend(u16::try_from(unit.hp).ok()?.to_le_bytes());
        for pieces in [unit.sails, unit.cannons, unit.hull] {
            out.push(u8::try_from(pieces).ok()?);
        }
        out.push(if unit.engagement > 0 { u8::try_from(unit.engagement - 1).ok()? } else { GUESSED_ENGAGEMENT });
        encode_route(&mut out, grid, unit)?;
    }
    count(&mut out, view.structures.len());
    for structure in &view.structures {
        number(&mut out, structure.id);
        number(&mut out, tile(grid, structure.hex.as_ref())?);
        out.push(structure.owner.map_or(Some(NEUTRAL), |owner| u8::try_from(owner).ok())?);
        out.extend(u16::try_from(structure.hp).ok()?.to_le_bytes());
        out.push(u8::try_from(structure.queue.len()).ok()?);
        for job in &structure.queue {
            out.push(rules.class_named(&job.class)?.index() as u8);
            out.push(u8::try_from(job.turns_left).ok()?);
        }
    }
    count(&mut out, view.contests.len());
    for contest in &view.contests {
        number(&mut out, tile(grid, contest.hex.as_ref())?);
        number(&mut out, contest.since);
        number(&mut out, contest.rounds);
        count(&mut out, contest.contenders.len());
        contest.contenders.iter().for_each(|&unit| number(&mut out, unit));
    }
    Some(out)
}

fn encode_route(out: &mut Vec<u8>, grid: &Grid, unit: &plunder::Unit) -> Option<()> {
    let at = |hex: &common::Hex| grid.tile(Hex::new(hex.q, hex.r));
    out.push(u8::try_from(unit.route.len()).ok()?);
    let mut here = at(unit.hex.as_ref()?)?;
    for hex in &unit.route {
        let next = at(hex)?;
        out.push(grid.direction(here, next)? as u8);
        here = next;
    }
    Some(())
}

fn tile(grid: &Grid, hex: Option<&common::Hex>) -> Option<u32> {
    let hex = hex?;
    grid.tile(Hex::new(hex.q, hex.r)).map(|tile| tile.index() as u32)
}

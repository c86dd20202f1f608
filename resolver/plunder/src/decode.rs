//! The way back from the canonical encoding (R13.3) to a state.
//!
//! The bytes may come from anybody: nothing is believed before it is checked, and nothing is allocated that the bytes
//! left could not fill. What comes out is a state that a match can go on from, and it encodes to the same bytes again.

mod board;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use parley_core::encoding::{DecodeError, Encode, Reader};
use parley_core::grid::Grid;
use parley_core::ids::{ID_BOUND, PlayerId};

use crate::map::{MAX_TILES, Map};
use crate::rules::Rules;
use crate::state::{MAX_GOLD, MAX_PLAYERS, MatchResult, Player, State};

/// The version of the encoding that is written and read.
const VERSION: u8 = 1;

impl Map {
    /// A map from rows of the terrain table, one byte per tile, row by row, as a digest covers it.
    pub fn from_terrain(
        rules: &Rules,
        width: u32,
        height: u32,
        wrap: bool,
        terrain: &[u8],
    ) -> Result<Self, DecodeError> {
        let fault = |offset, reason: String| Err(DecodeError { offset, reason });
        let tiles = u64::from(width) * u64::from(height);
        let Some(grid) = Grid::new(width, height, wrap).filter(|_| tiles <= MAX_TILES as u64) else {
            return fault(0, format!("a map of {width} x {height} tiles is none, or has more than {MAX_TILES} (R3.2)"));
        };
        if terrain.len() != grid.len() {
            return fault(0, format!("{} tiles have terrain, the map has {}", terrain.len(), grid.len()));
        }
        match terrain.iter().position(|&row| usize::from(row) >= rules.terrains().len()) {
            Some(offset) => fault(offset, format!("there is no terrain {} (R3.2)", terrain[offset])),
            None => Ok(Self::assemble(grid, terrain.to_vec(), rules)),
        }
    }

    /// The row of the terrain table of each tile, row by row.
    pub fn terrain_rows(&self) -> Vec<u8> {
        self.grid().tiles().map(|tile| self.terrain(tile) as u8).collect()
    }
}

impl State {
    /// The canonical encoding, as [`crate::encode`] describes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode_into(&mut bytes);
        bytes
    }

    /// Reads the canonical encoding of a state on this map under these rules.
    pub fn decode(rules: &Rules, map: &Arc<Map>, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let version = reader.u8()?;
        if version != VERSION {
            return Err(reader.fault(0, format!("version {version} of the encoding is not known, {VERSION} is")));
        }
        let mut state = Self::empty(Arc::clone(map));
        state.turn = reader.u32()?;
        let result_at = reader.offset();
        state.result = result(&mut reader)?;
        let next_at = reader.offset();
        (state.next_unit, state.next_structure) = (reader.u32()?, reader.u32()?);
        state.players = players(&mut reader)?;
        check_result(&reader, &state, result_at)?;
        board::units(&mut reader, rules, &mut state)?;
        board::structures(&mut reader, rules, &mut state)?;
        board::contests(&mut reader, rules, &mut state)?;
        check_next_ids(&reader, &state, next_at)?;
        reader.finish()?;
        Ok(state)
    }
}

fn result(reader: &mut Reader<'_>) -> Result<Option<MatchResult>, DecodeError> {
    let at = reader.offset();
    match reader.u8()? {
        0 => Ok(None),
        1 => Ok(Some(MatchResult::Winner(player(reader)?))),
        2 => {
            let count = reader.count(1)?;
            let mut players = Vec::with_capacity(count.min(MAX_PLAYERS));
            for _ in 0..count {
                let at = reader.offset();
                let next = player(reader)?;
                if players.last().is_some_and(|&last| last >= next) {
                    return Err(reader.fault(at, format!("player {next} is not in order in the draw")));
                }
                players.push(next);
            }
            Ok(Some(MatchResult::Draw(players)))
        }
        kind => Err(reader.fault(at, format!("there is no kind of result {kind}"))),
    }
}

fn player(reader: &mut Reader<'_>) -> Result<PlayerId, DecodeError> {
    let at = reader.offset();
    let number = reader.u8()?;
    PlayerId::new(number.into()).ok_or_else(|| reader.fault(at, format!("{number} is no player's id (R1)")))
}

fn players(reader: &mut Reader<'_>) -> Result<Vec<Player>, DecodeError> {
    let at = reader.offset();
    let count = reader.count(10)?;
    if count == 0 || count > MAX_PLAYERS {
        return Err(reader.fault(at, format!("a match has 1 to {MAX_PLAYERS} players, not {count}")));
    }
    let mut players: Vec<Player> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = reader.offset();
        let id = player(reader)?;
        if players.last().is_some_and(|last| last.id >= id) {
            return Err(reader.fault(at, format!("player {id} is not in the order of ids")));
        }
        let alive = match reader.u8()? {
            0 => false,
            1 => true,
            other => return Err(reader.fault(at + 1, format!("player {id} is alive or not, {other} is neither"))),
        };
        let gold = reader.i64()?;
        if !(0..=MAX_GOLD).contains(&gold) {
            return Err(reader.fault(at + 2, format!("player {id} has {gold} gold, 0 to {MAX_GOLD} is allowed")));
        }
        players.push(Player { id, gold, alive });
    }
    Ok(players)
}

fn check_result(reader: &Reader<'_>, state: &State, at: usize) -> Result<(), DecodeError> {
    let named: &[PlayerId] = match &state.result {
        None => &[],
        Some(MatchResult::Winner(winner)) => &[*winner],
        Some(MatchResult::Draw(players)) => players,
    };
    match named.iter().find(|&&id| state.player(id).is_none()) {
        Some(id) => Err(reader.fault(at, format!("the result names player {id}, who is not there"))),
        None => Ok(()),
    }
}

/// R1: ids are never reused, so the next one is above all there are.
fn check_next_ids(reader: &Reader<'_>, state: &State, at: usize) -> Result<(), DecodeError> {
    let least_unit = state.units.last().map_or(0, |unit| unit.id.get() + 1);
    let least_structure = state.structures.last().map_or(0, |structure| structure.id.get() + 1);
    let ids = [("unit", state.next_unit, least_unit, at), ("structure", state.next_structure, least_structure, at + 4)];
    for (kind, next, least, at) in ids {
        if !(least..=ID_BOUND).contains(&next) {
            return Err(reader.fault(at, format!("the next {kind} is {next}, {least} to {ID_BOUND} is allowed (R1)")));
        }
    }
    Ok(())
}

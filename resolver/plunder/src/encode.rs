//! The canonical encoding of a state, which digests are over (R13.3).
//!
//! It is written as [`parley_core::encoding`] says. A tile is `row * width + column`. The encoding of a state is, in
//! this order:
//!
//! | part | bytes |
//! |---|---|
//! | version | `u8` = 1 |
//! | turn | `u32`, the turn that will be planned next |
//! | result | `u8`: 0 none; 1 winner, then the player `u8`; 2 draw, then a list (`u32`) of players `u8` |
//! | next ids | unit `u32`, structure `u32` |
//! | players | `u32` count; each: id `u8`, alive `u8` (0 or 1), gold `i64` |
//! | units by id | `u32` count; each: id `u32`, tile `u32`, owner `u8`, class `u8` (row of the rules), hp `u16`, sails `u8`, cannons `u8`, hull `u8`, engagement `u8` (0 `ASK`, 1 `EVADE`, 2 `FIGHT`, 3 `FIGHT_IF_HEALTHY`), route: `u8` count, then a direction `u8` (0 E … 5 SE) per step |
//! | structures by id | `u32` count; each: id `u32`, tile `u32`, owner `u8` (255 neutral), hp `u16`, queue: `u8` count, then class `u8` and turns left `u8` per job |
//! | contests by (q, r) | `u32` count; each: tile `u32`, since `u32`, rounds `u32`, contenders: `u32` count, then a unit id `u32` each, by id |
//!
//! In the first digest of a match the rules are their hash, and the map is width `u32`, height `u32`, wrap `u8`, and
//! one `u8` per tile (row of the rules' terrain table), row by row.
//!
//! [`State::decode`] is the way back.

use parley_core::digest::Commit;
use parley_core::encoding::{Encode, put_count};

use crate::map::Map;
use crate::rules::Rules;
use crate::state::{MatchResult, State};

impl Encode for Rules {
    /// Appends the hash of the rules, which is all that a digest covers of them.
    fn encode_into(&self, out: &mut Vec<u8>) {
        self.hash().encode_into(out);
    }
}

impl Encode for State {
    fn encode_into(&self, out: &mut Vec<u8>) {
        encode(self, out);
    }
}

impl Commit for State {
    fn encode_map_into(&self, out: &mut Vec<u8>) {
        encode_map(self.map(), out);
    }
}

fn encode_map(map: &Map, out: &mut Vec<u8>) {
    let grid = map.grid();
    out.extend_from_slice(&grid.width().to_le_bytes());
    out.extend_from_slice(&grid.height().to_le_bytes());
    out.push(grid.wrap().into());
    out.extend(grid.tiles().map(|tile| map.terrain(tile) as u8));
}

/// Appends the canonical encoding of a state, as the module describes it.
fn encode(state: &State, out: &mut Vec<u8>) {
    out.push(1);
    out.extend_from_slice(&state.turn.to_le_bytes());
    match &state.result {
        None => out.push(0),
        Some(MatchResult::Winner(player)) => out.extend_from_slice(&[1, player.get()]),
        Some(MatchResult::Draw(players)) => {
            out.push(2);
            put_count(players.len(), out);
            out.extend(players.iter().map(|p| p.get()));
        }
    }
    out.extend_from_slice(&state.next_unit.to_le_bytes());
    out.extend_from_slice(&state.next_structure.to_le_bytes());
    put_count(state.players.len(), out);
    for player in &state.players {
        out.extend_from_slice(&[player.id.get(), player.alive.into()]);
        out.extend_from_slice(&player.gold.to_le_bytes());
    }
    put_count(state.units.len(), out);
    for unit in &state.units {
        let [i0, i1, i2, i3] = unit.id.get().to_le_bytes();
        let [t0, t1, t2, t3] = (unit.tile.index() as u32).to_le_bytes();
        let [h0, h1] = unit.hp.to_le_bytes();
        let (owner, class, engagement) = (unit.owner.get(), unit.class.0, unit.engagement as u8);
        let steps = unit.route.len() as u8;
        out.extend_from_slice(&[
            i0,
            i1,
            i2,
            i3,
            t0,
            t1,
            t2,
            t3,
            owner,
            class,
            h0,
            h1,
            unit.sails,
            unit.cannons,
            unit.hull,
            engagement,
            steps,
        ]);
        out.extend(unit.route.iter().map(|step| step as u8));
    }
    put_count(state.structures.len(), out);
    for structure in &state.structures {
        out.extend_from_slice(&structure.id.get().to_le_bytes());
        out.extend_from_slice(&(structure.tile.index() as u32).to_le_bytes());
        out.push(structure.owner.map_or(255, |owner| owner.get()));
        out.extend_from_slice(&structure.hp.to_le_bytes());
        out.push(structure.queue.len() as u8);
        out.extend(structure.queue.iter().flat_map(|job| [job.class.0, job.turns_left]));
    }
    put_count(state.contests.len(), out);
    for contest in &state.contests {
        for number in [contest.tile.index() as u32, contest.since, contest.rounds, contest.contenders.len() as u32] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend(contest.contenders.iter().flat_map(|unit| unit.get().to_le_bytes()));
    }
}

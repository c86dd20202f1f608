//! What stands on the map: units, structures, contests.

use arrayvec::ArrayVec;
use parley_core::encoding::Reader;
use parley_core::grid::Tile;
use parley_core::hex::Direction;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::{MAX_PATH, Path};
use smallvec::SmallVec;

use crate::ids::{ClassId, StructureId};
use crate::rules::{Rules, Upgrade};
use crate::state::{Contest, Engagement, Job, MAX_STRUCTURES, State, Structure, Unit};

use super::DecodeError;

/// The bytes of a unit without a route.
const UNIT_BYTES: usize = 17;
/// The bytes of a structure with an empty queue.
const STRUCTURE_BYTES: usize = 12;
/// The bytes of a contest without contenders.
const CONTEST_BYTES: usize = 16;
/// The owner of a neutral structure.
const NEUTRAL: u8 = 255;

/// Reads the units, by id, no two of different owners on one tile (R2.1).
pub(super) fn units(reader: &mut Reader<'_>, rules: &Rules, state: &mut State) -> Result<(), DecodeError> {
    let count = reader.count(UNIT_BYTES)?;
    let mut units: Vec<Unit> = Vec::with_capacity(count);
    let mut places: Vec<(Tile, PlayerId, usize)> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = reader.offset();
        let unit = unit(reader, rules, state)?;
        if units.last().is_some_and(|last| last.id >= unit.id) {
            return Err(reader.fault(at, format!("unit {} is not in the order of ids", unit.id)));
        }
        places.push((unit.tile, unit.owner, at));
        units.push(unit);
    }
    places.sort_unstable();
    match places.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
        Some(pair) => {
            let hex = state.hex(pair[0].0);
            Err(reader.fault(pair[1].2, format!("units of different owners are both at {hex} (R2.1)")))
        }
        None => {
            state.units = units;
            Ok(())
        }
    }
}

fn unit(reader: &mut Reader<'_>, rules: &Rules, state: &State) -> Result<Unit, DecodeError> {
    let at = reader.offset();
    let number = reader.u32()?;
    let id = UnitId::new(number.into()).ok_or_else(|| reader.fault(at, format!("{number} is no unit's id (R1)")))?;
    let tile = tile(reader, state)?;
    let owner = living(reader, state)?;
    let class = class(reader, rules)?;
    let hp_at = reader.offset();
    let hp = reader.u16()?;
    let sails = fitted(reader, rules, Upgrade::Sails)?;
    let cannons = fitted(reader, rules, Upgrade::Cannons)?;
    let hull = fitted(reader, rules, Upgrade::Hull)?;
    let engagement = engagement(reader)?;
    let mut unit = Unit { id, tile, owner, class, hp, sails, cannons, hull, engagement, route: Path::EMPTY };
    let most = unit.max_hp(rules);
    if hp == 0 || hp > most {
        return Err(reader.fault(hp_at, format!("unit {id} has {hp} hp, 1 to {most} is allowed (R4)")));
    }
    let domain = rules.class(class).domain;
    // A new ship appears on its shipyard's harbor, whatever that is for others (R11.4).
    if !(state.map.navigable(tile, domain) || state.map.is_harbor(tile)) {
        return Err(reader.fault(at + 4, format!("unit {id} cannot be at {} (R3.2)", state.hex(tile))));
    }
    unit.route = route(reader, state, &unit, |tile| state.map.navigable(tile, domain))?;
    Ok(unit)
}

/// Reads a route: every step leads to a tile that the unit may enter (R5.5).
fn route(
    reader: &mut Reader<'_>,
    state: &State,
    unit: &Unit,
    navigable: impl Fn(Tile) -> bool,
) -> Result<Path, DecodeError> {
    let at = reader.offset();
    let steps = reader.u8()?;
    if usize::from(steps) > MAX_PATH {
        return Err(reader.fault(at, format!("unit {} has a route of {steps} steps, {MAX_PATH} is the most", unit.id)));
    }
    let (mut path, mut here) = (Path::EMPTY, unit.tile);
    for _ in 0..steps {
        let at = reader.offset();
        let number = reader.u8()?;
        let Some(&direction) = Direction::ALL.get(usize::from(number)) else {
            return Err(reader.fault(at, format!("there is no direction {number} (R3.1)")));
        };
        match state.map.grid().neighbor(here, direction).filter(|&next| navigable(next)) {
            Some(next) if path.push(direction) => here = next,
            _ => return Err(reader.fault(at, format!("the route of unit {} cannot be sailed (R5.5)", unit.id))),
        }
    }
    Ok(path)
}

/// Reads the structures, by id, each on a harbor of its own.
pub(super) fn structures(reader: &mut Reader<'_>, rules: &Rules, state: &mut State) -> Result<(), DecodeError> {
    let at = reader.offset();
    let count = reader.count(STRUCTURE_BYTES)?;
    if count > MAX_STRUCTURES {
        return Err(reader.fault(at, format!("{count} structures are too many, {MAX_STRUCTURES} are allowed")));
    }
    let mut structures: Vec<Structure> = Vec::with_capacity(count);
    let mut places: Vec<(Tile, usize)> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = reader.offset();
        let structure = structure(reader, rules, state)?;
        if structures.last().is_some_and(|last| last.id >= structure.id) {
            return Err(reader.fault(at, format!("structure {} is not in the order of ids", structure.id)));
        }
        places.push((structure.tile, at));
        structures.push(structure);
    }
    places.sort_unstable();
    if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(reader.fault(pair[1].1, format!("several structures are at {} (R11.2)", state.hex(pair[0].0))));
    }
    state.structures = structures;
    Ok(())
}

fn structure(reader: &mut Reader<'_>, rules: &Rules, state: &State) -> Result<Structure, DecodeError> {
    let at = reader.offset();
    let number = reader.u32()?;
    let id = StructureId::new(number.into())
        .ok_or_else(|| reader.fault(at, format!("{number} is no structure's id (R1)")))?;
    let tile = tile(reader, state)?;
    if !state.map.is_harbor(tile) {
        return Err(reader.fault(at + 4, format!("structure {id} is at {}, no harbor (R11.2)", state.hex(tile))));
    }
    let owner = match reader.peek() {
        Some(NEUTRAL) => {
            reader.u8()?;
            None
        }
        _ => Some(living(reader, state)?),
    };
    let hp_at = reader.offset();
    let (hp, most) = (reader.u16()?, rules.shipyard().hp.get());
    if hp == 0 || u32::from(hp) > most {
        return Err(reader.fault(hp_at, format!("structure {id} has {hp} hp, 1 to {most} is allowed (R11.5)")));
    }
    let queue_at = reader.offset();
    let (jobs, longest) = (reader.u8()?, rules.shipyard().queue.get());
    if u32::from(jobs) > longest {
        return Err(reader.fault(queue_at, format!("structure {id} has {jobs} builds, {longest} are allowed (R11.2)")));
    }
    let mut queue = ArrayVec::new();
    for _ in 0..jobs {
        let class = class(reader, rules)?;
        let at = reader.offset();
        let (turns_left, turns) = (reader.u8()?, rules.class(class).build_turns);
        if turns_left > turns || queue.try_push(Job { class, turns_left }).is_err() {
            return Err(reader.fault(at, format!("{turns_left} turns are left for a build of {turns} (R11.2)")));
        }
    }
    Ok(Structure { id, owner, tile, hp, queue })
}

/// Reads the contests, by `(q, r)`, each on an empty tile with its contenders around it (R9.1).
pub(super) fn contests(reader: &mut Reader<'_>, rules: &Rules, state: &mut State) -> Result<(), DecodeError> {
    let count = reader.count(CONTEST_BYTES)?;
    let mut contests: Vec<Contest> = Vec::with_capacity(count);
    let mut occupied: Vec<Tile> = state.units.iter().map(|unit| unit.tile).collect();
    occupied.extend(state.structures.iter().map(|structure| structure.tile));
    occupied.sort_unstable();
    let mut named: Vec<(UnitId, usize)> = Vec::new();
    for _ in 0..count {
        let at = reader.offset();
        let contest = contest(reader, rules, state, &mut named)?;
        let hex = state.hex(contest.tile);
        if contests.last().is_some_and(|last| state.hex(last.tile) >= hex) {
            return Err(reader.fault(at, format!("the contest at {hex} is not in order")));
        }
        if occupied.binary_search(&contest.tile).is_ok() {
            return Err(reader.fault(at, format!("the contested tile {hex} is not empty (R9.1)")));
        }
        contests.push(contest);
    }
    named.sort_unstable();
    if let Some(pair) = named.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(reader.fault(pair[1].1, format!("unit {} contends twice (R9.1)", pair[0].0)));
    }
    state.contests = contests;
    Ok(())
}

fn contest(
    reader: &mut Reader<'_>,
    rules: &Rules,
    state: &State,
    named: &mut Vec<(UnitId, usize)>,
) -> Result<Contest, DecodeError> {
    let at = reader.offset();
    let tile = tile(reader, state)?;
    let hex = state.hex(tile);
    if !rules.classes().iter().any(|class| state.map.navigable(tile, class.domain)) {
        return Err(reader.fault(at, format!("the contest at {hex} is where nobody can be (R9.1)")));
    }
    let (since, rounds) = (reader.u32()?, reader.u32()?);
    if since > state.turn {
        return Err(reader.fault(at + 4, format!("the contest at {hex} began in turn {since}, which is to come")));
    }
    let count = reader.count(4)?;
    let mut contenders: SmallVec<[UnitId; 4]> = SmallVec::with_capacity(count);
    for _ in 0..count {
        let at = reader.offset();
        let number = reader.u32()?;
        let unit = UnitId::new(number.into()).and_then(|id| state.unit(id));
        match unit.filter(|unit| state.map.grid().adjacent(unit.tile, tile)).map(|unit| unit.id) {
            Some(id) if contenders.last().is_none_or(|&last| last < id) => {
                contenders.push(id);
                named.push((id, at));
            }
            Some(id) => return Err(reader.fault(at, format!("contender {id} is not in the order of ids"))),
            None => return Err(reader.fault(at, format!("contender {number} is not beside {hex} (R9.1)"))),
        }
    }
    Ok(Contest { tile, since, rounds, contenders })
}

fn tile(reader: &mut Reader<'_>, state: &State) -> Result<Tile, DecodeError> {
    let at = reader.offset();
    let index = reader.u32()? as usize;
    if index >= state.map.grid().len() {
        return Err(reader.fault(at, format!("tile {index} is not on the map (R3.1)")));
    }
    Ok(Tile::from_index(index))
}

/// Reads an owner, who has not been eliminated (R12.1).
fn living(reader: &mut Reader<'_>, state: &State) -> Result<PlayerId, DecodeError> {
    let at = reader.offset();
    let number = reader.u8()?;
    let owner = PlayerId::new(number.into()).filter(|&id| state.player(id).is_some_and(|player| player.alive));
    owner.ok_or_else(|| reader.fault(at, format!("the owner {number} is not a living player (R12.1)")))
}

fn class(reader: &mut Reader<'_>, rules: &Rules) -> Result<ClassId, DecodeError> {
    let at = reader.offset();
    let row = reader.u8()?;
    if usize::from(row) >= rules.classes().len() {
        return Err(reader.fault(at, format!("there is no class {row} (R4)")));
    }
    Ok(ClassId(row))
}

fn fitted(reader: &mut Reader<'_>, rules: &Rules, upgrade: Upgrade) -> Result<u8, DecodeError> {
    let at = reader.offset();
    let (pieces, most) = (reader.u8()?, rules.upgrade(upgrade).max);
    if pieces > most {
        return Err(reader.fault(at, format!("{pieces} pieces of {}, {most} is the most (R4)", upgrade.key())));
    }
    Ok(pieces)
}

fn engagement(reader: &mut Reader<'_>) -> Result<Engagement, DecodeError> {
    let at = reader.offset();
    match reader.u8()? {
        0 => Ok(Engagement::Ask),
        1 => Ok(Engagement::Evade),
        2 => Ok(Engagement::Fight),
        3 => Ok(Engagement::FightIfHealthy),
        other => Err(reader.fault(at, format!("there is no engagement {other} (R7.6)"))),
    }
}

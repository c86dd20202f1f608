// The canonical encoding of a state, both ways (R13.3).
import { ByteReader, ByteWriter } from "./bytes";
import type { Grid, TileIndex } from "./hexes";
import { ENGAGEMENTS } from "./state";
import type { Build, ContestState, PlayerState, StateResult, State, Structure, Unit } from "./state";

const VERSION = 1;
const NEUTRAL = 255;

/** Bytes that are not the encoding of a state, in one sentence. */
export class EncodingFault extends Error {}

/** The map as the first digest has it. */
export function encodeMap(grid: Grid): Uint8Array {
  const out = new ByteWriter();
  out.u32(grid.width);
  out.u32(grid.height);
  out.u8(grid.wrap ? 1 : 0);
  out.bytes(grid.terrain);
  return out.taken();
}

/** The one sequence of bytes that stands for a state. */
export function encode(state: State, grid: Grid): Uint8Array {
  const out = new ByteWriter();
  out.u8(VERSION);
  out.u32(state.turn);
  writeResult(out, state.result);
  out.u32(state.nextUnit);
  out.u32(state.nextStructure);
  out.u32(state.players.size);
  for (const player of state.players.values()) {
    out.u8(player.id);
    out.u8(player.alive ? 1 : 0);
    out.i64(player.gold);
  }
  out.u32(state.units.size);
  for (const unit of state.units.values()) writeUnit(out, unit, grid);
  out.u32(state.structures.size);
  for (const structure of state.structures.values()) writeStructure(out, structure);
  out.u32(state.contests.size);
  for (const contest of contestsInOrder(state, grid)) {
    out.u32(contest.at);
    out.u32(contest.since);
    out.u32(contest.rounds);
    out.u32(contest.contenders.length);
    for (const id of contest.contenders) out.u32(id);
  }
  return out.taken();
}

/** Contests by q and then by r. */
export function contestsInOrder(state: State, grid: Grid): ContestState[] {
  return [...state.contests.values()].sort((a, b) => grid.compare(a.at, b.at));
}

function writeResult(out: ByteWriter, result: StateResult | null): void {
  if (result === null) {
    out.u8(0);
  } else if ("winner" in result) {
    out.u8(1);
    out.u8(result.winner);
  } else {
    out.u8(2);
    out.u32(result.draw.length);
    for (const player of result.draw) out.u8(player);
  }
}

function writeUnit(out: ByteWriter, unit: Unit, grid: Grid): void {
  out.u32(unit.id);
  out.u32(unit.at);
  out.u8(unit.owner);
  out.u8(unit.kind);
  out.u16(unit.hp);
  out.u8(unit.sails);
  out.u8(unit.cannons);
  out.u8(unit.hull);
  out.u8(ENGAGEMENTS.indexOf(unit.engagement));
  out.u8(unit.route.length);
  let from = unit.at;
  for (const to of unit.route) {
    out.u8(grid.direction(from, to));
    from = to;
  }
}

function writeStructure(out: ByteWriter, structure: Structure): void {
  out.u32(structure.id);
  out.u32(structure.at);
  out.u8(structure.owner ?? NEUTRAL);
  out.u16(structure.hp);
  out.u8(structure.queue.length);
  for (const build of structure.queue) {
    out.u8(build.kind);
    out.u8(build.turnsLeft);
  }
}

/** Reads a state back. It need not be sound, but it is the only one with these bytes. */
export function decode(data: Uint8Array, grid: Grid): State {
  const reader = new ByteReader(data, (why) => new EncodingFault(why));
  const version = reader.u8();
  const turn = reader.u32();
  if (version !== VERSION) throw new EncodingFault(`its version is ${version} and not ${VERSION}`);
  const result = readResult(reader);
  const nextUnit = reader.u32();
  const nextStructure = reader.u32();
  const players = named(reader, () => readPlayer(reader));
  const units = named(reader, () => readUnit(reader, grid));
  const structures = named(reader, () => readStructure(reader));
  const contests = new Map<TileIndex, ContestState>();
  let previous: TileIndex | null = null;
  for (let left = reader.count(); left > 0; left--) {
    const contest = readContest(reader);
    if (previous !== null && grid.compare(previous, contest.at) >= 0) throw outOfOrder();
    previous = contest.at;
    contests.set(contest.at, contest);
  }
  if (!reader.isAtEnd()) throw new EncodingFault("something follows after its end");
  const state = { turn, players, units, structures, contests, nextUnit, nextStructure, result };
  // A truth value of 7, or a route told in another direction across a seam, would be a second way to say the same.
  const canonical = encode(state, grid);
  if (!data.every((byte, at) => canonical[at] === byte)) throw outOfOrder();
  return state;
}

function outOfOrder(): EncodingFault {
  return new EncodingFault("it is not in canonical order");
}

/** A list of items by id, which goes up. */
function named<Item extends { readonly id: number }>(reader: ByteReader, read: () => Item): Map<number, Item> {
  const items = new Map<number, Item>();
  let previous = -1;
  for (let left = reader.count(); left > 0; left--) {
    const item = read();
    if (item.id <= previous) throw outOfOrder();
    previous = item.id;
    items.set(item.id, item);
  }
  return items;
}

function readResult(reader: ByteReader): StateResult | null {
  const kind = reader.u8();
  switch (kind) {
    case 0:
      return null;
    case 1:
      return { winner: reader.u8() };
    case 2:
      return { draw: Array.from({ length: reader.count() }, () => reader.u8()) };
    default:
      throw new EncodingFault(`a result of the kind ${kind} is not known`);
  }
}

function readPlayer(reader: ByteReader): PlayerState {
  const id = reader.u8();
  const alive = reader.u8() !== 0;
  const gold = reader.i64();
  if (!Number.isSafeInteger(Number(gold))) throw new EncodingFault(`player ${id} has ${gold} gold`);
  return { id, alive, gold: Number(gold) };
}

function readUnit(reader: ByteReader, grid: Grid): Unit {
  const id = reader.u32();
  const at = reader.u32();
  const owner = reader.u8();
  const kind = reader.u8();
  const hp = reader.u16();
  const sails = reader.u8();
  const cannons = reader.u8();
  const hull = reader.u8();
  const engagement = ENGAGEMENTS[reader.u8()];
  const directions = Array.from({ length: reader.u8() }, () => reader.u8());
  if (engagement === undefined) throw new EncodingFault(`unit ${id} has an engagement that is not known`);
  const route = directions.length === 0 ? [] : grid.has(at) ? grid.walk(at, directions) : null;
  if (route === null) throw new EncodingFault(`unit ${id} has a route off the map`);
  return { id, at, owner, kind, hp, sails, cannons, hull, engagement, route };
}

function readStructure(reader: ByteReader): Structure {
  const id = reader.u32();
  const at = reader.u32();
  const owner = reader.u8();
  const hp = reader.u16();
  const queue: Build[] = Array.from({ length: reader.u8() }, () => ({ kind: reader.u8(), turnsLeft: reader.u8() }));
  return { id, at, owner: owner === NEUTRAL ? null : owner, hp, queue };
}

function readContest(reader: ByteReader): ContestState {
  const at = reader.u32();
  const since = reader.u32();
  const rounds = reader.u32();
  const contenders: number[] = [];
  for (let left = reader.count(); left > 0; left--) {
    const id = reader.u32();
    if (id <= (contenders.at(-1) ?? -1)) throw outOfOrder();
    contenders.push(id);
  }
  return { at, since, rounds, contenders };
}

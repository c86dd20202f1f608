// What every state must be, whoever wrote it down (R1 to R4, R9.1, R11.2).
import { contestsInOrder } from "./encode";
import type { Grid, TileIndex } from "./hexes";
import { brokenStep } from "./legality";
import type { OrderRefusal } from "./legality";
import type { PinnedRules } from "./rules";
import { ID_BOUND, MAX_GOLD, MAX_PATH_STEPS, MAX_PLAYER_ID, PIECES, shipsOf, structureAt, structuresOf } from "./state";
import type { ContestState, State, Structure, Unit } from "./state";

const MAX_TURN = 2 ** 32 - 2;
const FIRST_TURN = 1;

/** Everything that contradicts a rule. */
export function* faults(rules: PinnedRules, grid: Grid, state: State): Generator<OrderRefusal> {
  yield* ofPlayers(state);
  for (const unit of state.units.values()) yield* ofAUnit(rules, grid, state, unit);
  for (const structure of state.structures.values()) yield* ofAStructure(rules, grid, state, structure);
  yield* ofTiles(state);
  for (const contest of contestsInOrder(state, grid)) yield* ofAContest(rules, grid, state, contest);
  yield* ofContenders(state, grid);
  yield* ofSeries(state);
}

function* ofPlayers(state: State): Generator<OrderRefusal> {
  for (const { id, gold } of state.players.values()) {
    const about = `player ${id}`;
    if (id > MAX_PLAYER_ID) yield { about, reason: "there is no such id", rule: "R1" };
    if (gold < 0 || gold > MAX_GOLD) yield { about, reason: `gold is ${gold}`, rule: "R11.6" };
  }
}

function isLiving(state: State, player: number): boolean {
  return state.players.get(player)?.alive ?? false;
}

function* ofAUnit(rules: PinnedRules, grid: Grid, state: State, unit: Unit): Generator<OrderRefusal> {
  const about = `unit ${unit.id}`;
  if (unit.id >= ID_BOUND) yield { about, reason: "the id is too large", rule: "R1" };
  if (!isLiving(state, unit.owner)) yield { about, reason: "its owner is no living player", rule: "R1" };
  if (unit.kind >= rules.classes.length) {
    yield { about, reason: "there is no such class", rule: "R4" };
    return;
  }
  for (const piece of PIECES) {
    if (unit[piece] > rules.upgrades[piece].max) {
      yield { about, reason: `it is fitted with too many ${piece}`, rule: "R4" };
    }
  }
  if (unit.hp < 1 || unit.hp > rules.maxHp(unit)) yield { about, reason: `hp is ${unit.hp}`, rule: "R4" };
  if (!grid.has(unit.at)) {
    yield { about, reason: `${grid.shown(unit.at)} is not on the map`, rule: "R3.1" };
  } else if (!rules.isNavigable(grid, unit.at, unit.kind)) {
    yield { about, reason: `it may not be at ${grid.shown(unit.at)}`, rule: "R3.2" };
  } else if (unit.route.length > MAX_PATH_STEPS) {
    yield { about, reason: "its route is too long", rule: "R5.5" };
  } else {
    const path = unit.route.map((tile) => grid.hex(tile));
    const wrong = brokenStep(rules, grid, unit.at, unit.kind, path);
    if (wrong !== null) yield { about, reason: `on its route, ${wrong}`, rule: "R5.5" };
  }
}

function* ofAStructure(rules: PinnedRules, grid: Grid, state: State, structure: Structure): Generator<OrderRefusal> {
  const { id, owner, hp, queue, at } = structure;
  const about = `structure ${id}`;
  if (id >= ID_BOUND) yield { about, reason: "the id is too large", rule: "R1" };
  if (owner !== null && !isLiving(state, owner)) yield { about, reason: "its owner is no living player", rule: "R1" };
  if (hp < 1 || hp > rules.shipyard.hp) yield { about, reason: `hp is ${hp}`, rule: "R11.2" };
  if (queue.length > rules.shipyard.queue) yield { about, reason: "its queue is too long", rule: "R11.2" };
  for (const build of queue) {
    if (build.turnsLeft > (rules.classes[build.kind]?.build_turns ?? -1)) {
      yield { about, reason: "its queue has a build that cannot be", rule: "R11.2" };
    }
  }
  if (!grid.has(at)) {
    yield { about, reason: `${grid.shown(at)} is not on the map`, rule: "R3.1" };
  } else if (!rules.isHarbor(grid, at)) {
    yield { about, reason: `${grid.shown(at)} is no harbor`, rule: "R3.2" };
  }
}

function* ofTiles(state: State): Generator<OrderRefusal> {
  const first = new Map<TileIndex, Unit>();
  for (const unit of state.units.values()) {
    const other = first.get(unit.at);
    if (other === undefined) first.set(unit.at, unit);
    else if (other.owner !== unit.owner) {
      yield { about: `unit ${unit.id}`, reason: `its enemy ${other.id} is on the same tile`, rule: "R2.1" };
    }
  }
  const taken = new Set<TileIndex>();
  for (const { id, at } of state.structures.values()) {
    if (taken.has(at)) yield { about: `structure ${id}`, reason: "another stands on the same tile", rule: "R3.2" };
    taken.add(at);
  }
}

function* ofAContest(rules: PinnedRules, grid: Grid, state: State, contest: ContestState): Generator<OrderRefusal> {
  const about = `contest at ${grid.shown(contest.at)}`;
  if (!grid.has(contest.at)) {
    yield { about, reason: "it is not on the map", rule: "R3.1" };
    return;
  }
  if (rules.classes.every((_, kind) => !rules.isNavigable(grid, contest.at, kind))) {
    yield { about, reason: "no ship may be there", rule: "R3.2" };
  }
  const occupied = [...state.units.values()].some((unit) => unit.at === contest.at);
  if (occupied || structureAt(state, contest.at) !== null) {
    yield { about, reason: "the tile is not empty", rule: "R9.1" };
  }
  if (contest.since > state.turn) yield { about, reason: "it has not begun yet", rule: "R9.1" };
  for (const id of contest.contenders) {
    const unit = state.units.get(id);
    if (unit === undefined || !grid.has(unit.at) || !grid.adjacent(unit.at, contest.at)) {
      yield { about, reason: `contender ${id} is not beside it`, rule: "R9.1" };
    }
  }
}

function* ofContenders(state: State, grid: Grid): Generator<OrderRefusal> {
  const seen = new Set<number>();
  for (const { contenders } of contestsInOrder(state, grid)) {
    for (const id of contenders) {
      if (seen.has(id)) yield { about: `unit ${id}`, reason: "it is a contender twice", rule: "R9.1" };
      seen.add(id);
    }
  }
}

function* ofSeries(state: State): Generator<OrderRefusal> {
  if (state.turn > MAX_TURN) yield { about: "the state", reason: "its turn has no next one", rule: "R13.3" };
  const series: [string, Iterable<number>, number][] = [
    ["unit", state.units.keys(), state.nextUnit],
    ["structure", state.structures.keys(), state.nextStructure],
  ];
  for (const [kind, ids, next] of series) {
    const highest = [...ids].at(-1) ?? 0;
    if (next <= highest || next > ID_BOUND) {
      yield { about: `${kind} ${next}`, reason: "it cannot be the next id", rule: "R1" };
    }
  }
}

/** What a state is that a match does not begin with: everybody starts with the same, whole and bare (R11.1). */
export function* openingFaults(rules: PinnedRules, state: State): Generator<OrderRefusal> {
  const rule = "R11.1";
  if (state.turn !== FIRST_TURN || state.result !== null || state.contests.size > 0) {
    yield { about: "the match", reason: `it does not begin with turn ${FIRST_TURN} on a free sea`, rule };
  }
  if (state.nextUnit !== state.units.size + 1 || state.nextStructure !== state.structures.size + 1) {
    yield { about: "the match", reason: "its ids do not count from 1", rule: "R1" };
  }
  const { start_gold: gold, start_ships: ships, start_shipyards: shipyards } = rules.economy;
  for (const player of state.players.values()) {
    const same =
      player.alive &&
      player.gold === gold &&
      shipsOf(state, player.id).length === ships &&
      structuresOf(state, player.id).length === shipyards;
    if (!same) yield { about: `player ${player.id}`, reason: "it does not start with what everybody does", rule };
  }
  for (const unit of state.units.values()) {
    const bare = PIECES.every((piece) => unit[piece] === 0);
    const whole = unit.kind === 0 && unit.hp === rules.classAt(0).hull;
    if (!bare || !whole || unit.engagement !== "ASK" || unit.route.length > 0) {
      yield { about: `unit ${unit.id}`, reason: "it is not a new ship of the first class", rule };
    }
  }
  for (const { id, owner, hp, queue } of state.structures.values()) {
    if (owner === null || hp !== rules.shipyard.hp || queue.length > 0) {
      yield { about: `structure ${id}`, reason: "it is not a new shipyard", rule };
    }
  }
}

// Scenarios as `data/SCENARIO.md` describes them, read into the verifier's own terms.
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { firstDigest } from "../digest";
import { contestsInOrder } from "../encode";
import type { Event } from "../events";
import { Grid, MAX_TILES } from "../hexes";
import type { Axial, TileIndex } from "../hexes";
import { brokenStep, judge } from "../legality";
import type { LegalSheet, OrderRefusal } from "../legality";
import type { Deed, EncounterChoice, StructureOrder, UnitOrder } from "../orders";
import { resolve } from "../resolve";
import type { Outcome, Position } from "../resolve";
import { parseRules } from "../rules";
import type { PinnedRules } from "../rules";
import { faults } from "../soundness";
import type { ContestState, Engagement, UpgradeKey, PlayerState, StateResult, State, Structure, Unit } from "../state";
import { isTree, plunderRules } from "./repository";
import type { Tree } from "./repository";

const PLUNDER = plunderRules();
const ACTIONS = ["move", "hold", "repair", "upgrade", "deploy_shipyard", "bombard", "press"] as const;

/** A scenario that a rule refuses. */
export class Refused extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join("; "));
  }
}

interface UnitTree {
  id: number;
  class?: string;
  owner: number;
  q: number;
  r: number;
  hp: number;
  sails?: number;
  cannons?: number;
  hull?: number;
  engagement?: Engagement;
  route?: Axial[];
}

interface StructureTree {
  id: number;
  owner?: number | null;
  q: number;
  r: number;
  hp: number;
  queue?: { class: string; turns_left: number }[];
}

interface OrderTree {
  unit?: number;
  structure?: number;
  move?: Axial[];
  upgrade?: UpgradeKey;
  bombard?: number;
  broadside?: boolean;
  engagement?: Engagement;
  build?: string;
  cancel_build?: number;
}

/** What is said in a turn. */
export interface Inputs {
  orders?: OrderTree[];
  decisions?: { tick: number; unit: number; choice: EncounterChoice }[];
  concede?: number[];
}

/** A turn as JSON. */
export interface ScenarioTree extends Inputs {
  rules?: Tree;
  seed: string;
  turn: number;
  map: { width: number; height: number; wrap?: boolean; tiles: string[] };
  players: { id: number; gold?: number; alive?: boolean }[];
  units: UnitTree[];
  structures?: StructureTree[];
  contests?: { q: number; r: number; since: number; rounds: number; contenders: number[] }[];
}

/** Reads a scenario, or refuses it. */
export function read(tree: ScenarioTree): Position {
  const rules = parseRules(JSON.stringify(merged(PLUNDER, tree.rules ?? {})));
  const grid = readMap(rules, tree.map);
  const state = readState(rules, grid, tree);
  return { rules, grid, seed: hexToBytes(tree.seed), state, digest: firstDigest(rules.text, grid, state) };
}

function merged(base: unknown, change: unknown): unknown {
  if (!isTree(base) || !isTree(change)) return change;
  const changes = Object.entries(change).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changes) };
}

function readMap(rules: PinnedRules, { width, height, wrap = false, tiles }: ScenarioTree["map"]): Grid {
  if (width * height < 1 || width * height > MAX_TILES) throw new Refused(["a map of this size (R3.2)"]);
  if (tiles.length !== height || tiles.some((row) => row.length !== width) || (wrap && width < 2)) {
    throw new Refused(["the map is no such rectangle (R3.1)"]);
  }
  const terrain = [...tiles.join("")].map((symbol) => rules.terrains.findIndex((row) => row.symbol === symbol));
  if (terrain.includes(-1)) throw new Refused(["the map has an unknown terrain (R3.2)"]);
  return new Grid(width, height, wrap, Uint8Array.from(terrain));
}

function readState(rules: PinnedRules, grid: Grid, tree: ScenarioTree): State {
  const kindOf = (key = rules.classes[0]?.key) => {
    const kind = rules.classes.findIndex((row) => row.key === key);
    if (kind === -1) throw new Refused(["there is no such class (R4)"]);
    return kind;
  };
  const tileOf = (hex: Axial): TileIndex => {
    if (!grid.hasHex(hex)) throw new Refused([`${hex.join()} is not on the map (R3.1)`]);
    return grid.tile(hex);
  };
  const players = tree.players.map(({ id, gold = rules.economy.start_gold, alive = true }): PlayerState => {
    return { id, gold, alive };
  });
  const units = tree.units.map((each): Unit => {
    const { id, owner, q, r, hp, sails = 0, cannons = 0, hull = 0, engagement = "ASK", route = [] } = each;
    const kind = kindOf(each.class);
    const at = tileOf([q, r]);
    const broken = brokenStep(rules, grid, at, kind, route);
    if (broken !== null) throw new Refused([`${broken} (R5.5)`]);
    return { id, at, owner, kind, hp, sails, cannons, hull, engagement, route: route.map((hex) => grid.tile(hex)) };
  });
  const structures = (tree.structures ?? []).map(({ id, owner = null, q, r, hp, queue = [] }): Structure => {
    const builds = queue.map((build) => ({ kind: kindOf(build.class), turnsLeft: build.turns_left }));
    return { id, at: tileOf([q, r]), owner, hp, queue: builds };
  });
  const contests = (tree.contests ?? []).map(({ q, r, since, rounds, contenders }): ContestState => {
    return { at: tileOf([q, r]), since, rounds, contenders: contenders.toSorted((a, b) => a - b) };
  });
  const next = (items: { id: number }[]) => 1 + Math.max(0, ...items.map((item) => item.id));
  const state: State = {
    turn: tree.turn,
    players: named("player", players),
    units: named("unit", units),
    structures: named("structure", structures),
    contests: new Map(contests.map((contest) => [contest.at, contest])),
    nextUnit: next(units),
    nextStructure: next(structures),
    result: null,
  };
  if (state.contests.size !== contests.length) throw new Refused(["a tile is contested twice (R9.1)"]);
  const wrong = [...faults(rules, grid, state)];
  if (wrong.length > 0) throw new Refused(wrong.map(shown));
  return state;
}

function shown({ about, reason, rule }: OrderRefusal): string {
  return `${about}: ${reason} (${rule})`;
}

function named<Item extends { id: number }>(kind: string, items: readonly Item[]): Map<number, Item> {
  const sorted = new Map(items.toSorted((a, b) => a.id - b.id).map((item) => [item.id, item]));
  if (sorted.size !== items.length) throw new Refused([`a ${kind} is there twice (R1)`]);
  return sorted;
}

/** Hands each order to the owner of whom it is for. Nobody's orders are refused too. */
function readSheets({ rules, grid, state }: Position, inputs: Inputs): Map<number, LegalSheet> {
  const said = new Map<number, { units: UnitOrder[]; structures: StructureOrder[]; concede: boolean }>();
  const sheetOf = (player: number) => {
    const sheet = said.get(player) ?? { units: [], structures: [], concede: false };
    said.set(player, sheet);
    return sheet;
  };
  const lost: string[] = [];
  for (const each of inputs.orders ?? []) {
    if (each.unit !== undefined) {
      const unit = state.units.get(each.unit);
      if (unit === undefined) lost.push(`there is no unit ${each.unit} (R1)`);
      else sheetOf(unit.owner).units.push(readUnitOrder(each.unit, each));
    } else if (each.structure !== undefined) {
      const owner = state.structures.get(each.structure)?.owner ?? null;
      const { structure, build, cancel_build: cancel = 0 } = each;
      if (owner === null) lost.push(`nobody has structure ${structure} (R1)`);
      else sheetOf(owner).structures.push({ structure, work: build === undefined ? { cancel } : { build } });
    }
  }
  for (const player of inputs.concede ?? []) sheetOf(player).concede = true;
  const sheets = new Map<number, LegalSheet>();
  for (const [player, sheet] of said) {
    const { legal, refusals } = judge(rules, grid, state, player, sheet);
    sheets.set(player, legal);
    lost.push(...refusals.map(shown));
  }
  if (lost.length > 0) throw new Refused(lost);
  return sheets;
}

function readUnitOrder(unit: number, tree: OrderTree): UnitOrder {
  const { move = [], upgrade = "sails", bombard = 0, broadside = false, engagement = null } = tree;
  const kind = ACTIONS.find((action) => action in tree);
  const deeds: Record<string, Deed> = {
    move: { kind: "move", path: move },
    upgrade: { kind: "upgrade", piece: upgrade },
    bombard: { kind: "bombard", target: bombard },
  };
  const plain = kind === undefined ? null : ({ kind } as Deed);
  return { unit, deed: (kind && deeds[kind]) ?? plain, broadside, engagement };
}

/** Plays the turn of a position with what is said in it. */
export function play(position: Position, inputs: Inputs): Outcome {
  const sheets = readSheets(position, inputs);
  const given = new Map((inputs.decisions ?? []).map(({ tick, unit, choice }) => [`${tick} ${unit}`, choice]));
  return resolve(position, sheets, (tick, asked) =>
    asked.map(({ unit, kind, choices }) => {
      const choice = given.get(`${tick} ${unit}`) ?? null;
      if (choice === null || choices.includes(choice)) return choice;
      throw new Refused([`unit ${unit}: a ${kind} encounter is not answered with ${choice} (R7.2)`]);
    }),
  );
}

/** What `parley resolve` prints. */
export interface ResultTree {
  events: readonly Event[];
  state: {
    turn: number;
    players: Tree[];
    units: Tree[];
    structures: Tree[];
    contests: Tree[];
    result: StateResult | null;
  };
  digest: string;
}

/** The result of a scenario. */
export function result(tree: ScenarioTree): ResultTree {
  const position = read(tree);
  const { events, state, digest } = play(position, tree);
  return { events, state: written(position, state), digest: bytesToHex(digest) };
}

function written({ rules, grid }: Position, state: State): ResultTree["state"] {
  const place = (at: TileIndex) => ({ q: grid.hex(at)[0], r: grid.hex(at)[1] });
  const key = (kind: number) => rules.classAt(kind).key;
  return {
    turn: state.turn,
    players: [...state.players.values()].map(({ id, gold, alive }) => ({ id, gold, alive })),
    units: [...state.units.values()].map(({ at, kind, route, ...unit }) => {
      return { ...unit, class: key(kind), ...place(at), route: route.map((tile) => grid.hex(tile)) };
    }),
    structures: [...state.structures.values()].map(({ at, queue, ...structure }) => {
      const builds = queue.map((build) => ({ class: key(build.kind), turns_left: build.turnsLeft }));
      return { ...structure, ...place(at), queue: builds };
    }),
    contests: contestsInOrder(state, grid).map(({ at, ...contest }) => ({ ...place(at), ...contest })),
    result: state.result,
  };
}

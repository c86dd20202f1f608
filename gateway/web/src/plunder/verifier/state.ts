// What stands between two turns, and nothing else: exactly what the canonical encoding holds (R13.3).
import type { TileIndex } from "./hexes";

export const ID_BOUND = 2 ** 28;
export const MAX_PLAYER_ID = 249;
export const MAX_GOLD = 10 ** 12;
export const MAX_PATH_STEPS = 64;

/** How a ship answers encounters (R7.6), in the order in which the encoding numbers them. */
export const ENGAGEMENTS = ["ASK", "EVADE", "FIGHT", "FIGHT_IF_HEALTHY"] as const;
export type Engagement = (typeof ENGAGEMENTS)[number];

/** What a ship can be fitted with (R4). */
export const PIECES = ["sails", "cannons", "hull"] as const;
export type UpgradeKey = (typeof PIECES)[number];

/** A player, living or not. */
export interface PlayerState {
  readonly id: number;
  alive: boolean;
  gold: number;
}

/** A ship (R1, R4). */
export interface Unit {
  readonly id: number;
  at: TileIndex;
  readonly owner: number;
  /** The row of its class in the rules. */
  readonly kind: number;
  hp: number;
  sails: number;
  cannons: number;
  hull: number;
  engagement: Engagement;
  route: TileIndex[];
}

/** A place in a queue (R11.2). */
export interface Build {
  readonly kind: number;
  turnsLeft: number;
}

/** A shipyard; without an owner it is neutral (R12.1). */
export interface Structure {
  readonly id: number;
  readonly at: TileIndex;
  owner: number | null;
  hp: number;
  queue: Build[];
}

/** A contested tile (R9.1). */
export interface ContestState {
  readonly at: TileIndex;
  readonly since: number;
  rounds: number;
  /** The ships that contend for it, by id. */
  contenders: number[];
}

/** One player has won, or nobody is ahead of several (R12.2). */
export type StateResult = { readonly winner: number } | { readonly draw: readonly number[] };

/**
 * Everything that a turn begins with and leaves behind. Players, units and structures are in the order of their ids,
 * which stays so because new ids are always the highest (R1).
 */
export interface State {
  /** The turn that is planned next. */
  turn: number;
  readonly players: Map<number, PlayerState>;
  readonly units: Map<number, Unit>;
  readonly structures: Map<number, Structure>;
  /** The contested tiles, in no order. */
  readonly contests: Map<TileIndex, ContestState>;
  nextUnit: number;
  nextStructure: number;
  result: StateResult | null;
}

/** A new ship, whole and bare (R11.4). */
export function newShip(id: number, at: TileIndex, owner: number, kind: number, hp: number): Unit {
  return { id, at, owner, kind, hp, sails: 0, cannons: 0, hull: 0, engagement: "ASK", route: [] };
}

/** A state that can be changed without changing this one. */
export function copyOf(state: State): State {
  return structuredClone(state);
}

/** The players who are not eliminated, by id. */
export function living(state: State): PlayerState[] {
  return [...state.players.values()].filter((player) => player.alive);
}

/** A player's ships, by id. */
export function shipsOf(state: State, player: number): Unit[] {
  return [...state.units.values()].filter((unit) => unit.owner === player);
}

/** A player's structures, by id. */
export function structuresOf(state: State, player: number): Structure[] {
  return [...state.structures.values()].filter((structure) => structure.owner === player);
}

/** What stands on a tile. */
export function structureAt(state: State, at: TileIndex): Structure | null {
  for (const structure of state.structures.values()) if (structure.at === at) return structure;
  return null;
}

/** Ships, queued ones included (R11.2). */
export function fleetSize(state: State, player: number): number {
  const queued = structuresOf(state, player).reduce((sum, structure) => sum + structure.queue.length, 0);
  return shipsOf(state, player).length + queued;
}

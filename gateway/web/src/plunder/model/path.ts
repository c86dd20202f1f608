// Ways over the sea, as far as it is known. They are the ones that the service would find.
import { UNKNOWN } from "./board";
import { adjacent, neighbours } from "./hex";
import type { Board, Leg, Ship, Tile } from "./model";
import { classOf } from "./rules";
import type { Rules } from "./rules";

/** The most steps of a path (R5.5). */
export const MAX_PATH = 64;

/** How a tile is reached. */
export interface Step {
  readonly steps: number;
  readonly before: Tile;
}

/** Everywhere that a ship can get to, the nearest first. */
export interface Ways {
  readonly from: Tile;
  readonly speed: number;
  readonly steps: ReadonlyMap<Tile, Step>;
}

/**
 * Whether a player's ships of a class may enter a tile, as far as the board shows: known, no land, no contest, no
 * structure of others (R3.3, R6.2). Ships are not in the way, because nobody knows where they will be.
 */
export function openTo(board: Board, owner: number, kind: string, rules: Rules): (tile: Tile) => boolean {
  const domain = classOf(rules, kind)?.domain ?? "naval";
  const admits = board.chart.keys.map(
    (key) => rules.terrains.find((row) => row.key === key)?.domains.includes(domain) ?? false,
  );
  const closed = new Set<Tile>(board.contests.keys());
  for (const yard of board.yards.values()) if (yard.owner !== owner) closed.add(yard.tile);
  return (tile) => {
    const row = board.chart.terrain[tile] ?? UNKNOWN;
    return row !== UNKNOWN && admits[row] === true && !closed.has(tile);
  };
}

/**
 * A search in breadth. Neighbours are looked at in direction order and a tile belongs to the first that finds it, so
 * that of all shortest ways the one is found whose directions come first (R3.1).
 */
export function search(board: Board, from: Tile, most: number, open: (tile: Tile) => boolean): Map<Tile, Step> {
  const found = new Map<Tile, Step>();
  let edge: Tile[] = [from];
  for (let steps = 1; steps <= most && edge.length > 0; steps++) {
    const next: Tile[] = [];
    for (const before of edge) {
      for (const tile of neighbours(board.chart, before)) {
        if (tile === from || found.has(tile) || !open(tile)) continue;
        found.set(tile, { steps, before });
        next.push(tile);
      }
    }
    edge = next;
  }
  return found;
}

/** Everywhere that a ship can get to in this turn and in later ones. */
export function waysOf(board: Board, ship: Ship, rules: Rules): Ways {
  const most = ship.speed > 0 ? MAX_PATH : 0;
  const steps = search(board, ship.tile, most, openTo(board, ship.owner, ship.kind, rules));
  return { from: ship.tile, speed: ship.speed, steps };
}

/** The shortest way to a tile; null where none leads there, and empty at its beginning. */
export function pathTo(ways: Pick<Ways, "from" | "steps">, tile: Tile): Tile[] | null {
  const path: Tile[] = [];
  for (let at = tile; at !== ways.from;) {
    const step = ways.steps.get(at);
    if (step === undefined) return null;
    path.push(at);
    at = step.before;
  }
  return path.reverse();
}

/** The tiles in reach with the turn in which each is reached: 0 is the one being planned. */
export function reachOf(ways: Ways, turns = Infinity): Map<Tile, number> {
  const reach = new Map<Tile, number>();
  for (const [tile, { steps }] of ways.steps) {
    const turn = Math.floor((steps - 1) / ways.speed);
    if (turn < turns) reach.set(tile, turn);
  }
  return reach;
}

/** A path with the moments in which its tiles are reached, if nothing delays the ship. */
export function legsOf(ship: Pick<Ship, "speed">, path: readonly Tile[]): Leg[] {
  const speed = Math.max(1, ship.speed);
  return path.map((tile, place) => ({ tile, turn: Math.floor(place / speed), tick: (place % speed) + 1 }));
}

/**
 * A path that is dragged on to a tile: a neighbour is appended, a tile that it already leads over shortens it, and a
 * jump is bridged by the shortest way. Where nothing leads on, the path stays as it is.
 */
export function extend(board: Board, ship: Ship, path: readonly Tile[], tile: Tile, rules: Rules): readonly Tile[] {
  if (ship.speed === 0) return path;
  if (tile === ship.tile) return [];
  const place = path.indexOf(tile);
  if (place >= 0) return path.slice(0, place + 1);
  const end = path.at(-1) ?? ship.tile;
  const open = openTo(board, ship.owner, ship.kind, rules);
  if (!open(tile)) return path;
  if (adjacent(board.chart, end, tile)) return path.length < MAX_PATH ? [...path, tile] : path;
  const bridge = pathTo({ from: end, steps: search(board, end, MAX_PATH, open) }, tile);
  if (bridge === null) return path;
  let longer = path;
  for (const step of bridge) {
    const back = longer.indexOf(step);
    if (step === ship.tile) longer = [];
    else longer = back >= 0 ? longer.slice(0, back + 1) : [...longer, step];
  }
  return longer.length <= MAX_PATH ? longer : path;
}

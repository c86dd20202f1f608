// Where ships are drawn on their tiles: one in the middle, several fanned out so that each can be seen.
import type { Board, Ship, Tile } from "../model/model";
import { centre, type Point } from "./geometry";

/** The place of a ship on the drawing. */
export interface Berth extends Point {
  readonly scale: number;
  /** More ships are on the tile than can be shown: this one lies under the others. */
  readonly under: boolean;
}

/** A tile with more than one ship. */
export interface Stack {
  readonly tile: Tile;
  readonly count: number;
}

/** Places by number of ships, the first ones in front. */
const FANS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[0, 0]],
  [
    [-11, 4],
    [11, -3],
  ],
  [
    [0, 9],
    [-13, -6],
    [13, -6],
  ],
  [
    [-11, 10],
    [12, 9],
    [-12, -10],
    [11, -11],
  ],
  [
    [0, 2],
    [-14, 12],
    [14, 12],
    [-14, -11],
    [14, -11],
  ],
];
const SCALES: readonly number[] = [1, 1, 0.8, 0.68, 0.6, 0.54];
const MOST = FANS.length - 1;

/** Ships on the tile of a shipyard lie in a row in front of it, which is drawn a little higher. */
const QUAYS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[0, 12]],
  [
    [-13, 14],
    [13, 14],
  ],
  [
    [0, 18],
    [-20, 11],
    [20, 11],
  ],
  [
    [-10, 20],
    [11, 19],
    [-24, 9],
    [24, 9],
  ],
  [
    [0, 20],
    [-17, 17],
    [17, 17],
    [-27, 5],
    [27, 5],
  ],
];
const QUAY_SCALES: readonly number[] = [1, 0.78, 0.66, 0.6, 0.54, 0.5];
/** How much higher a shipyard is drawn that ships lie in front of. */
export const LIFT = 11;

/** The places of all ships of a board. The selected one is in front, then own ones, then by id. */
export function berths(board: Board, selected: number | null): ReadonlyMap<number, Berth> {
  const yards = new Set([...board.yards.values()].map((yard) => yard.tile));
  const places = new Map<number, Berth>();
  for (const [tile, ships] of byTile(board)) {
    const middle = centre(board.chart, tile);
    const [fans, scales] = yards.has(tile) ? [QUAYS, QUAY_SCALES] : [FANS, SCALES];
    const shown = Math.min(ships.length, MOST);
    inFront(ships, selected, board.seat).forEach((ship, index) => {
      const [dx, dy] = fans[shown]?.[Math.min(index, shown - 1)] ?? [0, 0];
      places.set(ship.id, {
        x: middle.x + dx,
        y: middle.y + dy,
        scale: scales[shown] ?? 1,
        under: index >= shown,
      });
    });
  }
  return places;
}

/** The tiles with more than one ship. */
export function stacks(board: Board): Stack[] {
  return [...byTile(board)].filter(([, ships]) => ships.length > 1).map(([tile, { length }]) => ({ tile, count: length }));
}

/** The ships of one tile: the selected one first if it is there, then own before others, by id. */
export function stackedShips(board: Board, tile: Tile, selected: number | null): Ship[] {
  return inFront([...board.ships.values()].filter((ship) => ship.tile === tile), selected, board.seat);
}

function inFront(ships: readonly Ship[], selected: number | null, seat: number | null): Ship[] {
  const rank = (ship: Ship) => (ship.id === selected ? 0 : ship.owner === seat ? 1 : 2);
  return [...ships].sort((a, b) => rank(a) - rank(b) || a.id - b.id);
}

function byTile(board: Board): Map<Tile, Ship[]> {
  const tiles = new Map<Tile, Ship[]>();
  for (const ship of board.ships.values()) {
    const there = tiles.get(ship.tile);
    if (there) there.push(ship);
    else tiles.set(ship.tile, [ship]);
  }
  return tiles;
}

// Where tiles are on the drawing. Hexes have their point at the top, and odd rows lie half a tile further east (R3.1).
// With 26 units from the middle to a side and 30 to a point all corners are whole numbers.
import type { MapShape } from "../model/hex";
import type { Tile } from "../model/model";

/** From the middle of a hex to its east side. */
export const HALF = 26;
/** From the middle of a hex to its north point. */
export const POINT = 30;
/** The distance from one row to the next. */
export const ROW = 45;
/** The width of the empty paper around the map. */
export const MARGIN = 40;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The directions in the order of the rules: E, NE, NW, W, SW, SE. */
export type Direction = 0 | 1 | 2 | 3 | 4 | 5;
export const DIRECTION_NUMBERS: readonly Direction[] = [0, 1, 2, 3, 4, 5];

/** From the middle of a hex to its corners, clockwise from the north; side `d` is between two of them (`SIDES`). */
export const CORNERS: readonly Point[] = [
  { x: 0, y: -POINT },
  { x: HALF, y: -POINT / 2 },
  { x: HALF, y: POINT / 2 },
  { x: 0, y: POINT },
  { x: -HALF, y: POINT / 2 },
  { x: -HALF, y: -POINT / 2 },
];

/** The two corners of the side towards each direction, in clockwise order. */
export const SIDES: readonly (readonly [number, number])[] = [
  [1, 2],
  [0, 1],
  [5, 0],
  [4, 5],
  [3, 4],
  [2, 3],
];

/** The size of the whole drawing. */
export function sizeOf(grid: MapShape): { readonly width: number; readonly height: number } {
  return {
    width: grid.width * 2 * HALF + HALF + 2 * MARGIN,
    height: grid.height * ROW + POINT / 2 + 2 * MARGIN,
  };
}

/** The middle of a tile. */
export function centre(grid: MapShape, tile: Tile): Point {
  const row = Math.floor(tile / grid.width);
  const column = tile - row * grid.width;
  return { x: MARGIN + HALF + 2 * HALF * column + HALF * (row & 1), y: MARGIN + POINT + ROW * row };
}

/** The tile at a point of the drawing; null beside the map. */
export function tileUnder(grid: MapShape, x: number, y: number): Tile | null {
  let row = Math.floor((y - MARGIN) / ROW);
  let column = columnAt(x, row);
  // The top of a row is a zigzag: what is above it belongs to the row before.
  const within = y - MARGIN - row * ROW;
  const aside = Math.abs(x - (MARGIN + HALF + 2 * HALF * column + HALF * (row & 1)));
  if (within * HALF < (POINT / 2) * aside) {
    row -= 1;
    column = columnAt(x, row);
  }
  if (row < 0 || row >= grid.height || column < 0 || column >= grid.width) return null;
  return row * grid.width + column;
}

function columnAt(x: number, row: number): number {
  return Math.floor((x - MARGIN - HALF * (row & 1)) / (2 * HALF));
}

/** The tile beside another; null over the end of the map, or over the seam where `across` is false. */
export function beside(grid: MapShape, tile: Tile, direction: Direction, across = grid.wrap): Tile | null {
  const row = Math.floor(tile / grid.width);
  let column = tile - row * grid.width;
  const odd = row & 1;
  let to = row;
  if (direction === 0) column += 1;
  else if (direction === 3) column -= 1;
  else {
    to += direction === 1 || direction === 2 ? -1 : 1;
    if (direction === 1 || direction === 5) column += odd;
    else column += odd - 1;
  }
  if (to < 0 || to >= grid.height) return null;
  if (column < 0 || column >= grid.width) {
    if (!across) return null;
    column = (column + grid.width) % grid.width;
  }
  return to * grid.width + column;
}

/**
 * The way from a tile to one beside it as it is drawn: across the seam it goes out at one end and comes in at the other,
 * so `out` is where the target would be if the map went on, and `back` where the start would be on the other end.
 */
export function reachOver(grid: MapShape, from: Tile, to: Tile): { readonly out: Point; readonly back: Point } | null {
  if (!grid.wrap) return null;
  const a = centre(grid, from);
  const b = centre(grid, to);
  if (Math.abs(a.x - b.x) <= grid.width * HALF) return null;
  const lap = grid.width * 2 * HALF * (b.x > a.x ? 1 : -1);
  return { out: { x: b.x - lap, y: b.y }, back: { x: a.x + lap, y: a.y } };
}

/** Where a ship is on its way from one tile to the next; `share` is 0 at the start and 1 at the end. */
export function along(grid: MapShape, from: Tile, to: Tile, share: number): Point {
  const a = centre(grid, from);
  const b = centre(grid, to);
  const over = reachOver(grid, from, to);
  const start = over && share >= 0.5 ? over.back : a;
  const end = over && share < 0.5 ? over.out : b;
  return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
}

/** A hex around a point as the data of a path; `inset` units smaller on all sides. */
export function hexPath(at: Point, inset = 0): string {
  const k = 1 - inset / HALF;
  const corners = CORNERS.map((corner) => `${rounded(at.x + corner.x * k)} ${rounded(at.y + corner.y * k)}`);
  return `M${corners.join("L")}Z`;
}

/** Rounds to one decimal, so that the data of paths stays short. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

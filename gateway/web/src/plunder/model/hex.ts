// Tiles and hexes (R3.1): odd rows lie half a tile further east.
import type { Chart, Tile } from "./model";

/** Axial coordinates. */
export interface Hex {
  readonly q: number;
  readonly r: number;
}

/** What geometry needs to know of a map. */
export type MapShape = Pick<Chart, "width" | "height" | "wrap">;

/** The six directions, in the order that breaks ties. */
export const DIRECTIONS = ["east", "north-east", "north-west", "west", "south-west", "south-east"] as const;

/** Columns and rows that a direction adds in even and in odd rows. */
const STEPS: readonly (readonly (readonly [number, number])[])[] = [
  [
    [1, 0],
    [0, -1],
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [0, 1],
  ],
  [
    [1, 0],
    [1, -1],
    [0, -1],
    [-1, 0],
    [0, 1],
    [1, 1],
  ],
];

/** Column and row of a tile. */
function offsetOf(grid: MapShape, tile: Tile): { readonly column: number; readonly row: number } {
  return { column: tile % grid.width, row: Math.floor(tile / grid.width) };
}

/** The hex of a tile. */
export function hexOf(grid: MapShape, tile: Tile): Hex {
  const { column, row } = offsetOf(grid, tile);
  return { q: column - (row >> 1), r: row };
}

/** The tile at a hex whose column is in 0..width; null beyond the map. */
export function tileOf(grid: MapShape, hex: Hex): Tile | null {
  const column = hex.q + (hex.r >> 1);
  const onMap = hex.r >= 0 && hex.r < grid.height && column >= 0 && column < grid.width;
  return onMap ? hex.r * grid.width + column : null;
}

/** The tile in a direction, 0 to 5; null where the map ends. */
export function neighbour(grid: MapShape, tile: Tile, direction: number): Tile | null {
  const { column, row } = offsetOf(grid, tile);
  const step = STEPS[row & 1]?.[direction];
  if (step === undefined) return null;
  const nextRow = row + step[1];
  let nextColumn = column + step[0];
  if (nextRow < 0 || nextRow >= grid.height) return null;
  if (grid.wrap) nextColumn = (nextColumn + grid.width) % grid.width;
  if (nextColumn < 0 || nextColumn >= grid.width) return null;
  return nextRow * grid.width + nextColumn;
}

/** The neighbours that are on the map, in direction order. */
export function neighbours(grid: MapShape, tile: Tile): Tile[] {
  const found: Tile[] = [];
  for (let direction = 0; direction < 6; direction++) {
    const next = neighbour(grid, tile, direction);
    if (next !== null) found.push(next);
  }
  return found;
}

/** Whether two tiles touch. */
export function adjacent(grid: MapShape, a: Tile, b: Tile): boolean {
  return neighbours(grid, a).includes(b);
}

/** Steps between two tiles over any terrain, the short way round where the map wraps. */
export function distance(grid: MapShape, a: Tile, b: Tile): number {
  const [from, to] = [hexOf(grid, a), hexOf(grid, b)];
  const plain = (shift: number): number => {
    const [dq, dr] = [from.q - to.q + shift, from.r - to.r];
    return (Math.abs(dq) + Math.abs(dr) + Math.abs(dq + dr)) / 2;
  };
  return grid.wrap ? Math.min(plain(0), plain(grid.width), plain(-grid.width)) : plain(0);
}

/** A hex as sentences name it, the service's own too: "(3, -1)". */
export function hexName(hex: Hex): string {
  return `(${hex.q}, ${hex.r})`;
}

/** A tile as sentences name it. */
export function tileName(grid: MapShape, tile: Tile): string {
  return hexName(hexOf(grid, tile));
}

// Outlines of sets of tiles: the coast, the shallows, the fog. One outline goes around as many tiles as hang together,
// and its corners are rounded and moved a little, so that islands look grown and not cut out.
import type { MapShape } from "../model/hex";
import type { Tile } from "../model/model";
import { beside, centre, CORNERS, type Direction, DIRECTION_NUMBERS, rounded, SIDES } from "./geometry";

/** A corner of an outline. One that touches the end of the map or something unknown stays where it is, and sharp. */
interface Corner {
  readonly x: number;
  readonly y: number;
  readonly soft: boolean;
}

/** A closed outline, clockwise around its tiles; `shore[i]` says whether the side from corner i on is a true border. */
export interface Loop {
  readonly corners: readonly Corner[];
  readonly shore: readonly boolean[];
}

/** How far a soft corner may be moved. */
const SWAY = 4;

/** The directions of the two other tiles at each corner. */
const AROUND: readonly (readonly [Direction, Direction])[] = [
  [2, 1],
  [1, 0],
  [0, 5],
  [5, 4],
  [4, 3],
  [3, 2],
];

/** The outlines of all tiles that are `inside`. Where a tile is not `known`, nobody knows whether it is a border. */
export function outlines(grid: MapShape, inside: (tile: Tile) => boolean, known: (tile: Tile) => boolean): Loop[] {
  const sides = new Map<number, { readonly corner: Corner; readonly shore: boolean; readonly next: number }>();
  for (let tile = 0; tile < grid.width * grid.height; tile += 1) {
    if (!inside(tile)) continue;
    for (const direction of DIRECTION_NUMBERS) {
      const other = beside(grid, tile, direction, false);
      if (other !== null && inside(other)) continue;
      const [from, to] = SIDES[direction] ?? [0, 0];
      const shore = other !== null && known(other);
      sides.set(key(grid, tile, from), { corner: cornerOf(grid, tile, from, known), shore, next: key(grid, tile, to) });
    }
  }
  const loops: Loop[] = [];
  for (const first of sides.keys()) {
    const corners: Corner[] = [];
    const shore: boolean[] = [];
    // Three tiles meet at a corner, so at most one side of an outline begins there.
    for (let at = first, side = sides.get(at); side; side = sides.get(at)) {
      sides.delete(at);
      corners.push(side.corner);
      shore.push(side.shore);
      at = side.next;
    }
    if (corners.length > 0) loops.push({ corners, shore });
  }
  return loops;
}

function key(grid: MapShape, tile: Tile, corner: number): number {
  const { x, y } = at(grid, tile, corner);
  return y * 0x10000 + x;
}

function at(grid: MapShape, tile: Tile, corner: number): { readonly x: number; readonly y: number } {
  const middle = centre(grid, tile);
  const { x, y } = CORNERS[corner] ?? { x: 0, y: 0 };
  return { x: middle.x + x, y: middle.y + y };
}

function cornerOf(grid: MapShape, tile: Tile, corner: number, known: (tile: Tile) => boolean): Corner {
  const { x, y } = at(grid, tile, corner);
  const soft = (AROUND[corner] ?? []).every((direction) => {
    const other = beside(grid, tile, direction, false);
    return other !== null && known(other);
  });
  if (!soft || !known(tile)) return { x, y, soft: false };
  const chance = scatter(x * 31 + y * 17);
  return { x: x + (chance - 0.5) * 2 * SWAY, y: y + (scatter(x * 13 + y * 37) - 0.5) * 2 * SWAY, soft: true };
}

/** A number from 0 to 1 that looks like chance and is always the same. */
export function scatter(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x100000000;
}

/** The data of a path along outlines, corner by corner. */
export function sharpPath(loops: readonly Loop[]): string {
  return loops.map(({ corners }) => `M${corners.map(({ x, y }) => `${rounded(x)} ${rounded(y)}`).join("L")}Z`).join("");
}

/** The data of a path along outlines with its soft corners rounded. */
export function softPath(loops: readonly Loop[]): string {
  return loops.map((loop) => `M${middle(loop, 0)}${bends(loop, 1, loop.corners.length)}Z`).join("");
}

/** The data of a path along the true borders only: closed where all of an outline is one, open lines elsewhere. */
export function shorePath(loops: readonly Loop[]): string {
  return loops.map(shoreOf).join("");
}

function shoreOf(loop: Loop): string {
  const { corners, shore } = loop;
  const count = corners.length;
  const gap = shore.indexOf(false);
  if (gap < 0) return softPath([loop]);
  let data = "";
  // Begins after a gap, so that no stretch of coast is cut in two.
  for (let i = gap + 1; i <= gap + count; i += 1) {
    if (!shore[i % count]) continue;
    let end = i;
    while (shore[(end + 1) % count]) end += 1;
    data += `M${spot(corners[i % count])}L${middle(loop, i)}${bends(loop, i + 1, end)}L${spot(corners[(end + 1) % count])}`;
    i = end;
  }
  return data;
}

/** Goes around the corners `from` to `to`, each up to the middle of the side that follows it. */
function bends(loop: Loop, from: number, to: number): string {
  let data = "";
  for (let i = from; i <= to; i += 1) {
    const corner = loop.corners[i % loop.corners.length];
    data += `${corner?.soft ? "Q" : "L"}${spot(corner)}${corner?.soft ? " " : "L"}${middle(loop, i)}`;
  }
  return data;
}

/** The middle of the side that begins at a corner. */
function middle({ corners }: Loop, index: number): string {
  const a = corners[index % corners.length] ?? { x: 0, y: 0 };
  const b = corners[(index + 1) % corners.length] ?? a;
  return `${rounded((a.x + b.x) / 2)} ${rounded((a.y + b.y) / 2)}`;
}

function spot(corner: { readonly x: number; readonly y: number } | undefined): string {
  return corner ? `${rounded(corner.x)} ${rounded(corner.y)}` : "";
}

// The line of a course, where its turns end, and where it points to.
import type { MapShape } from "../model/hex";
import type { Leg, Tile } from "../model/model";
import { along, centre, type Point, reachOver, rounded } from "./geometry";

/** A course as it is drawn. */
export interface CourseLine {
  readonly data: string;
  /** The end of each turn, counted from 1. */
  readonly turns: readonly (Point & { readonly turn: number; readonly tile: Tile })[];
  /** The tip of the line and the angle of its last step in degrees; null where there is no step. */
  readonly tip: (Point & { readonly angle: number }) | null;
}

export function courseLine(grid: MapShape, from: Tile, legs: readonly Leg[]): CourseLine {
  const tiles = [from, ...legs.map((leg) => leg.tile)];
  const turns = legs
    .filter((leg, index) => legs[index + 1]?.turn !== leg.turn)
    .map((leg) => ({ ...centre(grid, leg.tile), turn: leg.turn + 1, tile: leg.tile }));
  return { data: stretches(grid, tiles).map(smooth).join(""), turns, tip: tipOf(grid, tiles) };
}

/** The points of a course, cut where it goes over the seam: there a half step leads out and another one in. */
function stretches(grid: MapShape, tiles: readonly Tile[]): Point[][] {
  const lines: Point[][] = [];
  let line: Point[] = [];
  tiles.forEach((tile, index) => {
    const before = tiles[index - 1];
    if (before !== undefined && reachOver(grid, before, tile)) {
      lines.push([...line, along(grid, before, tile, 0.499)]);
      line = [along(grid, before, tile, 0.5)];
    }
    line.push(centre(grid, tile));
  });
  lines.push(line);
  return lines.filter(({ length }) => length > 1);
}

/** A line through points that is bent at each and not broken. */
function smooth(points: readonly Point[]): string {
  let data = "";
  points.forEach((point, index) => {
    const next = points[index + 1];
    if (index === 0) data += `M${spot(point)}`;
    else if (!next) data += `L${spot(point)}`;
    else data += `Q${spot(point)} ${spot(middle(point, next))}`;
    if (index === 0 && next) data += `L${spot(middle(point, next))}`;
  });
  return data;
}

function tipOf(grid: MapShape, tiles: readonly Tile[]): CourseLine["tip"] {
  const last = tiles.at(-1);
  const before = tiles.at(-2);
  if (last === undefined || before === undefined) return null;
  const end = centre(grid, last);
  const start = reachOver(grid, before, last)?.back ?? centre(grid, before);
  return { ...end, angle: rounded((Math.atan2(end.y - start.y, end.x - start.x) * 180) / Math.PI) };
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function spot({ x, y }: Point): string {
  return `${rounded(x)} ${rounded(y)}`;
}

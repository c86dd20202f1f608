// Tiles and the map they form (R3).

/** Axial coordinates (R3.1). */
export type Axial = readonly [q: number, r: number];

/** Row times width plus column, as the encoding has it (R13.3). Off the map where it is told by others. */
export type TileIndex = number;

/** E, NE, NW, W, SW, SE: the order that breaks ties (R3.1). */
const DIRECTIONS: readonly Axial[] = [
  [1, 0],
  [1, -1],
  [0, -1],
  [-1, 0],
  [-1, 1],
  [0, 1],
];

export const MAX_TILES = 1_048_576;

/** A step off the map. */
const NOWHERE = -1;

/** The column of a hex in its row. */
function column(q: number, r: number): number {
  return q + (r - (r & 1)) / 2;
}

/** A rectangle of tiles in odd-r rows, with the terrain of each (R3.1, R3.2). */
export class Grid {
  private readonly known = new Map<TileIndex, readonly TileIndex[]>();

  constructor(
    readonly width: number,
    readonly height: number,
    readonly wrap: boolean,
    /** The row of each tile in the rules' table of terrains, row by row. */
    readonly terrain: Uint8Array,
  ) {}

  /** Whether a hex is on the map, with its column in 0..width even where the map wraps. */
  hasHex([q, r]: Axial): boolean {
    const c = column(q, r);
    return r >= 0 && r < this.height && c >= 0 && c < this.width;
  }

  /** Whether there is a tile with this number. */
  has(tile: TileIndex): boolean {
    return tile >= 0 && tile < this.width * this.height;
  }

  /** The number of the tile of a hex that is on the map. */
  tile([q, r]: Axial): TileIndex {
    return r * this.width + column(q, r);
  }

  /** The hex of a tile. */
  hex(tile: TileIndex): Axial {
    const r = Math.floor(tile / this.width);
    return [(tile % this.width) - (r - (r & 1)) / 2, r];
  }

  /** A tile as sentences have it. */
  shown(tile: TileIndex): string {
    return shownHex(this.hex(tile));
  }

  /** Orders tiles by q and then by r, as everywhere in the rules. */
  compare(a: TileIndex, b: TileIndex): number {
    const [aq, ar] = this.hex(a);
    const [bq, br] = this.hex(b);
    return aq - bq || ar - br;
  }

  /** The neighbours in the order of directions; a negative number where the map ends. */
  private around(at: TileIndex): readonly TileIndex[] {
    let found = this.known.get(at);
    if (found === undefined) {
      found = DIRECTIONS.map((_, direction) => this.step(at, direction).to);
      this.known.set(at, found);
    }
    return found;
  }

  /** The neighbours that are on the map, in the order of directions. */
  neighbours(at: TileIndex): TileIndex[] {
    return this.around(at).filter((tile) => tile !== NOWHERE);
  }

  /** Whether one step leads from a to b. */
  adjacent(a: TileIndex, b: TileIndex): boolean {
    return b !== NOWHERE && this.around(a).includes(b);
  }

  /** Where a step leads, and whether it crosses the seam of a map that wraps. */
  private step(at: TileIndex, direction: number): { to: TileIndex; crosses: boolean } {
    const [q, r] = this.hex(at);
    const [dq, dr] = DIRECTIONS[direction] ?? [0, 0];
    const row = r + dr;
    if (row < 0 || row >= this.height) return { to: NOWHERE, crosses: false };
    const c = column(q + dq, row);
    if (c >= 0 && c < this.width) return { to: row * this.width + c, crosses: false };
    if (!this.wrap) return { to: NOWHERE, crosses: false };
    return { to: row * this.width + ((c + this.width) % this.width), crosses: true };
  }

  /** The direction of a step: one that does not cross the seam if there is one, else the first (R3.1). */
  direction(start: TileIndex, end: TileIndex): number {
    let overTheSeam: number | null = null;
    for (let direction = 0; direction < DIRECTIONS.length; direction++) {
      const { to, crosses } = this.step(start, direction);
      if (to !== end) continue;
      if (!crosses) return direction;
      overTheSeam ??= direction;
    }
    if (overTheSeam === null) throw new Error(`no step leads from ${this.shown(start)} to ${this.shown(end)}`);
    return overTheSeam;
  }

  /** The tiles that directions lead to; null if they lead off the map. */
  walk(start: TileIndex, directions: Iterable<number>): TileIndex[] | null {
    const path: TileIndex[] = [];
    let at = start;
    for (const direction of directions) {
      at = this.around(at)[direction] ?? NOWHERE;
      if (at === NOWHERE) return null;
      path.push(at);
    }
    return path;
  }

  /** Steps over any terrain, the short way round where the map wraps (R3.1). */
  distance(a: TileIndex, b: TileIndex): number {
    const [aq, ar] = this.hex(a);
    const [bq, br] = this.hex(b);
    const shifts = this.wrap ? [-this.width, 0, this.width] : [0];
    return Math.min(...shifts.map((shift) => steps(aq - bq + shift, ar - br)));
  }
}

/** A hex as sentences have it. */
export function shownHex([q, r]: Axial): string {
  return `(${q}, ${r})`;
}

function steps(dq: number, dr: number): number {
  return Math.max(Math.abs(dq), Math.abs(dr), Math.abs(dq + dr));
}

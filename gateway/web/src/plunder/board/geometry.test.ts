import { describe, expect, it } from "vitest";
import { along, beside, centre, CORNERS, DIRECTION_NUMBERS, HALF, POINT, reachOver, ROW, sizeOf, tileUnder } from "./geometry";

const flat = { width: 5, height: 4, wrap: false };
const round = { width: 6, height: 4, wrap: true };

describe("centre", () => {
  it("shifts odd rows half a tile to the east", () => {
    expect(centre(flat, 5).x - centre(flat, 0).x).toBe(HALF);
    expect(centre(flat, 10).x).toBe(centre(flat, 0).x);
    expect(centre(flat, 5).y - centre(flat, 0).y).toBe(ROW);
  });

  it("keeps every corner inside of the drawing", () => {
    const size = sizeOf(flat);
    for (let tile = 0; tile < 20; tile += 1) {
      const { x, y } = centre(flat, tile);
      for (const corner of CORNERS) {
        expect(x + corner.x).toBeGreaterThan(0);
        expect(x + corner.x).toBeLessThan(size.width);
        expect(y + corner.y).toBeGreaterThan(0);
        expect(y + corner.y).toBeLessThan(size.height);
      }
    }
  });
});

describe("tileAt", () => {
  it("finds every tile by its middle and by points near its corners", () => {
    for (let tile = 0; tile < 20; tile += 1) {
      const { x, y } = centre(flat, tile);
      expect(tileUnder(flat, x, y)).toBe(tile);
      for (const corner of CORNERS) expect(tileUnder(flat, x + corner.x * 0.97, y + corner.y * 0.97)).toBe(tile);
    }
  });

  it("finds the neighbour just over each side", () => {
    const { x, y } = centre(flat, 7);
    for (const direction of DIRECTION_NUMBERS) {
      const other = beside(flat, 7, direction);
      if (other === null) throw new Error("tile 7 is inside of the map");
      const to = centre(flat, other);
      expect(tileUnder(flat, x + (to.x - x) * 0.49, y + (to.y - y) * 0.49)).toBe(7);
      expect(tileUnder(flat, x + (to.x - x) * 0.51, y + (to.y - y) * 0.51)).toBe(other);
    }
  });

  it("finds nothing beside the map, also in the notches of its ends", () => {
    const first = centre(flat, 0);
    const below = centre(flat, 5);
    expect(tileUnder(flat, first.x - HALF - 1, first.y)).toBeNull();
    expect(tileUnder(flat, first.x - HALF + 2, below.y)).toBeNull();
    expect(tileUnder(flat, first.x, first.y - POINT - 1)).toBeNull();
    expect(tileUnder(flat, -1e6, -1e6)).toBeNull();
    expect(tileUnder(flat, first.x, 1e6)).toBeNull();
  });
});

describe("beside", () => {
  it("goes to the six tiles of the rules, in their order", () => {
    // (q, r) of tile 7 is (2, 1); E, NE, NW, W, SW, SE of it in columns and rows.
    expect(DIRECTION_NUMBERS.map((direction) => beside(flat, 7, direction))).toEqual([8, 3, 2, 6, 12, 13]);
    expect(DIRECTION_NUMBERS.map((direction) => beside(flat, 12, direction))).toEqual([13, 7, 6, 11, 16, 17]);
  });

  it("ends at the ends of a flat map and goes on where it wraps", () => {
    expect(beside(flat, 0, 3)).toBeNull();
    expect(beside(flat, 0, 2)).toBeNull();
    expect(beside(round, 6, 3)).toBe(11);
    expect(beside(round, 11, 0)).toBe(6);
    expect(beside(round, 11, 1)).toBe(0);
    expect(beside(round, 11, 0, false)).toBeNull();
  });
});

describe("along", () => {
  it("is straight within the map", () => {
    const middle = along(round, 7, 8, 0.5);
    expect(middle.x).toBe((centre(round, 7).x + centre(round, 8).x) / 2);
    expect(reachOver(round, 7, 8)).toBeNull();
  });

  it("goes out at one end and comes in at the other across the seam", () => {
    const from = centre(round, 11);
    const to = centre(round, 6);
    expect(along(round, 11, 6, 0)).toEqual(from);
    expect(along(round, 11, 6, 0.4).x).toBeGreaterThan(from.x);
    expect(along(round, 11, 6, 0.6).x).toBeLessThan(to.x);
    expect(along(round, 11, 6, 1)).toEqual(to);
    expect(reachOver(round, 11, 6)?.out).toEqual({ x: from.x + 2 * HALF, y: from.y });
    expect(reachOver({ ...round, wrap: false }, 11, 6)).toBeNull();
  });
});

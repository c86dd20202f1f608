import { describe, expect, it } from "vitest";
import { outlines, sharpPath, shorePath, softPath } from "./outline";

const grid = { width: 6, height: 5, wrap: false };
const always = () => true;
const among = (...tiles: number[]) => (tile: number) => tiles.includes(tile);
const corners = (...tiles: number[]) => outlines(grid, among(...tiles), always).map((loop) => loop.corners.length);

describe("outlines", () => {
  it("goes around one tile, and once around two that touch", () => {
    expect(corners(14)).toEqual([6]);
    expect(corners(14, 15)).toEqual([10]);
    expect(corners(14, 15, 20)).toEqual([12]);
  });

  it("goes around tiles that do not touch one by one", () => {
    expect(corners(7, 10)).toEqual([6, 6]);
  });

  it("goes around a hole as well", () => {
    // Tile 14 is in row 2; these are its six neighbours.
    const ring = [15, 8, 7, 13, 19, 20];
    expect(corners(...ring).sort((a, b) => a - b)).toEqual([6, 18]);
  });

  it("closes every outline at its own beginning", () => {
    const loops = outlines(grid, (tile) => tile % 3 !== 0, always);
    const sides = loops.reduce((sum, loop) => sum + loop.corners.length, 0);
    expect(sides).toBeGreaterThan(6);
    for (const loop of loops) expect(loop.shore).toHaveLength(loop.corners.length);
  });

  it("is the same each time", () => {
    expect(softPath(outlines(grid, among(14, 15), always))).toBe(softPath(outlines(grid, among(14, 15), always)));
  });
});

describe("soft corners", () => {
  it("rounds corners within the map and leaves those at its end where they are", () => {
    const inside = outlines(grid, among(14), always);
    expect(softPath(inside).match(/Q/g)).toHaveLength(6);
    const atEnd = outlines(grid, among(0), always);
    const soft = atEnd[0]?.corners.filter((corner) => corner.soft).length ?? 0;
    expect(soft).toBe(1);
    expect(softPath(atEnd).match(/Q/g)).toHaveLength(1);
  });

  it("draws the whole map with all corners where they belong", () => {
    const path = sharpPath(outlines(grid, always, always));
    expect(path.startsWith("M")).toBe(true);
    expect(path).not.toMatch(/\./);
  });
});

describe("shorePath", () => {
  it("is closed around an island that is known all around", () => {
    const path = shorePath(outlines(grid, among(14), always));
    expect(path.endsWith("Z")).toBe(true);
  });

  it("leaves out what may or may not be coast", () => {
    const known = (tile: number) => tile !== 15;
    const loops = outlines(grid, among(14), known);
    expect(loops[0]?.shore.filter(Boolean)).toHaveLength(5);
    const path = shorePath(loops);
    expect(path.endsWith("Z")).toBe(false);
    expect(path.match(/M/g)).toHaveLength(1);
  });

  it("is in two pieces where two sides are open", () => {
    const known = (tile: number) => tile !== 15 && tile !== 13;
    expect(shorePath(outlines(grid, among(14), known)).match(/M/g)).toHaveLength(2);
  });

  it("is nothing where nothing around is known", () => {
    expect(shorePath(outlines(grid, among(14), among(14)))).toBe("");
  });
});

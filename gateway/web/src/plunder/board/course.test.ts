import { describe, expect, it } from "vitest";
import { courseLine } from "./course";
import { centre } from "./geometry";

const grid = { width: 6, height: 3, wrap: true };
const legs = (...tiles: number[]) => tiles.map((tile, index) => ({ tile, turn: Math.floor(index / 2), tick: (index % 2) + 1 }));

describe("courseLine", () => {
  it("is one line from the ship to the end, with a mark where each turn ends", () => {
    const line = courseLine(grid, 0, legs(1, 2, 3));
    expect(line.data.match(/M/g)).toHaveLength(1);
    expect(line.data.startsWith(`M${centre(grid, 0).x} ${centre(grid, 0).y}`)).toBe(true);
    expect(line.data.endsWith(`L${centre(grid, 3).x} ${centre(grid, 3).y}`)).toBe(true);
    expect(line.turns.map(({ tile, turn }) => [tile, turn])).toEqual([
      [2, 1],
      [3, 2],
    ]);
    expect(line.tip).toEqual({ ...centre(grid, 3), angle: 0 });
  });

  it("points where the last step goes", () => {
    expect(courseLine(grid, 3, legs(2)).tip?.angle).toBe(180);
    expect(courseLine(grid, 0, legs(6)).tip?.angle).toBeCloseTo(60, 0);
  });

  it("goes out at one end and comes in at the other across the seam", () => {
    const line = courseLine(grid, 4, legs(5, 0, 1));
    expect(line.data.match(/M/g)).toHaveLength(2);
    expect(courseLine(grid, 5, legs(0)).tip?.angle).toBe(0);
    expect(courseLine({ ...grid, wrap: false }, 4, legs(5)).data.match(/M/g)).toHaveLength(1);
  });

  it("is nothing without a step", () => {
    expect(courseLine(grid, 4, [])).toEqual({ data: "", turns: [], tip: null });
  });
});

import { describe, expect, it } from "vitest";
import { type Box, covered, freestBox } from "./freespace";

const box = (x: number, y: number, wide = 10, high = 10): Box => ({ x, y, wide, high });

describe("covered", () => {
  it("is the area that two boxes share", () => {
    expect(covered(box(0, 0), box(15, 0))).toBe(5 * 20);
    expect(covered(box(0, 0), box(20, 0))).toBe(0);
    expect(covered(box(0, 0), box(0, 50))).toBe(0);
    expect(covered(box(0, 0), box(1, 1, 2, 3))).toBe(4 * 6);
  });
});

describe("roomiest", () => {
  const [above, below, beside] = [box(0, -30), box(0, 30), box(40, 0)];

  it("is the first that hides nothing", () => {
    expect(freestBox([above, below, beside], [])).toBe(above);
    expect(freestBox([above, below, beside], [box(5, -25)])).toBe(below);
    expect(freestBox([above, below, beside], [box(5, -25), box(0, 45)])).toBe(beside);
  });

  it("is the one that hides the least where all hide something", () => {
    expect(freestBox([above, below], [box(0, -30), box(0, 45)])).toBe(below);
  });
});

import { describe, expect, it } from "vitest";
import { EMBLEMS, emblemPath } from "../../frame/ui/emblem";
import { compareDice, pipsPath } from "./sprite";

describe("dice", () => {
  it("have as many pips as their face says", () => {
    for (let face = 1; face <= 6; face += 1) expect(pipsPath(face).match(/M/g)).toHaveLength(face);
  });

  it("are compared highest with highest, and the defender wins ties", () => {
    expect(compareDice([1, 6, 3], [5, 4])).toEqual(["attacker", "defender"]);
    expect(compareDice([5, 5, 5], [5, 4])).toEqual(["defender", "attacker"]);
    expect(compareDice([2, 2, 2], [3, 2])).toEqual(["defender", "defender"]);
    expect(compareDice([], [3, 2])).toEqual([]);
  });
});

describe("emblems", () => {
  it("are sixteen different ones, and then begin again", () => {
    expect(new Set(Array.from({ length: EMBLEMS }, (_, owner) => emblemPath(owner))).size).toBe(16);
    expect(emblemPath(17)).toBe(emblemPath(1));
  });
});

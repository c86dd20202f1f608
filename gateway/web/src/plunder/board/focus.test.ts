import { expect, it } from "vitest";
import { focusOf } from "./focus";
import { madeShip } from "./sample";

it("is where ships meet, fight or sink, and nowhere while they only sail", () => {
  const ship = madeShip(1, 0, 4);
  expect(focusOf([{ kind: "move", ship, from: 4, to: 5 }])).toBeNull();
  expect(focusOf([])).toBeNull();
  expect(focusOf([{ kind: "move", ship, from: 4, to: 5 }, { kind: "sink", ship: madeShip(2, 1, 9) }])).toBe(9);
  expect(focusOf([{ kind: "meet", passing: true, place: { edge: [3, 4] }, ships: [1, 2] }])).toBe(3);
  expect(focusOf([{ kind: "meet", passing: false, place: { tile: 7 }, ships: [1, 2] }])).toBe(7);
});

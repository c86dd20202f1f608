import { expect, it } from "vitest";
import { waysOf } from "../model/path";
import { emptyPlan, orderShip } from "../model/plan";
import { badgeOf, marksOf } from "./marks";
import { sampleBoard, sampleChart, sampleRules, sampleShip } from "./sample";

const chart = sampleChart(["............"]);
const ship = sampleShip(1, 0, 0);
const board = sampleBoard(chart, [ship, sampleShip(2, 0, 11, { route: [10, 9] }), sampleShip(3, 1, 5)]);
const blank = { board, plan: emptyPlan, selection: null, ways: null, draft: null, warnings: [] };

it("draws orders, and routes where nothing is ordered", () => {
  const plan = orderShip(emptyPlan, 1, { action: { kind: "move", path: [1, 2, 3, 4] } });
  const courses = marksOf({ ...blank, plan }).courses.map(({ ship: id, style, legs }) => [id, style, legs.map((leg) => leg.turn)]);
  expect(courses).toEqual([
    [1, "plan", [0, 0, 0, 1]],
    [2, "route", [0, 0]],
  ]);
  const held = orderShip(emptyPlan, 2, { action: { kind: "hold" } });
  expect(marksOf({ ...blank, plan: held }).courses).toEqual([]);
});

it("draws a draft over what is staged", () => {
  const plan = orderShip(emptyPlan, 1, { action: { kind: "move", path: [1] } });
  const { courses } = marksOf({ ...blank, plan, draft: { ship: 1, path: [1, 2] } });
  expect(courses.filter((course) => course.ship === 1).map((course) => course.style)).toEqual(["plan", "draft"]);
});

it("shades the reach of some turns, and no more", () => {
  const { reach, selectedShip } = marksOf({ ...blank, selection: { kind: "ship", id: 1 }, ways: waysOf(board, ship, sampleRules) });
  expect(selectedShip).toBe(1);
  expect([reach.get(3), reach.get(4), reach.get(9), reach.get(10)]).toEqual([0, 1, 2, undefined]);
});

it("signs ships with other orders", () => {
  const none = { action: null, broadside: false, stance: null } as const;
  expect(badgeOf(none)).toBe("");
  expect(badgeOf({ ...none, action: { kind: "upgrade", piece: "cannons" } })).toBe("+C");
  expect(badgeOf({ ...none, action: { kind: "hold" }, broadside: true })).toBe("H!");
  expect(badgeOf({ ...none, action: { kind: "move", path: [1] }, broadside: true })).toBe("!");
});

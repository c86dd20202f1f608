import { describe, expect, it } from "vitest";
import type { Plan, ShipPlan } from "../model/model";
import { sampleBoard, sampleChart, sampleRules, sampleShip, sampleYard } from "./sample";
import { type Selection, idleShips, nextIdle, nextOwn, wishAt } from "./selection";
import { withdrawalTile } from "./withdrawal";

const ship = (id: number): Selection => ({ kind: "ship", id });
const yard = (id: number): Selection => ({ kind: "yard", id });
const nowhere = () => false;
const everywhere = () => true;

const chart = sampleChart(["......", "..H...", "......"]);
const board = sampleBoard(
  chart,
  [sampleShip(1, 0, 8), sampleShip(2, 0, 8), sampleShip(3, 1, 9), sampleShip(4, 0, 0, { route: [1, 2] })],
  [sampleYard(7, 0, 8), sampleYard(8, 1, 17)],
);

describe("a click", () => {
  it("selects what is one's own, one after the other", () => {
    const at = { tile: 8, ships: [2, 1], yard: 7 };
    const order = [ship(1), ship(2), yard(7), ship(1)];
    let selection: Selection | null = null;
    for (const expected of order) {
      const wish = wishAt(board, selection, at, everywhere);
      expect(wish).toEqual({ kind: "select", selection: expected });
      if (wish.kind === "select") selection = wish.selection;
    }
  });

  it("sends the selected ship to tiles in its reach, also where an enemy stands", () => {
    expect(wishAt(board, ship(1), { tile: 9, ships: [3], yard: null }, everywhere)).toEqual({ kind: "sail", ship: 1, to: 9 });
    expect(wishAt(board, ship(1), { tile: 10, ships: [], yard: null }, everywhere)).toEqual({ kind: "sail", ship: 1, to: 10 });
  });

  it("looks at a contested tile, which nobody can be sent to", () => {
    const contest = { tile: 14, since: 4, rounds: 1, contenders: [2, 3] };
    const contested = { ...board, contests: new Map([[14, contest]]) };
    const expected = { kind: "select", selection: { kind: "contest", id: 14 } };
    expect(wishAt(contested, ship(1), { tile: 14, ships: [], yard: null }, nowhere)).toEqual(expected);
  });

  it("looks at what is there where nothing can be sent", () => {
    expect(wishAt(board, null, { tile: 9, ships: [3], yard: null }, everywhere)).toEqual({ kind: "select", selection: ship(3) });
    expect(wishAt(board, ship(1), { tile: 17, ships: [], yard: 8 }, nowhere)).toEqual({ kind: "select", selection: yard(8) });
    expect(wishAt(board, ship(3), { tile: 10, ships: [], yard: null }, everywhere)).toEqual({ kind: "select", selection: null });
  });
});

describe("idle ships", () => {
  const hold: ShipPlan = { action: { kind: "hold" }, broadside: false, stance: null };
  const plan = (ids: readonly number[], order = hold): Plan => ({ ships: new Map(ids.map((id) => [id, order])), yards: new Map() });

  it("have neither an action nor a route nor a contest", () => {
    expect(idleShips(board, plan([]))).toEqual([1, 2]);
    expect(idleShips(board, plan([1]))).toEqual([2]);
    expect(idleShips(board, plan([1], { action: null, broadside: true, stance: "fight" }))).toEqual([1, 2]);
    const contest = { tile: 14, since: 4, rounds: 1, contenders: [2, 3] };
    expect(idleShips({ ...board, contests: new Map([[14, contest]]) }, plan([]))).toEqual([1]);
  });

  it("come one after the other and begin again", () => {
    expect(nextIdle(board, plan([]), null)).toEqual(ship(1));
    expect(nextIdle(board, plan([]), ship(1))).toEqual(ship(2));
    expect(nextIdle(board, plan([]), ship(2))).toEqual(ship(1));
    expect(nextIdle(board, plan([1, 2]), null)).toBeNull();
  });
});

it("goes through everything of one's own in both directions", () => {
  expect(nextOwn(board, null, 1)).toEqual(ship(1));
  expect(nextOwn(board, ship(4), 1)).toEqual(yard(7));
  expect(nextOwn(board, yard(7), 1)).toEqual(ship(1));
  expect(nextOwn(board, ship(1), -1)).toEqual(yard(7));
  expect(nextOwn(board, null, -1)).toEqual(yard(7));
});

it("withdraws to the tile farthest from enemies, and nowhere when shut in", () => {
  const contender = sampleShip(1, 0, 8);
  const enemy = sampleShip(3, 1, 10);
  const contest = { tile: 9, since: 4, rounds: 1, contenders: [1, 3] };
  expect(withdrawalTile(sampleBoard(chart, [contender, enemy], [], [contest]), contender, sampleRules)).toBe(2);
  const shut = sampleChart(["######", "##.H##", "######"]);
  expect(withdrawalTile(sampleBoard(shut, [contender], [sampleYard(8, 1, 9)]), contender, sampleRules)).toBeNull();
});

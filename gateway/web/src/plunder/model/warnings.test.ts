import { describe, expect, test } from "vitest";
import { recordedMatch } from "./fixtures/matches";
import { tileName } from "./hex";
import type { Board, Plan, Ship, Tile, Yard } from "./model";
import { emptyPlan, orderShip, orderYard } from "./plan";
import { warningsOf } from "./warnings";

const { rules } = recordedMatch("open");
const names = ["Anna", "Bert"];
const chart = {
  width: 12,
  height: 3,
  wrap: false,
  keys: ["deep", "sea", "land", "harbor"],
  terrain: new Uint8Array(36).fill(1),
  visible: null,
};

function ship(id: number, owner: number, tile: Tile, route: readonly Tile[] = []): Ship {
  return {
    id,
    owner,
    kind: "ship",
    tile,
    hp: 10,
    maxHp: 10,
    speed: 3,
    damage: 2,
    sails: 0,
    cannons: 0,
    hull: 0,
    stance: "ask",
    route,
  };
}

function board(ships: readonly Ship[], more: Partial<Board> = {}): Board {
  return {
    seat: 0,
    turn: 4,
    chart,
    players: [
      { id: 0, alive: true, gold: 30 },
      { id: 1, alive: true, gold: 0 },
    ],
    ships: new Map(ships.map((each) => [each.id, each])),
    yards: new Map(),
    contests: new Map(),
    result: null,
    ...more,
  };
}

const contest = (tile: Tile, contenders: readonly number[]): Partial<Board> => ({
  contests: new Map([[tile, { tile, since: 3, rounds: 1, contenders }]]),
});
const move = (id: number, ...path: Tile[]): Plan => orderShip(emptyPlan, id, { action: { kind: "move", path } });
const warn = (on: Board, plan: Plan): unknown[] =>
  warningsOf(on, plan, rules, names).map(({ grade, tile, text }) => [grade, tile, text]);
const name = (tile: Tile): string => tileName(chart, tile);

describe("ways", () => {
  test("a quiet plan has none", () => {
    expect(warn(board([ship(1, 0, 12), ship(2, 0, 13), ship(9, 1, 23)]), move(1, 13, 14))).toEqual([]);
  });

  test("a contest bars the way, in this turn and later", () => {
    const on = board([ship(1, 0, 12)], contest(14, []));
    const text = `The way of ship 1 leads over ${name(14)}, which is contested: it would end there.`;
    expect(warn(on, move(1, 13, 14, 15))).toEqual([["warn", 14, text]]);
    const later = board([ship(1, 0, 12)], contest(16, []));
    expect(warn(later, move(1, 13, 14, 15, 16))).toMatchObject([["note", 16, expect.any(String)]]);
  });

  test("so does a yard of somebody else, and a route counts as an order does", () => {
    const yard: Yard = { id: 5, owner: 1, tile: 14, hp: 20, maxHp: 20, queue: [] };
    const on = board([ship(1, 0, 12, [13, 14])], { yards: new Map([[5, yard]]) });
    expect(warn(on, emptyPlan)).toMatchObject([["warn", 14, expect.stringContaining("closed by shipyard 5")]]);
    expect(warn(on, orderShip(emptyPlan, 1, { action: { kind: "hold" } }))).toEqual([]);
    expect(warn(board([ship(1, 0, 12)], { yards: new Map([[5, { ...yard, owner: 0 }]]) }), move(1, 13, 14))).toEqual(
      [],
    );
  });
});

describe("meetings", () => {
  test("an enemy that stands in the way", () => {
    const on = board([ship(1, 0, 12), ship(9, 1, 14)]);
    expect(warn(on, move(1, 13, 14))).toEqual([
      ["warn", 14, `Ship 1 comes to ${name(14)} in tick 2, where Bert's ship 9 stands.`],
    ]);
  });

  test("several that stand in the way", () => {
    const on = board([ship(1, 0, 12), ship(8, 1, 14), ship(9, 1, 14)]);
    expect(warn(on, move(1, 13, 14))).toMatchObject([
      ["warn", 14, expect.stringMatching(/where Bert's ship 8 and Bert's ship 9 stand\.$/)],
    ]);
  });

  test("one that can be there in that tick", () => {
    // Three steps from 14, which the ship leaves in tick 3; four from 13.
    const on = board([ship(1, 0, 12), ship(9, 1, 17)]);
    expect(warn(on, move(1, 13))).toEqual([]);
    expect(warn(on, move(1, 13, 14))).toEqual([
      ["note", 14, `Ship 1 may meet Bert's ship 9 at ${name(14)} in tick 2 or later.`],
    ]);
    expect(warn(on, move(1, 13, 14, 15))).toEqual([
      ["note", 15, `Ship 1 may meet Bert's ship 9 at ${name(15)} in tick 3 or later.`],
    ]);
  });

  test("friends share tiles, and who stays is not warned", () => {
    expect(warn(board([ship(1, 0, 12), ship(2, 0, 14)]), move(1, 13, 14))).toEqual([]);
    expect(warn(board([ship(1, 0, 12), ship(9, 1, 13)]), emptyPlan)).toEqual([]);
  });
});

describe("contests", () => {
  const on = board([ship(1, 0, 12, [13]), ship(9, 1, 2)], contest(1, [1, 9]));

  test("a contender that moves withdraws", () => {
    expect(warn(on, move(1, 24))).toContainEqual([
      "note",
      1,
      `Ship 1 withdraws from the contest at ${name(1)}, because it moves.`,
    ]);
  });

  test("one that goes on with a route presses and stays", () => {
    expect(warn(on, emptyPlan)).toEqual([]);
  });
});

test("a broadside without a target is worth a note", () => {
  const fires = orderShip(emptyPlan, 1, { broadside: true });
  expect(warn(board([ship(1, 0, 12), ship(9, 1, 23)]), fires)).toMatchObject([
    ["note", 12, expect.stringContaining("no enemy in sight")],
  ]);
  expect(warn(board([ship(1, 0, 12), ship(9, 1, 16)]), fires)).toEqual([]);
});

test("orders that cannot be paid will be skipped", () => {
  const yard: Yard = { id: 5, owner: 0, tile: 14, hp: 20, maxHp: 20, queue: [] };
  const on = board([ship(1, 0, 13)], { yards: new Map([[5, yard]]) });
  const plan = orderYard(orderShip(emptyPlan, 1, { action: { kind: "repair" } }), 5, { kind: "build", class: "ship" });
  expect(warningsOf(on, plan, rules, names)).toEqual([
    {
      ship: null,
      yard: 5,
      tile: 14,
      grade: "warn",
      text: "The order of shipyard 5 costs 50 gold and will be skipped: there will be 27 by then.",
    },
  ]);
});

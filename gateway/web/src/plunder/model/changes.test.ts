import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Engagement } from "../../gen/parley/plunder/v1/board_pb";
import { ChangeSchema, ChangesSchema } from "../../gen/parley/plunder/v1/change_pb";
import { sampleBoard, sampleChart, sampleRules, sampleShip, sampleYard } from "../planning/sample";
import { applyChanges } from "./changes";
import type { Board } from "./model";

type What = NonNullable<MessageInitShape<typeof ChangeSchema>["what"]>;

const chart = sampleChart(["....H", "....."]);
const contest = { tile: 2, since: 4, rounds: 1, contenders: [1, 2] };
const board = sampleBoard(chart, [sampleShip(1, 0, 0, { route: [1] }), sampleShip(2, 1, 3)], [sampleYard(1, 1, 4)], [contest]);
const foggy: Board = { ...board, chart: { ...chart, visible: Uint8Array.from([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]) } };

function after(from: Board, ...changes: What[]): Board {
  return applyChanges(from, create(ChangesSchema, { changes: changes.map((what) => ({ what })) }).changes, sampleRules);
}

test("what a change does not say stays as it is", () => {
  const [ship] = [board.ships.get(1)];
  expect(after(board, { case: "unit", value: { id: 1, hp: 3 } }).ships.get(1)).toEqual({ ...ship, hp: 3 });
  expect(after(board, { case: "unit", value: { id: 1, hex: { q: 1, r: 0 } } }).ships.get(1)).toEqual({ ...ship, tile: 1 });
  expect(after(board, { case: "unit", value: { id: 1, route: {} } }).ships.get(1)).toEqual({ ...ship, route: [] });
  const stance = { case: "unit", value: { id: 1, engagement: Engagement.EVADE } } as const;
  expect(after(board, stance).ships.get(1)).toEqual({ ...ship, stance: "evade" });
  const yard = board.yards.get(1);
  expect(after(board, { case: "structure", value: { id: 1, hp: 7 } }).yards.get(1)).toEqual({ ...yard, hp: 7 });
  const rounds = { case: "contest", value: { hex: { q: 2, r: 0 }, rounds: 2 } } as const;
  expect(after(board, rounds).contests.get(2)).toEqual({ ...contest, rounds: 2 });
  const gold = after(board, { case: "player", value: { id: 1, gold: 5n } });
  expect(gold.players).toEqual([board.players[0], { id: 1, alive: true, gold: 5 }]);
  expect(after(board, { case: "player", value: { id: 0, alive: false } }).players[0]).toEqual({ id: 0, alive: false, gold: 100 });
});

test("a piece that is fitted says what the ship can do, and nothing of its hp", () => {
  const fitted = after(board, { case: "unit", value: { id: 1, hull: 1 } }).ships.get(1);
  expect(fitted).toMatchObject({ hull: 1, hp: 10, maxHp: 20, speed: 4 });
});

test("what comes new is there whole, and what goes is gone", () => {
  const unit = { id: 9, class: "ship", owner: 1, hex: { q: 1, r: 0 }, hp: 6, sails: 0, cannons: 1, hull: 0 };
  expect(after(board, { case: "unit", value: unit }).ships.get(9)).toEqual(
    sampleShip(9, 1, 1, { hp: 6, cannons: 1, damage: 3 }),
  );
  const yard = { id: 2, owner: { player: 1 }, hex: { q: 4, r: 0 }, hp: 9, queue: {} };
  expect(after(board, { case: "structure", value: yard }).yards.get(2)).toEqual({ ...sampleYard(2, 1, 4), hp: 9, queue: null });
  const opened = { hex: { q: 1, r: 0 }, since: 5, rounds: 1, contenders: { units: [1] } };
  expect(after(board, { case: "contest", value: opened }).contests.get(1)).toEqual({ tile: 1, since: 5, rounds: 1, contenders: [1] });
  const gone = after(
    board,
    { case: "unitGone", value: 2 },
    { case: "structureGone", value: 1 },
    { case: "contestGone", value: { q: 2, r: 0 } },
  );
  expect([[...gone.ships.keys()], gone.yards.size, gone.contests.size]).toEqual([[1], 0, 0]);
});

test("a shipyard can be nobody's, and its queue unknown", () => {
  const neutral = after(board, { case: "structure", value: { id: 1, owner: {}, queue: { known: false } } });
  expect(neutral.yards.get(1)).toMatchObject({ owner: null, queue: null, hp: 20 });
  const taken = { id: 1, owner: { player: 0 }, queue: { known: true, jobs: [{ class: "ship", turnsLeft: 2 }] } };
  expect(after(neutral, { case: "structure", value: taken }).yards.get(1)).toMatchObject({
    owner: 0,
    queue: [{ kind: "ship", turnsLeft: 2 }],
  });
});

test("sight comes and goes, and what is remembered stays on the chart", () => {
  const sight = { gained: [{ hex: { q: 0, r: 1 }, terrain: 2 }], lost: [{ q: 0, r: 0 }] };
  const { visible, terrain } = after(foggy, { case: "sight", value: sight }).chart;
  expect([...(visible ?? [])]).toEqual([0, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect([terrain[0], terrain[5]]).toEqual([1, 2]);
});

test("the turn and the end are said", () => {
  const result = { result: { case: "winner" as const, value: 1 } };
  expect(after(board, { case: "turn", value: 6 }, { case: "result", value: result })).toMatchObject({ turn: 6, result: { winner: 1 } });
});

test("no change touches the board that it is applied to", () => {
  const copy = structuredClone(foggy);
  after(
    foggy,
    { case: "unit", value: { id: 1, hp: 1 } },
    { case: "unitGone", value: 2 },
    { case: "structure", value: { id: 1, hp: 1 } },
    { case: "contestGone", value: { q: 2, r: 0 } },
    { case: "player", value: { id: 0, gold: 0n } },
    { case: "sight", value: { gained: [{ hex: { q: 0, r: 1 }, terrain: 2 }] } },
  );
  expect(foggy).toEqual(copy);
});

test("what does not fit the board is an error", () => {
  const wrong: readonly (readonly [What, RegExp])[] = [
    [{ case: "unit", value: { id: 9, hp: 3 } }, /not there/],
    [{ case: "unit", value: { id: 1, hex: { q: 9, r: 0 } } }, /beyond the map/],
    [{ case: "unitGone", value: 9 }, /not there/],
    [{ case: "structure", value: { id: 9, hp: 3 } }, /not there/],
    [{ case: "structureGone", value: 9 }, /not there/],
    [{ case: "contest", value: { hex: { q: 0, r: 0 }, rounds: 3 } }, /not there/],
    [{ case: "contestGone", value: { q: 0, r: 0 } }, /not there/],
    [{ case: "player", value: { id: 7, gold: 1n } }, /does not play/],
    [{ case: "sight", value: {} }, /where all is seen/],
    [{ case: undefined } as unknown as What, /does not know/],
  ];
  for (const [what, words] of wrong) expect(() => after(board, what)).toThrow(words);
});

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe as suite, expect, test } from "vitest";
import { SheetSchema } from "../../gen/parley/plunder/v1/orders_pb";
import { ownShips, ownYards } from "./board";
import { budgetOf } from "./budget";
import { recordedMatch } from "./fixtures/matches";
import type { Board, Plan, Ship } from "./model";
import { pathTo, waysOf } from "./path";
import {
  clearShip,
  edit,
  emptyPlan,
  historyOf,
  MAX_UNDO,
  orderShip,
  orderYard,
  planOf,
  redo,
  samePlan,
  sheetOf,
  undo,
} from "./plan";
import { describe, isIdle } from "./stagedorders";

const { turns, rules } = recordedMatch("open");
const found = turns
  .map((turn) => turn.before)
  .find((before) => ownShips(before).length > 3 && (ownYards(before)[0]?.queue?.length ?? 0) > 0);
if (found === undefined) throw new Error("no such board");
const board: Board = { ...found, players: found.players.map((player) => ({ ...player, gold: 100 })) };
const ships = ownShips(board).map((ship): Ship => ({ ...ship, route: [] }));
const [one, two, three, four] = ships.map((ship) => ship.id) as [number, number, number, number];
const yard = ownYards(board)[0]?.id ?? 0;
const ship = ships[0] as Ship;
const ways = waysOf(board, ship, rules);
const far = [...ways.steps].find(([, step]) => step.steps === 5)?.[0] ?? 0;
const path = pathTo(ways, far) ?? [];

/** Some order of every kind. */
const full: Plan = [
  (plan: Plan) => orderYard(plan, yard, { kind: "build", class: "ship" }),
  (plan: Plan) => orderShip(plan, three, { action: { kind: "upgrade", piece: "cannons" } }),
  (plan: Plan) => orderShip(plan, two, { action: { kind: "bombard", yard: 9 }, stance: "fight-if-healthy" }),
  (plan: Plan) => orderShip(plan, one, { action: { kind: "move", path }, broadside: true }),
].reduce((plan, step) => step(plan), emptyPlan);

suite("sheets", () => {
  test("a plan survives the way to the service and back", () => {
    const all = [
      full,
      emptyPlan,
      orderShip(emptyPlan, one, { action: { kind: "hold" } }),
      orderShip(emptyPlan, one, { action: { kind: "press" } }),
      orderShip(emptyPlan, one, { action: { kind: "repair" } }),
      orderShip(emptyPlan, one, { action: { kind: "deploy" } }),
      orderShip(emptyPlan, one, { stance: "evade" }),
      orderYard(emptyPlan, yard, { kind: "cancel", index: 0 }),
    ];
    for (const plan of all) {
      const sheet = fromBinary(SheetSchema, toBinary(SheetSchema, sheetOf(plan, board.chart)));
      expect(sheet.concede).toBe(false);
      expect(samePlan(planOf(sheet, board.chart), plan)).toBe(true);
      expect(planOf(sheet, board.chart)).toEqual(plan);
    }
    expect(planOf(undefined, board.chart)).toEqual(emptyPlan);
  });

  test("orders are said by id", () => {
    expect(sheetOf(full, board.chart).units.map((order) => order.unit)).toEqual([one, two, three]);
  });
});

suite("edits", () => {
  test("a ship that is told nothing any more has no order", () => {
    const fires = orderShip(emptyPlan, one, { broadside: true });
    expect(fires.ships.size).toBe(1);
    expect(orderShip(fires, one, { broadside: false }).ships.size).toBe(0);
    expect(clearShip(full, one).ships.has(one)).toBe(false);
    expect(orderYard(full, yard, null).yards.size).toBe(0);
    expect(full.ships.size).toBe(3);
  });

  test("changes are taken back and made again", () => {
    const first = orderShip(emptyPlan, one, { action: { kind: "hold" } });
    const second = orderShip(first, two, { action: { kind: "hold" } });
    let history = edit(edit(historyOf(emptyPlan), first), second);
    history = undo(history);
    expect(history.plan).toBe(first);
    history = redo(history);
    expect(history.plan).toBe(second);
    expect(redo(history)).toBe(history);
    history = undo(undo(history));
    expect(history.plan).toBe(emptyPlan);
    expect(undo(history)).toBe(history);
    expect(redo(edit(history, full)).plan).toBe(full);
  });

  test("what says the same is no change", () => {
    const history = edit(historyOf(emptyPlan), full);
    expect(edit(history, { ships: new Map([...full.ships].reverse()), yards: full.yards })).toBe(history);
  });

  test("the past has an end", () => {
    let history = historyOf(emptyPlan);
    for (let id = 1; id <= MAX_UNDO + 20; id++)
      history = edit(history, orderShip(emptyPlan, id, { action: { kind: "hold" } }));
    expect(history.past.length).toBe(MAX_UNDO);
  });
});

suite("words", () => {
  test("staged orders are told with what they cost", () => {
    const target = sheetOf(full, board.chart).units[0]?.action;
    const end = target?.case === "move" ? target.value.path.at(-1) : undefined;
    const rich = { ...board, players: board.players.map((player) => ({ ...player, gold: 200 })) };
    expect(describe(full, rich, rules).map(({ text, cost, paid }) => [text, cost, paid])).toEqual([
      [`Ship ${one} sails to (${end?.q}, ${end?.r}): 5 tiles, 2 turns, fires a broadside`, 0, true],
      [`Ship ${two} bombards shipyard 9, in encounters: fight if healthy`, 0, true],
      [`Ship ${three} is fitted with cannons`, 80, true],
      [`Shipyard ${yard} builds a ship`, 50, true],
    ]);
    const poor = { ...board, players: board.players.map((player) => ({ ...player, gold: 0 })) };
    expect(describe(full, poor, rules).map(({ paid }) => paid)).toEqual([true, true, false, false]);
  });

  test("idle ships are those with nothing to do", () => {
    expect(isIdle(emptyPlan, board, ship)).toBe(true);
    expect(isIdle(full, board, ship)).toBe(false);
    expect(isIdle(emptyPlan, board, { ...ship, route: [far] })).toBe(false);
    expect(isIdle(orderShip(emptyPlan, one, { broadside: true }), board, ship)).toBe(true);
    const contests = new Map([[far, { tile: far, since: 1, rounds: 1, contenders: [one] }]]);
    expect(isIdle(emptyPlan, { ...board, contests }, ship)).toBe(false);
  });
});

suite("gold", () => {
  test("income is paid first, then ships by id, then shipyards", () => {
    const dear = orderShip(orderShip(full, four, { action: { kind: "deploy" } }), one, {
      action: { kind: "upgrade", piece: "hull" },
    });
    const income = 10 + 5 * ownYards(board).length + 2 * ships.length;
    const budget = budgetOf(dear, board, rules);
    expect([budget.gold, budget.income, budget.cost, budget.refund]).toEqual([100, income, 330, 0]);
    expect(budget.left).toBe(100 + income - 330);
    // What is not paid costs nothing, and later orders are still tried (R11.3).
    expect(budget.payments.map((payment) => payment.purse)).toEqual([100 + income, income, income, income]);
    expect(budget.payments.map(({ ship, yard, cost, paid }) => [ship, yard, cost, paid])).toEqual([
      [one, null, 100, true],
      [three, null, 80, false],
      [four, null, 100, false],
      [null, yard, 50, income >= 50],
    ]);
  });

  test("what a cancellation gives back pays for later orders only", () => {
    const { refund, cost, payments } = budgetOf(orderYard(emptyPlan, yard, { kind: "cancel", index: 0 }), board, rules);
    expect([refund, cost]).toEqual([37, 0]);
    expect(payments).toMatchObject([{ yard, cost: -37, paid: true }]);
  });
});

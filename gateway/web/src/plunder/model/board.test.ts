import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../gen/parley/plunder/v1/event_pb";
import { ViewSchema } from "../../gen/parley/plunder/v1/view_pb";
import { boardOf, contestWith, incomeOf, ownShips, sees, shipsAt, viewer, yardAt } from "./board";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import type { Board } from "./model";
import { boardAfter } from "./news";

describe.each(MATCHES)("%s", (name) => {
  const { turns, archived, rules } = recordedMatch(name);

  test.each(turns.map((turn) => [turn.before.turn, turn] as const))(
    "changes lead from the view of turn %i to the next",
    (_, { before, news, after }) => {
      expect(boardAfter(before, news, rules)).toEqual(after);
    },
  );

  test("changes lead from view to view where nothing is hidden, too", () => {
    expect(archived).toHaveLength(turns.length);
    for (const { before, news, after } of archived) expect(boardAfter(before, news, rules)).toEqual(after);
  });

  test("changes lead from one view to the next through a whole match", () => {
    const [first] = turns;
    const last = turns.reduce((board, { news }) => boardAfter(board, news, rules), first?.before as Board);
    expect(last).toEqual(turns.at(-1)?.after);
  });

  test("boards stay as they were", () => {
    for (const { before, news } of turns.slice(0, 8)) {
      const copy = structuredClone(before);
      boardAfter(before, news, rules);
      expect(before).toEqual(copy);
    }
  });

  test("income is what the service pays", () => {
    for (const { before, news } of turns) {
      const paid = news.events.flatMap(({ event: { what } }) =>
        what.case === "gold" && what.value.reason === 1 && what.value.player === 0 ? [Number(what.value.change)] : [],
      );
      const alive = viewer(before)?.alive === true;
      expect(paid).toEqual(alive ? [incomeOf(before, 0, rules)] : []);
    }
  });
});

test("the matches have every kind of event but a ship that finds no place", () => {
  const kinds = new Set(
    MATCHES.flatMap((name) => recordedMatch(name).turns.flatMap(({ news }) => news.events.map(({ event }) => event.what.case))),
  );
  const all = EventSchema.oneofs.flatMap((oneof) =>
    oneof.localName === "what" ? oneof.fields.map((field) => field.localName) : [],
  );
  expect(all.filter((kind) => !kinds.has(kind as never))).toEqual(["spawnDelayed"]);
});

test("a player in fog who sees every tile is in fog all the same", () => {
  const { rules } = recordedMatch("fog");
  const sea = { turn: 3, width: 2, height: 1, terrainKeys: ["sea"], terrain: new Uint8Array(2) };
  const view = create(ViewSchema, { ...sea, seat: 0 });
  const board = boardOf(view, rules);
  expect([...(board.chart.visible ?? [])]).toEqual([1, 1]);
  expect(boardOf(view, recordedMatch("open").rules).chart.visible).toBeNull();
  // The full view of a replay has no seat.
  expect(boardOf(create(ViewSchema, sea), rules).chart.visible).toBeNull();
});

test("a board answers what stands where", () => {
  const turn = recordedMatch("open").turns.find(({ before }) => before.contests.size > 0);
  if (turn === undefined) throw new Error("no contest");
  const { before } = turn;
  for (const ship of before.ships.values()) expect(shipsAt(before, ship.tile)).toContain(ship);
  for (const yard of before.yards.values()) expect(yardAt(before, yard.tile)).toBe(yard);
  for (const contest of before.contests.values()) {
    expect(shipsAt(before, contest.tile)).toEqual([]);
    for (const id of contest.contenders) expect(contestWith(before, id)).toBe(contest);
  }
  expect(ownShips(before).every((ship) => ship.owner === 0 && ship.stance !== null)).toBe(true);
  expect(ownShips(before).length).toBeGreaterThan(0);
});

test("fog hides what is not near the viewer's own", () => {
  const { before } = recordedMatch("fog").turns[0] ?? {};
  if (before === undefined) throw new Error("no turn");
  const own = ownShips(before);
  expect(own.every((ship) => sees(before, ship.tile))).toBe(true);
  expect([...before.ships.values()].every((ship) => sees(before, ship.tile))).toBe(true);
  expect(before.chart.visible?.some((bit) => bit === 0)).toBe(true);
  expect(before.chart.terrain.some((row) => row === 255)).toBe(true);
  expect(before.players.map((player) => player.gold === null)).toEqual([false, true, true]);
});

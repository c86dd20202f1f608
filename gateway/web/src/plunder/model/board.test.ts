import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../gen/parley/plunder/v1/event_pb";
import { ViewSchema } from "../../gen/parley/plunder/v1/view_pb";
import {
  apply,
  boardOf,
  contestWith,
  endTurn,
  incomeOf,
  ownShips,
  ownYards,
  sees,
  shipsAt,
  viewer,
  yardAt,
} from "./board";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import type { RecordedTurn } from "./fixtures/matches";
import type { Board, Ship, Yard } from "./model";

/**
 * A board without what no event tells: the standing orders of ships; in fog, what others do to theirs out of sight and
 * how a yard is that comes into sight; and which of several builds was given up.
 */
function told(board: Board, { before, events }: RecordedTurn): unknown {
  const byId = <T>(map: ReadonlyMap<number, T>): T[] => [...map].sort(([a], [b]) => a - b).map(([, thing]) => thing);
  const fogged = (owner: number | null): boolean => before.chart.visible !== null && owner !== before.seat;
  const cancelled = events.flatMap(({ what }) => (what.case === "cancelled" ? [what.value.structure] : []));
  const ship = ({ id, owner, kind, tile, ...rest }: Ship): unknown =>
    fogged(owner) ? { id, owner, kind, tile } : { id, owner, kind, tile, ...rest, stance: null, route: [] };
  const yard = ({ hp, ...rest }: Yard): unknown => ({
    ...rest,
    hp: fogged(rest.owner) ? 0 : hp,
    queue: cancelled.includes(rest.id) ? rest.queue?.map((job) => job.kind) : rest.queue,
  });
  return {
    ...board,
    ships: byId(board.ships).map(ship),
    yards: byId(board.yards).map(yard),
    contests: byId(board.contests),
  };
}

describe.each(MATCHES)("%s", (name) => {
  const { turns, rules } = recordedMatch(name);

  test.each(turns.map((turn) => [turn.before.turn, turn] as const))(
    "events lead from the view of turn %i to the next",
    (_, turn) => {
      const after = turn.events.reduce((board, event) => apply(board, event, rules), turn.before);
      expect(told(endTurn(after, turn.events, rules), turn)).toEqual(told(turn.after, turn));
    },
  );

  test("boards stay as they were", () => {
    for (const { before, events } of turns.slice(0, 8)) {
      const copy = structuredClone(before);
      events.reduce((board, event) => apply(board, event, rules), before);
      expect(before).toEqual(copy);
    }
  });

  test("income is what the service pays", () => {
    for (const { before, events } of turns) {
      const paid = events.flatMap(({ what }) =>
        what.case === "gold" && what.value.reason === 1 && what.value.player === 0 ? [Number(what.value.change)] : [],
      );
      const alive = viewer(before)?.alive === true;
      expect(paid).toEqual(alive ? [incomeOf(before, 0, rules)] : []);
    }
  });
});

test("the matches have every kind of event but a ship that finds no place", () => {
  const kinds = new Set(
    MATCHES.flatMap((name) => recordedMatch(name).turns.flatMap((turn) => turn.events.map((event) => event.what.case))),
  );
  const all = EventSchema.oneofs.flatMap((oneof) =>
    oneof.localName === "what" ? oneof.fields.map((field) => field.localName) : [],
  );
  expect(all.filter((kind) => !kinds.has(kind as never))).toEqual(["spawnDelayed"]);
});

test("a finished ship that finds no place stays at the head of its queue", () => {
  const { turns, rules } = recordedMatch("open");
  const before = turns
    .map((turn) => turn.before)
    .find((board) => ownYards(board).some((yard) => (yard.queue?.length ?? 0) > 1));
  const yard = before && ownYards(before).find((own) => (own.queue?.length ?? 0) > 1);
  if (before === undefined || yard === undefined) throw new Error("no yard with a queue");
  const event = create(EventSchema, { what: { case: "spawnDelayed", value: { structure: yard.id } } });
  const after = endTurn(apply(before, event, rules), [event], rules).yards.get(yard.id);
  expect(after?.queue?.[0]?.turnsLeft).toBe(0);
  expect(after?.queue?.slice(1)).toEqual(yard.queue?.slice(1));
});

test("a contender that gives way is in its contest no more, and none that is out of sight is in one", () => {
  const { turns, rules } = recordedMatch("open");
  const before = turns[0]?.before;
  const ship = before && ownShips(before)[0];
  if (before === undefined || ship === undefined) throw new Error("no ship");
  const hex = { q: 0, r: 0 };
  const opened = create(EventSchema, {
    tick: 1,
    what: { case: "contestOpened", value: { hex, contenders: [ship.id, 9999] } },
  });
  const contested = apply(before, opened, rules);
  expect(contested.contests.get(0)).toEqual({ tile: 0, since: before.turn, rounds: 1, contenders: [ship.id] });
  const gaveWay = create(EventSchema, {
    tick: 1,
    what: { case: "gaveWay", value: { unit: ship.id, to: { q: 1, r: 0 } } },
  });
  const after = apply(contested, gaveWay, rules);
  expect(after.contests.get(0)?.contenders).toEqual([]);
  expect(after.ships.get(ship.id)?.tile).toBe(1);
});

test("a player in fog who sees every tile is in fog all the same", () => {
  const { rules } = recordedMatch("fog");
  const sea = { turn: 3, width: 2, height: 1, terrainKeys: ["sea"], terrain: new Uint8Array(2) };
  const view = create(ViewSchema, { ...sea, seat: 0 });
  const board = boardOf(view, rules);
  expect([...(board.chart.visible ?? [])]).toEqual([1, 1]);
  const lost = create(EventSchema, { what: { case: "sightChanged", value: { lost: [{ q: 1, r: 0 }] } } });
  expect([...(apply(board, lost, rules).chart.visible ?? [])]).toEqual([1, 0]);
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

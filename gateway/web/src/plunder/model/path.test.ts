import { describe, expect, test } from "vitest";
import { ownShips } from "./board";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import { adjacent, hexOf } from "./hex";
import type { Board, Ship, Tile } from "./model";
import { extend, legsOf, MAX_PATH, pathTo, reachOf, waysOf } from "./path";

function boardOfTurn(name: (typeof MATCHES)[number], turn: number): Board {
  const found = recordedMatch(name).turns.find(({ before }) => before.turn === turn);
  if (found === undefined) throw new Error("no such turn");
  return found.before;
}

function shipOfBoard(board: Board, id: number): Ship {
  const ship = board.ships.get(id);
  if (ship === undefined) throw new Error("no such ship");
  return ship;
}

describe.each(MATCHES)("%s", (name) => {
  const { asked, rules } = recordedMatch(name);

  test("courses are those of the service, step by step", () => {
    let found = 0;
    for (const { turn, ship: id, courses } of asked) {
      const board = boardOfTurn(name, turn);
      const ship = shipOfBoard(board, id);
      const ways = waysOf(board, ship, rules);
      for (const { target, legs } of courses) {
        const path = pathTo(ways, target);
        if (legs === undefined) {
          expect(path === null || path.length === 0).toBe(true);
          continue;
        }
        const mine = legsOf(ship, path ?? []).map(({ tile, turn: later, tick }) => {
          const { q, r } = hexOf(board.chart, tile);
          return [q, r, later, tick];
        });
        expect(mine).toEqual(legs);
        found += 1;
      }
    }
    expect(found).toBeGreaterThan(10);
  });

  test("what is in reach is what the service says", () => {
    for (const { turn, reach } of asked) {
      const board = boardOfTurn(name, turn);
      expect(reach.map(({ unit }) => unit)).toEqual(ownShips(board).map((ship) => ship.id));
      for (const { unit, reach: there } of reach) {
        const ways = waysOf(board, shipOfBoard(board, unit), rules);
        const mine = [...reachOf(ways, 1).keys()].map((tile) => {
          const step = ways.steps.get(tile);
          const [hex, from] = [hexOf(board.chart, tile), hexOf(board.chart, step?.before ?? 0)];
          return [hex.q, hex.r, step?.steps, from.q, from.r];
        });
        expect(mine).toEqual(there);
      }
    }
  });
});

describe("a path that is dragged", () => {
  const { rules } = recordedMatch("open");
  const board = boardOfTurn("open", 1);
  const ship = ownShips(board)[0];
  if (ship === undefined) throw new Error("no ship");
  const ways = waysOf(board, ship, rules);
  const far = [...ways.steps].find(([, step]) => step.steps === 5)?.[0];
  if (far === undefined) throw new Error("nothing is far");
  const path = pathTo(ways, far) ?? [];
  const drag = (from: readonly Tile[], tile: Tile): readonly Tile[] => extend(board, ship, from, tile, rules);

  test("grows by neighbours, and is bridged where the pointer jumps", () => {
    const stepwise = path.reduce<readonly Tile[]>(drag, []);
    expect(stepwise).toEqual(path);
    expect(drag([], far)).toEqual(path);
    expect(drag(path.slice(0, 2), far).at(-1)).toBe(far);
  });

  test("shrinks when the pointer goes back", () => {
    expect(drag(path, path[1] ?? -1)).toEqual(path.slice(0, 2));
    expect(drag(path, ship.tile)).toEqual([]);
    expect(drag(path, far)).toEqual(path);
  });

  test("stays where nothing leads on", () => {
    const land = board.chart.keys.indexOf("land");
    const island = board.chart.terrain.indexOf(land);
    expect(island).toBeGreaterThanOrEqual(0);
    expect(drag(path, island)).toBe(path);
    const calm = { ...ship, speed: 0 };
    expect(extend(board, calm, [], path[0] ?? 0, rules)).toEqual([]);
    expect(waysOf(board, calm, rules).steps.size).toBe(0);
  });

  test("never leads back over its own ship, and is never too long", () => {
    const row = { ...board.chart, width: 80, height: 1, keys: ["sea"], terrain: new Uint8Array(80) };
    const lane: Board = { ...board, chart: row, yards: new Map(), contests: new Map() };
    const there = { ...ship, tile: 5 };
    expect(extend(lane, there, [4, 3], 7, rules)).toEqual([6, 7]);
    const most = extend(lane, there, [], 5 + MAX_PATH, rules);
    expect(most.length).toBe(MAX_PATH);
    expect(extend(lane, there, most, 6 + MAX_PATH, rules)).toBe(most);
    expect(extend(lane, there, [6, 7], 6 + MAX_PATH, rules)).toEqual([6, 7]);
  });

  test("is always a legal path", () => {
    const tiles = [...ways.steps.keys()];
    let dragged: readonly Tile[] = [];
    for (let turn = 0; turn < 300; turn++) {
      dragged = drag(dragged, tiles[(turn * 37) % tiles.length] ?? 0);
      expect(dragged.length).toBeLessThanOrEqual(MAX_PATH);
      expect(new Set(dragged).size).toBe(dragged.length);
      [ship.tile, ...dragged].reduce((from, to) => {
        expect(adjacent(board.chart, from, to)).toBe(true);
        return to;
      });
    }
  });
});

test("a longer way than the speed goes on in later turns", () => {
  expect(legsOf({ speed: 2 }, [7, 8, 9, 10, 11])).toEqual([
    { tile: 7, turn: 0, tick: 1 },
    { tile: 8, turn: 0, tick: 2 },
    { tile: 9, turn: 1, tick: 1 },
    { tile: 10, turn: 1, tick: 2 },
    { tile: 11, turn: 2, tick: 1 },
  ]);
});

test("contests and yards of others are not entered", () => {
  let seen = 0;
  for (const name of MATCHES) {
    const { turns, rules } = recordedMatch(name);
    for (const { before } of turns) {
      for (const ship of ownShips(before)) {
        const ways = waysOf(before, ship, rules);
        for (const tile of before.contests.keys()) expect(ways.steps.has(tile)).toBe(false);
        for (const yard of before.yards.values()) {
          if (yard.owner === ship.owner) continue;
          seen += 1;
          expect(ways.steps.has(yard.tile)).toBe(false);
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(100);
});

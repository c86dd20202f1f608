import { describe, expect, it } from "vitest";
import { berths, stackedShips, stacks } from "./berths";
import { centre, tileUnder } from "./geometry";
import { madeBoard, madeChart, madeShip } from "./sample";

const chart = madeChart([".....", ".....", "....."]);
const many = (count: number) => Array.from({ length: count }, (_, index) => madeShip(index + 1, 0, 7));

describe("berths", () => {
  it("puts a ship that is alone into the middle of its tile", () => {
    expect(berths(madeBoard(chart, many(1)), null).get(1)).toEqual({ ...centre(chart, 7), scale: 1, under: false });
  });

  it.each([2, 3, 4, 5])("gives %i ships places of their own on their tile, smaller than one alone", (count) => {
    const places = [...berths(madeBoard(chart, many(count)), null).values()];
    expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(count);
    for (const { x, y, scale, under } of places) {
      expect(tileUnder(chart, x, y)).toBe(7);
      expect(scale).toBeLessThan(1);
      expect(under).toBe(false);
    }
  });

  it("hides what does not fit under the others", () => {
    const places = [...berths(madeBoard(chart, many(9)), null).values()];
    expect(places.filter(({ under }) => under)).toHaveLength(4);
  });

  it("never hides the selected one", () => {
    expect(berths(madeBoard(chart, many(9)), null).get(9)?.under).toBe(true);
    expect(berths(madeBoard(chart, many(9)), 9).get(9)?.under).toBe(false);
  });

  it("leaves room for a shipyard", () => {
    const yards = [{ id: 1, owner: 0, tile: 7, hp: 20, maxHp: 20, queue: null }];
    const place = berths(madeBoard(chart, many(1), { yards }), null).get(1);
    expect(place?.y).toBeGreaterThan(centre(chart, 7).y);
    expect(place?.scale).toBeLessThan(1);
  });
});

describe("stacks", () => {
  it("counts the ships of tiles with more than one", () => {
    expect(stacks(madeBoard(chart, [...many(3), madeShip(8, 1, 2)]))).toEqual([{ tile: 7, count: 3 }]);
  });
});

describe("shipsAt", () => {
  it("has the selected one first, then own ones, then by id", () => {
    const board = madeBoard(chart, [madeShip(4, 1, 7), madeShip(2, 1, 7), madeShip(9, 0, 7), madeShip(5, 0, 7), madeShip(1, 0, 3)]);
    expect(stackedShips(board, 7, null).map(({ id }) => id)).toEqual([5, 9, 2, 4]);
    expect(stackedShips(board, 7, 4).map(({ id }) => id)).toEqual([4, 5, 9, 2]);
    expect(stackedShips(board, 0, null)).toEqual([]);
  });
});

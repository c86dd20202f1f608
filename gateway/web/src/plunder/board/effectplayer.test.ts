import { describe, expect, it } from "vitest";
import { ghosts, hasBegun, isOn } from "./effectplayer";
import { madeBoard, madeChart, madeShip } from "./sample";

const board = madeBoard(madeChart(["....."]), [madeShip(1, 0, 0)]);

describe("ghosts", () => {
  it("are the ships that effects are about and the board does not have", () => {
    const found = ghosts(board, [
      { kind: "sink", ship: madeShip(1, 0, 0) },
      { kind: "sink", ship: madeShip(2, 0, 1) },
      { kind: "spawn", ship: madeShip(3, 0, 2) },
      { kind: "vanish", ship: madeShip(4, 1, 4), from: 3 },
      { kind: "decide", ship: madeShip(5, 1, 4), choice: "attack", defaulted: false },
      { kind: "contest", tile: 3, open: true },
    ]);
    expect(found.map(({ id, tile }) => [id, tile])).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
  });
});

describe("effects", () => {
  it("have not begun before their frame has, so that the board is shown as it was", () => {
    const begun = (start: number) => [0, 0.2, 0.5, 1].map((progress) => hasBegun(progress, start));
    expect(begun(0)).toEqual([false, true, true, true]);
    expect(begun(0.5)).toEqual([false, false, true, true]);
  });

  it("are not seen before their frame begins, nor after their time, but the last ones stay", () => {
    const seen = (start: number, end: number) => [0, 0.2, 0.5, 0.9, 1].map((progress) => isOn(progress, start, end));
    expect(seen(0, 0.5)).toEqual([false, true, false, false, false]);
    expect(seen(0.5, 1)).toEqual([false, false, true, true, true]);
  });
});

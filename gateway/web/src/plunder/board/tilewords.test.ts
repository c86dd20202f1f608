import { describe, expect, it } from "vitest";
import { madeBoard, madeChart, madeShip } from "./sample";
import { hexWords, shipWords, tileWords, yardWords } from "./tilewords";

const names = ["Anna", "Bert"];

describe("words", () => {
  it("names tiles as the rules do", () => {
    expect(hexWords({ width: 5 }, 0)).toBe("(0, 0)");
    expect(hexWords({ width: 5 }, 7)).toBe("(2, 1)");
    expect(hexWords({ width: 5 }, 10)).toBe("(-1, 2)");
  });

  it("tells whose a ship is and how it is", () => {
    expect(shipWords(madeShip(3, 0, 0, { hp: 8 }), 0, names)).toBe("Your ship 3, 8 of 10 hp");
    const fitted = madeShip(3, 1, 0, { sails: 1, cannons: 2, hull: 1 });
    expect(shipWords(fitted, 0, names)).toBe("Bert's ship 3, 10 of 10 hp, 1 sail, 2 cannons, 1 hull piece");
    expect(shipWords(madeShip(3, 5, 0), null, names)).toBe("Player 6's ship 3, 10 of 10 hp");
  });

  it("tells what a shipyard builds", () => {
    const yard = { id: 2, owner: null, tile: 1, hp: 20, maxHp: 20, queue: null };
    expect(yardWords(yard, 0, names)).toBe("Neutral shipyard 2, 20 of 20 hp");
    const busy = { ...yard, owner: 0, queue: [{ kind: "ship", turnsLeft: 1 }] };
    expect(yardWords(busy, 0, names)).toBe("Your shipyard 2, 20 of 20 hp, builds a ship, ready in 1 turn");
  });

  it("tells everything about a tile", () => {
    const chart = { ...madeChart([".?H"]), visible: Uint8Array.of(1, 0, 0) };
    const contests = [{ tile: 0, since: 1, rounds: 2, contenders: [1, 9] }];
    const board = madeBoard(chart, [madeShip(1, 0, 0), madeShip(2, 1, 0)], { contests });
    expect(tileWords(board, names, 0, 1)).toBe(
      "(0, 0): sea. Contested for 2 rounds by Your ship 1 and ship 9. Your ship 1, 10 of 10 hp, selected. " +
        "Bert's ship 2, 10 of 10 hp.",
    );
    expect(tileWords(board, names, 1, null)).toBe("(1, 0): unknown.");
    expect(tileWords(board, names, 2, null)).toBe("(2, 0): harbor, not in sight.");
  });
});

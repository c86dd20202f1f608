import { describe, expect, it } from "vitest";
import { diceBox } from "./exchange";
import { type Box, covered } from "./freespace";

const ship = (x: number, y: number): Box => ({ x, y, wide: 19, high: 21 });

describe("dice", () => {
  const [west, east] = [ship(0, 0), ship(104, 0)];

  it("lie above ships that face each other on one row, and on the far side of others", () => {
    expect(diceBox(west, east, 3, 1, [west, east]).y).toBeLessThan(-20);
    const south = ship(26, 45);
    expect(diceBox(south, west, 2, 1, [west, south]).y).toBeGreaterThan(45 + 20);
  });

  it("hide neither another ship nor what lies between the two, as long as there is room", () => {
    const crowd = [west, east, ship(78, -45), ship(130, -45)];
    const place = diceBox(east, west, 3, 1, crowd);
    for (const other of [...crowd, { x: 52, y: 0, wide: 20, high: 20 }]) expect(covered(place, other)).toBe(0);
  });
});

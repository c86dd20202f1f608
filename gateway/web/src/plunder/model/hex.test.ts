import { expect, test } from "vitest";
import { adjacent, distance, hexOf, neighbour, neighbours, tileName, tileOf } from "./hex";

const plain = { width: 5, height: 6, wrap: false };
const round = { ...plain, wrap: true };
const tiles = Array.from({ length: 30 }, (_, tile) => tile);

test("tiles and hexes are the same places", () => {
  for (const tile of tiles) expect(tileOf(plain, hexOf(plain, tile))).toBe(tile);
  expect(hexOf(plain, 11)).toEqual({ q: 0, r: 2 });
  expect(tileName(plain, 20)).toBe("(-2, 4)");
  expect(tileOf(plain, { q: -1, r: 0 })).toBeNull();
  expect(tileOf(plain, { q: 0, r: 6 })).toBeNull();
});

test("directions have the order of the rules and lead back", () => {
  const here = hexOf(plain, 12);
  const around = neighbours(plain, 12).map((tile) => hexOf(plain, tile));
  expect(around.map(({ q, r }) => [q - here.q, r - here.r])).toEqual([
    [1, 0],
    [1, -1],
    [0, -1],
    [-1, 0],
    [-1, 1],
    [0, 1],
  ]);
  for (const grid of [plain, round]) {
    for (const tile of tiles) {
      for (let direction = 0; direction < 6; direction++) {
        const next = neighbour(grid, tile, direction);
        if (next === null) continue;
        expect(neighbour(grid, next, (direction + 3) % 6)).toBe(tile);
        expect(distance(grid, tile, next)).toBe(1);
        expect(adjacent(grid, tile, next)).toBe(true);
      }
    }
  }
});

test("only a map that wraps goes on beyond its side", () => {
  expect(neighbour(plain, 4, 0)).toBeNull();
  expect(neighbour(round, 4, 0)).toBe(0);
  expect(neighbour(round, 0, 2)).toBeNull();
  expect(distance(plain, 0, 4)).toBe(4);
  expect(distance(round, 0, 4)).toBe(1);
  expect(adjacent(plain, 0, 0)).toBe(false);
});

// The pieces that everything rests on: dice, hexes, the encoding.
import { bytesToHex } from "@noble/hashes/utils.js";
import { describe, expect, test } from "vitest";
import { block, roll } from "./dice";
import { matchSeed, rulesHash } from "./digest";
import { EncodingFault, decode, encode } from "./encode";
import { Grid } from "./hexes";
import { parseRules } from "./rules";
import { dataText, plunderRules } from "./testing/repository";
import { read } from "./testing/scenario";
import type { ScenarioTree } from "./testing/scenario";

const ZERO = new Uint8Array(32);

test("the block is the one of the rules, and of ChaCha with 8 rounds as it is published", () => {
  const words = block(ZERO, [0, 0], [0, 0]);
  const published =
    "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e" +
    "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42";
  expect(bytesToHex(new Uint8Array(words.buffer))).toBe(published);
});

test("every part of the counter counts", () => {
  const highest = 2 ** 28 - 1;
  const rolls = new Set<string>();
  for (const turn of [1, 2, 2 ** 32 - 2]) {
    for (const tick of [0, 1, 255]) {
      for (const [a, b] of [[1, 2], [1, 3], [2, 3], [17, 18], [highest - 1, highest]] as const) {
        rolls.add(JSON.stringify(roll(ZERO, turn, tick, a, b)));
      }
    }
  }
  expect(rolls.size).toBeGreaterThan(40);
});

test("dice are fair enough and sorted", () => {
  const counts = Array<number>(7).fill(0);
  for (let turn = 0; turn < 400; turn++) {
    const { attacker, defender } = roll(Uint8Array.from({ length: 32 }, (_, byte) => byte), turn, 3, 5, 9);
    expect(attacker).toEqual(attacker.toSorted((a, b) => b - a));
    expect(defender).toEqual(defender.toSorted((a, b) => b - a));
    for (const die of [...attacker, ...defender]) counts[die] = (counts[die] ?? 0) + 1;
  }
  const [none, ...sides] = counts;
  expect(none).toBe(0);
  expect(sides.every((count) => count > 250 && count < 420)).toBe(true);
});

test("the seed is a keyed hash of what players add", () => {
  const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const seed = (...added: Uint8Array[]) => bytesToHex(matchSeed(ZERO, added));
  expect(seed(one, new Uint8Array(), two)).toBe(seed(one, two));
  expect(seed(one, two)).not.toBe(seed(two, one));
  expect(seed()).not.toBe(bytesToHex(matchSeed(one, [])));
});

describe("distance is the number of steps", () => {
  const kinds = [
    [1, 5, false],
    [2, 4, true],
    [3, 5, true],
    [5, 4, false],
  ] as const;
  test.each(kinds)("%i x %i, wrapped: %s", (width, height, wrap) => {
    const grid = new Grid(width, height, wrap, new Uint8Array(width * height));
    for (let start = 0; start < width * height; start++) {
      expect(grid.hasHex(grid.hex(start))).toBe(true);
      expect(grid.tile(grid.hex(start))).toBe(start);
      const steps = new Map([[start, 0]]);
      for (const [at, far] of steps) {
        for (const end of grid.neighbours(at)) if (!steps.has(end)) steps.set(end, far + 1);
      }
      expect(steps.size).toBe(width * height);
      for (const [end, far] of steps) expect(grid.distance(start, end)).toBe(far);
      for (const end of grid.neighbours(start)) {
        expect(grid.walk(start, [grid.direction(start, end)])).toEqual([end]);
        expect(grid.adjacent(end, start)).toBe(true);
      }
    }
  });
});

test("the hash of rules does not depend on how the file is laid out", () => {
  const backwards = Object.fromEntries(Object.entries(plunderRules()).reverse());
  const [first, second] = [parseRules(JSON.stringify(plunderRules())), parseRules(JSON.stringify(backwards, null, 4))];
  expect(bytesToHex(rulesHash(first.text))).toBe(bytesToHex(rulesHash(second.text)));
});

test("a state has one encoding", () => {
  const [first = ""] = dataText("golden/tiny-2.jsonl").split("\n");
  const { state, grid } = read(JSON.parse(first) as ScenarioTree);
  const data = encode(state, grid);
  expect(decode(data, grid)).toEqual(state);
  for (let cut = 0; cut < data.length; cut++) expect(() => decode(data.slice(0, cut), grid)).toThrow(EncodingFault);
});

test("a state in another order, or with another word for true, is not canonical", () => {
  const [first = ""] = dataText("golden/tiny-2.jsonl").split("\n");
  const { state, grid } = read(JSON.parse(first) as ScenarioTree);
  const backwards = { ...state, units: new Map([...state.units].reverse()) };
  expect(() => decode(encode(backwards, grid), grid)).toThrow("it is not in canonical order");
  const data = encode(state, grid);
  // Whether the first player lives, after version, turn, result, both next ids, the count and the id.
  data[19] = 7;
  expect(() => decode(data, grid)).toThrow("it is not in canonical order");
});

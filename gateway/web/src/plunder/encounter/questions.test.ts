import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EncounterKind, EncounterSchema } from "../../gen/parley/v1/event_pb";
import type { Board, Ship } from "../model/model";
import type { PlunderPrompt } from "../session/messages";
import { choiceOfKey, nextOpen, questionsOf, tilesOf } from "./questions";

const passing = create(EncounterSchema, {
  tick: 1,
  kind: EncounterKind.PASSING,
  site: { place: { case: "edge", value: { first: { q: 0, r: 0 }, second: { q: 1, r: 0 } } } },
  participants: [
    { unit: 1, owner: 0, asked: true },
    { unit: 4, owner: 1 },
  ],
});
const entry = create(EncounterSchema, {
  tick: 1,
  kind: EncounterKind.ENTRY,
  site: { place: { case: "hex", value: { q: 3, r: 0 } } },
  participants: [
    { unit: 2, owner: 0, asked: true },
    { unit: 3, owner: 0, asked: false },
    { unit: 5, owner: 1, holds: true },
  ],
});
const at = (id: number, tile: number): [number, Ship] => [id, { id, tile } as Ship];
const board = {
  chart: { width: 8, height: 4, wrap: false },
  ships: new Map([at(1, 0), at(4, 1), at(2, 2), at(3, 4), at(5, 3)]),
} as unknown as Board;
const prompt = { board, encounters: [passing, entry] } as unknown as PlunderPrompt;

test("only own ships that are asked are questions", () => {
  expect(questionsOf(prompt).map(({ ship, peace }) => [ship, peace])).toEqual([
    [1, "proceed"],
    [2, "yield"],
  ]);
});

test("an encounter lights its place and its ships", () => {
  expect(tilesOf(prompt, passing)).toEqual([0, 1]);
  expect(tilesOf(prompt, entry)).toEqual([3, 2, 4]);
});

test("the next question is the next without an answer, whichever way round", () => {
  const questions = questionsOf(prompt);
  expect(nextOpen(questions, () => false, 0)).toBe(1);
  expect(nextOpen(questions, () => false, 1)).toBe(0);
  expect(nextOpen(questions, (ship) => ship === 1, 1)).toBe(1);
  expect(nextOpen(questions, () => true, 0)).toBeNull();
  expect(nextOpen([], () => false, 0)).toBeNull();
});

test("a key answers only what the encounter offers", () => {
  const [pass, enter] = questionsOf(prompt);
  if (!pass || !enter) throw new Error("there are two questions");
  expect(["p", "P", "y", "a", "x"].map((key) => choiceOfKey(key, pass))).toEqual(["proceed", "proceed", null, "attack", null]);
  expect(["p", "y", "A"].map((key) => choiceOfKey(key, enter))).toEqual([null, "yield", "attack"]);
});

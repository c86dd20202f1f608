import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EncounterKind, EncounterSchema } from "../../gen/parley/plunder/v1/event_pb";
import { QuestionSchema } from "../../gen/parley/v1/question_pb";
import type { Board, Ship } from "../model/model";
import type { PlunderPrompt } from "../session/messages";
import { answerOf, choiceOfKey, faultWords, nextOpen, picksOf, questionsOf, tilesOf } from "./questions";

const passing = create(EncounterSchema, {
  tick: 1,
  group: 4,
  kind: EncounterKind.PASSING,
  site: { place: { case: "edge", value: { first: { q: 0, r: 0 }, second: { q: 1, r: 0 } } } },
  participants: [
    { unit: 1, owner: 0, asked: true },
    { unit: 4, owner: 1 },
  ],
});
const entry = create(EncounterSchema, {
  tick: 1,
  group: 7,
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

function asked(id: number, ship: number, group: number, ...words: readonly string[]) {
  return create(QuestionSchema, {
    id,
    kind: "encounter",
    rule: "R7.2",
    tick: 1,
    group,
    about: { subject: { case: "unit" as const, value: ship } },
    options: words.map((value) => ({ choice: { case: "word" as const, value } })),
    min: 1,
    max: 1,
    default: [0],
  });
}

const prompt = {
  board,
  soFar: { encounters: [passing, entry] },
  questions: [asked(4, 1, 4, "proceed", "attack"), asked(5, 2, 7, "yield", "attack")],
  answered: new Map(),
} as unknown as PlunderPrompt;

function two() {
  const [pass, enter] = questionsOf(prompt);
  if (!pass || !enter) throw new Error("there are two questions");
  return [pass, enter] as const;
}

test("a question is drawn with its ship, its encounter and what can be chosen", () => {
  expect(questionsOf(prompt)).toEqual([
    { id: 4, tick: 1, encounter: passing, ship: 1, choices: ["proceed", "attack"], peace: "proceed" },
    { id: 5, tick: 1, encounter: entry, ship: 2, choices: ["yield", "attack"], peace: "yield" },
  ]);
});

test("the default is the peaceful choice, wherever it stands among the options", () => {
  const turned = { ...asked(1, 2, 7, "attack", "yield"), default: [1] };
  expect(questionsOf({ ...prompt, questions: [turned] })).toMatchObject([{ choices: ["attack", "yield"], peace: "yield" }]);
});

test("what is no question of an encounter is not drawn", () => {
  const [one] = prompt.questions;
  if (!one) throw new Error("there is a question");
  const others = [
    { ...one, kind: "card" },
    { ...one, group: 0 },
    { ...one, group: 1 },
    { ...one, default: [] },
    { ...one, about: create(QuestionSchema, { about: { subject: { case: "structure", value: 1 } } }).about },
    asked(4, 1, 4, "proceed", "parley"),
  ];
  for (const other of others) expect(questionsOf({ ...prompt, questions: [other] } as PlunderPrompt)).toEqual([]);
});

test("a choice is answered by its place among the options", () => {
  const chosen = new Map([[4, "attack"], [5, "yield"]] as const);
  expect([...picksOf(two(), chosen)]).toEqual([
    [4, [1]],
    [5, [0]],
  ]);
  expect([...picksOf(two(), new Map([[5, "attack"]] as const))]).toEqual([[5, [1]]]);
});

test("what was answered is told, and that it was answered elsewhere", () => {
  const [pass, enter] = two();
  const answered = (picked: readonly number[] | null) => ({ ...prompt, answered: new Map([[4, picked]]) });
  expect(answerOf(answered([1]), pass)).toBe("attack");
  expect(answerOf(answered([0]), pass)).toBe("proceed");
  expect(answerOf(answered(null), pass)).toBeNull();
  expect(answerOf(answered([1]), enter)).toBeUndefined();
});

test("an answer that is not taken is told of its ship", () => {
  const fault = { unit: null, structure: null, rule: "R7.2", text: "no answer is given", field: "" };
  expect(faultWords(prompt, { ...fault, unit: 2, text: "question 5 has been answered before" })).toBe("Ship 2 has already decided.");
  expect(faultWords(prompt, fault)).toBe("no answer is given.");
  expect(faultWords(prompt, { ...fault, structure: 2 })).toBe("no answer is given.");
});

test("an encounter lights its place and its ships", () => {
  expect(tilesOf(prompt, passing)).toEqual([0, 1]);
  expect(tilesOf(prompt, entry)).toEqual([3, 2, 4]);
});

test("the next question is the next without an answer, whichever way round", () => {
  const questions = questionsOf(prompt);
  expect(nextOpen(questions, () => false, 0)).toBe(1);
  expect(nextOpen(questions, () => false, 1)).toBe(0);
  expect(nextOpen(questions, (id) => id === 4, 1)).toBe(1);
  expect(nextOpen(questions, () => true, 0)).toBeNull();
  expect(nextOpen([], () => false, 0)).toBeNull();
});

test("a key answers only what the encounter offers", () => {
  const [pass, enter] = two();
  expect(["p", "P", "y", "a", "x"].map((key) => choiceOfKey(key, pass))).toEqual(["proceed", "proceed", null, "attack", null]);
  expect(["p", "y", "A"].map((key) => choiceOfKey(key, enter))).toEqual([null, "yield", "attack"]);
});

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Change, ChangesSchema } from "../../gen/parley/plunder/v1/change_pb";
import { TurnNewsSchema } from "../../gen/parley/plunder/v1/event_pb";
import { newsOf } from "./news";

/** Events named by a unit, each with its number of changes and the number of shared events before it. */
function told(...events: readonly (readonly [unit: number, changes: number, after?: number])[]) {
  const list = events.map(([unit, changes, after = 0]) => ({ changes, after, what: { case: "sunk" as const, value: { unit } } }));
  return create(TurnNewsSchema, { events: list } satisfies MessageInitShape<typeof TurnNewsSchema>);
}

/** Changes named by a turn. */
function changes(...turns: readonly number[]) {
  return create(ChangesSchema, { changes: turns.map((value) => ({ what: { case: "turn" as const, value } })) });
}

/** Each event with its changes, by their names; at the end the changes that belong to none. */
function read(...parts: Parameters<typeof newsOf>): unknown[] {
  const { events, rest } = newsOf(...parts);
  const turns = (all: readonly Change[]) => all.map(({ what }) => what.value);
  const named = events.map(({ event: { what }, changes: own }) => [what.case === "sunk" ? what.value.unit : null, ...turns(own)]);
  return [...named, ["rest", ...turns(rest)]];
}

test("own events stand where they say, each with its own changes", () => {
  const shared = told([1, 2], [2, 0], [3, 1]);
  const own = told([11, 1, 0], [12, 0, 1], [13, 1, 1], [14, 1, 3]);
  expect(read(shared, changes(1, 2, 3, 4), own, changes(11, 12, 13, 14, 15))).toEqual([
    [11, 11],
    [1, 1, 2],
    [12],
    [13, 12],
    [2],
    [3, 3],
    [14, 13],
    ["rest", 4, 14, 15],
  ]);
});

test("whoever is told nothing of their own is told what all are, and the other way round", () => {
  const none = create(TurnNewsSchema);
  expect(read(told([1, 1], [2, 0]), changes(5, 6), none, undefined)).toEqual([[1, 5], [2], ["rest", 6]]);
  expect(read(none, undefined, told([1, 1], [2, 0]), changes(5, 6))).toEqual([[1, 5], [2], ["rest", 6]]);
});

test("changes that are missing are an error", () => {
  const none = create(TurnNewsSchema);
  expect(() => newsOf(told([1, 2]), changes(1), none, undefined)).toThrow(/left out changes/);
  expect(() => newsOf(told([1, 1]), undefined, none, undefined)).toThrow(/left out changes/);
});

test("shortfalls of both are told", () => {
  const one = create(TurnNewsSchema, { shortfalls: [{ text: "one" }] });
  const other = create(TurnNewsSchema, { shortfalls: [{ text: "other" }] });
  expect(newsOf(one, undefined, other, undefined).shortfalls.map(({ text }) => text)).toEqual(["one", "other"]);
});

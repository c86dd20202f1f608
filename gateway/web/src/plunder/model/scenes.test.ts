import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EncounterKind, EventSchema, GoldReason, Stage } from "../../gen/parley/plunder/v1/event_pb";
import { scenesOf } from "./scenes";

type What = NonNullable<MessageInitShape<typeof EventSchema>["what"]>;

const event = (stage: Stage, tick: number | null, group: number, what: What) =>
  create(EventSchema, { stage, group, what, ...(tick === null ? {} : { tick }) });
const met = (group: number, kind: EncounterKind) => event(Stage.MOVEMENT, 1, group, { case: "met", value: { kind } });
const decided = (group: number, unit: number) => event(Stage.MOVEMENT, 1, group, { case: "decided", value: { unit } });
const moved = (group: number, unit: number) => event(Stage.MOVEMENT, 1, group, { case: "moved", value: { unit } });
const closed = (group: number) => event(Stage.CONTESTS, 0, group, { case: "contestClosed", value: {} });
const salvage = event(Stage.MOVEMENT, null, 0, { case: "gold", value: { reason: GoldReason.SALVAGE } });
const exchanged = (group: number, attacker: number, defender: number) =>
  event(Stage.BROADSIDES, 255, group, { case: "exchanged", value: { attacker, defender } });

/** Each scene with its kind and the places of its events. */
const cut = (...args: Parameters<typeof scenesOf>) => scenesOf(...args).map(({ kind, events }) => [kind, events.map(({ place }) => place)]);

test("decisions of one encounter are one scene, and those of the next another", () => {
  const events = [moved(0, 9), met(1, EncounterKind.ENTRY), met(2, EncounterKind.PASSING), decided(1, 4), decided(1, 5), decided(2, 6), decided(2, 7)];
  expect(cut(events)).toEqual([
    ["move", [0]],
    ["meet", [1, 2]],
    ["decide", [3, 4]],
    ["decide", [5, 6]],
  ]);
  expect(scenesOf(events).map(({ passing }) => passing)).toEqual([false, false, false, true]);
});

test("that nobody answered belongs to the decision, and salvage to what was just before", () => {
  const defaulted = event(Stage.MOVEMENT, 1, 1, { case: "defaulted", value: { unit: 4 } });
  const sunk = event(Stage.MOVEMENT, 1, 1, { case: "sunk", value: { unit: 4 } });
  expect(cut([met(1, EncounterKind.ENTRY), decided(1, 4), defaulted, decided(1, 5), sunk, salvage])).toEqual([
    ["meet", [0]],
    ["decide", [1, 2, 3]],
    ["sink", [4, 5]],
  ]);
});

test("each contest that ends is a scene of its own", () => {
  const claim = (group: number) => event(Stage.CONTESTS, 0, group, { case: "moved", value: { unit: group } });
  expect(cut([claim(1), closed(1), claim(2), closed(2), closed(3)])).toEqual([
    ["claim", [0, 1]],
    ["claim", [2, 3]],
    ["claim", [4]],
  ]);
});

test("events are where their stage says, whatever they are", () => {
  const gold = (stage: Stage) => event(stage, null, 0, { case: "gold", value: { reason: GoldReason.SALVAGE } });
  const stages = [Stage.INCOME, Stage.SHIPYARD_WORK, Stage.CONTESTS, Stage.BROADSIDES, Stage.BOMBARDMENT, Stage.CONSTRUCTION, Stage.RECKONING];
  expect(scenesOf(stages.map(gold)).map(({ when, events }) => [when, events.length])).toEqual([
    [-1, 2],
    [0, 1],
    [255, 1],
    [256, 1],
    [257, 1],
    [258, 1],
  ]);
});

test("broadsides that are apart are one scene", () => {
  const events = [exchanged(1, 1, 2), exchanged(2, 1, 3), exchanged(3, 7, 8)];
  const apart = (one: number, other: number) => Math.abs(one - other) > 3;
  expect(cut(events, apart)).toEqual([
    ["exchange", [0, 2]],
    ["exchange", [1]],
  ]);
  expect(cut(events).length).toBe(3);
});

test("no broadside is shown before one in which the same ship has fought", () => {
  // The second is too near the first, and the third is far from it; but it says what ship 1 has left after the second.
  const events = [exchanged(1, 10, 11), exchanged(2, 1, 9), exchanged(3, 1, 2)];
  const apart = (one: number, other: number) => Math.abs(one - other) > 3;
  expect(cut(events, apart)).toEqual([
    ["exchange", [0]],
    ["exchange", [1]],
    ["exchange", [2]],
  ]);
});

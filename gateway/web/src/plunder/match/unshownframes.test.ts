import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ChangesSchema } from "../../gen/parley/plunder/v1/change_pb";
import { EventSchema, Stage } from "../../gen/parley/plunder/v1/event_pb";
import { hexOf } from "../model/hex";
import type { PlunderNews, ToldEvent } from "../model/news";
import { sampleBoard, sampleChart, sampleRules, sampleShip } from "../planning/sample";
import { UnshownFrames } from "./unshownframes";

const chart = sampleChart(["......", "......"]);
const before = sampleBoard(chart, [sampleShip(1, 0, 0), sampleShip(2, 1, 11)]);
const names = ["Anna", "Ben"];

function moved(tick: number, unit: number, from: number, to: number): ToldEvent {
  const hex = hexOf(chart, to);
  const { changes } = create(ChangesSchema, { changes: [{ what: { case: "unit", value: { id: unit, hex } } }] });
  const value = { unit, from: hexOf(chart, from), to: hex };
  return { event: create(EventSchema, { tick, stage: Stage.MOVEMENT, what: { case: "moved", value } }), changes };
}

const newsOf = (events: readonly ToldEvent[]): PlunderNews => ({ events, rest: [], shortfalls: [], encounters: [] });
const events = [moved(1, 1, 0, 1), moved(2, 1, 1, 2), moved(2, 2, 11, 10), moved(3, 2, 10, 9)];
const next = create(ChangesSchema, { changes: [{ what: { case: "turn", value: 6 } }] }).changes;
const whole = { turn: 5, before, news: { ...newsOf(events), rest: next }, over: true };
const after = { ...sampleBoard(chart, [sampleShip(1, 0, 2), sampleShip(2, 1, 9)]), turn: 6 };
const places = (board: typeof before) => [...board.ships.values()].map((ship) => ship.tile);

it("tells every event once, whether it was told in a prompt before or not", () => {
  for (let cut = 0; cut <= events.length; cut += 1) {
    const unshown = new UnshownFrames();
    const early = unshown.take({ turn: 5, before, news: newsOf(events.slice(0, cut)), over: false }, sampleRules, names);
    const late = unshown.take(whole, sampleRules, names);
    const steps = [...early, ...late].flatMap((frame) => frame.effects.filter((effect) => effect.kind === "move"));
    expect(steps.map((step) => [step.ship.id, step.from, step.to])).toEqual([
      [1, 0, 1],
      [1, 1, 2],
      [2, 11, 10],
      [2, 10, 9],
    ]);
    expect(late.at(-1)?.after).toEqual(after);
    const seam = early.at(-1);
    if (seam !== undefined) expect(places(seam.after)).toEqual(places(late[0]?.before ?? before));
  }
});

it("says nothing new where a prompt is told again, and begins anew with a new turn", () => {
  const unshown = new UnshownFrames();
  const prompt = { turn: 5, before, news: newsOf(events.slice(0, 2)), over: false };
  expect(unshown.take(prompt, sampleRules, names).length).toBeGreaterThan(0);
  expect(unshown.take(prompt, sampleRules, names)).toEqual([]);
  const later = { turn: 6, before: after, news: newsOf([moved(1, 1, 2, 3)]), over: false };
  expect(unshown.take(later, sampleRules, names)[0]?.before).toEqual(after);
});

import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { hexOf } from "../../game/hex";
import { type Event, EventSchema } from "../../gen/parley/v1/event_pb";
import { boardOf, chartOf, rules, shipAt } from "./sample";
import { Unroll } from "./unroll";

const chart = chartOf(["......", "......"]);
const before = boardOf(chart, [shipAt(1, 0, 0), shipAt(2, 1, 11)]);
const names = ["Anna", "Ben"];

function moved(tick: number, unit: number, from: number, to: number): Event {
  return create(EventSchema, { tick, what: { case: "moved", value: { unit, from: hexOf(chart, from), to: hexOf(chart, to) } } });
}

const events = [moved(1, 1, 0, 1), moved(2, 1, 1, 2), moved(2, 2, 11, 10), moved(3, 2, 10, 9)];
const after = boardOf(chart, [shipAt(1, 0, 2), shipAt(2, 1, 9)]);
const end = { shortfalls: [], after: { ...after, turn: 6 } };
const places = (board: typeof before) => [...board.ships.values()].map((ship) => ship.tile);

it("tells every event once, whether it was told in a prompt before or not", () => {
  for (let cut = 0; cut <= events.length; cut += 1) {
    const unroll = new Unroll();
    const early = unroll.tell({ turn: 5, before, events: events.slice(0, cut), end: null }, rules, names);
    const late = unroll.tell({ turn: 5, before, events, end }, rules, names);
    const steps = [...early, ...late].flatMap((frame) => frame.effects.filter((effect) => effect.kind === "move"));
    expect(steps.map((step) => [step.ship.id, step.from, step.to])).toEqual([
      [1, 0, 1],
      [1, 1, 2],
      [2, 11, 10],
      [2, 10, 9],
    ]);
    expect(late.at(-1)?.after).toEqual(end.after);
    const seam = early.at(-1);
    if (seam !== undefined) expect(places(seam.after)).toEqual(places(late[0]?.before ?? before));
  }
});

it("says nothing new where a prompt is told again, and begins anew with a new turn", () => {
  const unroll = new Unroll();
  const prompt = { turn: 5, before, events: events.slice(0, 2), end: null };
  expect(unroll.tell(prompt, rules, names).length).toBeGreaterThan(0);
  expect(unroll.tell(prompt, rules, names)).toEqual([]);
  const next = { turn: 6, before: after, events: [moved(1, 1, 2, 3)], end: null };
  expect(unroll.tell(next, rules, names)[0]?.before).toEqual(after);
});

import { describe, expect, test } from "vitest";
import { apply } from "./board";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import { framesOf, framesSoFar } from "./frames";
import { distance } from "./hex";
import type { Effect, Frame, Ship } from "./model";

const kinds = (frame: Frame): Effect["kind"][] => frame.effects.map((effect) => effect.kind);

describe.each(MATCHES)("%s", (name) => {
  const { turns, rules, names, prompts } = recordedMatch(name);
  const played = turns.map((turn) => ({
    ...turn,
    frames: framesOf(turn.before, turn.events, turn.shortfalls, rules, names, turn.after),
  }));

  test("frames lead from one view to the next without a gap, and none is empty", () => {
    for (const { before, after, frames } of played) {
      expect(frames[0]?.before).toBe(before);
      expect(frames.at(-1)?.after).toBe(after);
      frames.reduce((earlier, later) => {
        expect(later.before).toBe(earlier.after);
        return later;
      });
      for (const frame of frames) {
        expect(frame.effects.length + frame.lines.length).toBeGreaterThan(0);
        expect(frame.title).not.toBe("");
        expect(frame.turn).toBe(before.turn);
      }
    }
  });

  test("ticks come in order, and moves of one tick are one frame", () => {
    for (const { frames } of played) {
      const ticks = frames.flatMap(({ tick }) => (tick === null ? [] : [tick]));
      expect(ticks).toEqual([...ticks].sort((a, b) => a - b));
      for (const tick of new Set(ticks)) {
        const titles = frames.filter((frame) => frame.tick === tick).map((frame) => frame.title);
        const met = titles.findIndex((title) => title.endsWith("ships meet"));
        const free = met < 0 ? titles : titles.slice(0, met);
        if (tick > 0 && tick < 255)
          expect(free.filter((title) => title.endsWith("ships move")).length).toBeLessThanOrEqual(1);
        expect(titles.filter((title) => title.endsWith("ships meet")).length).toBeLessThanOrEqual(1);
      }
    }
  });

  test("every exchange has a frame in which its dice can be read", () => {
    for (const { events, frames } of played) {
      const shown = frames.flatMap((frame) => frame.effects.filter((effect) => effect.kind === "exchange"));
      const visible = events.filter(({ what }) => what.case === "exchanged");
      expect(shown.length).toBe(visible.length);
      for (const frame of frames) {
        const fought = frame.effects.filter((effect) => effect.kind === "exchange");
        expect(frame.lines.filter((line) => line.text.includes("rolls")).length).toBe(fought.length);
        if (frame.tick !== 255) expect(fought.length).toBeLessThanOrEqual(1);
        const far = (one: Ship, other: Ship): boolean => distance(frame.before.chart, one.tile, other.tile) > 1;
        fought.forEach((one, place) => {
          for (const other of fought.slice(place + 1)) {
            const pairs = [one.attacker, one.defender].flatMap((a) =>
              [other.attacker, other.defender].map((b) => [a, b] as const),
            );
            expect(pairs.every(([a, b]) => far(a, b))).toBe(true);
          }
        });
      }
    }
  });

  test("the way of a ship is one line, where it ends", () => {
    for (const { events, frames } of played) {
      const sailors = new Set(events.flatMap(({ what }) => (what.case === "moved" ? [what.value.unit] : [])));
      const lines = frames.flatMap((frame) => frame.lines.filter((line) => / (sails|moves) /.test(line.text)));
      expect(lines.length).toBe(sailors.size);
    }
  });

  test("the decisions of one encounter are one frame", () => {
    for (const { events, frames } of played) {
      const decided = frames.filter((frame) => frame.title.endsWith("encounter is decided"));
      expect(decided.length).toBe(events.filter(({ what }) => what.case === "met").length);
    }
  });

  test("every shortfall is told once, in the words of the service", () => {
    for (const { shortfalls, frames } of played) {
      const told = frames.flatMap((frame) => frame.lines.map((line) => line.text));
      const count = (text: string, texts: readonly string[]): number => texts.filter((other) => other === text).length;
      const texts = shortfalls.map((shortfall) => shortfall.text);
      for (const text of texts) expect(count(text, told)).toBe(count(text, texts));
    }
  });

  test("what is known at a prompt begins the whole turn", () => {
    for (const prompt of prompts) {
      const turn = played.find(({ before }) => before.turn === prompt.turn);
      if (turn === undefined) continue;
      const known = turn.events.slice(0, prompt.events);
      const soFar = framesSoFar(turn.before, known, rules, names);
      expect(soFar.map((frame) => [frame.title, kinds(frame)])).toEqual(
        turn.frames.slice(0, soFar.length).map((frame) => [frame.title, kinds(frame)]),
      );
      expect(soFar.at(-1)?.title).toBe(`Tick ${prompt.tick} of ${soFar.at(-1)?.title.split(" ")[3]} ships meet`);
      expect(soFar.at(-1)?.after).toEqual(known.reduce((board, event) => apply(board, event, rules), turn.before));
    }
  });

  test("without the next view the turn is over all the same", () => {
    for (const { before, events } of turns.slice(0, 5)) {
      const last = framesOf(before, events, [], rules, names).at(-1);
      expect(last?.after.turn).toBe(before.turn + 1);
    }
  });
});

test("a turn in which nothing happens is one frame that says so", () => {
  const { turns, rules, names } = recordedMatch("open");
  const before = turns[0]?.before;
  if (before === undefined) throw new Error("no turn");
  const frames = framesOf(before, [], [], rules, names);
  expect(frames.map((frame) => frame.lines.map((line) => line.text))).toEqual([["Nothing happens."]]);
  expect(framesSoFar(before, [], rules, names)).toEqual([]);
  const foggy = { ...before, chart: { ...before.chart, visible: new Uint8Array(before.chart.terrain.length) } };
  expect(framesOf(foggy, [], [], rules, names).map((frame) => frame.title)).toEqual(["Nothing happens in sight"]);
});

test("broadsides far from each other are shown together", () => {
  const together = MATCHES.flatMap((name) => {
    const { turns, rules, names } = recordedMatch(name);
    return turns.flatMap((turn) => framesOf(turn.before, turn.events, turn.shortfalls, rules, names));
  }).filter((frame) => frame.tick === 255 && kinds(frame).filter((kind) => kind === "exchange").length > 1);
  expect(together.length).toBeGreaterThan(0);
});

test("all effects occur", () => {
  const seen = new Set<Effect["kind"]>();
  for (const name of MATCHES) {
    const { turns, rules, names } = recordedMatch(name);
    for (const turn of turns) {
      for (const frame of framesOf(turn.before, turn.events, turn.shortfalls, rules, names))
        kinds(frame).forEach((kind) => seen.add(kind));
    }
  }
  expect([...seen].sort()).toEqual([
    "appear",
    "bombard",
    "capture",
    "contest",
    "decide",
    "deploy",
    "exchange",
    "meet",
    "move",
    "repair",
    "sink",
    "spawn",
    "upgrade",
    "vanish",
    "wait",
  ]);
});

import { describe, expect, test } from "vitest";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import { framesOf, framesSoFar } from "./frames";
import { distance } from "./hex";
import type { Effect, ExchangeSide, Frame } from "./model";
import { type PlunderNews, boardAfter } from "./news";

const nothing: PlunderNews = { events: [], rest: [], shortfalls: [], encounters: [] };
const kinds = (frame: Frame): Effect["kind"][] => frame.effects.map((effect) => effect.kind);

describe.each(MATCHES)("%s", (name) => {
  const { turns, rules, names, prompts } = recordedMatch(name);
  const played = turns.map((turn) => ({
    ...turn,
    happened: turn.news.events.map(({ event }) => event),
    frames: framesOf(turn.before, turn.news, rules, names),
  }));

  test("frames lead from one view to the next without a gap, and none is empty", () => {
    for (const { before, after, frames } of played) {
      expect(frames[0]?.before).toBe(before);
      expect(frames.at(-1)?.after).toEqual(after);
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
    for (const { happened, frames } of played) {
      const shown = frames.flatMap((frame) => frame.effects.filter((effect) => effect.kind === "exchange"));
      const visible = happened.filter(({ what }) => what.case === "exchanged");
      expect(shown.length).toBe(visible.length);
      for (const frame of frames) {
        const fought = frame.effects.filter((effect) => effect.kind === "exchange");
        expect(frame.lines.filter((line) => line.text.includes("rolls")).length).toBe(fought.length);
        if (frame.tick !== 255) expect(fought.length).toBeLessThanOrEqual(1);
        const far = ({ ship: one }: ExchangeSide, { ship: other }: ExchangeSide): boolean =>
          distance(frame.before.chart, one.tile, other.tile) > 1;
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
    for (const { happened, frames } of played) {
      const sailors = new Set(happened.flatMap(({ what }) => (what.case === "moved" ? [what.value.unit] : [])));
      const lines = frames.flatMap((frame) => frame.lines.filter((line) => / (sails|moves) /.test(line.text)));
      expect(lines.length).toBe(sailors.size);
    }
  });

  test("the decisions of one encounter are one frame", () => {
    for (const { happened, frames } of played) {
      const decided = frames.filter((frame) => frame.title.endsWith("encounter is decided"));
      expect(decided.length).toBe(happened.filter(({ what }) => what.case === "met").length);
    }
  });

  test("every shortfall is told once, in the words of the service", () => {
    for (const { news: { shortfalls }, frames } of played) {
      const told = frames.flatMap((frame) => frame.lines.map((line) => line.text));
      const count = (text: string, texts: readonly string[]): number => texts.filter((other) => other === text).length;
      const texts = shortfalls.map((shortfall) => shortfall.text);
      for (const text of texts) expect(count(text, told)).toBe(count(text, texts));
    }
  });

  test("what is known at a prompt begins the whole turn", () => {
    for (const { turn, tick, soFar } of prompts) {
      const whole = played.find(({ before }) => before.turn === turn);
      if (whole === undefined) throw new Error("no turn of the prompt");
      const early = framesSoFar(whole.before, soFar, rules, names);
      expect(early.map((frame) => [frame.title, kinds(frame)])).toEqual(
        whole.frames.slice(0, early.length).map((frame) => [frame.title, kinds(frame)]),
      );
      expect(early.at(-1)?.title).toBe(`Tick ${tick} of ${early.at(-1)?.title.split(" ")[3]} ships meet`);
      expect(early.at(-1)?.after).toEqual(boardAfter(whole.before, soFar, rules));
    }
  });

  test("what was shown up to a prompt is not shown again, and what follows goes on from there", () => {
    for (const { turn, soFar } of prompts) {
      const whole = played.find(({ before }) => before.turn === turn);
      if (whole === undefined) throw new Error("no turn of the prompt");
      const early = framesSoFar(whole.before, soFar, rules, names);
      const late = framesOf(whole.before, whole.news, rules, names, soFar.events.length);
      const effects = (frames: readonly Frame[]) => frames.flatMap(kinds);
      expect([...effects(early), ...effects(late)]).toEqual(effects(whole.frames));
      expect(late.map(({ title }) => title)).toEqual(whole.frames.slice(-late.length).map(({ title }) => title));
      expect(late.at(-1)?.after).toEqual(whole.after);
    }
  });

  test("bars are left as the board after them has them", () => {
    for (const { frames } of played) {
      for (const { effects, after } of frames) {
        const left = new Map<number, number>();
        for (const effect of effects) {
          if (effect.kind === "exchange") for (const { ship, left: hp } of [effect.attacker, effect.defender]) left.set(ship.id, hp);
        }
        for (const [ship, hp] of left) expect(hp).toBe(after.ships.get(ship)?.hp ?? 0);
      }
    }
  });
});

test("a turn in which nothing happens is one frame that says so", () => {
  const { turns, rules, names } = recordedMatch("open");
  const before = turns[0]?.before;
  if (before === undefined) throw new Error("no turn");
  const frames = framesOf(before, nothing, rules, names);
  expect(frames.map((frame) => frame.lines.map((line) => line.text))).toEqual([["Nothing happens."]]);
  expect(framesSoFar(before, nothing, rules, names)).toEqual([]);
  const foggy = { ...before, chart: { ...before.chart, visible: new Uint8Array(before.chart.terrain.length) } };
  expect(framesOf(foggy, nothing, rules, names).map((frame) => frame.title)).toEqual(["Nothing happens in sight"]);
});

test("broadsides far from each other are shown together", () => {
  const together = MATCHES.flatMap((name) => {
    const { turns, rules, names } = recordedMatch(name);
    return turns.flatMap((turn) => framesOf(turn.before, turn.news, rules, names));
  }).filter((frame) => frame.tick === 255 && kinds(frame).filter((kind) => kind === "exchange").length > 1);
  expect(together.length).toBeGreaterThan(0);
});

test("all effects occur", () => {
  const seen = new Set<Effect["kind"]>();
  for (const name of MATCHES) {
    const { turns, rules, names } = recordedMatch(name);
    for (const turn of turns) {
      for (const frame of framesOf(turn.before, turn.news, rules, names))
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

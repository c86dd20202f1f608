import { beforeEach, describe, expect, it } from "vitest";
import type { Board, Effect, Frame } from "../../game/model";
import { boardAt, type Clock, Reel, lengthOf } from "./reel";

const board: Board = {
  seat: 0,
  turn: 1,
  chart: { width: 1, height: 1, wrap: false, keys: ["sea"], terrain: new Uint8Array(1), visible: null },
  players: [],
  ships: new Map(),
  yards: new Map(),
  contests: new Map(),
  result: null,
};

const contest: Effect = { kind: "contest", tile: 0, open: true };

function frame(title: string, effects: readonly Effect[] = []): Frame {
  return { turn: 1, tick: 1, title, before: board, effects, after: board, lines: [] };
}

class Hand implements Clock {
  time = 0;
  #calls: { at: number; call: () => void }[] = [];
  readonly now = () => this.time;
  readonly after = (ms: number, call: () => void) => {
    const entry = { at: this.time + ms, call };
    this.#calls.push(entry);
    return () => {
      this.#calls = this.#calls.filter((other) => other !== entry);
    };
  };
  run(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const next = this.#calls.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.time = next.at;
      this.#calls = this.#calls.filter((other) => other !== next);
      next.call();
    }
    this.time = until;
  }
  get waiting(): number {
    return this.#calls.length;
  }
}

describe("a reel", () => {
  let clock: Hand;
  let reel: Reel;
  const frames = [frame("a"), frame("b", [contest]), frame("c")];
  const [a, b] = [lengthOf(frames[0] as Frame), lengthOf(frames[1] as Frame)];
  const at = () => reel.snapshot().at;

  beforeEach(() => {
    clock = new Hand();
    reel = new Reel(clock);
  });

  it("plays every frame for its length and then ends", () => {
    reel.append(frames);
    expect(reel.snapshot()).toMatchObject({ at: 0, playing: true });
    clock.run(a / 2);
    expect(reel.progress()).toBeCloseTo(0.5);
    clock.run(a / 2);
    expect([at(), reel.progress()]).toEqual([1, 0]);
    clock.run(b - 1);
    expect(at()).toBe(1);
    clock.run(1 + a);
    expect(reel.snapshot()).toMatchObject({ at: 3, playing: false });
    expect(reel.busy).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it("goes on where it was paused", () => {
    reel.append(frames);
    clock.run(a / 4);
    reel.toggle();
    clock.run(10_000);
    expect([at(), reel.progress()]).toEqual([0, 0.25]);
    reel.toggle();
    clock.run((a * 3) / 4);
    expect(at()).toBe(1);
  });

  it("steps one frame and holds it, in both directions", () => {
    reel.append(frames);
    reel.step(1);
    expect(at()).toBe(1);
    clock.run(10_000);
    expect([at(), reel.progress(), reel.snapshot().playing]).toEqual([1, 1, false]);
    reel.step(-1);
    expect([at(), reel.progress()]).toEqual([0, 1]);
    reel.step(-1);
    expect([at(), reel.progress()]).toEqual([0, 0]);
    reel.step(1);
    clock.run(10_000);
    expect(at()).toBe(0);
    reel.toggle();
    expect(at()).toBe(1);
    reel.skip();
    reel.step(-1);
    expect(at()).toBe(2);
  });

  it("plays at its speed, and changes it within a frame", () => {
    reel.setSpeed(2);
    reel.append(frames);
    clock.run(a / 4);
    expect(reel.progress()).toBeCloseTo(0.5);
    reel.setSpeed(0.5);
    expect(reel.progress()).toBeCloseTo(0.5);
    clock.run(a - 1);
    expect(at()).toBe(0);
    clock.run(1);
    expect(at()).toBe(1);
  });

  it("hurries while somebody waits for the end", () => {
    reel.append(frames);
    clock.run(a / 2);
    reel.hurry(true);
    expect(reel.progress()).toBeCloseTo(0.5);
    clock.run(a / 4);
    expect(at()).toBe(1);
    reel.hurry(false);
    clock.run(b - 1);
    expect(at()).toBe(1);
  });

  it("shows only the end at no speed", () => {
    reel.setSpeed(0);
    reel.append(frames);
    expect(at()).toBe(3);
    reel.load(frames, 0, false);
    expect(at()).toBe(0);
    reel.toggle();
    clock.run(a);
    expect(at()).toBe(1);
  });

  it("takes more frames while it plays without losing its place", () => {
    reel.append(frames.slice(0, 1));
    clock.run(a / 2);
    reel.append(frames.slice(1));
    expect(reel.progress()).toBeCloseTo(0.5);
    clock.run(a / 2);
    expect(at()).toBe(1);
    reel.skip();
    reel.append(frames);
    expect(reel.snapshot()).toMatchObject({ at: 3, playing: true });
  });

  it("lets go of turns that were shown, however long a match goes on without a rest", () => {
    const turn = (number: number) => frames.map((each) => ({ ...each, turn: number }));
    reel.append(turn(1));
    for (let number = 2; number <= 500; number++) {
      clock.run(a + b / 2);
      expect(reel.snapshot().frames[at()]?.turn).toBe(number - 1);
      reel.append(turn(number));
      expect(reel.progress()).toBeCloseTo(0.5);
      expect(reel.snapshot().frames.length).toBeLessThanOrEqual(6);
      clock.run(b / 2 + a);
    }
    expect(clock.waiting).toBe(1);
  });

  it("tells its listeners of every frame until it is closed", () => {
    let told = 0;
    reel.subscribe(() => (told += 1));
    reel.append(frames);
    clock.run(10_000);
    expect(told).toBe(4);
    reel.close();
    reel.append(frames);
    expect(told).toBe(4);
  });
});

describe("the board that is shown", () => {
  const moments = [1, 2, 3].map((turn) => ({ ...board, turn }));
  const frames = moments.slice(1).map((after, place) => ({ ...frame("a"), before: moments[place] ?? board, after }));
  const shown = (how: (reel: Reel, clock: Hand) => void) => {
    const clock = new Hand();
    const reel = new Reel(clock);
    reel.load(frames, 0, false);
    how(reel, clock);
    return boardAt(reel.snapshot(), reel.progress())?.turn;
  };

  it("is the one that a frame began with, until the frame is held at its end", () => {
    expect(shown(() => undefined)).toBe(1);
    expect(shown((reel, clock) => {
      reel.step(1);
      clock.run(lengthOf(frame("a")) - 1);
    })).toBe(1);
    expect(shown((reel, clock) => {
      reel.step(1);
      clock.run(lengthOf(frame("a")));
    })).toBe(2);
    expect(shown((reel) => reel.seek(0, 1))).toBe(2);
    expect(shown((reel) => reel.seek(1, 0))).toBe(2);
  });

  it("is the last one when all is over, and none where there is no frame", () => {
    expect(shown((reel) => reel.skip())).toBe(3);
    expect(shown((reel) => reel.seek(1, 1))).toBe(3);
    expect(boardAt(new Reel(new Hand()).snapshot(), 1)).toBeNull();
  });
});

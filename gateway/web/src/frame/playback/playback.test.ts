import { beforeEach, describe, expect, it } from "vitest";
import { Playback, type PlaybackClock, boardAt, frameMs } from "./playback";

interface TestFrame {
  readonly turn: number;
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly drawingMs: number;
}

/** How long the drawing takes in a frame with much to draw, in milliseconds. */
const LONG_MS = 900;

function frame(title: string, drawingMs = 0): TestFrame {
  return { turn: 1, title, before: `before ${title}`, after: `after ${title}`, drawingMs };
}

function playbackBy(clock: PlaybackClock): Playback<TestFrame> {
  return new Playback<TestFrame>(({ drawingMs }) => drawingMs, clock);
}

class Hand implements PlaybackClock {
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

describe("a playback", () => {
  let clock: Hand;
  let playback: Playback<TestFrame>;
  const frames = [frame("a"), frame("b", LONG_MS), frame("c")];
  const [a, b] = [frameMs(0), frameMs(LONG_MS)];
  const at = () => playback.snapshot().at;

  beforeEach(() => {
    clock = new Hand();
    playback = playbackBy(clock);
  });

  it("plays every frame for its length and then ends", () => {
    playback.append(frames);
    expect(playback.snapshot()).toMatchObject({ at: 0, playing: true });
    clock.run(a / 2);
    expect(playback.progress()).toBeCloseTo(0.5);
    clock.run(a / 2);
    expect([at(), playback.progress()]).toEqual([1, 0]);
    clock.run(b - 1);
    expect(at()).toBe(1);
    clock.run(1 + a);
    expect(playback.snapshot()).toMatchObject({ at: 3, playing: false });
    expect(playback.busy).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it("goes on where it was paused", () => {
    playback.append(frames);
    clock.run(a / 4);
    playback.toggle();
    clock.run(10_000);
    expect([at(), playback.progress()]).toEqual([0, 0.25]);
    playback.toggle();
    clock.run((a * 3) / 4);
    expect(at()).toBe(1);
  });

  it("steps one frame and holds it, in both directions", () => {
    playback.append(frames);
    playback.step(1);
    expect(at()).toBe(1);
    clock.run(10_000);
    expect([at(), playback.progress(), playback.snapshot().playing]).toEqual([1, 1, false]);
    playback.step(-1);
    expect([at(), playback.progress()]).toEqual([0, 1]);
    playback.step(-1);
    expect([at(), playback.progress()]).toEqual([0, 0]);
    playback.step(1);
    clock.run(10_000);
    expect(at()).toBe(0);
    playback.toggle();
    expect(at()).toBe(1);
    playback.skip();
    playback.step(-1);
    expect(at()).toBe(2);
  });

  it("plays at its speed, and changes it within a frame", () => {
    playback.setSpeed(2);
    playback.append(frames);
    clock.run(a / 4);
    expect(playback.progress()).toBeCloseTo(0.5);
    playback.setSpeed(0.5);
    expect(playback.progress()).toBeCloseTo(0.5);
    clock.run(a - 1);
    expect(at()).toBe(0);
    clock.run(1);
    expect(at()).toBe(1);
  });

  it("hurries while somebody waits for the end", () => {
    playback.append(frames);
    clock.run(a / 2);
    playback.hurry(true);
    expect(playback.progress()).toBeCloseTo(0.5);
    clock.run(a / 4);
    expect(at()).toBe(1);
    playback.hurry(false);
    clock.run(b - 1);
    expect(at()).toBe(1);
  });

  it("shows only the end at no speed", () => {
    playback.setSpeed(0);
    playback.append(frames);
    expect(at()).toBe(3);
    playback.load(frames, 0, false);
    expect(at()).toBe(0);
    playback.toggle();
    clock.run(a);
    expect(at()).toBe(1);
  });

  it("takes more frames while it plays without losing its place", () => {
    playback.append(frames.slice(0, 1));
    clock.run(a / 2);
    playback.append(frames.slice(1));
    expect(playback.progress()).toBeCloseTo(0.5);
    clock.run(a / 2);
    expect(at()).toBe(1);
    playback.skip();
    playback.append(frames);
    expect(playback.snapshot()).toMatchObject({ at: 3, playing: true });
  });

  it("lets go of turns that were shown, however long a match goes on without a rest", () => {
    const turn = (number: number) => frames.map((each) => ({ ...each, turn: number }));
    playback.append(turn(1));
    for (let number = 2; number <= 500; number++) {
      clock.run(a + b / 2);
      expect(playback.snapshot().frames[at()]?.turn).toBe(number - 1);
      playback.append(turn(number));
      expect(playback.progress()).toBeCloseTo(0.5);
      expect(playback.snapshot().frames.length).toBeLessThanOrEqual(6);
      clock.run(b / 2 + a);
    }
    expect(clock.waiting).toBe(1);
  });

  it("tells its listeners of every frame until it is closed", () => {
    let told = 0;
    playback.subscribe(() => (told += 1));
    playback.append(frames);
    clock.run(10_000);
    expect(told).toBe(4);
    playback.close();
    playback.append(frames);
    expect(told).toBe(4);
  });
});

describe("the board that is shown", () => {
  const frames = [
    { ...frame("a"), before: "first", after: "second" },
    { ...frame("b"), before: "second", after: "third" },
  ];
  const shown = (how: (playback: Playback<TestFrame>, clock: Hand) => void) => {
    const clock = new Hand();
    const playback = playbackBy(clock);
    playback.load(frames, 0, false);
    how(playback, clock);
    return boardAt(playback.snapshot(), playback.progress());
  };

  it("is the one that a frame began with, until the frame is held at its end", () => {
    expect(shown(() => undefined)).toBe("first");
    expect(shown((playback, clock) => {
      playback.step(1);
      clock.run(frameMs(0) - 1);
    })).toBe("first");
    expect(shown((playback, clock) => {
      playback.step(1);
      clock.run(frameMs(0));
    })).toBe("second");
    expect(shown((playback) => playback.seek(0, 1))).toBe("second");
    expect(shown((playback) => playback.seek(1, 0))).toBe("second");
  });

  it("is the last one when all is over, and none where there is no frame", () => {
    expect(shown((playback) => playback.skip())).toBe("third");
    expect(shown((playback) => playback.seek(1, 1))).toBe("third");
    expect(boardAt(playbackBy(new Hand()).snapshot(), 1)).toBeNull();
  });
});

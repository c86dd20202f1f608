// Frames that are played one after the other, as a film is: with a speed, a pause, steps and an end. A frame is one step
// of a turn; what is drawn in it is the business of the game.

/** How fast frames are played: 1 is the usual speed, 0 shows only how it ended. */
export type Speed = 0 | 0.5 | 1 | 2 | 4;

export const speeds: readonly Speed[] = [0.5, 1, 2, 4, 0];

/** How long it takes at least to read what a frame is about, in milliseconds. */
const readingMs = 600;

/** How much faster frames are played that lead to a question. */
const haste = 2;

/** What playing needs to know of a frame. */
export interface PlaybackFrame<Board = unknown> {
  readonly turn: number;
  /** A few words that say what is shown. */
  readonly title: string;
  /** The board that is shown while the frame is played, and the board that it leads to. */
  readonly before: Board;
  readonly after: Board;
}

/** How long a frame is shown at the usual speed, in milliseconds, if what is drawn in it takes so long. */
export function frameMs(drawingMs: number): number {
  return Math.max(readingMs, drawingMs);
}

/** What the page draws of a playback. A new object for every change, except for the progress within a frame. */
export interface PlaybackState<Frame extends PlaybackFrame = PlaybackFrame> {
  readonly frames: readonly Frame[];
  /** Which frame is shown; as many as there are frames once all are over. */
  readonly at: number;
  readonly playing: boolean;
  readonly speed: Speed;
}

/** How many frames have been shown to their end. */
export function framesOver({ at, playing }: PlaybackState, progress: number): number {
  return !playing && progress >= 1 ? at + 1 : at;
}

/** The board that is shown: what a frame began with, and what it led to once it is held at its end. Null without frames. */
export function boardAt<Board>(state: PlaybackState<PlaybackFrame<Board>>, progress: number): Board | null {
  const frame = state.frames[state.at];
  if (frame === undefined) return state.frames.at(-1)?.after ?? null;
  return framesOver(state, progress) > state.at ? frame.after : frame.before;
}

/** The clock that frames are played by. */
export interface PlaybackClock {
  readonly now: () => number;
  /** Calls back after some milliseconds, unless the function that it returns is called before. */
  readonly after: (ms: number, call: () => void) => () => void;
}

export const wallClock: PlaybackClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

export class Playback<Frame extends PlaybackFrame = PlaybackFrame> {
  #state: PlaybackState<Frame>;
  readonly #drawingMs: (frame: Frame) => number;
  readonly #clock: PlaybackClock;
  readonly #listeners = new Set<() => void>();
  /** When the shown frame began, and how much of it was over already, from 0 to 1. */
  #since = 0;
  #done = 0;
  /** Whether playing holds after the shown frame, as it does for a single step. */
  #once = false;
  /** Whether somebody waits for the end, so that everything is played faster. */
  #haste = false;
  #forget: (() => void) | null = null;

  /** `drawingMs` says how long everything that is drawn in a frame takes at the usual speed, in milliseconds. */
  constructor(drawingMs: (frame: Frame) => number, clock: PlaybackClock = wallClock, speed: Speed = 1) {
    this.#drawingMs = drawingMs;
    this.#clock = clock;
    this.#state = { frames: [], at: 0, playing: false, speed };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): PlaybackState<Frame> => this.#state;

  /** How much of the shown frame is over, from 0 to 1. */
  readonly progress = (): number => {
    const { frames, at, playing } = this.#state;
    const frame = frames[at];
    if (frame === undefined) return 1;
    if (!playing) return this.#done;
    return Math.min(1, this.#done + (this.#clock.now() - this.#since) / this.#span(frame));
  };

  /** Whether something is left to be shown. */
  get busy(): boolean {
    return this.#state.at < this.#state.frames.length;
  }

  /** Takes other frames in place of those that it has, and shows them from one of them on. */
  load(frames: readonly Frame[], at: number, playing: boolean): void {
    this.#show(frames, Math.max(0, Math.min(at, frames.length)), playing && this.#state.speed !== 0, 0);
    if (playing && this.#state.speed === 0) this.skip();
  }

  /** Takes more frames, and plays on into them if it is at its end. Turns before the shown one are let go. */
  append(frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    const { frames: before, at, playing } = this.#state;
    const shown = before[at];
    const gone = shown === undefined ? 0 : before.findIndex((frame) => frame.turn === shown.turn);
    const all = [...before.slice(gone), ...frames];
    if (this.#state.speed === 0) this.#show(all, all.length, false, 0);
    else if (shown === undefined) this.#show(all, at, true, 0);
    else this.#show(all, at - gone, playing, this.progress());
  }

  toggle(): void {
    const { frames, at, playing } = this.#state;
    if (at >= frames.length) return;
    if (playing) this.#show(frames, at, false, this.progress());
    else if (this.progress() >= 1) this.#show(frames, at + 1, true, 0);
    else this.#show(frames, at, true, this.#done);
  }

  /** Shows the next frame as it happens, or the one before as it ended, and holds there. */
  step(by: 1 | -1): void {
    const { frames, at, playing } = this.#state;
    if (by === -1) {
      if (at > 0) this.#show(frames, at - 1, false, 1);
      else this.#show(frames, 0, false, 0);
      return;
    }
    const fresh = !playing && at < frames.length && this.progress() === 0;
    const next = fresh ? at : at + 1;
    if (next >= frames.length) this.skip();
    else this.#show(frames, next, true, 0, true);
  }

  /** Holds at a frame: at its beginning, or as it ended. */
  seek(at: number, progress: 0 | 1): void {
    const { frames } = this.#state;
    this.#show(frames, Math.max(0, Math.min(at, frames.length)), false, progress);
  }

  /** Goes to the end of the last frame. */
  skip(): void {
    this.#show(this.#state.frames, this.#state.frames.length, false, 0);
  }

  setSpeed(speed: Speed): void {
    const { frames, at, playing } = this.#state;
    const progress = this.progress();
    this.#state = { ...this.#state, speed };
    if (speed === 0 && playing) this.skip();
    else this.#show(frames, at, playing, progress, this.#once);
  }

  /** Something waits for the end, such as a question: all goes faster as long as it does. */
  hurry(yes: boolean): void {
    if (yes === this.#haste) return;
    const { frames, at, playing } = this.#state;
    const progress = this.progress();
    this.#haste = yes;
    this.#show(frames, at, playing, progress, this.#once);
  }

  /** Stops playing for good, and forgets its listeners. */
  close(): void {
    this.#forget?.();
    this.#forget = null;
    this.#listeners.clear();
  }

  #span(frame: Frame): number {
    const speed = this.#state.speed === 0 ? 1 : this.#state.speed;
    return frameMs(this.#drawingMs(frame)) / (this.#haste ? speed * haste : speed);
  }

  #show(frames: readonly Frame[], at: number, playing: boolean, done: number, once = false): void {
    this.#forget?.();
    this.#forget = null;
    const frame = frames[at];
    this.#since = this.#clock.now();
    this.#done = done;
    this.#once = once;
    this.#state = { ...this.#state, frames, at, playing: playing && frame !== undefined };
    if (this.#state.playing && frame !== undefined) {
      const left = Math.max(0, (1 - done) * this.#span(frame));
      this.#forget = this.#clock.after(left, () => {
        if (this.#once) this.#show(frames, at, false, 1);
        else this.#show(frames, at + 1, true, 0);
      });
    }
    for (const listener of [...this.#listeners]) listener();
  }
}

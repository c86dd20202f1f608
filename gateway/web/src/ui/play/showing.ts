// What a followed match tells is shown one after the other, and what was shown is written into the log.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Frame, LogLine } from "../../game/model";
import type { Rules } from "../../game/rules";
import type { Live, LiveState } from "../../live/state";
import { useStore } from "../../live/store";
import { overOf, Reel, type ReelState, wallClock } from "./reel";
import { readSpeed, writeSpeed } from "./speed";
import { Unroll } from "./unroll";

/** How many lines of the log are kept; the oldest go first. */
const maxLines = 3000;

/** What is left of a log. */
export interface Written {
  readonly lines: readonly LogLine[];
  /** How many older lines are gone. */
  readonly gone: number;
}

/** A log after more was written. */
export function written(log: Written, more: readonly LogLine[], limit = maxLines): Written {
  if (more.length === 0) return log;
  const all = [...log.lines, ...more];
  const tooMany = Math.max(0, all.length - limit);
  return { lines: all.slice(tooMany), gone: log.gone + tooMany };
}

/** How many turns may wait to be shown before the older ones are only told in the log. */
const maxWaiting = 3;

/** Where to go on showing frames so that no more turns wait than may: at the frame that is shown, or later. */
export function catchUp(frames: readonly Frame[], at: number, most = maxWaiting): number {
  const turns = [...new Set(frames.slice(at).map((frame) => frame.turn))];
  const first = turns.at(-most);
  if (turns.length <= most || first === undefined) return at;
  return frames.findIndex((frame) => frame.turn === first);
}

export interface Showing {
  readonly reel: Reel;
  readonly state: ReelState;
  /** The frame that is shown; null while nothing is. */
  readonly frame: Frame | null;
  readonly log: Written;
  /** Shows the last turn again; null where there is none. */
  readonly again: (() => void) | null;
}

export function useShowing(live: Live, state: LiveState, rules: Rules): Showing {
  const reel = useMemo(() => new Reel(wallClock, readSpeed()), []);
  const unroll = useMemo(() => new Unroll(), []);
  const shown = useStore(reel);
  const noted = useRef(new WeakSet<Frame>());
  const [log, setLog] = useState<Written>({ lines: [], gone: 0 });
  const { outcomes, prompt, names } = state;
  const asked = prompt === null ? null : `${prompt.turn}/${prompt.tick}`;

  const note = (frames: readonly Frame[]) => {
    const fresh = frames.filter((frame) => !noted.current.has(frame));
    for (const frame of fresh) noted.current.add(frame);
    if (fresh.length > 0) setLog((before) => written(before, fresh.flatMap((frame) => frame.lines)));
  };
  const show = (frames: readonly Frame[]) => {
    const now = reel.snapshot();
    const all = reel.busy ? [...now.frames, ...frames] : frames;
    const place = catchUp(all, reel.busy ? now.at : 0);
    if (reel.busy && place === now.at) {
      reel.append(frames);
      return;
    }
    note(all.slice(0, place));
    reel.load(all.slice(place), 0, true);
  };

  useEffect(() => () => reel.close(), [reel]);
  // Before anything is painted: nobody sees how a turn ended, or what it asks, before it was shown.
  useLayoutEffect(() => {
    const frames = outcomes.flatMap(({ turn, before, events, shortfalls, after }) =>
      unroll.tell({ turn, before, events, end: { shortfalls, after } }, rules, names),
    );
    if (prompt !== null) frames.push(...unroll.tell({ ...prompt, end: null }, rules, names));
    if (frames.length > 0) show(frames);
    const last = outcomes.at(-1);
    if (last !== undefined) live.shown(last.turn);
  }, [outcomes, asked]);
  useEffect(() => reel.hurry(prompt !== null), [prompt !== null]);
  useEffect(() => writeSpeed(shown.speed), [shown.speed]);

  // A fight is told when its dice have come to rest, not while they roll.
  useEffect(() => note(shown.frames.slice(0, overOf(shown, reel.progress()))), [shown]);

  const frame = shown.frames[shown.at] ?? null;
  const again = frame === null && shown.frames.length > 0 ? () => reel.load(shown.frames, 0, true) : null;
  return { reel, state: shown, frame, log, again };
}

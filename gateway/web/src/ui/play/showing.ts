// What a followed match tells is shown one after the other, and what was shown is written into the log.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Frame, LogLine } from "../../game/model";
import type { Rules } from "../../game/rules";
import type { Live, LiveState } from "../../live/state";
import { useStore } from "../../live/store";
import { Reel, type ReelState, wallClock } from "./reel";
import { readSpeed, writeSpeed } from "./speed";
import { Unroll } from "./unroll";

/** How many lines of the log are kept; the oldest go first. */
const maxLines = 3000;

/** The lines of a log after more were written. */
export function written(lines: readonly LogLine[], more: readonly LogLine[], limit = maxLines): readonly LogLine[] {
  return more.length === 0 ? lines : [...lines, ...more].slice(-limit);
}

export interface Showing {
  readonly reel: Reel;
  readonly state: ReelState;
  /** The frame that is shown; null while nothing is. */
  readonly frame: Frame | null;
  readonly lines: readonly LogLine[];
  /** Shows the last turn again; null where there is none. */
  readonly again: (() => void) | null;
}

export function useShowing(live: Live, state: LiveState, rules: Rules): Showing {
  const reel = useMemo(() => new Reel(wallClock, readSpeed()), []);
  const unroll = useMemo(() => new Unroll(), []);
  const shown = useStore(reel);
  const noted = useRef(new WeakSet<Frame>());
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const { outcomes, prompt, names } = state;
  const asked = prompt === null ? null : `${prompt.turn}/${prompt.tick}`;

  useEffect(() => () => reel.close(), [reel]);
  useEffect(() => {
    const frames = outcomes.flatMap(({ turn, before, events, shortfalls, after }) =>
      unroll.tell({ turn, before, events, end: { shortfalls, after } }, rules, names),
    );
    if (prompt !== null) frames.push(...unroll.tell({ ...prompt, end: null }, rules, names));
    if (frames.length > 0) {
      if (reel.busy) reel.append(frames);
      else reel.load(frames, 0, true);
    }
    const last = outcomes.at(-1);
    if (last !== undefined) live.shown(last.turn);
  }, [outcomes, asked]);
  useEffect(() => reel.hurry(prompt !== null), [prompt !== null]);
  useEffect(() => writeSpeed(shown.speed), [shown.speed]);

  useEffect(() => {
    const over = shown.frames.slice(0, shown.at + 1).filter((frame) => !noted.current.has(frame));
    for (const frame of over) noted.current.add(frame);
    if (over.length > 0) setLines((before) => written(before, over.flatMap((frame) => frame.lines)));
  }, [shown]);

  const frame = shown.frames[shown.at] ?? null;
  const again = frame === null && shown.frames.length > 0 ? () => reel.load(shown.frames, 0, true) : null;
  return { reel, state: shown, frame, lines, again };
}

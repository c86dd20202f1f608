// What a followed match tells is shown one after the other, and what was shown is written into the log.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LogLine } from "../../frame/log/logline";
import { framesOver, Playback, type PlaybackState, wallClock } from "../../frame/playback/playback";
import { readSpeed, writeSpeed } from "../../frame/playback/speed";
import { useStore } from "../../frame/session/store";
import { effectsMs } from "../board/schedule";
import type { Frame } from "../model/model";
import type { Rules } from "../model/rules";
import type { PlunderSession, PlunderState } from "../session/messages";
import { UnshownFrames } from "./unshownframes";

/** How many lines of the log are kept; the oldest go first. */
const maxLines = 3000;

/** The lines of a log that are kept. */
export interface KeptLog {
  readonly lines: readonly LogLine[];
  /** How many older lines were dropped. */
  readonly gone: number;
}

/** The log with more lines, of which only the newest are kept. */
export function withLines(log: KeptLog, more: readonly LogLine[], limit = maxLines): KeptLog {
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

export interface LivePlayback {
  readonly playback: Playback<Frame>;
  readonly state: PlaybackState<Frame>;
  /** The frame that is shown; null while nothing is. */
  readonly frame: Frame | null;
  readonly log: KeptLog;
  /** Shows the last turn again; null where there is none. */
  readonly again: (() => void) | null;
}

export function useLivePlayback(session: PlunderSession, state: PlunderState, rules: Rules): LivePlayback {
  const playback = useMemo(() => new Playback<Frame>(({ effects }) => effectsMs(effects), wallClock, readSpeed()), []);
  const unshown = useMemo(() => new UnshownFrames(), []);
  const shown = useStore(playback);
  const noted = useRef(new WeakSet<Frame>());
  const [log, setLog] = useState<KeptLog>({ lines: [], gone: 0 });
  const { outcomes, prompt, names } = state;
  const asked = prompt === null ? null : `${prompt.turn}/${prompt.window}`;

  const note = (frames: readonly Frame[]) => {
    const fresh = frames.filter((frame) => !noted.current.has(frame));
    for (const frame of fresh) noted.current.add(frame);
    if (fresh.length > 0) setLog((before) => withLines(before, fresh.flatMap((frame) => frame.lines)));
  };
  const show = (frames: readonly Frame[]) => {
    const now = playback.snapshot();
    const all = playback.busy ? [...now.frames, ...frames] : frames;
    const place = catchUp(all, playback.busy ? now.at : 0);
    if (playback.busy && place === now.at) {
      playback.append(frames);
      return;
    }
    note(all.slice(0, place));
    playback.load(all.slice(place), 0, true);
  };

  useEffect(() => () => playback.close(), [playback]);
  // Before anything is painted: nobody sees how a turn ended, or what it asks, before it was shown.
  useLayoutEffect(() => {
    const frames = outcomes.flatMap(({ turn, before, news }) => unshown.take({ turn, before, news, over: true }, rules, names));
    if (prompt !== null) {
      const { turn, before, soFar } = prompt;
      frames.push(...unshown.take({ turn, before, news: soFar, over: false }, rules, names));
    }
    if (frames.length > 0) show(frames);
    const last = outcomes.at(-1);
    if (last !== undefined) session.shown(last.turn);
  }, [outcomes, asked]);
  useEffect(() => playback.hurry(prompt !== null), [prompt !== null]);
  useEffect(() => writeSpeed(shown.speed), [shown.speed]);

  // A fight is told when its dice have come to rest, not while they roll.
  useEffect(() => note(shown.frames.slice(0, framesOver(shown, playback.progress()))), [shown]);

  const frame = shown.frames[shown.at] ?? null;
  const again = frame === null && shown.frames.length > 0 ? () => playback.load(shown.frames, 0, true) : null;
  return { playback, state: shown, frame, log, again };
}

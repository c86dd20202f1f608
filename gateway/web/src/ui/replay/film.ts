// A turn of a replay as frames, and the moments between them.
import { boardOf } from "../../game/board";
import { digitsOf } from "../../game/digits";
import { framesOf } from "../../game/frames";
import type { Board, Frame } from "../../game/model";
import type { Rules } from "../../game/rules";
import type { GetTurnsResponse, TurnTold } from "../../gen/parley/v1/archive_pb";
import type { View } from "../../gen/parley/v1/view_pb";
import type { ReelState } from "../play/reel";
import type { Page } from "./turns";

/** A turn with the view that it left, where that was sent with it. */
export interface Told {
  readonly turn: TurnTold;
  readonly after: View | null;
}

/** The turns of an answer, each with what came after it. */
export function pageOf({ turns, last, after }: GetTurnsResponse): Page<Told> {
  return {
    turns: turns.map((turn, place) => ({ turn, after: turns[place + 1]?.view ?? after ?? null })),
    last,
  };
}

/** A turn that can be shown. */
export interface Film {
  /** What it was planned on. */
  readonly before: Board;
  readonly frames: readonly Frame[];
  readonly digest: Uint8Array;
  /** The id of its trace, in hexadecimal digits. */
  readonly trace: string;
}

export function filmOf({ turn, after }: Told, rules: Rules, names: readonly string[]): Film | null {
  if (turn.view === undefined) return null;
  const before = boardOf(turn.view, rules);
  const next = after === null ? null : boardOf(after, rules);
  const frames = framesOf(before, turn.events, turn.shortfalls, rules, names, next);
  return { before, frames, digest: turn.digest, trace: digitsOf(turn.traceId) };
}

/** How many frames are over, or being shown: 0 is how the turn was planned. */
export function stepOf(state: ReelState, progress: number): number {
  const { at, frames, playing } = state;
  return Math.min(frames.length, playing || progress > 0 ? at + 1 : at);
}

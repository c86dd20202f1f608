// A turn of a replay as frames, and the moments between them.
import type { TurnTold } from "../../gen/parley/v1/archive_pb";
import { digitsOf } from "../api/digits";
import type { PlaybackState } from "../playback/playback";
import type { ReplayPieces, ReplayTypes } from "./pieces";

/** A turn that can be shown. */
export interface ReplayTurn<G extends ReplayTypes> {
  /** The board that the turn was planned on. */
  readonly before: G["Board"];
  readonly frames: readonly G["Frame"][];
  readonly digest: Uint8Array;
  /** The id of its trace, in hexadecimal digits. */
  readonly trace: string;
}

/** Makes a turn of the archive one that can be shown; null where its view was not told. */
export function replayTurnOf<G extends ReplayTypes>(
  turn: TurnTold,
  { messages, framesOf }: Pick<ReplayPieces<G>, "messages" | "framesOf">,
  rules: G["Rules"],
  names: readonly string[],
): ReplayTurn<G> | null {
  if (turn.view === undefined) return null;
  const before = messages.readView(turn.view, rules);
  const frames = framesOf(before, messages.readNews(turn), rules, names);
  return { before, frames, digest: turn.digest, trace: digitsOf(turn.traceId) };
}

/** How many frames are over, or being shown: 0 is how the turn was planned. */
export function stepOf(state: PlaybackState, progress: number): number {
  const { at, frames, playing } = state;
  return Math.min(frames.length, playing || progress > 0 ? at + 1 : at);
}

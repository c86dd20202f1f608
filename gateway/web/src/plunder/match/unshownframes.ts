// What is told of turns becomes frames, each event once: a prompt tells the beginning of a turn, and its outcome tells
// all of it again.
import type { Event, Shortfall } from "../../gen/parley/plunder/v1/event_pb";
import { framesOf, framesSoFar } from "../model/frames";
import type { Board, Frame } from "../model/model";
import type { Rules } from "../model/rules";

/** A part of a turn, or all of it. */
export interface TurnSoFar {
  readonly turn: number;
  /** The board that the turn was planned on. */
  readonly before: Board;
  /** What has happened, from the beginning of the turn. */
  readonly events: readonly Event[];
  /** How the turn ended; null while it goes on. */
  readonly end: { readonly shortfalls: readonly Shortfall[]; readonly after: Board } | null;
}

export class UnshownFrames {
  #turn = 0;
  #told = 0;
  #board: Board | null = null;

  /** The frames of everything that no earlier call has returned. */
  take({ turn, before, events, end }: TurnSoFar, rules: Rules, names: readonly string[]): readonly Frame[] {
    if (turn !== this.#turn) [this.#turn, this.#told, this.#board] = [turn, 0, null];
    const board = this.#board ?? before;
    const fresh = events.slice(this.#told);
    const frames =
      end === null
        ? framesSoFar(board, fresh, rules, names)
        : framesOf(board, fresh, end.shortfalls, rules, names, end.after);
    this.#told = Math.max(this.#told, events.length);
    this.#board = frames.at(-1)?.after ?? this.#board;
    return frames;
  }
}

// What is told of turns becomes frames, each event once: a prompt tells the beginning of a turn, and its outcome tells
// all of it again.
import { framesOf, framesSoFar } from "../model/frames";
import type { Board, Frame } from "../model/model";
import type { PlunderNews } from "../model/news";
import type { Rules } from "../model/rules";

/** A part of a turn, or all of it. */
export interface TurnSoFar {
  readonly turn: number;
  /** The board that the turn was planned on. */
  readonly before: Board;
  /** What has happened, from the beginning of the turn. */
  readonly news: PlunderNews;
  /** Whether that is all of the turn. */
  readonly over: boolean;
}

export class UnshownFrames {
  #turn = 0;
  #told = 0;

  /** The frames of everything that no earlier call has returned. */
  take({ turn, before, news, over }: TurnSoFar, rules: Rules, names: readonly string[]): readonly Frame[] {
    if (turn !== this.#turn) [this.#turn, this.#told] = [turn, 0];
    const frames = (over ? framesOf : framesSoFar)(before, news, rules, names, this.#told);
    this.#told = Math.max(this.#told, news.events.length);
    return frames;
  }
}

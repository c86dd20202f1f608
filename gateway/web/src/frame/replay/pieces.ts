// What the replay screen asks of a game.
import type { ComponentType } from "preact";
import type { LogLine } from "../log/logline";
import type { PlaybackFrame } from "../playback/playback";
import type { GameMessages, GameTypes } from "../session/game";
import type { Verifier } from "../verify/verifier";

/** A step of a turn that can be played, with what it writes into the log. */
export interface ReplayFrame<Board> extends PlaybackFrame<Board> {
  readonly lines: readonly LogLine[];
}

/** The types of a game that can be replayed. */
export interface ReplayTypes extends GameTypes {
  Frame: ReplayFrame<GameTypes["Board"]>;
}

/** What happened in a turn, so that it can be found on the scrubber. */
export interface Highlight {
  /** A few words, such as "2 fights, 1 ship sunk". */
  readonly words: string;
  /** Something was lost for good: its mark is taller. */
  readonly grave: boolean;
}

/** What the game's drawing of a replayed board is told. */
export interface ReplayBoardProps<G extends ReplayTypes> {
  readonly board: G["Board"];
  readonly names: readonly string[];
  readonly rules: G["Rules"];
  /** The frame that is shown; undefined before the first and after the last. */
  readonly frame: G["Frame"] | undefined;
  /** How much of the frame is over, from 0 to 1. */
  readonly progress: () => number;
  /** The tile that is to be brought into view; a new object for every wish. */
  readonly lookAt: { readonly tile: number } | null;
}

/** The pieces of a game that its replays are shown with. */
export interface ReplayPieces<G extends ReplayTypes> {
  readonly messages: GameMessages<G>;
  /** A turn that was planned on a board, as frames. The last leads to the board that it left. */
  readonly framesOf: (
    before: G["Board"],
    news: G["News"],
    rules: G["Rules"],
    names: readonly string[],
  ) => readonly G["Frame"][];
  /** How long everything that is drawn in a frame takes at the usual speed, in milliseconds. */
  readonly drawingMs: (frame: G["Frame"]) => number;
  /** What is worth finding in a turn; null where nothing is. */
  readonly highlightOf: (news: G["News"]) => Highlight | null;
  readonly Board: ComponentType<ReplayBoardProps<G>>;
  readonly verifier: Verifier;
}

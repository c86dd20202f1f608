// What a session needs to know of the game whose match it follows: its types, and how its messages are read.
import type { Advice, Changes, Query, Sheet, TurnNews, View } from "../../gen/parley/v1/game_pb";
import type { FinalResult } from "./result";

/** What every game's board says of itself. */
export interface BoardFacts {
  /** The turn that is planned on it. */
  readonly turn: number;
  /** How the match ended; null while it goes on. */
  readonly result: FinalResult | null;
}

/** What every game's options say of themselves. */
export interface OptionFacts {
  /** The turn that orders would be for. */
  readonly turn: number;
}

/** The types of a game. The session keeps their values and hands them on, and looks into none but boards and options. */
export interface GameTypes {
  /** The rules of a match. */
  Rules: unknown;
  /** Everything that one viewer knows at one moment. It is never changed in place. */
  Board: BoardFacts;
  /** All staged orders of a turn. */
  Plan: unknown;
  /** What one viewer learns of a turn, or of its beginning. */
  News: unknown;
  /** Everything that a player could order in a turn. */
  Options: OptionFacts;
}

/** What is told of a turn, and how the board changes with it. */
export interface NewsWithChanges {
  readonly news?: TurnNews | undefined;
  readonly changes?: Changes | undefined;
}

/** Asks the server a question about the game. */
export type Advise = (query: Query) => Promise<Advice | undefined>;

/** Reads what the server tells of a match, and writes what its players want. */
export interface GameMessages<G extends GameTypes> {
  /** The rules, as GetMatch sends them. */
  readonly readRules: (json: string) => G["Rules"];
  readonly readView: (view: View, rules: G["Rules"]) => G["Board"];
  /** What everybody is told of a turn, and what the viewer is told beside it; where nothing is told, nothing happened. */
  readonly readNews: (shared: NewsWithChanges, own?: NewsWithChanges) => G["News"];
  /** The board after all that is told of a turn or of its beginning. */
  readonly afterNews: (board: G["Board"], news: G["News"], rules: G["Rules"]) => G["Board"];
  /** The plan of somebody who wants nothing. */
  readonly emptyPlan: G["Plan"];
  readonly readSheet: (sheet: Sheet, board: G["Board"]) => G["Plan"];
  readonly writeSheet: (plan: G["Plan"], board: G["Board"]) => Sheet;
  /** Whether the player gives up with this sheet. */
  readonly concedes: (sheet: Sheet) => boolean;
  /** All options of the turn that is planned, however many questions that takes. */
  readonly askOptions: (advise: Advise) => Promise<G["Options"]>;
}

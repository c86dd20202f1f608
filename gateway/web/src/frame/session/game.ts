// What a session needs to know of the game whose match it follows: its types, and how its messages are read.
import type { Event } from "../../gen/parley/v1/event_pb";
import type { OrderSheet } from "../../gen/parley/v1/orders_pb";
import type { View } from "../../gen/parley/v1/view_pb";
import type { FinalResult } from "./result";

/** What every game's board says of itself. */
export interface BoardFacts {
  /** The turn that is planned on it. */
  readonly turn: number;
  /** How the match ended; null while it goes on. */
  readonly result: FinalResult | null;
}

/** The types of a game. The session keeps their values and hands them on, and looks into none of them but the board. */
export interface GameTypes {
  /** The rules of a match. */
  Rules: unknown;
  /** Everything that one viewer knows at one moment. It is never changed in place. */
  Board: BoardFacts;
  /** All staged orders of a turn. */
  Plan: unknown;
}

/** Reads what the server tells of a match, and writes what its players want. */
export interface GameMessages<G extends GameTypes> {
  /** The rules, as GetMatch sends them. */
  readonly readRules: (json: string) => G["Rules"];
  readonly readView: (view: View, rules: G["Rules"]) => G["Board"];
  /** A board inside of a turn, after these events. */
  readonly afterEvents: (board: G["Board"], events: readonly Event[], rules: G["Rules"]) => G["Board"];
  /** The board that a turn leaves, after all of its events. */
  readonly afterTurn: (board: G["Board"], events: readonly Event[], rules: G["Rules"]) => G["Board"];
  /** The plan of somebody who wants nothing. */
  readonly emptyPlan: G["Plan"];
  readonly readSheet: (sheet: OrderSheet, board: G["Board"]) => G["Plan"];
  readonly writeSheet: (plan: G["Plan"], board: G["Board"]) => OrderSheet;
}

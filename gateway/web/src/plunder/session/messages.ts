// The naval game as a session sees it: its types, and how its messages are read and written.
import type { GameMessages } from "../../frame/session/game";
import type { OpenPrompt, Session, SessionState } from "../../frame/session/state";
import type { Event } from "../../gen/parley/v1/event_pb";
import { apply, boardOf, endTurn } from "../model/board";
import type { Board, Frame, Plan } from "../model/model";
import { emptyPlan, planOf, sheetOf } from "../model/plan";
import { type Rules, readRules } from "../model/rules";

/** The types of the naval game. */
export interface PlunderTypes {
  Rules: Rules;
  Board: Board;
  Plan: Plan;
  Frame: Frame;
}

/** A followed match of the naval game. */
export type PlunderSession = Session<PlunderTypes>;
/** What is known of a match of the naval game. */
export type PlunderState = SessionState<PlunderTypes>;
/** The open questions of a match of the naval game. */
export type PlunderPrompt = OpenPrompt<PlunderTypes>;

function afterEvents(board: Board, events: readonly Event[], rules: Rules): Board {
  return events.reduce((now, event) => apply(now, event, rules), board);
}

export const plunderMessages: GameMessages<PlunderTypes> = {
  readRules,
  readView: boardOf,
  afterEvents,
  afterTurn: (board, events, rules) => endTurn(afterEvents(board, events, rules), events, rules),
  emptyPlan,
  readSheet: (sheet, board) => planOf(sheet, board.chart),
  writeSheet: (plan, board) => sheetOf(plan, board.chart),
};

// The naval game as a session sees it: its types, and how its messages are read and written.
import type { GameMessages } from "../../frame/session/game";
import type { OpenPrompt, Session, SessionState } from "../../frame/session/state";
import type { Options } from "../../gen/parley/plunder/v1/advice_pb";
import { changesArm, newsArm, sheetArm, sheetWith, viewArm } from "../arms";
import { boardOf } from "../model/board";
import type { Board, Frame, Plan } from "../model/model";
import { type PlunderNews, boardAfter, newsOf } from "../model/news";
import { emptyPlan, planOf, sheetOf } from "../model/plan";
import { type Rules, readRules } from "../model/rules";
import { askOptions } from "./options";

/** The types of the naval game. */
export interface PlunderTypes {
  Rules: Rules;
  Board: Board;
  Plan: Plan;
  News: PlunderNews;
  Options: Options;
  Frame: Frame;
}

/** A followed match of the naval game. */
export type PlunderSession = Session<PlunderTypes>;
/** What is known of a match of the naval game. */
export type PlunderState = SessionState<PlunderTypes>;
/** The open questions of a match of the naval game. */
export type PlunderPrompt = OpenPrompt<PlunderTypes>;

export const plunderMessages: GameMessages<PlunderTypes> = {
  readRules,
  readView: (view, rules) => boardOf(viewArm(view), rules),
  readNews: (shared, own) =>
    newsOf(newsArm(shared.news), changesArm(shared.changes), newsArm(own?.news), changesArm(own?.changes)),
  afterNews: boardAfter,
  emptyPlan,
  readSheet: (sheet, board) => planOf(sheetArm(sheet), board.chart),
  writeSheet: (plan, board) => sheetWith(sheetOf(plan, board.chart)),
  concedes: (sheet) => sheetArm(sheet)?.concede === true,
  askOptions,
};

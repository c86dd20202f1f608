// The naval game in a replay.
import type { ReplayPieces } from "../../frame/replay/pieces";
import { effectsMs } from "../board/schedule";
import { framesOf } from "../model/frames";
import { type PlunderTypes, plunderMessages } from "../session/messages";
import { verifyReplay } from "../verifier/verify";
import { ReplayBoard } from "./board";
import { highlightOf } from "./highlights";

export const plunderReplay: ReplayPieces<PlunderTypes> = {
  messages: plunderMessages,
  framesOf,
  drawingMs: ({ effects }) => effectsMs(effects),
  highlightOf: ({ events }) => highlightOf(events.map(({ event }) => event)),
  Board: ReplayBoard,
  verifier: { verify: verifyReplay, answerWords: "of the right ships in the right ticks" },
};

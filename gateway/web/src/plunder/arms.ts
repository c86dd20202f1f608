// The naval game's messages inside of those that all games share: how they are taken out and put in.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Advice as PlunderAdvice, QuerySchema as PlunderQuerySchema } from "../gen/parley/plunder/v1/advice_pb";
import type { Changes as PlunderChanges } from "../gen/parley/plunder/v1/change_pb";
import { type TurnNews as PlunderNews, TurnNewsSchema as PlunderNewsSchema } from "../gen/parley/plunder/v1/event_pb";
import type { Sheet as PlunderSheet, SheetSchema as PlunderSheetSchema } from "../gen/parley/plunder/v1/orders_pb";
import type { Settings } from "../gen/parley/plunder/v1/settings_pb";
import type { View as PlunderView } from "../gen/parley/plunder/v1/view_pb";
import {
  type Advice,
  type Changes,
  type GameSettings,
  type Query,
  QuerySchema,
  type Sheet,
  SheetSchema,
  type TurnNews,
  type View,
} from "../gen/parley/v1/game_pb";

/** The view of the naval game, without which there is no board. */
export function viewArm({ game }: View): PlunderView {
  if (game.case !== "plunder") throw new ConnectError("the server sent a view of another game", Code.DataLoss);
  return game.value;
}

/** What is told of a turn; nothing where nothing is told. */
export function newsArm(news: TurnNews | undefined): PlunderNews {
  return news?.game.case === "plunder" ? news.game.value : create(PlunderNewsSchema);
}

/** How the board changes in a turn; undefined where that is not told. */
export function changesArm(changes: Changes | undefined): PlunderChanges | undefined {
  return changes?.game.case === "plunder" ? changes.game.value : undefined;
}

/** The orders of a sheet; undefined where it has none. */
export function sheetArm({ game }: Sheet): PlunderSheet | undefined {
  return game.case === "plunder" ? game.value : undefined;
}

/** What a match of the naval game was created with; undefined for a match of another game. */
export function settingsArm(settings: GameSettings | undefined): Settings | undefined {
  return settings?.game.case === "plunder" ? settings.game.value : undefined;
}

/** What is answered to a question; undefined where nothing is. */
export function adviceArm(advice: Advice | undefined): PlunderAdvice["advice"] | undefined {
  return advice?.game.case === "plunder" ? advice.game.value.advice : undefined;
}

/** A sheet with the orders of the naval game, be they none. */
export function sheetWith(value: MessageInitShape<typeof PlunderSheetSchema>): Sheet {
  return create(SheetSchema, { game: { case: "plunder", value } });
}

/** A question about the naval game. */
export function queryWith(value: MessageInitShape<typeof PlunderQuerySchema>): Query {
  return create(QuerySchema, { game: { case: "plunder", value } });
}

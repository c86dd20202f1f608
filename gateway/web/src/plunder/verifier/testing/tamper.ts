// How a replay is taken apart to be tampered with.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Replay } from "../../../frame/verify/replayfile";
import { type Sheet, SheetSchema as PlunderSheetSchema } from "../../../gen/parley/plunder/v1/orders_pb";
import { SheetSchema } from "../../../gen/parley/v1/game_pb";
import type { Receipt, ReplayAnswer, ReplaySheet, ReplayTurn, ReplayWindow } from "../../../gen/parley/v1/replay_pb";
import { sheetArm, sheetWith } from "../../arms";
import { digest, rulesHash } from "../digest";
import { decode, encode } from "../encode";
import { Grid } from "../hexes";
import type { State, Unit } from "../state";

/** A kind of tampering, with what is said of it; the beginning is enough. */
export type Damage = readonly [says: string, does: (replay: Replay) => void];

export const OTHER = digest(new TextEncoder().encode("another"));

export function given<Item>(item: Item | undefined | null): Item {
  if (item === undefined || item === null) throw new Error("there is nothing to damage");
  return item;
}

export const turnOf = (replay: Replay, turn: number): ReplayTurn => given(replay.turns[turn - 1]);

export function sheetIn(replay: Replay, turn: number, seat: number): ReplaySheet {
  return given(turnOf(replay, turn).sheets[seat]);
}

export function receiptOf(replay: Replay, turn: number, seat: number): Receipt {
  return given(sheetIn(replay, turn, seat).receipt);
}

export const windowOf = (replay: Replay, turn: number): ReplayWindow => given(turnOf(replay, turn).windows[0]);
export const firstAnswer = (replay: Replay, turn: number): ReplayAnswer => given(windowOf(replay, turn).answers[0]);
export const unitOf = (state: State, id: number): Unit => given(state.units.get(id));

export function gridOf({ header }: Replay): Grid {
  const { width, height, wrap, terrain } = given(header.map);
  return new Grid(width, height, wrap, terrain);
}

/** Changes the state that a turn is said to have led to. */
export function withState(replay: Replay, turn: number, change: (state: State) => void): void {
  const record = turnOf(replay, turn);
  const state = decode(record.state, gridOf(replay));
  change(state);
  record.state = encode(state, gridOf(replay));
}

/** Changes the state that the match is said to have begun with. */
export function withOpening(replay: Replay, change: (state: State) => void): void {
  const grid = gridOf(replay);
  const state = decode(replay.header.initialState, grid);
  change(state);
  replay.header.initialState = encode(state, grid);
}

/** Changes what a player is said to have ordered. */
export function withSheet(replay: Replay, turn: number, seat: number, change: (sheet: Sheet) => void): void {
  const record = sheetIn(replay, turn, seat);
  const sheet = sheetArm(fromBinary(SheetSchema, record.sheet)) ?? create(PlunderSheetSchema);
  change(sheet);
  record.sheet = toBinary(SheetSchema, sheetWith(sheet));
}

/** Changes the text of the rules, and their hash with it. */
export function withRules({ header }: Replay, change: (text: string) => string): void {
  header.rules = change(header.rules);
  header.rulesHash = rulesHash(header.rules);
}

/** Kinds of tampering by name. */
export type Damages = Readonly<Record<string, Damage>>;

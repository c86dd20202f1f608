// Tampering with the turns of a replay as such, and with what players said in them.
import { create } from "@bufbuild/protobuf";
import type { Replay } from "../../../frame/verify/replayfile";
import type { Engagement } from "../../../gen/parley/plunder/v1/board_pb";
import type { Sheet } from "../../../gen/parley/plunder/v1/orders_pb";
import { ReceiptSchema, SheetOrigin } from "../../../gen/parley/v1/replay_pb";
import { digest } from "../digest";
import { sign } from "./forge";
import { given, receiptOf, sheetIn, turnOf, withSheet } from "./tamper";
import type { Damages } from "./tamper";

function toHold(sheet: Sheet): void {
  given(sheet.units[0]).action = { case: "hold", value: { $typeName: "parley.plunder.v1.Hold" } };
}

function anotherOrder(replay: Replay): void {
  withSheet(replay, 2, 2, toHold);
}

export const SHEET_DAMAGES: Damages = {
  "a turn left out": ["turn 3: the turn: turn is not the next one, 2", ({ turns }) => turns.splice(1, 1)],
  "turns in another order": [
    "turn 2: the turn: turn is not the next one, 1",
    ({ turns }) => turns.reverse().splice(0, 4),
  ],
  "a turn after the end": [
    "turn 7: the turn: it comes after the end (R12.2)",
    ({ turns }) => turns.push({ ...given(turns.at(-1)), turn: 7 }),
  ],
  "the last turn left out": ["the end: final_digest is not", ({ turns }) => turns.splice(-1)],
  "the last turn hidden": [
    "the end: end is not what the last state says (R12.2)",
    ({ turns, end }) => {
      turns.splice(-1);
      end.finalDigest = given(turns.at(-1)).digest;
    },
  ],
  "a sheet left out": [
    "turn 2: the turn: sheets are not one for every living player",
    (replay) => turnOf(replay, 2).sheets.splice(2, 1),
  ],
  "a sheet that is none": [
    "turn 2: seat 0: sheet cannot be read",
    (replay) => (sheetIn(replay, 2, 0).sheet = Uint8Array.of(255)),
  ],
  "a sheet of another game": [
    "turn 2: seat 0: sheet cannot be obeyed: it is of another game",
    // An arm that this page does not know, with nothing in it.
    (replay) => (sheetIn(replay, 2, 0).sheet = Uint8Array.of(0x7a, 0)),
  ],
  "a sheet that makes no sense": [
    "turn 2: seat 2: sheet cannot be obeyed: unit 7 is given an engagement that is not known",
    (replay) => withSheet(replay, 2, 2, (sheet) => (given(sheet.units[0]).engagement = 9 as Engagement)),
  ],
  "another order": ["turn 2: seat 2, receipt: sheet_hash is", anotherOrder],
  "another order with its hash": [
    "turn 2: seat 2, receipt: signature is not one of this key under this promise",
    (replay) => {
      anotherOrder(replay);
      receiptOf(replay, 2, 2).sheetHash = digest(sheetIn(replay, 2, 2).sheet);
    },
  ],
  "another order that the server signed": [
    "turn 2, tick 2: ",
    (replay) => {
      anotherOrder(replay);
      sign(replay);
    },
  ],
  "an order that is not legal": [
    "turn 2: seat 2, unit 7: its order is refused: a path has 1 to 64 steps (R5.5)",
    (replay) => {
      withSheet(replay, 2, 2, (sheet) => {
        given(sheet.units[0]).action = { case: "move", value: { $typeName: "parley.plunder.v1.Move", path: [] } };
      });
      sign(replay);
    },
  ],
  "an order for somebody else": [
    "turn 2: seat 2, unit 1: its order is refused: the player has no such unit (R1)",
    (replay) => {
      withSheet(replay, 2, 2, (sheet) => (given(sheet.units[0]).unit = 1));
      sign(replay);
    },
  ],
  // Nobody signed for it, but the outcome shows it.
  "an order at the deadline": [
    "turn 2, tick 1: the window: answers are not those to what is asked: ",
    (replay) => withSheet(replay, 2, 1, toHold),
  ],
  "an order of nobody": [
    "turn 3: seat 1: sheet is not empty, and nothing was staged",
    (replay) => withSheet(replay, 3, 1, (sheet) => (sheet.concede = true)),
  ],
  "no receipt": [
    "turn 2: seat 0: receipt is missing for a sheet that was locked in",
    (replay) => delete sheetIn(replay, 2, 0).receipt,
  ],
  "a receipt too many": [
    "turn 2: seat 1: receipt is given for a sheet that was not locked in",
    (replay) => (sheetIn(replay, 2, 1).receipt = create(ReceiptSchema, { turn: 2 })),
  ],
  // Leaving out one receipt breaks the next one.
  "a lock-in passed off as late": [
    "turn 3: seat 0, receipt: previous is",
    (replay) => {
      sheetIn(replay, 2, 0).origin = SheetOrigin.AT_DEADLINE;
      delete sheetIn(replay, 2, 0).receipt;
    },
  ],
  "an origin that is none": [
    "turn 2: seat 1: origin is none that is known",
    (replay) => (sheetIn(replay, 2, 1).origin = 9 as SheetOrigin),
  ],
  "a receipt of another turn": [
    "turn 2: seat 0, receipt: turn is 1 and has to be 2",
    (replay) => (sheetIn(replay, 2, 0).receipt = receiptOf(replay, 1, 0)),
  ],
  "a receipt of another seat": [
    "turn 2: seat 0, receipt: seat is 2 and has to be 0",
    (replay) => (sheetIn(replay, 2, 0).receipt = receiptOf(replay, 2, 2)),
  ],
  "another signature": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => receiptOf(replay, 2, 0).signature.reverse(),
  ],
  "no signature": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => (receiptOf(replay, 2, 0).signature = new Uint8Array()),
  ],
  // A signature that was found sound before is so only under the root that it was found with.
  "the signature of another promise": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => (receiptOf(replay, 2, 0).signature = receiptOf(replay, 1, 0).signature),
  ],
  "another salt": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => receiptOf(replay, 2, 0).salt.fill(0),
  ],
  "half a salt": [
    "turn 2: seat 0, receipt: salt has 3 bytes and not 16",
    (replay) => (receiptOf(replay, 2, 0).salt = new Uint8Array(3)),
  ],
  "another leaf": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => (receiptOf(replay, 2, 0).leaf ^= 1),
  ],
  "a leaf beyond the tree": [
    "turn 2: seat 0, receipt: leaf is 32 and has to be below 32",
    (replay) => (receiptOf(replay, 2, 0).leaf = 32),
  ],
  "a shorter path": [
    "turn 2: seat 0, receipt: path has 128 bytes and not 160",
    (replay) => (receiptOf(replay, 2, 0).path = receiptOf(replay, 2, 0).path.slice(32)),
  ],
  "another path": [
    "turn 2: seat 0, receipt: signature is not one of this key under this promise",
    (replay) => receiptOf(replay, 2, 0).path.fill(0, 0, 32),
  ],
};

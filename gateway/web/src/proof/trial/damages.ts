// Kinds of tampering with a replay, each with what is said of it; the beginning is enough.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Engagement } from "../../gen/parley/v1/board_pb";
import { Choice, OrderSheetSchema } from "../../gen/parley/v1/orders_pb";
import type { OrderSheet } from "../../gen/parley/v1/orders_pb";
import { ReceiptSchema, ReplayWindowSchema, SheetOrigin } from "../../gen/parley/v1/replay_pb";
import type { Receipt, ReplayDecision, ReplaySheet, ReplayTurn, ReplayWindow } from "../../gen/parley/v1/replay_pb";
import { digest, rulesHash } from "../digest";
import { decode, encode } from "../encode";
import { Grid } from "../hexes";
import type { Replay } from "../replayfile";
import type { State, Unit } from "../state";
import { sign } from "./forge";

/** A kind of tampering. */
export type Damage = readonly [says: string, does: (replay: Replay) => void];

const OTHER = digest(new TextEncoder().encode("another"));

function given<Item>(item: Item | undefined | null): Item {
  if (item === undefined || item === null) throw new Error("there is nothing to damage");
  return item;
}

const turnOf = (replay: Replay, turn: number): ReplayTurn => given(replay.turns[turn - 1]);
const sheetOf = (replay: Replay, turn: number, seat: number): ReplaySheet => given(turnOf(replay, turn).sheets[seat]);
const receiptOf = (replay: Replay, turn: number, seat: number): Receipt => given(sheetOf(replay, turn, seat).receipt);
const windowOf = (replay: Replay, turn: number): ReplayWindow => given(turnOf(replay, turn).windows[0]);
const decisionOf = (replay: Replay, turn: number): ReplayDecision => given(windowOf(replay, turn).decisions[0]);
const unitOf = (state: State, id: number): Unit => given(state.units.get(id));

function gridOf({ header }: Replay): Grid {
  const { width, height, wrap, terrain } = given(header.map);
  return new Grid(width, height, wrap, terrain);
}

/** Changes the state that a turn is said to have led to. */
function withState(replay: Replay, turn: number, change: (state: State) => void): void {
  const record = turnOf(replay, turn);
  const state = decode(record.state, gridOf(replay));
  change(state);
  record.state = encode(state, gridOf(replay));
}

function withOpening({ header }: Replay, change: (state: State) => void): void {
  const grid = gridOf({ header } as Replay);
  const state = decode(header.initialState, grid);
  change(state);
  header.initialState = encode(state, grid);
}

/** Changes what a player is said to have ordered. */
function withSheet(replay: Replay, turn: number, seat: number, change: (sheet: OrderSheet) => void): void {
  const record = sheetOf(replay, turn, seat);
  const sheet = fromBinary(OrderSheetSchema, record.sheet);
  change(sheet);
  record.sheet = toBinary(OrderSheetSchema, sheet);
}

/** Changes the text of the rules, and their hash with it. */
function withRules({ header }: Replay, change: (text: string) => string): void {
  header.rules = change(header.rules);
  header.rulesHash = rulesHash(header.rules);
}

function toHold(sheet: OrderSheet): void {
  given(sheet.units[0]).action = { case: "hold", value: { $typeName: "parley.v1.Hold" } };
}

function anotherOrder(replay: Replay): void {
  withSheet(replay, 2, 2, toHold);
}

export const DAMAGES: Readonly<Record<string, Damage>> = {
  "no match": ["the header: match_id is no UUID", ({ header }) => (header.matchId = "x")],
  "another match": [
    "turn 1: seat 0, receipt: match_id is 01020304",
    ({ header }) => (header.matchId = header.matchId.replace("01", "02")),
  ],
  "other rules": [
    "the header: rules_hash is not the hash of the rules (R13.3)",
    ({ header }) => (header.rules = header.rules.replace('"damage":2', '"damage":3')),
  ],
  "other rules with their hash": [
    "the header: genesis_digest is not",
    (replay) => withRules(replay, (text) => text.replace('"damage":2', '"damage":3')),
  ],
  "less rules": [
    "the header: rules cannot be played by: the rules: the key 'fog' is missing",
    (replay) => withRules(replay, (text) => text.replace('"fog":"off",', "")),
  ],
  "more rules": [
    "the header: rules cannot be played by: the rules: the key '__proto__' is not known",
    (replay) => withRules(replay, (text) => text.replace("{", '{"__proto__":1,')),
  ],
  "other stages": [
    "the header: rules cannot be played by: the stages are not in the order of R5.6",
    (replay) => withRules(replay, (text) => text.replace('"income","shipyard_work"', '"shipyard_work","income"')),
  ],
  "rules written otherwise": [
    "the header: rules are not the text that a hash is made of (R13.3)",
    (replay) => withRules(replay, (text) => `${text} `),
  ],
  "numbers written otherwise": [
    "the header: rules are not the text that a hash is made of (R13.3)",
    (replay) => withRules(replay, (text) => text.replace('"damage":2', '"damage":2.0')),
  ],
  "another map": [
    "the header: genesis_digest is not",
    ({ header }) => {
      const { terrain } = given(header.map);
      terrain[terrain.indexOf(1)] = 0;
    },
  ],
  "a map that is none": ["the header: map is no rectangle of tiles", ({ header }) => (given(header.map).width += 1)],
  "no map": ["the header: map is no rectangle of tiles", ({ header }) => delete header.map],
  "a terrain that is none": [
    "the header: map has a terrain that the rules do not know",
    ({ header }) => given(header.map).terrain.fill(255),
  ],
  "half an opening": [
    "the header: initial_state is no encoded state: it ends too early",
    ({ header }) => (header.initialState = header.initialState.slice(0, -1)),
  ],
  "an endless opening": [
    "the header: initial_state is no encoded state: a list is longer than the rest of it",
    ({ header }) => header.initialState.fill(255, 14, 18),
  ],
  "somebody starts rich": [
    "the initial state, player 2: it is unfair: it does not start with what everybody does (R11.1)",
    (replay) => withOpening(replay, (state) => (given(state.players.get(2)).gold += 1)),
  ],
  "somebody starts strong": [
    "the initial state, unit 4: it cannot be: hp is 11 (R4)",
    (replay) => withOpening(replay, (state) => (unitOf(state, 4).hp = 11)),
  ],
  "somebody starts fast": [
    "the initial state, unit 4: it is unfair: it is not a new ship of the first class (R11.1)",
    (replay) => withOpening(replay, (state) => (unitOf(state, 4).sails = 1)),
  ],
  "somebody starts building": [
    "the initial state, structure 3: it is unfair: it is not a new shipyard (R11.1)",
    (replay) => withOpening(replay, (state) => given(state.structures.get(3)).queue.push({ kind: 0, turnsLeft: 1 })),
  ],
  "a seat less": [
    "the header: seats are not the players of the initial state",
    ({ header }) => header.seats.splice(-1),
  ],
  "another beginning": ["the header: genesis_digest is not", ({ header }) => (header.genesisDigest = OTHER)],
  "another secret": [
    "the end: secret is not the one that seed_commitment promised (R13.4)",
    ({ end }) => (end.secret = OTHER),
  ],
  "another secret and commitment": [
    "turn 1: seat 0, receipt: previous is",
    ({ header, end }) => {
      end.secret = OTHER;
      header.seedCommitment = digest(OTHER);
    },
  ],
  // Other bytes that a player added lead to other dice.
  "other dice": [
    "turn 1, tick 255: player 1: gold is ",
    ({ header }) => (given(header.seats[0]).added = new Uint8Array(32)),
  ],
  "too few bytes added": [
    "the header, seat 1: added has 3 bytes (R13.4)",
    ({ header }) => (given(header.seats[1]).added = new Uint8Array(3)),
  ],
  "another key": [
    "turn 1: seat 0, receipt: signature is not one of this key",
    ({ header }) => (header.receiptKey = new Uint8Array(32)),
  ],
  "half a key": [
    "turn 1: seat 0, receipt: signature is not one of this key",
    ({ header }) => (header.receiptKey = header.receiptKey.slice(16)),
  ],
  "a turn left out": ["turn 3: the turn: turn is not the next one, 2", ({ turns }) => turns.splice(1, 1)],
  "turns in another order": ["turn 2: the turn: turn is not the next one, 1", ({ turns }) => turns.reverse().splice(0, 4)],
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
    (replay) => (sheetOf(replay, 2, 0).sheet = Uint8Array.of(255)),
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
      receiptOf(replay, 2, 2).sheetHash = digest(sheetOf(replay, 2, 2).sheet);
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
        given(sheet.units[0]).action = { case: "move", value: { $typeName: "parley.v1.Move", path: [] } };
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
    "turn 2, tick 1: the window: decisions are not those of the ships that are asked: ",
    (replay) => withSheet(replay, 2, 1, toHold),
  ],
  "an order of nobody": [
    "turn 3: seat 1: sheet is not empty, and nothing was staged",
    (replay) => withSheet(replay, 3, 1, (sheet) => (sheet.concede = true)),
  ],
  "no receipt": [
    "turn 2: seat 0: receipt is missing for a sheet that was locked in",
    (replay) => delete sheetOf(replay, 2, 0).receipt,
  ],
  "a receipt too many": [
    "turn 2: seat 1: receipt is given for a sheet that was not locked in",
    (replay) => (sheetOf(replay, 2, 1).receipt = create(ReceiptSchema, { turn: 2 })),
  ],
  // Leaving out one receipt breaks the next one.
  "a lock-in passed off as late": [
    "turn 3: seat 0, receipt: previous is",
    (replay) => {
      sheetOf(replay, 2, 0).origin = SheetOrigin.AT_DEADLINE;
      delete sheetOf(replay, 2, 0).receipt;
    },
  ],
  "an origin that is none": [
    "turn 2: seat 1: origin is none that is known",
    (replay) => (sheetOf(replay, 2, 1).origin = 9 as SheetOrigin),
  ],
  "a receipt of another turn": [
    "turn 2: seat 0, receipt: turn is 1 and has to be 2",
    (replay) => (sheetOf(replay, 2, 0).receipt = receiptOf(replay, 1, 0)),
  ],
  "a receipt of another seat": [
    "turn 2: seat 0, receipt: seat is 2 and has to be 0",
    (replay) => (sheetOf(replay, 2, 0).receipt = receiptOf(replay, 2, 2)),
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
  "another next turn": [
    "turn 2: the state: turn is 9 in the file and 3 by the rules",
    (replay) => withState(replay, 2, (state) => (state.turn = 9)),
  ],
  "another decision": [
    "turn 2, tick 1: ",
    (replay) => {
      const told = given(windowOf(replay, 2).decisions.find(({ choice }) => choice === Choice.ATTACK));
      told.choice = Choice.PROCEED;
    },
  ],
  "a decision of another kind": [
    "turn 2, tick 1: unit 4: choice cannot be: a PASSING encounter is not answered with YIELD (R7.2)",
    (replay) => Object.assign(decisionOf(replay, 2), { choice: Choice.YIELD, defaulted: false }),
  ],
  "no choice": [
    "turn 2, tick 1: unit 4: choice is none that is known (R7.2)",
    (replay) => (decisionOf(replay, 2).choice = Choice.UNSPECIFIED),
  ],
  "a decision passed off as missing": [
    "turn 2, tick 1: unit 4: choice is ATTACK and was defaulted (R7.2)",
    (replay) => Object.assign(decisionOf(replay, 2), { choice: Choice.ATTACK, defaulted: true }),
  ],
  "a decision left out": [
    "turn 2, tick 1: the window: decisions are not those of the ships that are asked: 4, ",
    (replay) => windowOf(replay, 2).decisions.splice(3, 1),
  ],
  "a window left out": [
    "turn 2, tick 1: unit 4: the window in which it is asked is missing (R7.2)",
    (replay) => turnOf(replay, 2).windows.splice(0),
  ],
  "a window in another tick": [
    "turn 2, tick 1: the window: tick is 2 and has to be 1 (R7.2)",
    (replay) => (windowOf(replay, 2).tick = 2),
  ],
  "a window too many": [
    "turn 1, tick 3: the window: it is told, and nobody was asked (R7.2)",
    (replay) => turnOf(replay, 1).windows.push(create(ReplayWindowSchema, { tick: 3 })),
  ],
  "somebody who did not concede": [
    "turn 4: player 1: alive is true in the file and false by the rules",
    (replay) => (sheetOf(replay, 4, 1).conceded = true),
  ],
  "gold from nowhere": [
    "turn 1: player 3: gold is ",
    (replay) => withState(replay, 1, (state) => (given(state.players.get(3)).gold += 1)),
  ],
  "gold without end": [
    "turn 1: the turn: state is no encoded state: player 0 has 9151314442816847872 gold (R13.3)",
    // The player's gold is 8 bytes after version, turn, result, both next ids, the count, the id and alive.
    (replay) => turnOf(replay, 1).state.set([0, 0, 0, 0, 0, 0, 0, 127], 20),
  ],
  "a ship that was spared": [
    "turn 2, tick 1: unit 4: hp is ",
    (replay) => withState(replay, 2, (state) => (unitOf(state, 4).hp += 1)),
  ],
  "a ship elsewhere": [
    "turn 1, tick 3: unit 1: hex is ",
    (replay) => withState(replay, 1, (state) => (unitOf(state, 1).at += 1)),
  ],
  "a ship that vanished": [
    "turn 1, tick 3: unit 1: it is not there in the file and there by the rules",
    (replay) => withState(replay, 1, (state) => state.units.delete(1)),
  ],
  "another engagement": [
    "turn 1: unit 3: engagement is FIGHT in the file and ASK by the rules",
    (replay) => withState(replay, 1, (state) => (unitOf(state, 3).engagement = "FIGHT")),
  ],
  "another queue": [
    "turn 1: structure 2: queue is empty in the file and a ship in 2 turns by the rules",
    (replay) => withState(replay, 1, (state) => given(state.structures.get(2)).queue.splice(0)),
  ],
  "another contest": [
    "turn 1: contest at (0, 0): it is there in the file and not there by the rules",
    (replay) => withState(replay, 1, ({ contests }) => contests.set(0, { at: 0, since: 1, rounds: 1, contenders: [] })),
  ],
  "another result": [
    "turn 1: the state: result is winner 2 in the file and none by the rules",
    (replay) => withState(replay, 1, (state) => (state.result = { winner: 2 })),
  ],
  "more than a state": [
    "turn 1: the turn: state is no encoded state: something follows after its end (R13.3)",
    (replay) => (turnOf(replay, 1).state = Uint8Array.of(...turnOf(replay, 1).state, 0)),
  ],
  "another digest": ["turn 3: the turn: digest is not", (replay) => (turnOf(replay, 3).digest = OTHER)],
  "another last digest": ["the end: final_digest is not", ({ end }) => (end.finalDigest = OTHER)],
  "another winner": [
    "the end: end is not what the last state says (R12.2)",
    ({ end }) => (end.end = { case: "winner", value: end.end.case === "winner" && end.end.value === 3 ? 2 : 3 }),
  ],
  "nobody won": [
    "the end: end is not what the last state says (R12.2)",
    ({ end }) => (end.end = { case: "stopped", value: { $typeName: "parley.v1.ReplayEnd.Stopped", reason: "rain" } }),
  ],
  "no end": ["the end: end is not what the last state says (R12.2)", ({ end }) => (end.end = { case: undefined })],
};

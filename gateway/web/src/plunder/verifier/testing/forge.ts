// Replays made here, by the verifier's own rules and with a key of its own, to be damaged in every way.
import { create, toBinary } from "@bufbuild/protobuf";
import { getPublicKey, sign as signBytes } from "@noble/ed25519";
import { FORMAT } from "../../../frame/verify/replayfile";
import type { Replay } from "../../../frame/verify/replayfile";
import { type Sheet, SheetSchema as PlunderSheetSchema } from "../../../gen/parley/plunder/v1/orders_pb";
import { SheetSchema } from "../../../gen/parley/v1/game_pb";
import {
  ReceiptSchema,
  ReplayAnswerSchema,
  ReplayEndSchema,
  ReplayHeaderSchema,
  ReplaySheetSchema,
  ReplayTurnSchema,
  ReplayWindowSchema,
  SheetOrigin,
} from "../../../gen/parley/v1/replay_pb";
import type { Receipt, ReplayTurn } from "../../../gen/parley/v1/replay_pb";
import { sheetWith } from "../../arms";
import { digest, firstDigest, joined, matchSeed, rulesHash } from "../digest";
import { encode } from "../encode";
import type { TileIndex } from "../hexes";
import { judge } from "../legality";
import { readSheet } from "../orders";
import { promisedBytes } from "../receipt";
import type { Promised } from "../receipt";
import { resolve } from "../resolve";
import type { Position } from "../resolve";
import { living, shipsOf, structuresOf } from "../state";
import type { Ask } from "../turn";
import { dataText } from "./repository";
import { read } from "./scenario";
import type { ScenarioTree } from "./scenario";

export const KEY = digest(letters("a key of tests"));
export const PUBLIC = getPublicKey(KEY);
export const MATCH = "01020304-0506-7708-890a-0b0c0d0e0f10";
const SECRET = digest(letters("a secret of tests"));
const TURNS = 6;
/** Ben comes too late in this turn, and has nothing in the next. */
const LATE = 2;

/** A sound replay of a match in which everybody sails at the nearest enemy. */
export function forged(): Replay {
  const [first = ""] = dataText("golden/tiny-4-wrapped.jsonl").split("\n");
  const scenario = { ...(JSON.parse(first) as ScenarioTree), rules: { turn_limit: TURNS } };
  const { rules, grid, state } = read(scenario);
  const header = create(ReplayHeaderSchema, {
    format: FORMAT,
    ruleset: "plunder",
    matchId: MATCH,
    rules: rules.text,
    rulesHash: rulesHash(rules.text),
    map: { width: grid.width, height: grid.height, wrap: grid.wrap, terrain: grid.terrain },
    initialState: encode(state, grid),
    genesisDigest: firstDigest(rules.text, grid, state),
    seats: [
      { seat: 0, name: "Ann", added: Uint8Array.from({ length: 32 }, (_, place) => place) },
      { seat: 1, name: "Ben" },
      { seat: 2, name: "Cleo", added: new Uint8Array(32) },
      { seat: 3, policy: "wander" },
    ],
    seedCommitment: digest(SECRET),
    receiptKey: PUBLIC,
  });
  const seats = header.seats.map((seat) => seat.added);
  const seed = matchSeed(SECRET, seats);
  let position: Position = { rules, grid, seed, state, digest: header.genesisDigest };
  const turns: ReplayTurn[] = [];
  while (position.state.result === null) {
    const turn = played(position);
    turns.push(turn.record);
    position = turn.next;
  }
  const { result } = position.state;
  const end = create(ReplayEndSchema, { secret: SECRET, finalDigest: position.digest });
  if ("winner" in result) end.end = { case: "winner", value: result.winner };
  const replay = { header, turns, end };
  sign(replay);
  return replay;
}

function played(position: Position): { record: ReplayTurn; next: Position } {
  const { rules, grid, state } = position;
  const record = create(ReplayTurnSchema, { turn: state.turn });
  const sheets = living(state).map(({ id: seat }) => {
    const absent = seat === 1 && state.turn === LATE + 1;
    const wire = absent ? create(PlunderSheetSchema) : orders(position, seat);
    const late = seat === 1 && state.turn === LATE;
    const origin = absent ? SheetOrigin.ABSENT : late ? SheetOrigin.AT_DEADLINE : SheetOrigin.LOCKED;
    const sheet = absent ? new Uint8Array() : toBinary(SheetSchema, sheetWith(wire));
    record.sheets.push(create(ReplaySheetSchema, { seat, origin, sheet }));
    const { legal, refusals } = judge(rules, grid, state, seat, readSheet(wire));
    if (refusals.length > 0) throw new Error("a forged order is not legal");
    return [seat, legal] as const;
  });
  const outcome = resolve(position, new Map(sheets), recorder(record));
  record.state = encode(outcome.state, grid);
  record.digest = outcome.digest;
  return { record, next: { ...position, state: outcome.state, digest: outcome.digest } };
}

function orders({ rules, grid, state }: Position, player: number): Sheet {
  const enemies = [...state.units.values()].filter((unit) => unit.owner !== player).map((unit) => unit.at);
  const nearest = (at: TileIndex) => Math.min(...enemies.map((enemy) => grid.distance(at, enemy)));
  const units = shipsOf(state, player).map((unit) => {
    const path: { q: number; r: number }[] = [];
    let { at } = unit;
    for (let step = 0; step < 3; step++) {
      const ways = grid.neighbours(at).filter((tile) => rules.isNavigable(grid, tile, unit.kind));
      at = ways.reduce((best, way) => (nearest(way) < nearest(best) ? way : best));
      const [q, r] = grid.hex(at);
      path.push({ q, r });
    }
    return { unit: unit.id, action: { case: "move" as const, value: { path } }, broadside: true };
  });
  const idle = structuresOf(state, player).filter((yard) => yard.queue.length === 0);
  const structures = idle.map((yard) => {
    return { structure: yard.id, work: { case: "build" as const, value: rules.classAt(0).key } };
  });
  return create(PlunderSheetSchema, { units, structures });
}

/** Answers at a whim, and writes it down: half of the ships attack, a quarter evades, a quarter does not answer. */
function recorder(record: ReplayTurn): Ask {
  const counts = new Map<number, number>();
  return (tick, asked) => {
    const window = create(ReplayWindowSchema);
    record.windows.push(window);
    const choices = asked.map(({ seat, unit, choices: [peaceful, hostile] }) => {
      const whim = (unit * 5 + tick * 3 + record.turn) % 4;
      const attacks = whim < 2;
      const defaulted = whim === 3;
      const question = (counts.get(seat) ?? 0) + 1;
      counts.set(seat, question);
      window.answers.push(create(ReplayAnswerSchema, { seat, question, options: [attacks ? 1 : 0], defaulted }));
      return defaulted ? null : attacks ? hostile : peaceful;
    });
    window.answers.sort((a, b) => a.seat - b.seat || a.question - b.question);
    return choices;
  };
}

/** Gives every locked sheet its receipt, as the server would for what the replay says now. */
export function sign(replay: Replay): void {
  const last = new Map<number, Uint8Array>();
  for (const { turn, sheets } of replay.turns) {
    for (const sheet of sheets) {
      delete sheet.receipt;
      if (sheet.origin !== SheetOrigin.LOCKED) continue;
      const previous = last.get(sheet.seat) ?? replay.header.seedCommitment;
      const said = { match: replay.header.matchId, turn, seat: sheet.seat, sheet: sheet.sheet, previous };
      sheet.receipt = signed(said);
      last.set(sheet.seat, digest(promisedBytes(said)));
    }
  }
}

/** A promise as one leaf of a tree, built level by level from all its leaves. */
function signed(said: Promised): Receipt {
  const leaf = (said.turn * 7 + said.seat * 11) % 32;
  const promise = promisedBytes(said);
  const salt = digest(promise, letters("salt")).slice(0, 16);
  let nodes = Array.from({ length: 32 }, (_, place) => digest(letters(`nobody ${place}`)));
  nodes[leaf] = digest(promise, salt);
  const path: Uint8Array[] = [];
  for (let place = leaf; nodes.length > 1; place >>= 1) {
    path.push(nodes[place ^ 1] ?? new Uint8Array());
    const pairs = nodes.flatMap((left, at) => (at % 2 === 0 ? [[left, nodes[at + 1] ?? left] as const] : []));
    nodes = pairs.map(([left, right]) => digest(letters("parley receipt 2"), left, right));
  }
  return create(ReceiptSchema, {
    matchId: said.match,
    turn: said.turn,
    seat: said.seat,
    sheetHash: digest(said.sheet),
    previous: said.previous,
    signature: signBytes(joined([letters("parley receipt 3"), ...nodes]), KEY),
    salt,
    leaf,
    path: joined(path),
  });
}

function letters(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

// Tampering with what came of the turns of a replay: decisions, states, digests and the end.
import { create } from "@bufbuild/protobuf";
import { Choice } from "../../../gen/parley/v1/orders_pb";
import { ReplayWindowSchema } from "../../../gen/parley/v1/replay_pb";
import { OTHER, decisionOf, given, sheetIn, turnOf, unitOf, windowOf, withState } from "./tamper";
import type { Damages } from "./tamper";

export const OUTCOME_DAMAGES: Damages = {
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
    (replay) => (sheetIn(replay, 4, 1).conceded = true),
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

// Tampering with what came of the turns of a replay: answers, states, digests and the end.
import { create } from "@bufbuild/protobuf";
import { ReplayAnswerSchema, ReplayWindowSchema } from "../../../gen/parley/v1/replay_pb";
import { OTHER, firstAnswer, given, sheetIn, turnOf, unitOf, windowOf, withState } from "./tamper";
import type { Damages } from "./tamper";

/** The beginning of what is said of answers in turn 2 that are not one for each question. */
const NOT_ASKED = "turn 2, tick 1: the window: answers are not those to what is asked: question 1 of seat 1, question 2 of seat 1, ";

export const OUTCOME_DAMAGES: Damages = {
  "another next turn": [
    "turn 2: the state: turn is 9 in the file and 3 by the rules",
    (replay) => withState(replay, 2, (state) => (state.turn = 9)),
  ],
  "another answer": ["turn 2, tick 1: player 1: gold is ", (replay) => (firstAnswer(replay, 2).options = [0])],
  "answers of two ships swapped": [
    "turn 2, tick 1: ",
    (replay) => {
      const [one, other] = windowOf(replay, 2).answers;
      const { options } = given(one);
      given(one).options = given(other).options;
      given(other).options = options;
    },
  ],
  "an option that is not there": [
    "turn 2, tick 1: unit 4: options are 2, and one of 0 for PROCEED and 1 for ATTACK counts (R7.2)",
    (replay) => (firstAnswer(replay, 2).options = [2]),
  ],
  "no option": [
    "turn 2, tick 1: unit 4: options are none, and one of 0 for PROCEED and 1 for ATTACK counts (R7.2)",
    (replay) => (firstAnswer(replay, 2).options = []),
  ],
  "two options": [
    "turn 2, tick 1: unit 4: options are 0 and 1, and one of 0 for PROCEED and 1 for ATTACK counts (R7.2)",
    (replay) => (firstAnswer(replay, 2).options = [0, 1]),
  ],
  "an answer passed off as missing": [
    "turn 2, tick 1: unit 4: options are 1 for ATTACK, and nobody answered, so that 0 for PROCEED counts (R7.2)",
    (replay) => (firstAnswer(replay, 2).defaulted = true),
  ],
  "an answer left out": [NOT_ASKED, (replay) => windowOf(replay, 2).answers.splice(3, 1)],
  "the last answer left out": [NOT_ASKED, (replay) => windowOf(replay, 2).answers.splice(-1)],
  "an answer told twice": [NOT_ASKED, (replay) => windowOf(replay, 2).answers.unshift(firstAnswer(replay, 2))],
  "an answer to what was not asked": [
    NOT_ASKED,
    (replay) => windowOf(replay, 2).answers.push(create(ReplayAnswerSchema, { seat: 3, question: 4, options: [0] })),
  ],
  "an answer of somebody who was not asked": [
    NOT_ASKED,
    (replay) => windowOf(replay, 2).answers.unshift(create(ReplayAnswerSchema, { seat: 0, question: 1, options: [0] })),
  ],
  "an answer of another seat": [NOT_ASKED, (replay) => (firstAnswer(replay, 2).seat = 0)],
  "answers in another order": [NOT_ASKED, (replay) => windowOf(replay, 2).answers.reverse()],
  "answers by question and not by seat": [
    NOT_ASKED,
    (replay) => windowOf(replay, 2).answers.sort((a, b) => a.question - b.question || a.seat - b.seat),
  ],
  "questions that count anew in every window": [
    "turn 4, tick 2: the window: answers are not those to what is asked: question 4 of seat 0, ",
    (replay) => given(turnOf(replay, 4).windows[1]).answers.forEach((told) => (told.question -= 3)),
  ],
  "questions that count on from the turn before": [
    "turn 3, tick 1: the window: answers are not those to what is asked: question 1 of seat 1, ",
    (replay) => windowOf(replay, 3).answers.forEach((told) => (told.question += 3)),
  ],
  "a window left out": [
    "turn 2, tick 1: unit 4: the window in which it is asked is missing (R7.2)",
    (replay) => turnOf(replay, 2).windows.splice(0),
  ],
  "a window in which nobody answers": [
    NOT_ASKED,
    (replay) => turnOf(replay, 2).windows.unshift(create(ReplayWindowSchema)),
  ],
  "two windows told as one": [
    "turn 4, tick 1: the window: answers are not those to what is asked: question 1 of seat 0, ",
    (replay) => windowOf(replay, 4).answers.push(...given(turnOf(replay, 4).windows.pop()).answers),
  ],
  "windows in another order": [
    "turn 4, tick 1: the window: answers are not those to what is asked: question 1 of seat 0, ",
    (replay) => turnOf(replay, 4).windows.reverse(),
  ],
  "a window too many": [
    "turn 1: the window: it is told, and nobody was asked (R7.2)",
    (replay) => turnOf(replay, 1).windows.push(create(ReplayWindowSchema)),
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

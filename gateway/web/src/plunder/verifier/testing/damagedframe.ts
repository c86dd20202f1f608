// Tampering with what stands around the turns of a replay: the header and the secret.
import { digest } from "../digest";
import { OTHER, given, unitOf, withOpening, withRules } from "./tamper";
import type { Damages } from "./tamper";

export const FRAME_DAMAGES: Damages = {
  "no match": ["the header: match_id is no UUID", ({ header }) => (header.matchId = "x")],
  "another match": [
    "turn 1: seat 0, receipt: match_id is 01020304",
    ({ header }) => (header.matchId = header.matchId.replace("01", "02")),
  ],
  "another game": ["the header: ruleset is chess and has to be plunder", ({ header }) => (header.ruleset = "chess")],
  "no game": ["the header: ruleset is empty and has to be plunder", ({ header }) => (header.ruleset = "")],
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
};

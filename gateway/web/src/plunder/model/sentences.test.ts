import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { listOf } from "../../frame/words";
import { Direction } from "../../gen/parley/common/v1/board_pb";
import { ContestEnd, EncounterKind, EventSchema, GoldReason } from "../../gen/parley/plunder/v1/event_pb";
import { Choice } from "../../gen/parley/plunder/v1/orders_pb";
import { ownShips, ownYards } from "./board";
import { recordedMatch } from "./fixtures/matches";
import type { Board } from "./model";
import { SentenceWriter } from "./sentences";

const { before } = recordedMatch("open").turns[0] ?? {};
if (before === undefined) throw new Error("no turn");
const board: Board = before;
const own = ownShips(board)[0]?.id ?? 0;
const yard = ownYards(board)[0]?.id ?? 0;
const foreign = [...board.ships.values()].find((ship) => ship.owner === 1)?.id ?? 0;
const names = ["Anna", "bert", "Carl"];

function tell(what: NonNullable<MessageInitShape<typeof EventSchema>["what"]>, seat: number | null = 0): string | null {
  return new SentenceWriter(names, { ...board, seat }).tell(create(EventSchema, { what }), board);
}

test("ships are named by their owners, and the viewer's are yours", () => {
  expect(tell({ case: "sunk", value: { unit: own } })).toBe(`Your ship ${own} is destroyed and sinks.`);
  expect(tell({ case: "sunk", value: { unit: own } }, null)).toBe(`Anna's ship ${own} is destroyed and sinks.`);
  expect(tell({ case: "sunk", value: { unit: foreign } })).toBe(`bert's ship ${foreign} is destroyed and sinks.`);
  expect(tell({ case: "sunk", value: { unit: 999 } })).toBe("Ship 999 is destroyed and sinks.");
});

test("encounters are told from meeting to dice", () => {
  const parties = [
    { unit: own, owner: 0 },
    { unit: 77, owner: 2 },
  ];
  const site = { place: { case: "edge", value: { first: { q: 0, r: 1 }, second: { q: 1, r: 1 } } } } as const;
  expect(tell({ case: "met", value: { kind: EncounterKind.PASSING, site, parties } })).toBe(
    `Passing encounter between (0, 1) and (1, 1): your ship ${own} and Carl's ship 77 meet.`,
  );
  const tile = { place: { case: "hex", value: { q: -1, r: 3 } } } as const;
  expect(tell({ case: "met", value: { kind: EncounterKind.ENTRY, site: tile, parties: parties.slice(0, 1) } })).toBe(
    `Entry encounter at (-1, 3): your ship ${own} meets somebody.`,
  );
  const decided = create(EventSchema, { what: { case: "decided", value: { unit: own, choice: Choice.YIELD } } });
  expect(new SentenceWriter(names, board).tell(decided, board, true)).toBe(`Your ship ${own} yields, as nobody answered in time.`);
  expect(tell({ case: "defaulted", value: { unit: own } })).toBeNull();
  expect(tell({ case: "decided", value: { unit: foreign, choice: Choice.PROCEED } })).toBe(
    `bert's ship ${foreign} proceeds.`,
  );
  expect(tell({ case: "decided", value: { unit: foreign, choice: Choice.ATTACK } })).toBe(
    `bert's ship ${foreign} attacks.`,
  );
  const dice = { attacker: foreign, defender: own, attackerDice: [6, 5, 1], defenderDice: [4, 2] };
  expect(tell({ case: "exchanged", value: { ...dice, attackerLoses: 0, defenderLoses: 4 } })).toBe(
    `bert's ship ${foreign} fires on your ship ${own} and rolls 6 5 1 against 4 2: your ship ${own} loses 4 hp.`,
  );
  expect(tell({ case: "exchanged", value: { ...dice, attackerLoses: 2, defenderLoses: 2 } })).toMatch(
    /: each loses 2 hp\.$/,
  );
  expect(tell({ case: "exchanged", value: { ...dice, attackerLoses: 2, defenderLoses: 3 } })).toMatch(
    new RegExp(`: bert's ship ${foreign} loses 2 hp, your ship ${own} loses 3 hp\\.$`),
  );
  expect(tell({ case: "gaveWay", value: { unit: own, to: { q: 2, r: 0 }, direction: Direction.SOUTH_WEST } })).toBe(
    `Your ship ${own} gives way to the south-west, to (2, 0).`,
  );
});

test("contests begin and end", () => {
  const hex = { q: 0, r: 0 };
  expect(tell({ case: "contestOpened", value: { hex, contenders: [own, foreign] } })).toBe(
    `(0, 0) is contested now, by your ship ${own} and bert's ship ${foreign}.`,
  );
  expect(tell({ case: "contestClosed", value: { hex, end: ContestEnd.EMPTIED } })).toBe(
    "(0, 0) is contested no more: nobody was left.",
  );
  expect(tell({ case: "contestClosed", value: { hex, end: ContestEnd.EXPIRED } })).toMatch(/as long as a contest may/);
  const closed = create(EventSchema, { what: { case: "contestClosed", value: { hex, end: ContestEnd.CLAIMED } } });
  const contested = { ...board, contests: new Map([[0, { tile: 0, since: 1, rounds: 2, contenders: [own] }]]) };
  expect(new SentenceWriter(names, contested).tell(closed, contested)).toBe("(0, 0) is contested no more: you claimed it.");
  expect(new SentenceWriter(names, contested).tell(closed, board)).toBe("(0, 0) is contested no more: one side claimed it.");
});

test("gold is told to whom it concerns", () => {
  const income = { player: 0, change: 21n, reason: GoldReason.INCOME, balance: 121n };
  expect(tell({ case: "gold", value: income })).toBe("You receive 21 gold as income and have 121.");
  expect(tell({ case: "gold", value: { ...income, change: -50n, reason: GoldReason.BUILD } })).toBe(
    "You pay 50 gold for a build and have 121.",
  );
  expect(tell({ case: "gold", value: { ...income, player: 1 } })).toBeNull();
  expect(tell({ case: "gold", value: { ...income, player: 1, reason: GoldReason.SALVAGE } })).toBe(
    "bert receives 21 gold of salvage and has 121.",
  );
  expect(tell({ case: "queued", value: { structure: yard, class: "ship" } })).toBe(
    `Your shipyard ${yard} takes on the build of a ship.`,
  );
  expect(tell({ case: "queued", value: { structure: yard + 1, class: "ship" } })).toBeNull();
});

test("yards change hands and players leave", () => {
  const teller = new SentenceWriter(names, board);
  const say = (what: NonNullable<MessageInitShape<typeof EventSchema>["what"]>): string | null =>
    teller.tell(create(EventSchema, { what }), board);
  expect(say({ case: "captured", value: { structure: yard, from: 0, by: 1 } })).toBe(
    `Your shipyard ${yard} falls to bert.`,
  );
  expect(say({ case: "neutralised", value: { structure: yard } })).toBe(`bert's shipyard ${yard} becomes neutral.`);
  expect(say({ case: "captured", value: { structure: yard, by: 0 } })).toBe(
    `The neutral shipyard ${yard} falls to you.`,
  );
  expect(say({ case: "eliminated", value: { player: 0 } })).toBe("You are eliminated.");
  expect(say({ case: "eliminated", value: { player: 1, conceded: true } })).toBe("bert gives up and is out.");
  expect(say({ case: "ended", value: { result: { case: "winner", value: 0 } } })).toBe("You win the match.");
  expect(say({ case: "ended", value: { result: { case: "draw", value: { players: [0, 2] } } } })).toBe(
    "The match ends in a draw of you and Carl.",
  );
});

test("the service's own words stand for what did not happen", () => {
  expect(tell({ case: "waited", value: { unit: own } })).toBeNull();
  expect(tell({ case: "blocked", value: { unit: own } })).toBeNull();
  expect(tell({ case: "skipped", value: {} })).toBeNull();
  expect(tell({ case: "sightChanged", value: {} })).toBeNull();
});

test("voyages are one sentence", () => {
  const teller = new SentenceWriter(names, board);
  expect(teller.tellVoyage(own, { q: 0, r: 0 }, { q: 2, r: 0 })).toBe(`Your ship ${own} sails from (0, 0) to (2, 0).`);
  expect(teller.tellVoyage(own, { q: 2, r: 0 }, { q: 2, r: 0 })).toBe(
    `Your ship ${own} sails about and is back at (2, 0).`,
  );
});

test("things are listed as in a sentence", () => {
  expect([listOf([]), listOf(["a"]), listOf(["a", "b"]), listOf(["a", "b", "c"])]).toEqual([
    "nobody",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EncounterKind, EncounterSchema } from "../../gen/parley/plunder/v1/event_pb";
import type { Encounter } from "../../gen/parley/plunder/v1/event_pb";
import { recordedMatch } from "./fixtures/matches";
import type { Board, Ship } from "./model";
import { fightOdds, roundOdds } from "./odds";
import { placeOf, prospectsOf, encounterTitle } from "./prospects";

const start = recordedMatch("open").turns[0]?.before;
if (start === undefined) throw new Error("no turn");

function ship(id: number, owner: number, hp: number, damage: number): Ship {
  return {
    id,
    owner,
    kind: "ship",
    tile: id,
    hp,
    maxHp: 10,
    speed: 3,
    damage,
    sails: 0,
    cannons: 0,
    hull: 0,
    stance: null,
    route: [],
  };
}

const ships = [ship(1, 0, 4, 2), ship(2, 0, 10, 2), ship(7, 1, 3, 3), ship(8, 2, 10, 2)];
const board: Board = { ...start, ships: new Map(ships.map((each) => [each.id, each])) };
const owners = new Map(ships.map((each) => [each.id, each.owner]));

function meet(kind: EncounterKind, ids: readonly number[], holders: readonly number[] = []): Encounter {
  const participants = ids.map((unit) => ({ unit, owner: owners.get(unit) ?? 9, holds: holders.includes(unit) }));
  const edge = { first: { q: 0, r: 0 }, second: { q: 1, r: 0 } };
  const place =
    kind === EncounterKind.PASSING
      ? ({ case: "edge", value: edge } as const)
      : ({ case: "hex", value: { q: 3, r: 2 } } as const);
  return create(EncounterSchema, { tick: 1, kind, site: { place }, participants });
}

const said = (encounter: Encounter, id = 1): string[] =>
  prospectsOf(board, encounter, id).map(
    ({ choice, condition, consequence }) => `${choice}, ${condition}: ${consequence.split("; ")[0]}`,
  );

test("the prompt has the words that everybody knows", () => {
  const [passing, entry] = [meet(EncounterKind.PASSING, [1, 7]), meet(EncounterKind.ENTRY, [1, 7])];
  expect(encounterTitle(passing)).toBe("PASSING ENCOUNTER — choose: PROCEED or ATTACK");
  expect(encounterTitle(entry)).toBe("ENTRY ENCOUNTER — choose: YIELD or ATTACK");
  expect(placeOf(board, passing.site)).toEqual({ edge: [0, 1] });
  expect(placeOf(board, undefined)).toBeNull();
});

test("a passing comes to peace or to a fight, with exact odds", () => {
  const encounter = meet(EncounterKind.PASSING, [1, 7]);
  const prospects = prospectsOf(board, encounter, 1);
  expect(prospects.map(({ choice, condition }) => [choice, condition])).toEqual([
    ["proceed", "they proceed"],
    ["proceed", "they attack"],
    ["attack", "they proceed"],
    ["attack", "they attack"],
  ]);
  const [one, other] = [
    { hp: 4, damage: 2 },
    { hp: 3, damage: 3 },
  ];
  (["second", "first", "coin"] as const).forEach((attacker, place) => {
    const exact = fightOdds(one, other, 1, attacker);
    expect(prospects[place + 1]?.stake).toEqual({ you: exact.first, them: [{ ship: 7, odds: exact.second }] });
  });
  expect(prospects[0]).toMatchObject({ consequence: "all cross and sail on", stake: null });
  // The attacker loses both comparisons in 2275 of 7776 ways, which costs 6 of 4 hp.
  expect(prospects[2]?.consequence).toBe("nobody crosses; you sink 29.3%, −2.2 hp; they sink 37.2%, −1.8 hp");
});

test("entries depend on who holds the tile", () => {
  expect(said(meet(EncounterKind.ENTRY, [1, 7]))).toEqual([
    "yield, whatever they do: you stay where you are and your path ends",
    "attack, they yield: you enter (3, 2) and sail on",
    "attack, they attack: (3, 2) is contested",
  ]);
  expect(said(meet(EncounterKind.ENTRY, [1, 7], [1]))).toEqual([
    "yield, they yield: nothing happens, you stay",
    "yield, they attack: you give way, or without a free tile stand",
    "attack, they yield: nothing happens, you stay",
    "attack, they attack: you stand",
  ]);
  expect(said(meet(EncounterKind.ENTRY, [1, 7], [7]))).toEqual([
    "yield, whatever they do: you stay where you are and your path ends",
    "attack, they yield: they give way if they can, and you enter (3, 2)",
    "attack, they stand: nobody enters",
  ]);
  expect(said(meet(EncounterKind.ENTRY, [1, 2, 7], [2]))).toEqual([
    "yield, whatever they do: you stay where you are and your path ends",
    "attack, they yield: you join your ships at (3, 2)",
    "attack, they attack: nobody enters",
  ]);
});

test("entrants attack a holder, whatever it chose", () => {
  const stand = prospectsOf(board, meet(EncounterKind.ENTRY, [1, 7], [1]), 1)[3];
  expect(stand?.stake?.you).toEqual(fightOdds({ hp: 4, damage: 2 }, { hp: 3, damage: 3 }, 1, "second").first);
});

test("a friend that holds is attacked, while both who enter attack each other", () => {
  const attack = prospectsOf(board, meet(EncounterKind.ENTRY, [1, 2, 7], [2]), 1)[2];
  const exact = roundOdds([
    { hp: 4, damage: 2, owner: 0, attacks: true },
    { hp: 10, damage: 2, owner: 0, attacks: false },
    { hp: 3, damage: 3, owner: 1, attacks: true },
  ]);
  expect(attack?.stake).toEqual({ you: exact[0], them: [{ ship: 7, odds: exact[2] }] });
});

test("a friend that enters attacks with the one that stands", () => {
  const attack = prospectsOf(board, meet(EncounterKind.ENTRY, [1, 2, 7], [1]), 1)[3];
  const exact = roundOdds([
    { hp: 4, damage: 2, owner: 0, attacks: false },
    { hp: 10, damage: 2, owner: 0, attacks: true },
    { hp: 3, damage: 3, owner: 1, attacks: true },
  ]);
  expect(attack?.stake).toEqual({ you: exact[0], them: [{ ship: 7, odds: exact[2] }] });
});

test("an entrant that yields is in no exchange", () => {
  const attack = prospectsOf(board, meet(EncounterKind.ENTRY, [1, 7, 8], [7]), 1)[2];
  expect(attack?.stake?.them.map((enemy) => enemy.ship)).toEqual([7]);
});

test("friends take part, and odds of ships out of sight are not known", () => {
  const both = prospectsOf(board, meet(EncounterKind.PASSING, [1, 2, 7]), 1)[3];
  expect(both?.stake?.you).toEqual(fightOdds({ hp: 4, damage: 2 }, { hp: 3, damage: 3 }, 1, "coin").first);
  expect(both?.stake?.them[0]?.odds.sinksPpm).toBeGreaterThan(
    fightOdds({ hp: 4, damage: 2 }, { hp: 3, damage: 3 }, 1, "coin").second.sinksPpm,
  );
  const hidden = prospectsOf(board, meet(EncounterKind.PASSING, [1, 99]), 1)[1];
  expect(hidden).toMatchObject({ consequence: "nobody crosses; the odds are not known", stake: null });
  expect(prospectsOf(board, meet(EncounterKind.PASSING, [7, 8]), 1)).toEqual([]);
});

import { expect, test } from "vitest";
import { recordedMatch, MATCHES } from "./fixtures/matches";
import { EXCHANGE, fightOdds, percent, roundOdds, tenths } from "./odds";
import type { Attacker } from "./odds";

const attackers: readonly Attacker[] = ["coin", "first", "second", "coin"];

test("odds are those of the service, to the last part", () => {
  const combats = MATCHES.flatMap((name) => recordedMatch(name).asked.flatMap((asked) => asked.combats));
  expect(combats.length).toBeGreaterThan(40);
  expect(new Set(combats.map((combat) => combat.rounds)).size).toBeGreaterThan(3);
  for (const { first, second, rounds, attacker, odds, both } of combats) {
    const mine = fightOdds(
      { hp: first[0], damage: first[1] },
      { hp: second[0], damage: second[1] },
      rounds,
      attackers[attacker] ?? "coin",
    );
    const row = ({ sinksPpm, meanLossMilli, bestHp, worstHp }: (typeof mine)["first"]): number[] => [
      sinksPpm,
      meanLossMilli,
      bestHp,
      worstHp,
    ];
    expect([row(mine.first), row(mine.second)]).toEqual(odds);
    expect(mine.bothSinkPpm).toBe(both);
  }
});

test("the dice of an exchange are counted right", () => {
  const byAttackerLosses = [0, 0, 0];
  for (let number = 0; number < 6 ** 5; number++) {
    const dice = [0, 1, 2, 3, 4].map((place) => Math.floor(number / 6 ** place) % 6);
    const attacker = dice.slice(0, 3).sort((a, b) => b - a);
    const defender = dice.slice(3).sort((a, b) => b - a);
    const lost = [0, 1].filter((place) => (attacker[place] ?? 0) <= (defender[place] ?? 0)).length;
    byAttackerLosses[lost] = (byAttackerLosses[lost] ?? 0) + 1;
  }
  expect(byAttackerLosses).toEqual([EXCHANGE.attackerWins, EXCHANGE.split, EXCHANGE.defenderWins]);
});

test("a round of two is a fight of one round", () => {
  for (const [one, other] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const first = { hp: 4, damage: 2, owner: 0, attacks: one };
    const second = { hp: 3, damage: 3, owner: 1, attacks: other };
    const attacker = one && other ? "coin" : one ? "first" : "second";
    const pair = fightOdds(first, second, 1, attacker);
    expect(roundOdds([first, second])).toEqual([pair.first, pair.second]);
  }
});

test("friends and those who do not attack have nothing to fear", () => {
  const side = { hp: 10, damage: 2, owner: 0, attacks: false };
  const whole = { sinksPpm: 0, meanLossMilli: 0, bestHp: 10, worstHp: 10 };
  expect(roundOdds([side, { ...side, attacks: true }, { ...side, owner: 1 }])[0]).toEqual(whole);
});

test("two against one add up", () => {
  const one = { hp: 4, damage: 2, owner: 0, attacks: false };
  const enemy = { hp: 10, damage: 2, owner: 1, attacks: true };
  const [fate] = roundOdds([one, enemy, enemy]);
  // It sinks unless it loses at most one of four comparisons.
  const [won, split, lost] = [2275, 2611, 2890];
  const afloat = won * won + 2 * won * split;
  expect(fate?.sinksPpm).toBe(Math.round((1 - afloat / 7776 ** 2) * 1e6));
  expect(won + split + lost).toBe(7776);
});

test("numbers are told as people read them", () => {
  expect([percent(0), percent(125_449), percent(1_000_000), percent(49_950)]).toEqual([
    "0.0%",
    "12.5%",
    "100.0%",
    "5.0%",
  ]);
  expect([tenths(0), tenths(2749), tenths(2750)]).toEqual(["0.0", "2.7", "2.8"]);
});

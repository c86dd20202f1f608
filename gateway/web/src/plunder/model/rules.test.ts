import { expect, test } from "vitest";
import { recordedMatch } from "./fixtures/matches";
import type { Ship } from "./model";
import { classOf, withFittings, readRules } from "./rules";

const { rulesText, rules } = recordedMatch("fog");

test("rules are read as the service sends them", () => {
  expect(rules.name).toBe("plunder");
  expect([rules.fog, rules.contestLimit, rules.turnLimit, rules.broadsides]).toEqual([true, 3, 23, true]);
  expect(rules.terrains.map(({ key, domains, harbor }) => [key, domains.join(), harbor])).toEqual([
    ["deep", "naval", false],
    ["sea", "naval", false],
    ["land", "", false],
    ["harbor", "naval", true],
  ]);
  expect(classOf(rules, "ship")).toEqual({
    key: "ship",
    domain: "naval",
    hull: 10,
    speed: 3,
    cannons: 0,
    vision: 3,
    buildCost: 50,
  });
  expect(classOf(rules, "raft")).toBeUndefined();
  expect(rules.pieces.hull).toEqual({ max: 2, cost: 100, speed: 1, damage: 0, hull: 10, heals: true });
  expect(rules.shipyard.deployCost).toBe(100);
  expect(rules.economy.cancelRefundPercent).toBe(75);
  expect(rules.stages[0]).toBe("income");
});

test("pieces add up", () => {
  const bare: Ship = {
    id: 1,
    owner: 0,
    kind: "ship",
    tile: 0,
    hp: 10,
    maxHp: 0,
    speed: 0,
    damage: 0,
    sails: 2,
    cannons: 3,
    hull: 1,
    stance: null,
    route: [],
  };
  const { maxHp, speed, damage } = withFittings(bare, rules);
  expect([maxHp, speed, damage]).toEqual([20, 6, 5]);
});

test("what is no rules file is refused", () => {
  expect(() => readRules("[]")).toThrow('no table "rules"');
  expect(() => readRules("{}")).toThrow();
  expect(() => readRules("nothing")).toThrow();
  const broken = JSON.parse(rulesText) as Record<string, unknown>;
  expect(() => readRules(JSON.stringify({ ...broken, turn_limit: 1.5 }))).toThrow('no number "turn_limit"');
  expect(() => readRules(JSON.stringify({ ...broken, terrains: {} }))).toThrow('no list "terrains"');
  expect(() => readRules(JSON.stringify({ ...broken, name: 7 }))).toThrow('no text "name"');
});

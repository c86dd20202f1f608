// Boards for tests.
import type { Board, Chart, Contest, Ship, Yard } from "../model/model";
import { type Rules, readRules } from "../model/rules";

const keys = ["deep", "sea", "land", "harbor"];

/** A chart from rows of letters, as map files have them. */
export function sampleChart(rows: readonly string[], wrap = false): Chart {
  const terrain = Uint8Array.from(rows.join(""), (letter) => "~.#H".indexOf(letter));
  return { width: rows[0]?.length ?? 0, height: rows.length, wrap, keys, terrain, visible: null };
}

export function sampleShip(id: number, owner: number, tile: number, more: Partial<Ship> = {}): Ship {
  return {
    id,
    owner,
    kind: "ship",
    tile,
    hp: 10,
    maxHp: 10,
    speed: 3,
    damage: 2,
    sails: 0,
    cannons: 0,
    hull: 0,
    stance: owner === 0 ? "ask" : null,
    route: [],
    ...more,
  };
}

export function sampleYard(id: number, owner: number | null, tile: number): Yard {
  return { id, owner, tile, hp: 20, maxHp: 20, queue: [] };
}

/** What player 0 sees in turn 5. */
export function sampleBoard(
  chart: Chart,
  ships: readonly Ship[],
  yards: readonly Yard[] = [],
  contests: readonly Contest[] = [],
): Board {
  return {
    seat: 0,
    turn: 5,
    chart,
    players: [
      { id: 0, alive: true, gold: 100 },
      { id: 1, alive: true, gold: 80 },
    ],
    ships: new Map(ships.map((ship) => [ship.id, ship])),
    yards: new Map(yards.map((yard) => [yard.id, yard])),
    contests: new Map(contests.map((contest) => [contest.tile, contest])),
    result: null,
  };
}

/** The standard rules. */
export const sampleRules: Rules = readRules(
  JSON.stringify({
    name: "plunder",
    fog: "off",
    contest_limit: 5,
    turn_limit: 0,
    broadsides: "on_order",
    stages: ["income", "shipyard_work", "contests", "movement", "broadsides", "bombardment", "construction", "reckoning"],
    terrains: keys.map((key) => ({ key, domains: key === "land" ? [] : ["naval"], harbor: key === "harbor" })),
    classes: [{ key: "ship", domain: "naval", hull: 10, speed: 3, cannons: 0, vision: 3, build_cost: 50, build_turns: 3 }],
    upgrades: {
      sails: { max: 5, cost: 60, speed: 1, damage: 0, hull: 0, heals: false },
      cannons: { max: 5, cost: 80, speed: 0, damage: 1, hull: 0, heals: false },
      hull: { max: 2, cost: 100, speed: 1, damage: 0, hull: 10, heals: true },
    },
    combat: { damage: 2, salvage: 25, bombard_damage: 2 },
    shipyard: { hp: 20, captured_hp_percent: 50, deploy_cost: 100, queue: 5, per_player: 4, vision: 3 },
    economy: {
      income: 10,
      income_per_shipyard: 5,
      income_per_ship: 2,
      ships_per_player: 12,
      repair_cost: 20,
      cancel_refund_percent: 75,
    },
  }),
);

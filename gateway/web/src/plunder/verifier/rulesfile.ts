// The form of a rules file: its keys in the order that the hash is made in, and the bounds of its values (R13.3).
import { PIECES } from "./state";

/** All stages in the only order that they may have (R5.6). */
export const STAGES = [
  "income",
  "shipyard_work",
  "contests",
  "movement",
  "broadsides",
  "bombardment",
  "construction",
  "reckoning",
] as const;
export type Stage = (typeof STAGES)[number];

const MAX_CLASSES = 64;
const MAX_TERRAINS = 255;
const MAX_NUMBER = 10 ** 12;
const MAX_SPEED = 254;
const MAX_HP = 60_000;
const MAX_DAMAGE = 30_000;
const MAX_PERCENT = 100;
/** What the encoding has one byte for (R13.3). */
const MAX_BYTE = 255;

type Form = "string" | "number" | "boolean" | "list" | "object";
type Keys = Readonly<Record<string, Form>>;

const TOP: Keys = {
  name: "string",
  fog: "string",
  contest_limit: "number",
  turn_limit: "number",
  broadsides: "string",
  elimination: "string",
  stages: "list",
  terrains: "list",
  classes: "list",
  upgrades: "object",
  combat: "object",
  shipyard: "object",
  economy: "object",
};
const TERRAIN: Keys = {
  key: "string",
  symbol: "string",
  domains: "list",
  move_cost: "number",
  defence: "number",
  blocks_sight: "boolean",
  harbor: "boolean",
};
const CLASS: Keys = {
  key: "string",
  domain: "string",
  hull: "number",
  speed: "number",
  cannons: "number",
  vision: "number",
  build_cost: "number",
  build_turns: "number",
};
const UPGRADE: Keys = {
  max: "number",
  cost: "number",
  speed: "number",
  damage: "number",
  hull: "number",
  heals: "boolean",
};
const UPGRADES: Keys = Object.fromEntries(PIECES.map((piece) => [piece, "object" as const]));
const COMBAT: Keys = { damage: "number", salvage: "number", bombard_damage: "number" };
const SHIPYARD: Keys = {
  hp: "number",
  captured_hp_percent: "number",
  deploy_cost: "number",
  queue: "number",
  per_player: "number",
  vision: "number",
};
const ECONOMY: Keys = {
  income: "number",
  income_per_shipyard: "number",
  income_per_ship: "number",
  start_gold: "number",
  start_shipyards: "number",
  start_ships: "number",
  ships_per_player: "number",
  repair_cost: "number",
  cancel_refund_percent: "number",
};

export interface TerrainRow {
  readonly key: string;
  readonly symbol: string;
  readonly domains: readonly unknown[];
  readonly move_cost: number;
  readonly defence: number;
  readonly blocks_sight: boolean;
  readonly harbor: boolean;
}

export interface ClassRow {
  readonly key: string;
  readonly domain: string;
  readonly hull: number;
  readonly speed: number;
  readonly cannons: number;
  readonly vision: number;
  readonly build_cost: number;
  readonly build_turns: number;
}

export interface UpgradeRow {
  readonly max: number;
  readonly cost: number;
  readonly speed: number;
  readonly damage: number;
  readonly hull: number;
  readonly heals: boolean;
}

/** A rules file whose keys and types are right. */
export interface RulesFile {
  readonly name: string;
  readonly fog: string;
  readonly contest_limit: number;
  readonly turn_limit: number;
  readonly broadsides: string;
  readonly elimination: string;
  readonly stages: readonly Stage[];
  readonly terrains: readonly TerrainRow[];
  readonly classes: readonly ClassRow[];
  readonly upgrades: Readonly<Record<(typeof PIECES)[number], UpgradeRow>>;
  readonly combat: { readonly damage: number; readonly salvage: number; readonly bombard_damage: number };
  readonly shipyard: {
    readonly hp: number;
    readonly captured_hp_percent: number;
    readonly deploy_cost: number;
    readonly queue: number;
    readonly per_player: number;
    readonly vision: number;
  };
  readonly economy: {
    readonly income: number;
    readonly income_per_shipyard: number;
    readonly income_per_ship: number;
    readonly start_gold: number;
    readonly start_shipyards: number;
    readonly start_ships: number;
    readonly ships_per_player: number;
    readonly repair_cost: number;
    readonly cancel_refund_percent: number;
  };
}

/** Rules that cannot be played by, in one sentence. */
export class RulesFault extends Error {}

/** Reads a rules file. Its keys come out in the order that the hash is made in. */
export function readRulesFile(text: string): RulesFile {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch (fault) {
    throw new RulesFault(`the rules are not JSON: ${fault instanceof Error ? fault.message : ""}`);
  }
  const top = ordered(tree, TOP, "the rules");
  const rows = (table: unknown, keys: Keys, what: string) =>
    Array.isArray(table) ? table.map((row: unknown) => ordered(row, keys, what)) : [];
  const upgrades = Object.entries(ordered(top["upgrades"], UPGRADES, "upgrades"));
  // The keys and the types of all values have just been checked.
  const file = {
    ...top,
    terrains: rows(top["terrains"], TERRAIN, "a terrain"),
    classes: rows(top["classes"], CLASS, "a class"),
    upgrades: Object.fromEntries(upgrades.map(([piece, row]) => [piece, ordered(row, UPGRADE, piece)])),
    combat: ordered(top["combat"], COMBAT, "combat"),
    shipyard: ordered(top["shipyard"], SHIPYARD, "shipyard"),
    economy: ordered(top["economy"], ECONOMY, "economy"),
  } as unknown as RulesFile;
  checkWords(file);
  checkBounds(file);
  return file;
}

function ordered(tree: unknown, keys: Keys, what: string): Record<string, unknown> {
  if (formOf(tree) !== "object") throw new RulesFault(`${what} of the rules must be an object`);
  const told = new Map(Object.entries(tree as object));
  for (const key of told.keys()) {
    if (!Object.hasOwn(keys, key)) throw new RulesFault(`${what}: the key '${key}' is not known`);
  }
  for (const [key, form] of Object.entries(keys)) {
    if (!told.has(key)) throw new RulesFault(`${what}: the key '${key}' is missing`);
    const value: unknown = told.get(key);
    if (formOf(value) !== form) throw new RulesFault(`${what}: '${key}' must be of the type ${form}`);
    if (typeof value === "number" && !(Number.isInteger(value) && value >= 0 && value <= MAX_NUMBER)) {
      throw new RulesFault(`${what}: '${key}' is out of range`);
    }
  }
  return Object.fromEntries(Object.keys(keys).map((key) => [key, told.get(key)]));
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return value === null ? "nothing" : typeof value;
}

function checkWords(file: RulesFile): void {
  const words: [string, string, string[]][] = [
    ["fog", file.fog, ["on", "off"]],
    ["broadsides", file.broadsides, ["on_order", "off"]],
    ["elimination", file.elimination, ["no_ships", "no_ships_and_no_structures"]],
  ];
  for (const [key, word, known] of words) {
    if (!known.includes(word)) throw new RulesFault(`'${key}' is one of ${known.join(", ")}`);
  }
  const places = file.stages.map((stage) => STAGES.indexOf(stage));
  if (places.some((place, nth) => place === -1 || place <= (places[nth - 1] ?? -1))) {
    throw new RulesFault("the stages are not in the order of R5.6");
  }
  const has = (stage: Stage) => file.stages.includes(stage);
  if (!has("reckoning") || (has("movement") && !has("contests"))) {
    throw new RulesFault("a stage that R5.6 needs is missing");
  }
  const isTable = (rows: readonly unknown[], most: number) => rows.length >= 1 && rows.length <= most;
  if (!isTable(file.classes, MAX_CLASSES) || !isTable(file.terrains, MAX_TERRAINS)) {
    throw new RulesFault("the tables of classes and terrains have a bounded number of rows (R3.2, R4)");
  }
  if (file.terrains.some((row) => row.move_cost !== 1 || row.defence !== 0 || row.blocks_sight)) {
    throw new RulesFault("terrains all cost 1, give no defence and block no sight (R3.2)");
  }
}

/** What no rules may let a ship reach (R4), and what the encoding has no room for (R13.3). */
function checkBounds({ upgrades, classes, combat, shipyard }: RulesFile): void {
  const pieces = PIECES.map((piece) => upgrades[piece]);
  const fitted = (what: "hull" | "speed" | "damage") => pieces.reduce((sum, row) => sum + row.max * row[what], 0);
  for (const row of classes) {
    if (row.hull < 1 || row.hull + fitted("hull") > MAX_HP) {
      throw new RulesFault(`the class '${row.key}' has 1 to ${MAX_HP} hp (R4)`);
    }
    if (row.speed + fitted("speed") > MAX_SPEED) {
      throw new RulesFault(`the class '${row.key}' reaches a speed over ${MAX_SPEED} (R4)`);
    }
    if (Math.max(combat.damage, combat.bombard_damage) + row.cannons + fitted("damage") > MAX_DAMAGE) {
      throw new RulesFault(`the class '${row.key}' reaches a damage over ${MAX_DAMAGE} (R4)`);
    }
  }
  const counted = [...classes.map((row) => row.build_turns), ...pieces.map((row) => row.max), shipyard.queue];
  if (Math.max(...counted) > MAX_BYTE) {
    throw new RulesFault(`build_turns, upgrades and queues count to ${MAX_BYTE} at most (R13.3)`);
  }
  if (shipyard.hp < 1 || shipyard.hp > MAX_HP || shipyard.captured_hp_percent > MAX_PERCENT) {
    throw new RulesFault(`a shipyard has 1 to ${MAX_HP} hp (R13.3)`);
  }
}

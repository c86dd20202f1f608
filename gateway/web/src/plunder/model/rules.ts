// The rules of a match, as GetMatch sends them: JSON in the words of data/rules/plunder.yaml.
import type { Piece, Ship } from "./model";

/** A kind of ground (R3.2). */
export interface Terrain {
  readonly key: string;
  /** The domains of the ships that may enter: "naval", "land", "air". */
  readonly domains: readonly string[];
  /** Whether shipyards can stand here. */
  readonly harbor: boolean;
}

/** A kind of ship (R4). */
export interface ShipClass {
  readonly key: string;
  readonly domain: string;
  readonly hull: number;
  readonly speed: number;
  readonly cannons: number;
  readonly vision: number;
  readonly buildCost: number;
}

/** What one piece brings, and what it costs (R4, R11.2). */
export interface PieceRow {
  readonly max: number;
  readonly cost: number;
  readonly speed: number;
  readonly damage: number;
  readonly hull: number;
  readonly heals: boolean;
}

/** Everything that the page needs of a rules file. */
export interface Rules {
  readonly name: string;
  readonly fog: boolean;
  /** Rounds after which a contest opens its tile; 0 is never (R9.4). */
  readonly contestLimit: number;
  /** The last turn; 0 is none (R12.2). */
  readonly turnLimit: number;
  readonly broadsides: boolean;
  /** The stages of a turn, in order (R5.6). */
  readonly stages: readonly string[];
  readonly terrains: readonly Terrain[];
  readonly classes: readonly ShipClass[];
  readonly pieces: Readonly<Record<Piece, PieceRow>>;
  readonly combat: { readonly damage: number; readonly salvage: number; readonly bombardDamage: number };
  readonly shipyard: {
    readonly hp: number;
    readonly deployCost: number;
    readonly queue: number;
    readonly perPlayer: number;
    readonly vision: number;
  };
  readonly economy: {
    readonly income: number;
    readonly incomePerShipyard: number;
    readonly incomePerShip: number;
    readonly shipsPerPlayer: number;
    readonly repairCost: number;
    readonly cancelRefundPercent: number;
  };
}

/** Reads rules; throws where the text is not a rules file. */
export function readRules(json: string): Rules {
  const rules = table(JSON.parse(json), "rules");
  const upgrades = table(rules["upgrades"], "upgrades");
  const combat = table(rules["combat"], "combat");
  const shipyard = table(rules["shipyard"], "shipyard");
  const economy = table(rules["economy"], "economy");
  return {
    name: text(rules, "name"),
    fog: text(rules, "fog") === "on",
    contestLimit: count(rules, "contest_limit"),
    turnLimit: count(rules, "turn_limit"),
    broadsides: text(rules, "broadsides") === "on_order",
    stages: list(rules, "stages").map(String),
    terrains: list(rules, "terrains").map(readTerrain),
    classes: list(rules, "classes").map(readClass),
    pieces: {
      sails: readPiece(upgrades["sails"]),
      cannons: readPiece(upgrades["cannons"]),
      hull: readPiece(upgrades["hull"]),
    },
    combat: {
      damage: count(combat, "damage"),
      salvage: count(combat, "salvage"),
      bombardDamage: count(combat, "bombard_damage"),
    },
    shipyard: {
      hp: count(shipyard, "hp"),
      deployCost: count(shipyard, "deploy_cost"),
      queue: count(shipyard, "queue"),
      perPlayer: count(shipyard, "per_player"),
      vision: count(shipyard, "vision"),
    },
    economy: {
      income: count(economy, "income"),
      incomePerShipyard: count(economy, "income_per_shipyard"),
      incomePerShip: count(economy, "income_per_ship"),
      shipsPerPlayer: count(economy, "ships_per_player"),
      repairCost: count(economy, "repair_cost"),
      cancelRefundPercent: count(economy, "cancel_refund_percent"),
    },
  };
}

/** The class with this key. */
export function classOf(rules: Rules, key: string): ShipClass | undefined {
  return rules.classes.find((row) => row.key === key);
}

/** A ship with the numbers that follow from its class and its pieces (R4). */
export function withFittings(ship: Ship, rules: Rules): Ship {
  const row = classOf(rules, ship.kind);
  const { sails, cannons, hull } = rules.pieces;
  const sum = (of: (piece: PieceRow) => number): number =>
    ship.sails * of(sails) + ship.cannons * of(cannons) + ship.hull * of(hull);
  return {
    ...ship,
    maxHp: (row?.hull ?? 0) + sum((piece) => piece.hull),
    speed: (row?.speed ?? 0) + sum((piece) => piece.speed),
    damage: rules.combat.damage + (row?.cannons ?? 0) + sum((piece) => piece.damage),
  };
}

type Table = Readonly<Record<string, unknown>>;

function table(value: unknown, name: string): Table {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`the rules have no table "${name}"`);
  }
  return value as Table;
}

function list(of: Table, key: string): readonly unknown[] {
  const value = of[key];
  if (!Array.isArray(value)) throw new Error(`the rules have no list "${key}"`);
  return value;
}

function text(of: Table, key: string): string {
  const value = of[key];
  if (typeof value !== "string") throw new Error(`the rules have no text "${key}"`);
  return value;
}

function count(of: Table, key: string): number {
  const value = of[key];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new Error(`the rules have no number "${key}"`);
  return value;
}

function readTerrain(value: unknown): Terrain {
  const row = table(value, "terrains");
  return { key: text(row, "key"), domains: list(row, "domains").map(String), harbor: row["harbor"] === true };
}

function readClass(value: unknown): ShipClass {
  const row = table(value, "classes");
  return {
    key: text(row, "key"),
    domain: text(row, "domain"),
    hull: count(row, "hull"),
    speed: count(row, "speed"),
    cannons: count(row, "cannons"),
    vision: count(row, "vision"),
    buildCost: count(row, "build_cost"),
  };
}

function readPiece(value: unknown): PieceRow {
  const row = table(value, "upgrades");
  return {
    max: count(row, "max"),
    cost: count(row, "cost"),
    speed: count(row, "speed"),
    damage: count(row, "damage"),
    hull: count(row, "hull"),
    heals: row["heals"] === true,
  };
}

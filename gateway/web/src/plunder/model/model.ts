// What the page knows of a match, in its own words. Everything below `model/` is pure: no network, no DOM, no clock.
// Messages of the service become these types at the edge (`board.ts`, `frames.ts`), and orders become messages again in
// `plan.ts`.
import type { LogLine } from "../../frame/log/logline";
import type { FinalResult } from "../../frame/session/result";

/** A tile of the map: row * width + column. Tiles are used inside the page, hexes (q, r) only towards the service. */
export type Tile = number;

/** How a ship answers an encounter when its owner is not asked (R7.6). Unknown for ships of others. */
export type Stance = "ask" | "evade" | "fight" | "fight-if-healthy";

/** What a ship can be fitted with (R4). */
export type Piece = "sails" | "cannons" | "hull";

/** The map as far as it is known. */
export interface Chart {
  readonly width: number;
  readonly height: number;
  /** Whether the east end of a row touches its west end. */
  readonly wrap: boolean;
  /** Terrain keys by row of the rules' table: "deep", "sea", "land", "harbor", … */
  readonly keys: readonly string[];
  /** One row number of `keys` per tile; 255 where nothing is known. */
  readonly terrain: Uint8Array;
  /** 1 for every tile that is seen now; null without fog, where all are. Known and not seen is remembered. */
  readonly visible: Uint8Array | null;
}

/** A ship in sight. */
export interface Ship {
  readonly id: number;
  readonly owner: number;
  /** The key of its class in the rules. */
  readonly kind: string;
  readonly tile: Tile;
  readonly hp: number;
  /** Hp when whole, with all pieces of hull. */
  readonly maxHp: number;
  /** Tiles per turn, with all pieces. */
  readonly speed: number;
  /** What a won die costs the other, with all pieces. */
  readonly damage: number;
  readonly sails: number;
  readonly cannons: number;
  readonly hull: number;
  /** How it answers encounters; null for ships of others. */
  readonly stance: Stance | null;
  /** What is left of an earlier path; own ships only, otherwise empty. */
  readonly route: readonly Tile[];
}

/** A ship that is being built. */
export interface Job {
  readonly kind: string;
  readonly turnsLeft: number;
}

/** A shipyard in sight. */
export interface Yard {
  readonly id: number;
  readonly owner: number | null;
  readonly tile: Tile;
  readonly hp: number;
  readonly maxHp: number;
  /** What it builds, in order; null where that is not known. */
  readonly queue: readonly Job[] | null;
}

/** A contested tile (R9). */
export interface Contest {
  readonly tile: Tile;
  readonly since: number;
  readonly rounds: number;
  readonly contenders: readonly number[];
}

/** A player: what everybody may know. */
export interface Player {
  readonly id: number;
  readonly alive: boolean;
  /** The gold that the player has; null where fog hides it. */
  readonly gold: number | null;
}

/** Everything that one viewer knows at one moment. Never changed in place. */
export interface Board {
  /** Whose view it is; null for spectators and for the full view of a replay. */
  readonly seat: number | null;
  readonly turn: number;
  readonly chart: Chart;
  readonly players: readonly Player[];
  readonly ships: ReadonlyMap<number, Ship>;
  readonly yards: ReadonlyMap<number, Yard>;
  readonly contests: ReadonlyMap<Tile, Contest>;
  readonly result: FinalResult | null;
}

/** Where an encounter is: on a tile, or on the edge between two. */
export type Place = { readonly tile: Tile } | { readonly edge: readonly [Tile, Tile] };

/** An answer to an encounter. */
export type Choice = "proceed" | "yield" | "attack";

/** A ship in an exchange of fire. */
export interface ExchangeSide {
  readonly ship: Ship;
  readonly dice: readonly number[];
  /** What the exchange costs it, in full even where less was left (R8.1). */
  readonly loses: number;
  /** The hp that it has after the exchange. */
  readonly left: number;
}

/** Something that is shown while a frame is played, over the board. */
export type Effect =
  | { readonly kind: "move"; readonly ship: Ship; readonly from: Tile; readonly to: Tile }
  | { readonly kind: "appear"; readonly ship: Ship }
  | { readonly kind: "vanish"; readonly ship: Ship; readonly from: Tile }
  | { readonly kind: "meet"; readonly passing: boolean; readonly place: Place; readonly ships: readonly number[] }
  | { readonly kind: "decide"; readonly ship: Ship; readonly choice: Choice; readonly defaulted: boolean }
  | { readonly kind: "exchange"; readonly attacker: ExchangeSide; readonly defender: ExchangeSide }
  | { readonly kind: "sink"; readonly ship: Ship }
  | { readonly kind: "wait"; readonly ship: Ship }
  | { readonly kind: "contest"; readonly tile: Tile; readonly open: boolean }
  /** `left` is the hp that the shipyard has after it. */
  | { readonly kind: "bombard"; readonly ship: Ship; readonly yard: Yard; readonly damage: number; readonly left: number }
  | { readonly kind: "capture"; readonly yard: Yard; readonly by: number }
  | { readonly kind: "spawn"; readonly ship: Ship }
  | { readonly kind: "repair"; readonly ship: Ship }
  | { readonly kind: "upgrade"; readonly ship: Ship; readonly piece: Piece }
  | { readonly kind: "deploy"; readonly yard: Yard };

/** One step of a turn as it is played back: what is shown before, what happens, what is shown after. */
export interface Frame {
  readonly turn: number;
  readonly tick: number | null;
  /** A few words, such as "Tick 2 of 3: ships move". */
  readonly title: string;
  readonly before: Board;
  readonly effects: readonly Effect[];
  readonly after: Board;
  readonly lines: readonly LogLine[];
}

/** What one ship is told to do. Nothing at all: it goes on with its route (R5.3). */
export interface ShipPlan {
  readonly action:
    | { readonly kind: "move"; readonly path: readonly Tile[] }
    | { readonly kind: "hold" }
    | { readonly kind: "repair" }
    | { readonly kind: "upgrade"; readonly piece: Piece }
    | { readonly kind: "deploy" }
    | { readonly kind: "bombard"; readonly yard: number }
    | { readonly kind: "press" }
    | null;
  readonly broadside: boolean;
  /** The new stance; null leaves it as it is. */
  readonly stance: Stance | null;
}

/** What one shipyard is told to do. */
export type YardPlan =
  { readonly kind: "build"; readonly class: string } | { readonly kind: "cancel"; readonly index: number };

/** All staged orders of a turn. */
export interface Plan {
  readonly ships: ReadonlyMap<number, ShipPlan>;
  readonly yards: ReadonlyMap<number, YardPlan>;
}

/** A path with the moments in which its tiles are reached: turn 0 is the one being planned. */
export interface Leg {
  readonly tile: Tile;
  readonly turn: number;
  readonly tick: number;
}

/** Something about a plan that its player should know before locking in. */
export interface Warning {
  /** The ship that it is about; null where it is about a shipyard. */
  readonly ship: number | null;
  /** The shipyard that it is about; null where it is about a ship. */
  readonly yard: number | null;
  readonly tile: Tile;
  /** warn: worth asking before the plan is locked in. note: worth a glance. */
  readonly grade: "warn" | "note";
  readonly text: string;
}

// The working copy of a turn that all stages share.
import type { EncounterKind, Event, GoldReason } from "./events";
import type { Grid, TileIndex } from "./hexes";
import type { LegalSheet } from "./legality";
import type { EncounterChoice, StructureOrder, UnitOrder } from "./orders";
import type { PinnedRules } from "./rules";
import { MAX_GOLD, copyOf, structureAt } from "./state";
import type { PlayerState, State, Structure, Unit } from "./state";

/** An encounter as those who are asked see it (R7.1). */
export interface MetEncounter {
  readonly kind: EncounterKind;
  /** The tile, or both tiles of the edge with the lesser first. */
  readonly tiles: readonly [TileIndex, ...TileIndex[]];
  /** The ships that meet, by id. */
  readonly units: readonly [number, ...number[]];
}

/** A question to the owner of a ship that met others (R7.2). */
export interface ShipAsked {
  readonly seat: number;
  readonly unit: number;
  readonly kind: EncounterKind;
  /** What can be chosen. The first, which is peaceful, counts where nobody answers. */
  readonly choices: readonly [EncounterChoice, EncounterChoice];
}

/**
 * Puts the questions of a tick, which are in the order of their encounters (R7.3), and of their ships by id. The choices
 * come back in the same order; null is where nobody answered in time.
 */
export type Ask = (tick: number, asked: readonly ShipAsked[]) => readonly (EncounterChoice | null)[];

/** A turn while it is resolved. It begins on a copy of the state. */
export class Turn {
  readonly state: State;
  readonly events: Event[] = [];
  /** Ships that have no intent for the rest of the turn. */
  readonly halted = new Set<number>();
  /** Ships that were in an exchange (R10). */
  readonly fought = new Set<number>();
  exchanges = 0;

  constructor(
    readonly rules: PinnedRules,
    readonly grid: Grid,
    before: State,
    readonly seed: Uint8Array,
    private readonly sheets: ReadonlyMap<number, LegalSheet>,
    readonly ask: Ask,
  ) {
    this.state = copyOf(before);
  }

  /** Writes down what happened. */
  tell(event: Event): void {
    this.events.push(event);
  }

  /** A player that is known to be there. */
  player(id: number): PlayerState {
    return found(this.state.players.get(id), "player", id);
  }

  /** A ship that is known to be there. */
  unit(id: number): Unit {
    return found(this.state.units.get(id), "unit", id);
  }

  /** A structure that is known to be there. */
  structure(id: number): Structure {
    return found(this.state.structures.get(id), "structure", id);
  }

  /** The order of a ship, if it has one. */
  unitOrder(unit: Unit): UnitOrder | undefined {
    return this.sheets.get(unit.owner)?.units.get(unit.id);
  }

  /** The order that a player gave to a structure, if there is one. */
  structureOrder(player: number, structure: number): StructureOrder | undefined {
    return this.sheets.get(player)?.structures.get(structure);
  }

  /** Whether a player gives up (R12.3). */
  concedes(player: number): boolean {
    return this.sheets.get(player)?.concede ?? false;
  }

  /** The ships on a tile, by id. */
  unitsAt(at: TileIndex): Unit[] {
    return [...this.state.units.values()].filter((unit) => unit.at === at);
  }

  /** Whether a structure of another owner closes a tile (R3.3). */
  isClosedTo(owner: number, at: TileIndex): boolean {
    const structure = structureAt(this.state, at);
    return structure !== null && structure.owner !== owner;
  }

  /** Changes gold and says so; a change of nothing is none (R11.6). */
  pay(player: number, amount: number, reason: GoldReason): void {
    const account = this.player(player);
    const balance = Math.min(account.gold + amount, MAX_GOLD);
    const change = balance - account.gold;
    account.gold = balance;
    if (change !== 0) this.tell({ type: "gold", player, change, reason, balance });
  }

  /** Takes a ship out of play; it leaves its contest at once (R9.5). */
  remove(unit: number): void {
    this.state.units.delete(unit);
    this.leaveContests(unit);
  }

  /** Takes a ship off the list of contenders (R9.5). */
  leaveContests(unit: number): void {
    for (const contest of this.state.contests.values()) {
      contest.contenders = contest.contenders.filter((id) => id !== unit);
    }
  }

  /** Moves a ship to the next tile of its path. */
  advance(unit: Unit, tick: number): void {
    unit.at = unit.route.shift() ?? unit.at;
    this.tell({ type: "moved", tick, unit: unit.id, to: this.grid.hex(unit.at) });
  }

  /** Halts a ship, which loses its path (R6.2, R7.5). */
  stop(unit: Unit): void {
    this.halted.add(unit.id);
    unit.route = [];
  }
}

function found<Item>(item: Item | undefined, kind: string, id: number): Item {
  if (item === undefined) throw new Error(`there is no ${kind} ${id}`);
  return item;
}

// Which orders stand (R5.5): each is judged by itself, on the state that the turn is planned in.
import { shownHex } from "./hexes";
import type { Grid, Axial, TileIndex } from "./hexes";
import type { Sheet, StructureOrder, UnitOrder } from "./orders";
import type { PinnedRules } from "./rules";
import { MAX_PATH_STEPS, fleetSize, shipsOf, structureAt, structuresOf } from "./state";
import type { State, Unit } from "./state";

/** Something that a rule refuses. */
export interface OrderRefusal {
  /** Whose order, or what, such as `unit 3`. */
  readonly about: string;
  readonly reason: string;
  readonly rule: string;
}

/** The orders that stand, by whom they are for. */
export interface LegalSheet {
  readonly units: ReadonlyMap<number, UnitOrder>;
  readonly structures: ReadonlyMap<number, StructureOrder>;
  readonly concede: boolean;
}

/** A sheet sorted into what stands and what is wrong with the rest. */
export interface Judgement {
  readonly legal: LegalSheet;
  readonly refusals: readonly OrderRefusal[];
}

/** Judges a sheet. */
export function judge(rules: PinnedRules, grid: Grid, state: State, player: number, sheet: Sheet): Judgement {
  return new Judge(rules, grid, state, player, sheet).judge();
}

/** What is wrong with the steps of a path or a route (R5.5). */
export function brokenStep(rules: PinnedRules, grid: Grid, from: TileIndex, kind: number, path: readonly Axial[]): string | null {
  let at = from;
  for (const hex of path) {
    if (!grid.hasHex(hex)) return `${shownHex(hex)} is not on the map`;
    const step = grid.tile(hex);
    if (!grid.adjacent(at, step)) return `${shownHex(hex)} is not adjacent to ${grid.shown(at)}`;
    if (!rules.isNavigable(grid, step, kind)) return `${shownHex(hex)} is land`;
    at = step;
  }
  return null;
}

class Judge {
  constructor(
    private readonly rules: PinnedRules,
    private readonly grid: Grid,
    private readonly state: State,
    private readonly player: number,
    private readonly sheet: Sheet,
  ) {}

  judge(): Judgement {
    const nobody = this.ofThePlayer();
    if (nobody !== null) {
      return { legal: { units: new Map(), structures: new Map(), concede: false }, refusals: [nobody] };
    }
    const refusals: OrderRefusal[] = [];
    const sorted = <Order>(
      orders: readonly Order[],
      kind: string,
      idOf: (order: Order) => number,
      wrongWith: (order: Order) => OrderRefusal | null,
    ) => {
      const counts = new Map<number, number>();
      for (const order of orders) counts.set(idOf(order), (counts.get(idOf(order)) ?? 0) + 1);
      const legal = new Map<number, Order>();
      for (const order of orders) {
        const id = idOf(order);
        const twice = (counts.get(id) ?? 0) > 1;
        const wrong = twice ? refused(`${kind} ${id}`, "it has two orders", "R5.3") : wrongWith(order);
        if (wrong === null) legal.set(id, order);
        else refusals.push(wrong);
      }
      return legal;
    };
    const { units, structures, concede } = this.sheet;
    const legal: LegalSheet = {
      units: sorted(units, "unit", ({ unit }) => unit, (order) => this.ofAUnit(order)),
      structures: sorted(structures, "structure", ({ structure }) => structure, (order) => this.ofAStructure(order)),
      concede,
    };
    return { legal, refusals };
  }

  private ofThePlayer(): OrderRefusal | null {
    const about = `player ${this.player}`;
    const player = this.state.players.get(this.player);
    if (player === undefined) return refused(about, "there is no such player", "R1");
    if (this.state.result !== null) return refused(about, "the match is over", "R12.2");
    if (!player.alive) return refused(about, "the player is eliminated", this.sheet.concede ? "R12.3" : "R12.1");
    return null;
  }

  private ofAUnit({ unit: id, deed }: UnitOrder): OrderRefusal | null {
    const about = `unit ${id}`;
    const unit = this.state.units.get(id);
    if (unit?.owner !== this.player) return refused(about, "the player has no such unit", "R1");
    switch (deed?.kind) {
      case "move":
        return refusedIf(about, this.ofAPath(unit, deed.path), "R5.5");
      case "upgrade":
        if (unit[deed.piece] >= this.rules.upgrades[deed.piece].max) {
          return refused(about, `it has as many ${deed.piece} as allowed`, "R4");
        }
        return refusedIf(about, this.farFromShipyards(unit), "R11.2");
      case "repair":
        return refusedIf(about, this.farFromShipyards(unit), "R11.2");
      case "deploy_shipyard":
        return refusedIf(about, this.ofADeployment(unit), "R11.2");
      case "bombard":
        return refusedIf(about, this.ofABombardment(unit, deed.target), "R11.5");
      default:
        return null;
    }
  }

  private ofAPath(unit: Unit, path: readonly Axial[]): string | null {
    if (path.length < 1 || path.length > MAX_PATH_STEPS) return `a path has 1 to ${MAX_PATH_STEPS} steps`;
    return brokenStep(this.rules, this.grid, unit.at, unit.kind, path);
  }

  private farFromShipyards(unit: Unit): string | null {
    const own = structuresOf(this.state, this.player);
    const near = own.some(({ at }) => at === unit.at || this.grid.adjacent(at, unit.at));
    return near ? null : "it is neither on an own shipyard nor beside one";
  }

  private ofADeployment(unit: Unit): string | null {
    if (!this.rules.isHarbor(this.grid, unit.at)) return "it is not on a harbor";
    if (structureAt(this.state, unit.at) !== null) return "the harbor carries a structure";
    if (structuresOf(this.state, this.player).length >= this.rules.shipyard.per_player) {
      return "the player has all shipyards allowed";
    }
    return null;
  }

  private ofABombardment(unit: Unit, target: number): string | null {
    const structure = this.state.structures.get(target);
    if (structure === undefined) return "there is no such structure to bombard";
    if (structure.owner === this.player) return "the structure is the player's own";
    return this.grid.adjacent(unit.at, structure.at) ? null : "the structure is not adjacent";
  }

  private ofAStructure({ structure: id, work }: StructureOrder): OrderRefusal | null {
    const about = `structure ${id}`;
    const structure = this.state.structures.get(id);
    if (structure?.owner !== this.player) return refused(about, "the player has no such structure", "R1");
    if ("cancel" in work) {
      return work.cancel < structure.queue.length ? null : refused(about, "the queue has no such index", "R11.2");
    }
    if (this.rules.classes.every((row) => row.key !== work.build)) {
      return refused(about, "there is no such class", "R4");
    }
    if (structure.queue.length >= this.rules.shipyard.queue) return refused(about, "the queue is full", "R11.2");
    if (this.fleetWithoutWhatGoes() >= this.rules.economy.ships_per_player) {
      return refused(about, "the player has all ships allowed, queued ones included", "R11.2");
    }
    return null;
  }

  /** Ships, less those ordered to deploy, plus queued ships, less those cancelled in this sheet. */
  private fleetWithoutWhatGoes(): number {
    const own = new Set(shipsOf(this.state, this.player).map((unit) => unit.id));
    const deploying = new Set<number>();
    for (const { unit, deed } of this.sheet.units) {
      if (deed?.kind === "deploy_shipyard" && own.has(unit)) deploying.add(unit);
    }
    const queues = new Map(structuresOf(this.state, this.player).map(({ id, queue }) => [id, queue.length]));
    const cancelled = new Set<number>();
    for (const { structure, work } of this.sheet.structures) {
      if ("cancel" in work && work.cancel < (queues.get(structure) ?? 0)) cancelled.add(structure);
    }
    return fleetSize(this.state, this.player) - deploying.size - cancelled.size;
  }
}

function refused(about: string, reason: string, rule: string): OrderRefusal {
  return { about, reason, rule };
}

function refusedIf(about: string, reason: string | null, rule: string): OrderRefusal | null {
  return reason === null ? null : refused(about, reason, rule);
}

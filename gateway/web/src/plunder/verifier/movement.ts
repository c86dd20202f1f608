// The ticks of a turn: who moves, who waits, who meets (R6).
import { settle } from "./encounters";
import type { TileIndex } from "./hexes";
import type { Unit } from "./state";
import type { MetEncounter, Turn } from "./turn";

/** All ticks, as many as the fastest ship has tiles. */
export function movement(turn: Turn): void {
  const speeds = new Map([...turn.state.units.values()].map((unit) => [unit.id, turn.rules.speed(unit)]));
  const last = [...speeds.values()].reduce((most, speed) => Math.max(most, speed), 0);
  for (let tick = 1; tick <= last; tick++) {
    const wishes = new Map<number, TileIndex>();
    for (const unit of turn.state.units.values()) {
      const next = unit.route[0];
      const fast = tick <= (speeds.get(unit.id) ?? 0);
      if (next !== undefined && fast && !turn.halted.has(unit.id)) wishes.set(unit.id, next);
    }
    if (wishes.size > 0) new Tick(turn, tick, wishes).play();
  }
}

/** One tick, decided on the positions at its start. */
class Tick {
  private readonly standing = new Map<TileIndex, Unit[]>();
  /** Ships that wanted to leave and do not move in this tick. */
  private readonly stuck = new Set<number>();
  private readonly closed = new Set<TileIndex>();

  constructor(
    private readonly turn: Turn,
    private readonly tick: number,
    /** Every intent by id, also those that are blocked. */
    private readonly wishes: ReadonlyMap<number, TileIndex>,
  ) {
    for (const unit of turn.state.units.values()) add(this.standing, unit.at, unit);
  }

  play(): void {
    const { turn, tick } = this;
    const blocked = this.blocked();
    const passings = this.passings();
    const collisions = this.collisions();
    const waiting = this.waiting();
    const moving = this.entrants();
    for (const unit of blocked) {
      turn.tell({ type: "blocked", tick, unit: unit.id });
      turn.stop(unit);
    }
    for (const [unit] of moving) turn.advance(unit, tick);
    const { entries, heldBack } = this.entries(collisions);
    for (const id of [...waiting, ...heldBack].sort((a, b) => a - b)) turn.tell({ type: "waited", tick, unit: id });
    settle(turn, tick, [...passings, ...entries]);
  }

  /** Ships that are not stuck, by id, and where they want to go. */
  private entrants(): [Unit, TileIndex][] {
    const free = [...this.wishes].filter(([id]) => !this.stuck.has(id));
    return free.map(([id, to]) => [this.turn.unit(id), to]);
  }

  /** Intents into contested tiles and closed harbors fail before all the rest (R6.2). */
  private blocked(): Unit[] {
    const { turn } = this;
    const isShut = (unit: Unit, to: TileIndex) => turn.state.contests.has(to) || turn.isClosedTo(unit.owner, to);
    const found = this.entrants().filter(([unit, to]) => isShut(unit, to));
    for (const [unit] of found) this.stuck.add(unit.id);
    return found.map(([unit]) => unit);
  }

  /** Edges that enemies cross both ways (R6.3). */
  private passings(): MetEncounter[] {
    const { grid } = this.turn;
    const edges = new Map<string, { tiles: [TileIndex, TileIndex]; units: Unit[] }>();
    for (const [unit, to] of this.entrants()) {
      const tiles: [TileIndex, TileIndex] = grid.compare(unit.at, to) < 0 ? [unit.at, to] : [to, unit.at];
      const edge = edges.get(tiles.join()) ?? { tiles, units: [] };
      edge.units.push(unit);
      edges.set(tiles.join(), edge);
    }
    const found: MetEncounter[] = [];
    for (const { tiles, units } of edges.values()) {
      const meets = units.some((a) => units.some((b) => a.at !== b.at && a.owner !== b.owner));
      if (!meets) continue;
      found.push({ kind: "PASSING", tiles, units: idsOf(units) });
      for (const unit of units) this.stuck.add(unit.id);
      for (const tile of tiles) this.closed.add(tile);
    }
    return found;
  }

  /** Entrants that enemies stop, by the tile that they want (R6.4). */
  private collisions(): Map<TileIndex, Unit[]> {
    const wanted = new Map<TileIndex, Unit[]>();
    for (const [unit, to] of this.entrants()) add(wanted, to, unit);
    const found = new Map<TileIndex, Unit[]>();
    for (const [to, units] of wanted) {
      const atRest = (this.standing.get(to) ?? []).filter((unit) => !this.wishes.has(unit.id));
      const stopped = units.filter((unit) => [...units, ...atRest].some((other) => other.owner !== unit.owner));
      if (stopped.length > 0) found.set(to, stopped);
    }
    for (const units of found.values()) for (const unit of units) this.stuck.add(unit.id);
    return found;
  }

  /** Whoever must wait, until nobody is added any more (R6.5). */
  private waiting(): number[] {
    const found: number[] = [];
    for (let grows = true; grows; ) {
      grows = false;
      for (const [unit, to] of this.entrants()) {
        if (!this.closed.has(to) && !this.isHeldUp(unit, to)) continue;
        found.push(unit.id);
        this.stuck.add(unit.id);
        grows = true;
      }
    }
    return found;
  }

  private isHeldUp(unit: Unit, to: TileIndex): boolean {
    const standing = this.standing.get(to) ?? [];
    return standing.some((other) => other.owner !== unit.owner && this.stuck.has(other.id));
  }

  /** Entry encounters, and the entrants that wait instead (R6.7). Free moves have happened. */
  private entries(collisions: ReadonlyMap<TileIndex, readonly Unit[]>): { entries: MetEncounter[]; heldBack: number[] } {
    const entries: MetEncounter[] = [];
    const heldBack: number[] = [];
    for (const [tile, entrants] of collisions) {
      const standing = this.turn.unitsAt(tile);
      if (this.closed.has(tile) || standing.some((unit) => this.stuck.has(unit.id))) {
        heldBack.push(...entrants.map((unit) => unit.id));
      } else {
        entries.push({ kind: "ENTRY", tiles: [tile], units: idsOf([...entrants, ...standing]) });
      }
    }
    return { entries, heldBack };
  }
}

function add<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The ids of ships that met, of whom there is always one, in order. */
function idsOf(units: readonly Unit[]): [number, ...number[]] {
  const [first = 0, ...others] = units.map((unit) => unit.id).sort((a, b) => a - b);
  return [first, ...others];
}

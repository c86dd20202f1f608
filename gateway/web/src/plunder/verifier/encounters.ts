// What becomes of ships that met (R7).
import { enemies, fightRound, pair } from "./combat";
import type { Pair } from "./combat";
import { clash } from "./contests";
import type { EncounterKind } from "./events";
import type { TileIndex } from "./hexes";
import type { EncounterChoice } from "./orders";
import type { Unit } from "./state";
import type { MetEncounter, ShipAsked, Turn } from "./turn";

/** The peaceful choice. */
function evasion(kind: EncounterKind): EncounterChoice {
  return kind === "PASSING" ? "PROCEED" : "YIELD";
}

/** What every ship does, and who is defaulted. */
interface Choices {
  readonly of: Map<number, EncounterChoice>;
  readonly defaulted: Set<number>;
}

/** Gathers the choices of all ships of a tick, then resolves its encounters one after the other (R7.3). */
export function settle(turn: Turn, tick: number, meetings: readonly MetEncounter[]): void {
  if (meetings.length === 0) return;
  const { grid } = turn;
  const kinds = ["PASSING", "ENTRY"];
  const inOrder = meetings.toSorted(
    (a, b) =>
      grid.compare(a.tiles[0], b.tiles[0]) ||
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      a.units[0] - b.units[0],
  );
  for (const { kind, tiles, units } of inOrder) {
    const at = kind === "PASSING" ? tiles.map((tile) => grid.hex(tile)) : grid.hex(tiles[0]);
    turn.tell({ type: "encounter", tick, kind, at, units });
  }
  const choices = gather(turn, tick, inOrder);
  const taken = new Set(inOrder.flatMap((met) => met.tiles));
  for (const met of inOrder) {
    for (const unit of met.units) {
      const defaulted = choices.defaulted.has(unit);
      turn.tell({ type: "decided", tick, unit, choice: choices.of.get(unit) ?? evasion(met.kind), defaulted });
    }
    if (met.kind === "PASSING") passing(turn, tick, met, choices);
    else entry(turn, tick, met, choices, taken);
  }
}

/** Engagements answer on the state before any encounter (R7.6). */
function gather(turn: Turn, tick: number, meetings: readonly MetEncounter[]): Choices {
  const choices: Choices = { of: new Map(), defaulted: new Set() };
  const asked: ShipAsked[] = [];
  for (const met of meetings) {
    for (const id of met.units) {
      const unit = turn.unit(id);
      const peaceful = evasion(met.kind);
      if (unit.engagement !== "ASK") choices.of.set(id, fights(turn, unit) ? "ATTACK" : peaceful);
      else asked.push({ seat: unit.owner, unit: id, kind: met.kind, choices: [peaceful, "ATTACK"] });
    }
  }
  if (asked.length === 0) return choices;
  const answers = turn.ask(tick, asked);
  asked.forEach(({ unit, choices: [peaceful] }, place) => {
    const choice = answers[place] ?? null;
    if (choice === null) choices.defaulted.add(unit);
    choices.of.set(unit, choice ?? peaceful);
  });
  return choices;
}

/** What an engagement answers for its ship. */
function fights(turn: Turn, unit: Unit): boolean {
  if (unit.engagement === "FIGHT_IF_HEALTHY") return 2 * unit.hp >= turn.rules.maxHp(unit);
  return unit.engagement === "FIGHT";
}

/** Ships that cross one edge both ways (R7.4). */
function passing(turn: Turn, tick: number, met: MetEncounter, choices: Choices): void {
  const units = met.units.map((id) => turn.unit(id));
  const attackers = new Set(met.units.filter((id) => choices.of.get(id) === "ATTACK"));
  if (attackers.size === 0 && !units.some((unit) => somebodyStaysBehind(turn, unit, met))) {
    for (const unit of units) turn.advance(unit, tick);
    return;
  }
  for (const id of met.units) turn.halted.add(id);
  const pairs = enemies(units)
    .filter(([a, b]) => attackers.has(a.id) || attackers.has(b.id))
    .map(([a, b]) => crossingPair(a.id, b.id, attackers));
  fightRound(turn, tick, pairs);
}

/** Who attacks one that did not is the attacker; of two, the coin says who is (R8.2). */
function crossingPair(one: number, other: number, attackers: ReadonlySet<number>): Pair {
  if (attackers.has(one) && attackers.has(other)) return pair(one, other);
  return pair(one, other, attackers.has(one) ? one : other);
}

function somebodyStaysBehind(turn: Turn, unit: Unit, met: MetEncounter): boolean {
  const to = unit.route[0] ?? unit.at;
  return turn.unitsAt(to).some((other) => other.owner !== unit.owner && !met.units.includes(other.id));
}

/** Ships that want a tile that others want or hold (R7.5). */
function entry(turn: Turn, tick: number, met: MetEncounter, choices: Choices, taken: ReadonlySet<TileIndex>): void {
  const [tile] = met.tiles;
  const units = met.units.map((id) => turn.unit(id));
  const holders = units.filter((unit) => unit.at === tile);
  const attackers = units.filter((unit) => unit.at !== tile && choices.of.get(unit.id) === "ATTACK");
  const hostile = attackers.filter((unit) => holders.length > 0 && unit.owner !== holders[0]?.owner);
  if (hostile[0] !== undefined) {
    for (const unit of holders) {
      if (choices.of.get(unit.id) === "YIELD") giveWay(turn, tick, unit, tile, hostile[0].at, taken);
    }
    const standing = holders.filter((unit) => unit.at === tile);
    if (standing.length > 0) {
      for (const unit of units) turn.stop(unit);
      fightFor(turn, tick, attackers, standing);
      return;
    }
  }
  // Nobody holds the tile against the attackers, who are friends of its holders or have made them give way.
  if (new Set(attackers.map((unit) => unit.owner)).size > 1) {
    for (const unit of units) turn.stop(unit);
    open(turn, tick, tile, attackers);
    return;
  }
  for (const unit of attackers) turn.advance(unit, tick);
  for (const unit of units) if (!attackers.includes(unit)) turn.stop(unit);
}

/** Moves a holder to the free neighbour farthest from the attacker, if there is one. */
function giveWay(turn: Turn, tick: number, unit: Unit, tile: TileIndex, from: TileIndex, taken: ReadonlySet<TileIndex>): void {
  const { grid, rules, state } = turn;
  let best: { to: TileIndex; far: number } | null = null;
  // The first of the farthest in the order of directions.
  for (const to of grid.neighbours(tile)) {
    if (!rules.isNavigable(grid, to, unit.kind) || turn.unitsAt(to).length > 0) continue;
    if (state.contests.has(to) || taken.has(to) || turn.isClosedTo(unit.owner, to)) continue;
    const far = grid.distance(to, from);
    if (best === null || far > best.far) best = { to, far };
  }
  if (best === null) return;
  unit.at = best.to;
  turn.tell({ type: "gave_way", tick, unit: unit.id, to: grid.hex(unit.at) });
  turn.leaveContests(unit.id);
}

/** A round of attackers with each other and with holders who stand; entrants attack holders (R8.2). */
function fightFor(turn: Turn, tick: number, attackers: readonly Unit[], holders: readonly Unit[]): void {
  const among = enemies(attackers).map(([a, b]) => pair(a.id, b.id));
  const against = attackers.flatMap((entrant) =>
    holders
      .filter((holder) => holder.owner !== entrant.owner)
      .map((holder) => pair(entrant.id, holder.id, entrant.id)),
  );
  fightRound(turn, tick, [...among, ...against]);
}

/** The tile becomes contested by all attackers, and the first round is fought at once (R9.1). */
function open(turn: Turn, tick: number, tile: TileIndex, attackers: readonly Unit[]): void {
  const contenders = attackers.map((unit) => unit.id);
  const contest = { at: tile, since: turn.state.turn, rounds: 1, contenders };
  turn.state.contests.set(tile, contest);
  const [q, r] = turn.grid.hex(tile);
  turn.tell({ type: "contest_opened", tick, q, r, contenders });
  clash(turn, tick, contest);
}

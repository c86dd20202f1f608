// Rounds of combat, and the round that ends a turn (R8, R10).
import { BROADSIDE_TICK, roll } from "./dice";
import type { Roll } from "./dice";
import type { Unit } from "./state";
import type { Turn } from "./turn";

const MAX_EXCHANGES = 4_194_304;

/** A turn with more exchanges than are ever resolved (`data/SCENARIO.md`). */
export class TooManyExchanges extends Error {
  constructor(readonly tick: number) {
    super(`it has more than ${MAX_EXCHANGES} exchanges (R8.1)`);
  }
}

/** Two enemies who exchange fire once. */
export interface Pair {
  readonly lower: number;
  readonly higher: number;
  /** Who attacks; null where the coin says it (R8.2). */
  readonly attacker: number | null;
}

/** A pair, whichever is named first. */
export function pair(one: number, other: number, attacker: number | null = null): Pair {
  return { lower: Math.min(one, other), higher: Math.max(one, other), attacker };
}

/** Every two of some ships that have different owners. */
export function enemies(units: readonly Unit[]): [Unit, Unit][] {
  return units.flatMap((a, place) =>
    units
      .slice(place + 1)
      .filter((b) => a.owner !== b.owner)
      .map((b): [Unit, Unit] => [a, b]),
  );
}

/** One round: everything is rolled on one state, then applied together (R8.1). */
export function fightRound(turn: Turn, tick: number, pairs: readonly Pair[]): void {
  const losses = new Map<number, number>();
  const damagedBy = new Map<number, Set<number>>();
  const lose = (loser: Unit, winner: Unit, loss: number) => {
    losses.set(loser.id, (losses.get(loser.id) ?? 0) + loss);
    if (loss === 0) return;
    damagedBy.set(loser.id, (damagedBy.get(loser.id) ?? new Set()).add(winner.owner));
  };
  for (const each of pairs.toSorted((a, b) => a.lower - b.lower || a.higher - b.higher)) {
    const dice = roll(turn.seed, turn.state.turn, tick, each.lower, each.higher);
    const attacks = each.attacker ?? (dice.lowerAttacks ? each.lower : each.higher);
    const attacker = turn.unit(attacks);
    const defender = turn.unit(attacks === each.higher ? each.lower : each.higher);
    const loss = lossesOf(turn, attacker, defender, dice);
    lose(attacker, defender, loss.attacker);
    lose(defender, attacker, loss.defender);
    turn.fought.add(attacker.id).add(defender.id);
    turn.exchanges += 1;
    if (turn.exchanges > MAX_EXCHANGES) throw new TooManyExchanges(tick);
    turn.tell({
      type: "exchange",
      tick,
      attacker: attacker.id,
      defender: defender.id,
      attacker_dice: dice.attacker,
      defender_dice: dice.defender,
      attacker_loses: loss.attacker,
      defender_loses: loss.defender,
    });
  }
  for (const [id, loss] of losses) turn.unit(id).hp = Math.max(0, turn.unit(id).hp - loss);
  const sunk = [...losses.keys()].filter((id) => turn.unit(id).hp === 0).sort((a, b) => a - b);
  for (const id of sunk) {
    turn.tell({ type: "sunk", tick, unit: id });
    turn.remove(id);
  }
  for (const id of sunk) salvage(turn, damagedBy.get(id) ?? new Set());
}

/** What both lose: highest against highest, second against second, ties to the defender (R8.3). */
function lossesOf(turn: Turn, attacker: Unit, defender: Unit, dice: Roll): { attacker: number; defender: number } {
  const loss = { attacker: 0, defender: 0 };
  const hit = (winner: Unit) => turn.rules.combat.damage + turn.rules.firepower(winner);
  // The attacker's third die is compared with nothing.
  dice.defender.forEach((theirs, place) => {
    if ((dice.attacker[place] ?? 0) > theirs) loss.defender += hit(attacker);
    else loss.attacker += hit(defender);
  });
  return loss;
}

/** Splits what a sunk ship pays between those who damaged it and still have a ship (R8.4). */
function salvage(turn: Turn, by: ReadonlySet<number>): void {
  const afloat = new Set([...turn.state.units.values()].map((unit) => unit.owner));
  const paid = [...by].filter((owner) => afloat.has(owner)).sort((a, b) => a - b);
  const gold = turn.rules.combat.salvage;
  const rest = gold % paid.length;
  paid.forEach((player, place) => {
    turn.pay(player, (gold - rest) / paid.length + (place === 0 ? rest : 0), "salvage");
  });
}

/** Ships that were told to, and have not fought, fire on a neighbour (R10). */
export function broadsides(turn: Turn): void {
  const aims = new Map<number, number>();
  for (const unit of turn.state.units.values()) {
    if (!turn.unitOrder(unit)?.broadside) continue;
    const skip = (cause: "broadsides_off" | "fought_already" | "no_target") =>
      turn.tell({ type: "skipped", unit: unit.id, cause });
    const target = targetOf(turn, unit);
    if (!turn.rules.broadsides) skip("broadsides_off");
    else if (turn.fought.has(unit.id)) skip("fought_already");
    else if (target === null) skip("no_target");
    else aims.set(unit.id, target.id);
  }
  const pairs: Pair[] = [];
  for (const [shooter, aimedAt] of aims) {
    const mutual = aims.get(aimedAt) === shooter;
    if (!mutual) pairs.push(pair(shooter, aimedAt, shooter));
    else if (shooter < aimedAt) pairs.push(pair(shooter, aimedAt));
  }
  fightRound(turn, BROADSIDE_TICK, pairs);
}

/** The adjacent enemy with the lowest hp, and of these the lowest id. */
function targetOf(turn: Turn, unit: Unit): Unit | null {
  const around = new Set(turn.grid.neighbours(unit.at));
  let best: Unit | null = null;
  for (const other of turn.state.units.values()) {
    if (other.owner === unit.owner || !around.has(other.at)) continue;
    if (best === null || other.hp < best.hp) best = other;
  }
  return best;
}

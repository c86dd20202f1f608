// The exact odds of exchanges (R8). Every chance is a whole number of equally likely outcomes; nothing is rounded but
// the answer, to the nearest part, halves up.

/** The most rounds of a fight that is looked ahead. */
const MAX_ROUNDS = 64;

/** How five dice fall, in 7,776 ways: the defender loses both comparisons, each loses one, the attacker loses both. */
export const EXCHANGE = { attackerWins: 2890, split: 2611, defenderWins: 2275 } as const;

/** Equally likely outcomes of an exchange: a coin, three dice and two dice. */
const WEIGHT = 2n * 7776n;

/** Who rolls three dice; the coin decides where both attack (R8.2). */
export type Attacker = "first" | "second" | "coin";

/** What counts of a ship in a fight. */
export interface Fighter {
  readonly hp: number;
  /** What an enemy loses per comparison that it loses to this ship (R8.3). */
  readonly damage: number;
}

/** What a fight holds for one ship. */
export interface ShipOdds {
  /** The chance that it sinks, in parts per million. */
  readonly sinksPpm: number;
  /** The mean of the hp it loses, in thousandths. It never loses more than it has. */
  readonly meanLossMilli: number;
  readonly bestHp: number;
  readonly worstHp: number;
}

/** What a fight holds for two ships. */
export interface FightOdds {
  readonly first: ShipOdds;
  readonly second: ShipOdds;
  /** The chance that both sink, which is part of the chance of each. */
  readonly bothSinkPpm: number;
}

/** In how many outcomes the first ship loses no, one and two comparisons; the second loses the others. */
function weights(attacker: Attacker): readonly [bigint, bigint, bigint] {
  const [won, split, lost] = [EXCHANGE.attackerWins, EXCHANGE.split, EXCHANGE.defenderWins].map(BigInt) as [
    bigint,
    bigint,
    bigint,
  ];
  switch (attacker) {
    case "first":
      return [2n * won, 2n * split, 2n * lost];
    case "second":
      return [2n * lost, 2n * split, 2n * won];
    case "coin":
      return [won + lost, 2n * split, won + lost];
  }
}

/** scale * part / whole to the nearest integer, halves up. */
function share(part: bigint, whole: bigint, scale: bigint): number {
  return Number((2n * part * scale + whole) / (2n * whole));
}

/** What can become of one ship. */
class Fate {
  sunk = 0n;
  loss = 0n;
  private best = 0;
  private worst: number;

  constructor(private readonly hp: number) {
    this.worst = hp;
  }

  /** Some outcomes leave the ship with these hp. */
  record(hp: number, outcomes: bigint): void {
    if (outcomes === 0n) return;
    if (hp === 0) this.sunk += outcomes;
    this.loss += outcomes * BigInt(this.hp - hp);
    this.best = Math.max(this.best, hp);
    this.worst = Math.min(this.worst, hp);
  }

  /** What has ended goes on in every outcome of another round. */
  scale(): void {
    this.sunk *= WEIGHT;
    this.loss *= WEIGHT;
  }

  odds(whole: bigint): ShipOdds {
    return {
      sinksPpm: share(this.sunk, whole, 1_000_000n),
      meanLossMilli: share(this.loss, whole, 1000n),
      bestHp: this.best,
      worstHp: this.worst,
    };
  }
}

/**
 * The odds of a fight that goes on until a ship sinks or the rounds are over. One round is one exchange. While both are
 * afloat each round costs them two comparisons together, so it is enough to know how many the first has lost.
 */
export function fightOdds(first: Fighter, second: Fighter, rounds: number, attacker: Attacker): FightOdds {
  if (rounds > MAX_ROUNDS) throw new RangeError(`${rounds} rounds are too many`);
  const [one, other] = [new Fate(first.hp), new Fate(second.hp)];
  let both = 0n;
  let whole = 1n;
  const record = (firstHp: number, secondHp: number, outcomes: bigint): void => {
    one.record(firstHp, outcomes);
    other.record(secondHp, outcomes);
    if (firstHp === 0 && secondHp === 0) both += outcomes;
  };
  const hpAfter = (lost: number, round: number): [number, number] => [
    Math.max(0, first.hp - lost * second.damage),
    Math.max(0, second.hp - (2 * round - lost) * first.damage),
  ];
  let afloat = [1n];
  if (first.hp === 0 || second.hp === 0) {
    record(first.hp, second.hp, 1n);
    afloat = [];
  }
  let round = 0;
  while (round < rounds && afloat.some((outcomes) => outcomes > 0n)) {
    round += 1;
    one.scale();
    other.scale();
    both *= WEIGHT;
    whole *= WEIGHT;
    const next = Array<bigint>(2 * round + 1).fill(0n);
    afloat.forEach((outcomes, lost) => {
      weights(attacker).forEach((weight, more) => {
        next[lost + more] = (next[lost + more] ?? 0n) + outcomes * weight;
      });
    });
    afloat = next.map((outcomes, lost) => {
      const [left, right] = hpAfter(lost, round);
      if (left > 0 && right > 0) return outcomes;
      record(left, right, outcomes);
      return 0n;
    });
  }
  afloat.forEach((outcomes, lost) => record(...hpAfter(lost, round), outcomes));
  return { first: one.odds(whole), second: other.odds(whole), bothSinkPpm: share(both, whole, 1_000_000n) };
}

/** A ship that takes part in a round. */
export interface RoundSide extends Fighter {
  readonly owner: number;
  /** It chose to attack. A holder that stands has no choice that counts: entrants are its attackers (R8.2). */
  readonly attacks: boolean;
}

/**
 * What one round holds for each ship: an exchange between each enemy pair of which at least one attacks (R8.1). Fates
 * depend on each other; each is given alone.
 */
export function roundOdds(sides: readonly RoundSide[]): ShipOdds[] {
  return sides.map((side) => {
    let byHp = new Map<number, bigint>([[side.hp, 1n]]);
    let whole = 1n;
    for (const enemy of sides) {
      if (enemy.owner === side.owner || !(side.attacks || enemy.attacks)) continue;
      const attacker: Attacker = side.attacks && enemy.attacks ? "coin" : side.attacks ? "first" : "second";
      const next = new Map<number, bigint>();
      for (const [hp, outcomes] of byHp) {
        weights(attacker).forEach((weight, lost) => {
          const left = Math.max(0, hp - lost * enemy.damage);
          next.set(left, (next.get(left) ?? 0n) + outcomes * weight);
        });
      }
      byHp = next;
      whole *= WEIGHT;
    }
    const fate = new Fate(side.hp);
    for (const [hp, outcomes] of byHp) fate.record(hp, outcomes);
    return fate.odds(whole);
  });
}

/** A chance as people read it: "12.5%". */
export function percent(ppm: number): string {
  return `${(Math.floor((ppm + 500) / 1000) / 10).toFixed(1)}%`;
}

/** A mean of hp as people read it: "2.7". */
export function tenths(milli: number): string {
  return (Math.floor((milli + 50) / 100) / 10).toFixed(1);
}

// When the effects of one frame happen within it. Effects of one sort that follow each other happen together; another
// sort comes after. A ship fights one exchange after the other, so that all its dice can be read.
import type { Effect } from "../model/model";

/** When an effect begins and ends, from 0 to 1 of the frame. */
export interface TimedEffect {
  readonly effect: Effect;
  readonly start: number;
  readonly end: number;
}

/** Sorts of effects, and how long each kind takes at the usual speed, in milliseconds. Dice want to be read. */
const KINDS: Readonly<Record<Effect["kind"], { readonly sort: string; readonly ms: number }>> = {
  move: { sort: "motion", ms: 620 },
  appear: { sort: "motion", ms: 450 },
  vanish: { sort: "motion", ms: 450 },
  wait: { sort: "motion", ms: 450 },
  meet: { sort: "meeting", ms: 900 },
  decide: { sort: "decision", ms: 900 },
  exchange: { sort: "fight", ms: 1700 },
  sink: { sort: "loss", ms: 1100 },
  contest: { sort: "contest", ms: 900 },
  bombard: { sort: "fight", ms: 900 },
  capture: { sort: "loss", ms: 1000 },
  spawn: { sort: "work", ms: 700 },
  repair: { sort: "work", ms: 500 },
  upgrade: { sort: "work", ms: 500 },
  deploy: { sort: "work", ms: 800 },
};

/** What is seen a second time is understood sooner. */
const AGAIN = 0.7;

interface Wave {
  readonly sort: string;
  readonly effects: Effect[];
  readonly busy: Set<number>;
  ms: number;
}

/** How long all effects of a frame take at the usual speed, in milliseconds. */
export function effectsMs(effects: readonly Effect[]): number {
  return wavesOf(effects).reduce((sum, wave) => sum + wave.ms, 0);
}

/** When each effect happens, in that order. */
export function timedEffects(effects: readonly Effect[]): TimedEffect[] {
  const whole = Math.max(1, effectsMs(effects));
  let start = 0;
  return wavesOf(effects).flatMap((wave) => {
    const begin = start / whole;
    start += wave.ms;
    return wave.effects.map((effect) => ({ effect, start: begin, end: start / whole }));
  });
}

function wavesOf(effects: readonly Effect[]): Wave[] {
  const waves: Wave[] = [];
  /** The first wave of the sort that is being told. */
  let first = 0;
  for (const effect of effects) {
    const { sort, ms } = KINDS[effect.kind];
    if (waves[first]?.sort !== sort) first = waves.length;
    const ships = effect.kind === "exchange" ? [effect.attacker.ship.id, effect.defender.ship.id] : [];
    let wave = waves.slice(first).find(({ busy }) => ships.every((ship) => !busy.has(ship)));
    if (!wave) {
      wave = { sort, effects: [], busy: new Set(), ms: 0 };
      waves.push(wave);
    }
    wave.effects.push(effect);
    wave.ms = Math.max(wave.ms, wave === waves[first] ? ms : Math.round(ms * AGAIN));
    for (const ship of ships) wave.busy.add(ship);
  }
  return waves;
}

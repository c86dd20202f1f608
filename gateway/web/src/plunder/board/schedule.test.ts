import { describe, expect, it } from "vitest";
import type { Effect } from "../model/model";
import { madeShip } from "./sample";
import { timedEffects, effectsMs } from "./schedule";

const [a, b, c, d] = [1, 2, 3, 4].map((id) => madeShip(id, id, id)) as [Ship, Ship, Ship, Ship];
type Ship = ReturnType<typeof madeShip>;
const move = (ship: Ship): Effect => ({ kind: "move", ship, from: ship.tile, to: ship.tile + 1 });
const exchange = (attacker: Ship, defender: Ship): Effect => ({
  kind: "exchange",
  attacker: { ship: attacker, dice: [6, 5, 1], loses: 0, left: attacker.hp },
  defender: { ship: defender, dice: [4, 2], loses: 4, left: defender.hp - 4 },
});
const sink = (ship: Ship): Effect => ({ kind: "sink", ship });

describe("cuesOf", () => {
  it("lets all moves happen together, over the whole frame", () => {
    expect(timedEffects([move(a), move(b)]).map(({ start, end }) => [start, end])).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it("lets ships sink after they have fought", () => {
    const [fight, loss] = timedEffects([exchange(a, b), sink(b)]);
    expect(fight?.start).toBe(0);
    expect(loss?.start).toBe(fight?.end);
    expect(loss?.end).toBe(1);
  });

  it("lets a ship fight one exchange after the other, and others meanwhile", () => {
    const effects = [exchange(a, b), exchange(a, c), exchange(c, d)];
    const cues = timedEffects(effects);
    const [first, second, other] = effects.map((effect) => cues.find((cue) => cue.effect === effect)?.start);
    expect([first, other]).toEqual([0, 0]);
    expect(second).toBeCloseTo(1 / 1.7);
  });

  it("does not mix what is told before with what is told after", () => {
    const cues = timedEffects([exchange(a, b), sink(b), exchange(c, d)]);
    expect(cues.map(({ start }) => start)).toEqual([...cues.map(({ start }) => start)].sort((x, y) => x - y));
    expect(cues[2]?.start).toBe(cues[1]?.end);
  });
});

describe("lengthOf", () => {
  it("is longer for more that happens one after the other only", () => {
    expect(effectsMs([])).toBe(0);
    expect(effectsMs([move(a), move(b)])).toBe(effectsMs([move(a)]));
    expect(effectsMs([exchange(a, b), exchange(a, c)])).toBe(1.7 * effectsMs([exchange(a, b)]));
  });
});

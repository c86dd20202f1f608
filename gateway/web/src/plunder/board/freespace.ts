// Where something finds room among what is drawn already.
import type { Point } from "./geometry";

/** A place that is taken: its middle, and how far it goes to either side. */
export interface Box extends Point {
  readonly wide: number;
  readonly high: number;
}

/** How much of a box another one covers. */
export function covered(a: Box, b: Box): number {
  const across = Math.min(2 * a.wide, 2 * b.wide, a.wide + b.wide - Math.abs(a.x - b.x));
  const down = Math.min(2 * a.high, 2 * b.high, a.high + b.high - Math.abs(a.y - b.y));
  return Math.max(0, across) * Math.max(0, down);
}

/** The box that covers the least of what is taken; of equal ones the first. There must be one. */
export function freestBox(boxes: readonly [Box, ...Box[]], taken: readonly Box[]): Box {
  let [best] = boxes;
  let least = Infinity;
  for (const box of boxes) {
    const hidden = taken.reduce((sum, other) => sum + covered(box, other), 0);
    if (hidden < least) [best, least] = [box, hidden];
  }
  return best;
}

// Small drawings that are made by hand and not by the page's renderer, because they change at every animation frame.
import type { Choice, Piece } from "../model/model";

const SVG = "http://www.w3.org/2000/svg";

/** A new element of a drawing, under another one. */
export function draw(parent: Element, name: string, attributes: Readonly<Record<string, string | number>> = {}): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}

/** Signs in a square from -10 to 10. */
const SIGNS = {
  attack: "M-7-7L6 6M7-7L-6 6M-8 2L-3 8M8 2L3 8",
  yield: "M-9 1C-5 3-3 0-1-2C-1-6 2-8 5-7L9-5L6-4C6 1 3 5-2 5L-6 8L-6 5C-8 4-9 3-9 1ZM-1-2C1 1 3 0 4-1",
  proceed: "M-8 0H7M2-5L7 0L2 5",
  passing: "M-8-3H7M3-7L7-3L3 1M8 4H-7M-3 0L-7 4L-3 8",
  entry: "M0-8V2M0 6.5V7",
  wait: "M-5-7H5L-5 7H5ZM-5-7L5 7",
  repair: "M-7 0H7M0-7V7",
  sails: "M-1-8V7M-1-8Q8-2 7 4H-1M-6 7H8",
  cannons: "M-8 3L4-4L7 1L-5 8ZM6-7L8-9M9-3L10-3",
  hull: "M-9-2H9Q7 7 3 7H-4Q-8 7-9-2ZM0-2V-8",
  deploy: "M0-5V8M-5-1H5M-8 3Q-7 8 0 8Q7 8 8 3M-2-7A2 2 0 1 1 2-7A2 2 0 1 1-2-7",
  sunk: "M-6-6L6 6M6-6L-6 6",
} as const;

export type MarkerName = Choice | Piece | keyof typeof SIGNS;

/** A round sign with a drawing on it. */
export function drawMarker(parent: Element, name: MarkerName, tone: string): SVGElement {
  const sign = draw(parent, "g", { class: `board-sign ${tone}`, "data-sign": name });
  draw(sign, "circle", { r: 14 });
  draw(sign, "path", { d: SIGNS[name] });
  return sign;
}

/** Where pips are on a face, in a square from -1 to 1. */
const PIPS: readonly (readonly (readonly [number, number])[])[] = [
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
];
const PIP_WAY = 3.7;

/** The pips of a face as the data of a path of dots. */
export function pipsPath(face: number): string {
  return (PIPS[face - 1] ?? []).map(([x, y]) => `M${x * PIP_WAY} ${y * PIP_WAY}h.01`).join("");
}

/** A die that can be turned. */
export interface Die {
  readonly face: number;
  readonly body: SVGElement;
  readonly turn: (face: number) => void;
}

export function drawDie(parent: Element, x: number, face: number): Die {
  const body = draw(parent, "g", { class: "board-die", transform: `translate(${x} 0)`, "data-die": face });
  draw(body, "rect", { x: -7.5, y: -7.5, width: 15, height: 15, rx: 3 });
  const pips = draw(body, "path", { d: pipsPath(face) });
  return { face, body, turn: (shown) => pips.setAttribute("d", pipsPath(shown)) };
}

/** How the dice of an exchange compare (R8.3): highest with highest, second with second, the defender wins ties. */
export function compareDice(attacker: readonly number[], defender: readonly number[]): ("attacker" | "defender")[] {
  const [a, d] = [highestFirst(attacker), highestFirst(defender)];
  const pairs = Math.min(2, a.length, d.length);
  return Array.from({ length: pairs }, (_, index) => ((a[index] ?? 0) > (d[index] ?? 0) ? "attacker" : "defender"));
}

export function highestFirst(dice: readonly number[]): number[] {
  return [...dice].sort((a, b) => b - a);
}

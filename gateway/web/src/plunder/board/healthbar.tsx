// How much is left of a ship or a shipyard, as a bar below it.
import { draw } from "./sprite";

/** The kinds of things that have a health bar. */
export type BarOwner = "ship" | "yard";

/** Half the width of a whole bar, and how far it is below the middle of what it belongs to. */
const PLACES: Readonly<Record<BarOwner, { readonly half: number; readonly below: number }>> = {
  ship: { half: 17, below: 23 },
  yard: { half: 20, below: 15 },
};

/** Says in which of three states something with so many hp is shown. */
export function health(hp: number, maxHp: number): "good" | "hurt" | "dire" {
  if (hp * 2 > maxHp) return "good";
  return hp * 4 > maxHp ? "hurt" : "dire";
}

/** The ground of a bar, as the data of a path. */
function groundPath(of: BarOwner): string {
  const { half, below } = PLACES[of];
  return `M${-half} ${below}H${half}`;
}

/** The bar of something with so much left, as the data of a path. */
export function barPath(of: BarOwner, hp: number, maxHp: number): string {
  const { half, below } = PLACES[of];
  return `M${-half} ${below}h${(2 * half * hp) / Math.max(1, maxHp)}`;
}

export interface HealthBarProps {
  readonly of: BarOwner;
  readonly hp: number;
  readonly maxHp: number;
}

/**
 * The bar as the board has it. While a fight is played, the effect player draws another one into `board-played`, and
 * this one is not seen (`board.css`). So neither writes into what the other has drawn.
 */
export function HealthBar({ of, hp, maxHp }: HealthBarProps) {
  return (
    <>
      <g class="board-played" />
      <g class="board-health">
        <path class="board-bar" d={groundPath(of)} />
        <path class={`board-hp ${health(hp, maxHp)}`} d={barPath(of, hp, maxHp)} />
      </g>
    </>
  );
}

/** Draws a bar that can be changed while something is played. */
export function drawBar(parent: Element, of: BarOwner): (hp: number, maxHp: number) => void {
  draw(parent, "path", { class: "board-bar", d: groundPath(of) });
  const left = draw(parent, "path", {});
  return (hp, maxHp) => {
    left.setAttribute("d", barPath(of, hp, maxHp));
    left.setAttribute("class", `board-hp ${health(hp, maxHp)}`);
  };
}

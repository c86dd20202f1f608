// How much is left of a ship or a shipyard, as a bar below it.
import { draw } from "./sprite";

/** What has a bar. */
export type Barred = "ship" | "yard";

/** Half the width of a whole bar, and how far it is below the middle of what it belongs to. */
const PLACES: Readonly<Record<Barred, { readonly half: number; readonly below: number }>> = {
  ship: { half: 17, below: 23 },
  yard: { half: 20, below: 15 },
};

/** How healthy something looks. */
export function health(hp: number, maxHp: number): "good" | "hurt" | "dire" {
  if (hp * 2 > maxHp) return "good";
  return hp * 4 > maxHp ? "hurt" : "dire";
}

/** The ground of a bar, as the data of a path. */
function groundPath(of: Barred): string {
  const { half, below } = PLACES[of];
  return `M${-half} ${below}H${half}`;
}

/** The bar of something with so much left, as the data of a path. */
export function barPath(of: Barred, hp: number, maxHp: number): string {
  const { half, below } = PLACES[of];
  return `M${-half} ${below}h${(2 * half * hp) / Math.max(1, maxHp)}`;
}

export interface BarProps {
  readonly of: Barred;
  readonly hp: number;
  readonly maxHp: number;
}

/**
 * The bar as the board has it. While a fight is played, the stage draws another one into `sea-played`, and this one is
 * not seen (`sea.css`). So neither writes into what the other has drawn.
 */
export function Bar({ of, hp, maxHp }: BarProps) {
  return (
    <>
      <g class="sea-played" />
      <g class="sea-health">
        <path class="sea-bar" d={groundPath(of)} />
        <path class={`sea-hp ${health(hp, maxHp)}`} d={barPath(of, hp, maxHp)} />
      </g>
    </>
  );
}

/** Draws a bar that can be changed while something is played. */
export function drawBar(parent: Element, of: Barred): (hp: number, maxHp: number) => void {
  draw(parent, "path", { class: "sea-bar", d: groundPath(of) });
  const left = draw(parent, "path", {});
  return (hp, maxHp) => {
    left.setAttribute("d", barPath(of, hp, maxHp));
    left.setAttribute("class", `sea-hp ${health(hp, maxHp)}`);
  };
}

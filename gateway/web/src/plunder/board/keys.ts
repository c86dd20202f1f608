// What keys mean while the board has the focus. Letters are left to the page, which has orders on them.
import type { MapShape } from "../model/hex";
import type { Tile } from "../model/model";
import { beside, type Direction } from "./geometry";

export type KeyAction =
  | { readonly kind: "go"; readonly to: Tile }
  | { readonly kind: "pan"; readonly dx: number; readonly dy: number }
  | { readonly kind: "zoom"; readonly factor: number }
  | { readonly kind: "fit" }
  | { readonly kind: "pick" };

/** How the keys are told to whoever uses them. */
export const KEYS_IN_WORDS =
  "Arrow keys move a cursor over the tiles; Home, Page Up, End and Page Down move it to the north-west, north-east, " +
  "south-west and south-east. Enter picks the tile. Shift with arrow keys moves the view, plus and minus zoom, 0 shows all.";

/** Keys beside the arrows stand as the number block has them. */
const SLANTED: Readonly<Record<string, Direction>> = { Home: 2, PageUp: 1, End: 4, PageDown: 5 };
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const PAN = 90;

type Press = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey">;

/** What a key does with the cursor on a tile; null where it is not for the board. */
export function keyActionOf(press: Press, grid: MapShape, cursor: Tile): KeyAction | null {
  if (press.ctrlKey || press.altKey || press.metaKey) return null;
  const { key } = press;
  const arrow = ARROWS[key];
  if (arrow) {
    const [dx, dy] = arrow;
    if (press.shiftKey) return { kind: "pan", dx: -dx * PAN, dy: -dy * PAN };
    return { kind: "go", to: arrowTo(grid, cursor, dx, dy) };
  }
  const slanted = SLANTED[key];
  if (slanted !== undefined) return { kind: "go", to: beside(grid, cursor, slanted) ?? cursor };
  if (key === "+" || key === "=") return { kind: "zoom", factor: 1.3 };
  if (key === "-") return { kind: "zoom", factor: 1 / 1.3 };
  if (key === "0") return { kind: "fit" };
  if (key === "Enter") return { kind: "pick" };
  return null;
}

/** Sideways by one tile; up and down stay in the column, so that going back leads back. */
function arrowTo(grid: MapShape, cursor: Tile, dx: number, dy: number): Tile {
  if (dx !== 0) return beside(grid, cursor, dx > 0 ? 0 : 3) ?? cursor;
  const to = cursor + dy * grid.width;
  return to >= 0 && to < grid.width * grid.height ? to : cursor;
}

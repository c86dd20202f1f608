// What is drawn on the chart, read back from the drawing, and what a view says must be there.
import type { Page } from "playwright-core";
import type { Hex } from "../src/gen/parley/common/v1/board_pb";
import type { View } from "../src/gen/parley/plunder/v1/view_pb";
import { centre } from "../src/plunder/board/geometry";

/** A ship or a shipyard with its bar. */
interface Piece {
  readonly owner: number | null;
  /** The tile that it says it is on; null where it is drawn elsewhere. */
  readonly tile: number | null;
  /** How much of the bar is filled, in thousandths, and the class of its colour. */
  readonly bar: readonly [number, string];
}

/** All that is on the chart. Ships and shipyards are by id. */
export interface Drawn {
  readonly turn: number;
  readonly ships: Readonly<Record<number, Piece>>;
  readonly yards: Readonly<Record<number, Piece & { readonly queue: string }>>;
}

/** How large the pieces of a match are when they are whole. */
export interface Whole {
  readonly ship: number;
  /** What each piece of hull adds to a ship. */
  readonly hull: number;
  readonly yard: number;
}

/** How far from the middle of its tile a piece may be drawn: several on one tile lie around it. Middles are 52 units apart. */
const ASTRAY = 30;

/** What a view says must be drawn. */
export function expected(view: View, whole: Whole): Drawn {
  const tileOf = (hex: Hex | undefined) => {
    if (hex === undefined) throw new Error("a piece of the view is nowhere");
    return hex.r * view.width + hex.q + (hex.r - (hex.r & 1)) / 2;
  };
  const bar = (hp: number, most: number) => {
    const colour = hp > most / 2 ? "good" : hp > most / 4 ? "hurt" : "dire";
    return [Math.round((1000 * hp) / most), colour] as const;
  };
  const ships = view.units.map(({ id, owner, hex, hp, hull }) => {
    return [id, { owner, tile: tileOf(hex), bar: bar(hp, whole.ship + hull * whole.hull) }] as const;
  });
  const yards = view.structures.map(({ id, owner = null, hex, hp, queue }) => {
    return [id, { owner, tile: tileOf(hex), bar: bar(hp, whole.yard), queue: String(queue[0]?.turnsLeft ?? "") }] as const;
  });
  return { turn: view.turn, ships: Object.fromEntries(ships), yards: Object.fromEntries(yards) };
}

/** Reads what somebody sees on the chart of a map without a seam. Two bars on one piece are as wrong as none. */
export async function drawn(page: Page, { width, height }: View): Promise<Drawn> {
  const read = await page.evaluate(() => {
    const layer = document.querySelector<SVGSVGElement>(".board-pieces");
    const label = document.querySelector("[role='application']")?.getAttribute("aria-label") ?? "";
    // `checkVisibility` takes drawings inside of what is not displayed for visible.
    const isSeen = (element: Element | null): boolean => {
      if (element === null || element === layer) return true;
      const { display, opacity } = getComputedStyle(element);
      return display !== "none" && Number(opacity) > 0 && isSeen(element.parentElement);
    };
    const only = (piece: Element, kind: string) => {
      const found = [...piece.querySelectorAll<SVGPathElement>(kind)].filter(isSeen);
      return found.length === 1 ? (found[0] ?? null) : null;
    };
    const pieces = (kind: "ship" | "yard") =>
      [...(layer?.querySelectorAll<SVGGElement>(`[data-${kind}]`) ?? [])].flatMap((piece) => {
        const body = piece.querySelector<SVGGElement>(".board-actor") ?? piece;
        // Whoever has sunk, or is not yet there, may be kept unseen while that is played.
        if (!isSeen(body)) return [];
        const place = layer?.getScreenCTM()?.inverse().multiply(body.getScreenCTM() ?? new DOMMatrix());
        const [all, left] = [only(piece, ".board-bar"), only(piece, ".board-hp")];
        const filled = all === null || left === null ? -1 : left.getTotalLength() / all.getTotalLength();
        const words = piece.querySelector(".board-queue text")?.textContent ?? "";
        return [
          {
            id: Number(piece.dataset[kind]),
            owner: piece.dataset["owner"] ?? "",
            tile: Number(piece.dataset["tile"]),
            x: place?.e ?? 0,
            y: place?.f ?? 0,
            filled: Math.round(1000 * filled),
            colour: left?.getAttribute("class")?.replace("board-hp ", "") ?? "none",
            queue: words,
          },
        ];
      });
    return { turn: Number(/\d+/.exec(label)?.[0]), ships: pieces("ship"), yards: pieces("yard") };
  });
  const grid = { width, height, wrap: false };
  const pieceOf = ({ owner, tile, x, y, filled, colour }: (typeof read.ships)[number]): Piece => {
    const middle = centre(grid, tile);
    const near = Math.hypot(middle.x - x, middle.y - y) < ASTRAY;
    return { owner: owner === "" ? null : Number(owner), tile: near ? tile : null, bar: [filled, colour] };
  };
  return {
    turn: read.turn,
    ships: Object.fromEntries(read.ships.map((ship) => [ship.id, pieceOf(ship)])),
    yards: Object.fromEntries(read.yards.map((yard) => [yard.id, { ...pieceOf(yard), queue: yard.queue }])),
  };
}

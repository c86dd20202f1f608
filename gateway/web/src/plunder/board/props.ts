// What the board is told to show, and what it tells back.
import type { Board, Effect, Leg, Tile, Warning } from "../model/model";

/** A path that is drawn with its turn marks. */
export interface Course {
  readonly ship: number;
  readonly from: Tile;
  readonly legs: readonly Leg[];
  /** plan: staged in this turn; route: left from an earlier one; draft: under the pointer, not staged yet. */
  readonly style: "plan" | "route" | "draft";
}

/** What is drawn over the board. */
export interface Marks {
  readonly selectedShip: number | null;
  readonly selectedYard: number | null;
  /** Tiles that the selected ship reaches, with the turn in which it does: 0 is the one being planned. */
  readonly reach: ReadonlyMap<Tile, number>;
  readonly courses: readonly Course[];
  readonly warnings: readonly Warning[];
  /** Small signs on ships with other staged orders: a letter or two each, such as "R" for repair. */
  readonly badges: ReadonlyMap<number, string>;
  /** Tiles that something asks to look at, such as the encounter of an open prompt. */
  readonly spotlight: readonly Tile[];
}

/** Where the pointer or the keyboard's cursor is. */
export interface Pointed {
  readonly tile: Tile;
  /** The ships there, the selected one first if it is there, then own before others, by id. */
  readonly ships: readonly number[];
  readonly yard: number | null;
}

export interface BoardViewProps {
  readonly board: Board;
  /** The name of each player by id, for titles and for screen readers. */
  readonly names: readonly string[];
  readonly marks: Marks;
  /** What happens in the frame that is shown; with `progress` from 0 to 1. Empty while nothing is played. */
  readonly effects: readonly Effect[];
  /** Read by the board at each animation frame, so that playing does not render the page anew. */
  readonly progress: () => number;
  /** Whether controls of a playback lie over the bottom of the board while effects are played. */
  readonly controls?: boolean;
  /** The tile to bring into view, smoothly; a new object does it again. */
  readonly lookAt: { readonly tile: Tile } | null;
  /** A click, a tap, or Enter on the tile under the keyboard's cursor. */
  readonly onPick: (at: Pointed) => void;
  /** The pointer is dragged from an own ship over tiles: called as it goes on, `done` when it is let go. */
  readonly onDrag: (ship: number, over: Tile, done: boolean) => void;
  /** The pointer or the keyboard's cursor is somewhere else; null outside of the map. */
  readonly onHover: (at: Pointed | null) => void;
}

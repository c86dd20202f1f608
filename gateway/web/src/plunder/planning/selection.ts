// What is selected, and what a click on the map means.
import type { Pointed } from "../board/props";
import { ownShips, ownYards } from "../model/board";
import type { Board, Plan, Tile } from "../model/model";
import { isIdle } from "../model/stagedorders";

/** What is selected: a ship or a shipyard of any owner, or a contested tile. */
export type Selection =
  | { readonly kind: "ship"; readonly id: number }
  | { readonly kind: "yard"; readonly id: number }
  | { readonly kind: "contest"; readonly id: Tile };

/** What a click asks for. */
export type Wish =
  | { readonly kind: "select"; readonly selection: Selection | null }
  | { readonly kind: "sail"; readonly ship: number; readonly to: Tile };

function isSame(a: Selection | null, b: Selection | null): boolean {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.id === b.id);
}

/** Whether a selected thing is the viewer's own. */
export function isOwn(board: Board, selection: Selection): boolean {
  if (board.seat === null || selection.kind === "contest") return false;
  const things = selection.kind === "ship" ? board.ships : board.yards;
  return things.get(selection.id)?.owner === board.seat;
}

/** Everything on a tile that can be selected: ships by id, then the shipyard, then its contest. */
function onTile(board: Board, at: Pointed): readonly Selection[] {
  const things = [...at.ships].sort((a, b) => a - b).map((id): Selection => ({ kind: "ship", id }));
  if (at.yard !== null) things.push({ kind: "yard", id: at.yard });
  if (board.contests.has(at.tile)) things.push({ kind: "contest", id: at.tile });
  return things;
}

/** What is behind the selected one in a list, and again from the start; null for an empty list. */
function next(list: readonly Selection[], selection: Selection | null, by = 1): Selection | null {
  const place = list.findIndex((other) => isSame(other, selection));
  if (place < 0) return (by > 0 ? list[0] : list.at(-1)) ?? null;
  return list[(place + by + list.length) % list.length] ?? null;
}

/**
 * A click on a tile. What is the viewer's own is selected, one thing after the other where there are several. With an
 * own ship selected, every other tile that it can get to is where it shall sail; the rest is looked at.
 */
export function wishAt(board: Board, selection: Selection | null, at: Pointed, inReach: (tile: Tile) => boolean): Wish {
  const things = onTile(board, at);
  const own = things.filter((thing) => isOwn(board, thing));
  if (own.length > 0) return { kind: "select", selection: next(own, selection) };
  if (selection?.kind === "ship" && isOwn(board, selection) && inReach(at.tile)) {
    return { kind: "sail", ship: selection.id, to: at.tile };
  }
  return { kind: "select", selection: next(things, selection) };
}

/** The viewer's ships that would do nothing, by id. */
export function idleShips(board: Board, plan: Plan): readonly number[] {
  return ownShips(board)
    .filter((ship) => isIdle(plan, board, ship))
    .map((ship) => ship.id);
}

/** The idle ship after the selected one. */
export function nextIdle(board: Board, plan: Plan, selection: Selection | null): Selection | null {
  const idle = idleShips(board, plan);
  const after = selection?.kind === "ship" ? selection.id : -1;
  const id = idle.find((ship) => ship > after) ?? idle[0];
  return id === undefined ? null : { kind: "ship", id };
}

/** The own ship or shipyard after or before the selected one. */
export function nextOwn(board: Board, selection: Selection | null, by: 1 | -1): Selection | null {
  const ships = ownShips(board).map(({ id }): Selection => ({ kind: "ship", id }));
  const yards = ownYards(board).map(({ id }): Selection => ({ kind: "yard", id }));
  return next([...ships, ...yards], selection, by);
}

/** What of a selection is still there; null where it has gone. */
export function stillThere(board: Board, selection: Selection | null): Selection | null {
  if (selection === null) return null;
  const things = { ship: board.ships, yard: board.yards, contest: board.contests }[selection.kind];
  return things.has(selection.id) ? selection : null;
}

/** Where a selected thing is; null where it is out of sight. */
export function tileOfSelection(board: Board, selection: Selection | null): Tile | null {
  if (selection === null) return null;
  if (selection.kind === "contest") return selection.id;
  const thing = selection.kind === "ship" ? board.ships.get(selection.id) : board.yards.get(selection.id);
  return thing?.tile ?? null;
}

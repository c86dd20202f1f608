// Where to begin to look.
import type { Board, Tile } from "../model/model";
import type { Marks } from "./props";

/** The tile of what is selected, else of an own ship or shipyard, else the middle of the map. */
export function startingTile(board: Board, marks: Pick<Marks, "selectedShip" | "selectedYard"> | null = null): Tile {
  const ship = board.ships.get(marks?.selectedShip ?? -1) ?? [...board.ships.values()].find(({ owner }) => owner === board.seat);
  const yard = board.yards.get(marks?.selectedYard ?? -1) ?? [...board.yards.values()].find(({ owner }) => owner === board.seat);
  const { width, height } = board.chart;
  return (ship ?? yard)?.tile ?? Math.floor(height / 2) * width + Math.floor(width / 2);
}

// The way out of a contest.
import { shipsAt } from "../model/board";
import { distance, neighbours } from "../model/hex";
import type { Board, Ship, Tile } from "../model/model";
import { openTo } from "../model/path";
import type { Rules } from "../model/rules";

/**
 * The tile beside a ship to which it can withdraw with the least to fear: free of others, and the farthest from the
 * nearest enemy in sight; of equals the first in direction order. Null where it cannot go anywhere.
 */
export function withdrawalTile(board: Board, ship: Ship, rules: Rules): Tile | null {
  const open = openTo(board, ship.owner, ship.kind, rules);
  const enemies = [...board.ships.values()].filter((other) => other.owner !== ship.owner);
  const fear = (tile: Tile): number =>
    enemies.reduce((nearest, enemy) => Math.min(nearest, distance(board.chart, tile, enemy.tile)), Infinity);
  const free = neighbours(board.chart, ship.tile).filter(
    (tile) => open(tile) && shipsAt(board, tile).every((other) => other.owner === ship.owner),
  );
  let best: Tile | null = null;
  for (const tile of free) if (best === null || fear(tile) > fear(best)) best = tile;
  return best;
}

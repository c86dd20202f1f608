// Views of the service as boards, and the questions that everybody asks of a board.
import { resultOf } from "../../frame/session/result";
import type { View } from "../../gen/parley/plunder/v1/view_pb";
import type { Board, Chart, Contest, Player, Ship, Tile, Yard } from "./model";
import type { Rules } from "./rules";
import { contestOf, shipOf, yardOf } from "./wire";

/** The number in a chart for a tile of which nothing is known; no terrain has it. */
export const UNKNOWN = 255;

/** Reads a view of the service. */
export function boardOf(view: View, rules: Rules): Board {
  const chart = chartOf(view, rules);
  const ships = view.units.map((unit) => shipOf(unit, chart, rules));
  const yards = view.structures.map((structure) => yardOf(structure, chart, rules));
  const contests = view.contests.map((contest) => contestOf(contest, chart));
  return {
    seat: view.seat ?? null,
    turn: view.turn,
    chart,
    players: view.players.map(({ id, alive, gold }): Player => ({
      id,
      alive,
      gold: gold === undefined ? null : Number(gold),
    })),
    ships: new Map(ships.map((ship) => [ship.id, ship])),
    yards: new Map(yards.map((yard) => [yard.id, yard])),
    contests: new Map(contests.map((contest) => [contest.tile, contest])),
    result: resultOf(view.result),
  };
}

function chartOf(view: View, rules: Rules): Chart {
  const tiles = view.width * view.height;
  if (view.terrain.length !== tiles) throw new Error("the view's map makes no sense");
  // Nothing is said of sight where every tile is seen, which can also happen to a player in fog.
  const fogged = view.visible.length > 0 || (rules.fog && view.seat !== undefined);
  const visible = fogged ? new Uint8Array(tiles).fill(1) : null;
  if (visible !== null && view.visible.length > 0) {
    for (let tile = 0; tile < tiles; tile++) visible[tile] = ((view.visible[tile >> 3] ?? 0) >> (tile & 7)) & 1;
  }
  const { width, height, wrap } = view;
  return { width, height, wrap, keys: view.terrainKeys, terrain: new Uint8Array(view.terrain), visible };
}

/** Whether a tile is seen now, and not only remembered. */
export function sees(board: Board, tile: Tile): boolean {
  return board.chart.visible === null || board.chart.visible[tile] === 1;
}

/** The ships on a tile, by id. They all have one owner (R2.1). */
export function shipsAt(board: Board, tile: Tile): Ship[] {
  return [...board.ships.values()].filter((ship) => ship.tile === tile).sort((a, b) => a.id - b.id);
}

/** The shipyard on a tile. */
export function yardAt(board: Board, tile: Tile): Yard | null {
  for (const yard of board.yards.values()) if (yard.tile === tile) return yard;
  return null;
}

/** The viewer's own ships, by id. */
export function ownShips(board: Board): Ship[] {
  return [...board.ships.values()].filter((ship) => ship.owner === board.seat).sort((a, b) => a.id - b.id);
}

/** The viewer's own shipyards, by id. */
export function ownYards(board: Board): Yard[] {
  const own = (yard: Yard): boolean => yard.owner !== null && yard.owner === board.seat;
  return [...board.yards.values()].filter(own).sort((a, b) => a.id - b.id);
}

/** The contest that a ship is in. */
export function contestWith(board: Board, ship: number): Contest | null {
  for (const contest of board.contests.values()) if (contest.contenders.includes(ship)) return contest;
  return null;
}

/** The viewer as a player; null for those without a seat. */
export function viewer(board: Board): Player | null {
  return board.players.find((player) => player.id === board.seat) ?? null;
}

/** What a player is paid at the start of a turn, as far as the board shows it (R11.1). */
export function incomeOf(board: Board, player: number, rules: Rules): number {
  if (!rules.stages.includes("income")) return 0;
  const ships = [...board.ships.values()].filter((ship) => ship.owner === player).length;
  const yards = [...board.yards.values()].filter((yard) => yard.owner === player).length;
  const { income, incomePerShipyard, incomePerShip } = rules.economy;
  return income + incomePerShipyard * yards + incomePerShip * ships;
}

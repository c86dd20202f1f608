// What is on a tile, in words: for titles, and for whoever cannot see the drawing.
import { nameOf } from "../../frame/names";
import type { Board, Chart, Ship, Tile, Yard } from "../model/model";
import { stackedShips } from "./berths";
import { terrainOf } from "./terrain";

/** A tile as the rules name it: (q, r). */
export function hexWords({ width }: Pick<Chart, "width">, tile: Tile): string {
  const row = Math.floor(tile / width);
  return `(${(tile % width) - (row - (row & 1)) / 2}, ${row})`;
}

/** "Anna's ship 3, 8 of 10 hp", with what it is fitted with. */
export function shipWords(ship: Ship, seat: number | null, names: readonly string[]): string {
  const pieces = [count(ship.sails, "sail"), count(ship.cannons, "cannon"), count(ship.hull, "hull piece")].filter(Boolean);
  const fitted = pieces.length > 0 ? `, ${pieces.join(", ")}` : "";
  return `${whose(ship.owner, seat, names)} ${ship.kind} ${ship.id}, ${ship.hp} of ${ship.maxHp} hp${fitted}`;
}

/** "Your shipyard 2, 20 of 20 hp, builds a ship, ready in 2 turns". */
export function yardWords(yard: Yard, seat: number | null, names: readonly string[]): string {
  const head = yard.queue?.[0];
  const work = head ? `, builds a ${head.kind}, ready in ${count(head.turnsLeft, "turn") || "0 turns"}` : "";
  const owner = yard.owner === null ? "Neutral" : whose(yard.owner, seat, names);
  return `${owner} shipyard ${yard.id}, ${yard.hp} of ${yard.maxHp} hp${work}`;
}

/** Everything that a viewer knows of a tile. */
export function tileWords(board: Board, names: readonly string[], tile: Tile, selected: number | null): string {
  const { chart, seat } = board;
  const ground = terrainOf(chart, tile);
  const seen = chart.visible && !chart.visible[tile] ? ", not in sight" : "";
  const parts = [`${hexWords(chart, tile)}: ${ground === null ? "unknown" : ground + seen}`];
  const contest = board.contests.get(tile);
  if (contest) {
    const contenders = contest.contenders.map((id) => {
      const ship = board.ships.get(id);
      return ship ? `${whose(ship.owner, seat, names)} ${ship.kind} ${id}` : `ship ${id}`;
    });
    parts.push(`Contested for ${count(contest.rounds, "round") || "0 rounds"} by ${contenders.join(" and ")}`);
  }
  for (const yard of board.yards.values()) if (yard.tile === tile) parts.push(yardWords(yard, seat, names));
  for (const ship of stackedShips(board, tile, selected)) {
    parts.push(shipWords(ship, seat, names) + (ship.id === selected ? ", selected" : ""));
  }
  return `${parts.join(". ")}.`;
}

function whose(owner: number, seat: number | null, names: readonly string[]): string {
  return owner === seat ? "Your" : `${nameOf(names, owner)}'s`;
}

function count(number: number, word: string): string {
  return number === 0 ? "" : `${number} ${word}${number === 1 ? "" : "s"}`;
}

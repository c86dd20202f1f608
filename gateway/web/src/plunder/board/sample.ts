// Sample charts and ships for the tests of the board.
import type { Board, Chart, Contest, Ship, Yard } from "../model/model";

export function madeChart(rows: readonly string[], wrap = false): Chart {
  const width = rows[0]?.length ?? 0;
  const signs = "~.#H";
  const terrain = Uint8Array.from(rows.join(""), (sign) => (sign === "?" ? 255 : signs.indexOf(sign)));
  return { width, height: rows.length, wrap, keys: ["deep", "sea", "land", "harbor"], terrain, visible: null };
}

export function madeShip(id: number, owner: number, tile: number, more: Partial<Ship> = {}): Ship {
  const pieces = { sails: 0, cannons: 0, hull: 0 };
  return { id, owner, kind: "ship", tile, hp: 10, maxHp: 10, speed: 3, damage: 2, ...pieces, stance: null, route: [], ...more };
}

export function madeBoard(
  chart: Chart,
  ships: readonly Ship[],
  more: { readonly yards?: readonly Yard[]; readonly contests?: readonly Contest[]; readonly seat?: number | null } = {},
): Board {
  return {
    seat: more.seat === undefined ? 0 : more.seat,
    turn: 3,
    chart,
    players: [],
    ships: new Map(ships.map((ship) => [ship.id, ship])),
    yards: new Map((more.yards ?? []).map((yard) => [yard.id, yard])),
    contests: new Map((more.contests ?? []).map((contest) => [contest.tile, contest])),
    result: null,
  };
}

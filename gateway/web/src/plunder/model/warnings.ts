// What a player should know of a plan before locking it in.
import { ownedBy } from "../../frame/names";
import { listOf } from "../../frame/words";
import { contestWith, ownShips, shipsAt } from "./board";
import { budgetOf } from "./budget";
import { neighbours, tileName } from "./hex";
import type { Board, Leg, Plan, Ship, Tile, Warning } from "./model";
import { legsOf, openTo, search } from "./path";
import type { Rules } from "./rules";

/** Everything about a plan that its player should know. `names` are those of the players, by id. */
export function warningsOf(board: Board, plan: Plan, rules: Rules, names: readonly string[] = []): Warning[] {
  const enemies = enemiesOf(board, rules);
  const ships = ownShips(board).flatMap((ship) => [
    ...barred(board, plan, ship),
    ...meetings(board, plan, ship, enemies, names),
    ...withdrawals(board, plan, ship),
    ...blanks(board, plan, ship, enemies),
  ]);
  return [...ships, ...unpaid(board, plan, rules)];
}

/** A ship of somebody else, and in how many steps it is where. */
interface Enemy {
  readonly ship: Ship;
  /** Only tiles that it reaches in this turn. */
  readonly steps: ReadonlyMap<Tile, number>;
}

function enemiesOf(board: Board, rules: Rules): Enemy[] {
  const foreign = [...board.ships.values()].filter((ship) => ship.owner !== board.seat);
  return foreign.map((ship) => {
    // A contender that presses stays; it may also leave (R9.2), and nobody knows.
    const found = search(board, ship.tile, ship.speed, openTo(board, ship.owner, ship.kind, rules));
    return { ship, steps: new Map([[ship.tile, 0], ...[...found].map(([tile, step]) => [tile, step.steps] as const)]) };
  });
}

/** The tiles that a ship sails over, as ordered or by its route; empty for one that stays. */
function courseOf(board: Board, plan: Plan, ship: Ship): Leg[] {
  const action = plan.ships.get(ship.id)?.action ?? null;
  if (action?.kind === "move") return legsOf(ship, action.path);
  // Without an action a contender presses and stays (R9.5), and every other ship goes on with its route (R5.3).
  if (action !== null || contestWith(board, ship.id) !== null) return [];
  return legsOf(ship, ship.route);
}

/** Where a ship is when the last tick of the turn is over, if nothing happens. */
function endOf(board: Board, plan: Plan, ship: Ship): Tile {
  return courseOf(board, plan, ship).findLast((leg) => leg.turn === 0)?.tile ?? ship.tile;
}

/** The first tile of the way that cannot be entered (R6.2). */
function barred(board: Board, plan: Plan, ship: Ship): Warning[] {
  for (const { tile, turn } of courseOf(board, plan, ship)) {
    const yard = [...board.yards.values()].find((other) => other.tile === tile && other.owner !== ship.owner);
    const contested = board.contests.has(tile);
    if (!contested && yard === undefined) continue;
    const why = contested ? "is contested" : `is closed by shipyard ${yard?.id ?? ""}`;
    const where = tileName(board.chart, tile);
    const text = `The way of ship ${ship.id} leads over ${where}, which ${why}: it would end there.`;
    return [{ ship: ship.id, yard: null, tile, grade: turn === 0 ? "warn" : "note", text }];
  }
  return [];
}

/** The first tile of this turn's way where an enemy in sight stands, and the first other one where some can be. */
function meetings(
  board: Board,
  plan: Plan,
  ship: Ship,
  enemies: readonly Enemy[],
  names: readonly string[],
): Warning[] {
  const legs = courseOf(board, plan, ship).filter((leg) => leg.turn === 0);
  const name = (enemy: Ship): string => ownedBy(board.seat, names, enemy.owner, `ship ${enemy.id}`);
  const found: Warning[] = [];
  const standing = legs.find((leg) => shipsAt(board, leg.tile).some((other) => other.owner !== ship.owner));
  if (standing !== undefined) {
    const holders = shipsAt(board, standing.tile).map(name);
    const who = `${listOf(holders)} ${holders.length === 1 ? "stands" : "stand"}`;
    const where = tileName(board.chart, standing.tile);
    const text = `Ship ${ship.id} comes to ${where} in tick ${standing.tick}, where ${who}.`;
    found.push({ ship: ship.id, yard: null, tile: standing.tile, grade: "warn", text });
  }
  const last = legs.at(-1);
  for (const leg of legs) {
    if (leg === standing) break;
    // On its last tile the ship stays to the end of the turn; on the others only this tick counts.
    const near = enemies.filter(({ ship: enemy, steps }) => {
      const away = steps.get(leg.tile) ?? Infinity;
      return (
        enemy.tile !== standing?.tile && (leg === last ? away <= enemy.speed : away <= Math.min(leg.tick, enemy.speed))
      );
    });
    if (near.length === 0) continue;
    const who = listOf(near.map((enemy) => name(enemy.ship)));
    const when = `in tick ${leg.tick}${leg === last ? " or later" : ""}`;
    const text = `Ship ${ship.id} may meet ${who} at ${tileName(board.chart, leg.tile)} ${when}.`;
    found.push({ ship: ship.id, yard: null, tile: leg.tile, grade: "note", text });
    break;
  }
  return found;
}

/** A contender that moves leaves its contest (R9.2). */
function withdrawals(board: Board, plan: Plan, ship: Ship): Warning[] {
  const contest = contestWith(board, ship.id);
  if (contest === null || plan.ships.get(ship.id)?.action?.kind !== "move") return [];
  const where = tileName(board.chart, contest.tile);
  const text = `Ship ${ship.id} withdraws from the contest at ${where}, because it moves.`;
  return [{ ship: ship.id, yard: null, tile: contest.tile, grade: "note", text }];
}

/** A broadside that no enemy in sight can come before (R10). */
function blanks(board: Board, plan: Plan, ship: Ship, enemies: readonly Enemy[]): Warning[] {
  if (plan.ships.get(ship.id)?.broadside !== true) return [];
  const end = endOf(board, plan, ship);
  const beside = neighbours(board.chart, end);
  if (enemies.some((enemy) => beside.some((tile) => enemy.steps.has(tile)))) return [];
  const text = `Ship ${ship.id} has a broadside ready, but no enemy in sight can come beside it.`;
  return [{ ship: ship.id, yard: null, tile: end, grade: "note", text }];
}

/** Orders that there will not be enough gold for (R11.3). */
function unpaid(board: Board, plan: Plan, rules: Rules): Warning[] {
  return budgetOf(plan, board, rules)
    .payments.filter((payment) => !payment.paid)
    .map(({ ship, yard, cost, purse }) => {
      const tile = (ship !== null ? board.ships.get(ship)?.tile : board.yards.get(yard ?? -1)?.tile) ?? 0;
      const who = ship !== null ? `ship ${ship}` : `shipyard ${yard}`;
      const text = `The order of ${who} costs ${cost} gold and will be skipped: there will be ${purse} by then.`;
      return { ship, yard, tile, grade: "warn", text };
    });
}

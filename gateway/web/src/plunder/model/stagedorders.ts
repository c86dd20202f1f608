// Planned orders in words.
import { contestWith } from "./board";
import { budgetOf, costOfShip, costOfYard } from "./budget";
import { tileName } from "./hex";
import type { Board, Piece, Plan, Ship, ShipPlan, Stance, YardPlan } from "./model";
import { legsOf } from "./path";
import { byId } from "./plan";
import type { Rules } from "./rules";

/** A staged order in words. */
export interface Staged {
  /** The ship it is for; null where it is for a shipyard. */
  readonly ship: number | null;
  readonly yard: number | null;
  /** A sentence such as "Ship 3 sails to (2, 4): 5 tiles, 2 turns". */
  readonly text: string;
  /** What the order costs in gold; below 0 where gold is given back. */
  readonly cost: number;
  /** False where there will not be enough gold. */
  readonly paid: boolean;
}

/** A stance in words, after "in encounters: ". */
const STANCE_WORDS: Readonly<Record<Stance, string>> = {
  ask: "ask me",
  evade: "evade",
  fight: "fight",
  "fight-if-healthy": "fight if healthy",
};

const PIECE_WORDS: Readonly<Record<Piece, string>> = { sails: "sails", cannons: "cannons", hull: "a hull" };

/** So many things: "1 tile", "2 tiles". */
export function count(number: number, thing: string): string {
  return number === 1 ? `1 ${thing}` : `${number} ${thing}s`;
}

/** All staged orders: ships by id, then shipyards by id. */
export function describe(plan: Plan, board: Board, rules: Rules): Staged[] {
  const { payments } = budgetOf(plan, board, rules);
  const ships = byId(plan.ships).map(([ship, order]): Staged => {
    const paid = payments.find((payment) => payment.ship === ship)?.paid ?? true;
    const text = `Ship ${ship} ${describeShip(order, board.ships.get(ship), board)}`;
    return { ship, yard: null, text, cost: costOfShip(order, rules), paid };
  });
  const yards = byId(plan.yards).map(([yard, work]): Staged => {
    const paid = payments.find((payment) => payment.yard === yard)?.paid ?? true;
    const text = `Shipyard ${yard} ${describeYard(yard, work, board)}`;
    return { ship: null, yard, text, cost: costOfYard(yard, work, board, rules), paid };
  });
  return [...ships, ...yards];
}

/** What a ship does with this order, after "Ship 3 ". */
export function describeShip(order: ShipPlan, ship: Ship | undefined, board: Board): string {
  const words = [describeAction(order.action, ship, board)];
  if (order.broadside) words.push("fires a broadside");
  if (order.stance !== null) words.push(`in encounters: ${STANCE_WORDS[order.stance]}`);
  return words.join(", ");
}

function describeAction(action: ShipPlan["action"], ship: Ship | undefined, board: Board): string {
  switch (action?.kind) {
    case "move": {
      const end = action.path.at(-1);
      if (end === undefined) return "stays";
      const turns = ship === undefined ? 0 : (legsOf(ship, action.path).at(-1)?.turn ?? 0) + 1;
      const length = count(action.path.length, "tile");
      return `sails to ${tileName(board.chart, end)}: ${length}${turns > 0 ? `, ${count(turns, "turn")}` : ""}`;
    }
    case "hold":
      return "holds";
    case "repair":
      return "is repaired";
    case "upgrade":
      return `is fitted with ${PIECE_WORDS[action.piece]}`;
    case "deploy":
      return "becomes a shipyard";
    case "bombard":
      return `bombards shipyard ${action.yard}`;
    case "press":
      return "presses on in its contest";
    case undefined:
      return ship === undefined ? "goes on" : describeIdle(ship, board);
  }
}

/** What a ship does without an order (R5.3, R9.2), after "Ship 3 ". */
export function describeIdle(ship: Ship, board: Board): string {
  if (contestWith(board, ship.id) !== null) return "presses on in its contest";
  const end = ship.route.at(-1);
  return end === undefined ? "holds" : `sails on to ${tileName(board.chart, end)}`;
}

function describeYard(yard: number, work: YardPlan, board: Board): string {
  if (work.kind === "build") return `builds a ${work.class}`;
  const kind = board.yards.get(yard)?.queue?.[work.index]?.kind;
  return `gives up build ${work.index + 1}${kind === undefined ? "" : `, a ${kind}`}`;
}

/** Whether an own ship has nothing to do: no order with an action, no route, no contest. */
export function isIdle(plan: Plan, board: Board, ship: Ship): boolean {
  const ordered = (plan.ships.get(ship.id)?.action ?? null) !== null;
  return !ordered && ship.route.length === 0 && contestWith(board, ship.id) === null;
}

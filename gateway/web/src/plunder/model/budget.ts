// What planned orders cost, and whether the gold is enough when their turn comes (R11.3).
import { incomeOf, viewer } from "./board";
import type { Board, Plan, ShipPlan, YardPlan } from "./model";
import { byId } from "./plan";
import { classOf } from "./rules";
import type { Rules } from "./rules";

/** An order that costs something, or gives something back. */
export interface Payment {
  readonly ship: number | null;
  readonly yard: number | null;
  /** Below 0 where gold is given back. */
  readonly cost: number;
  /** The gold that is there when the order is to be paid for. */
  readonly purse: number;
  /** False where that is not enough, and the order will be skipped. */
  readonly paid: boolean;
}

/** The gold of a turn. */
export interface Budget {
  readonly gold: number;
  /** What comes in before any order is paid for (R5.6). */
  readonly income: number;
  /** The sum of what all orders cost, whether there is enough or not. */
  readonly cost: number;
  /** The sum of what cancelled builds give back. */
  readonly refund: number;
  /** What is left in the end; below 0 where the orders cost more than there is. */
  readonly left: number;
  /** In the order in which they are paid: ships by id, then shipyards by id. */
  readonly payments: readonly Payment[];
}

/** What a ship's order costs. */
export function costOfShip(order: ShipPlan, rules: Rules): number {
  switch (order.action?.kind) {
    case "repair":
      return rules.economy.repairCost;
    case "upgrade":
      return rules.pieces[order.action.piece].cost;
    case "deploy":
      return rules.shipyard.deployCost;
    default:
      return 0;
  }
}

/** What a shipyard's order costs; below 0 where it gives something back. */
export function costOfYard(yard: number, work: YardPlan, board: Board, rules: Rules): number {
  if (work.kind === "build") return classOf(rules, work.class)?.buildCost ?? 0;
  const job = board.yards.get(yard)?.queue?.[work.index];
  const price = job === undefined ? 0 : (classOf(rules, job.kind)?.buildCost ?? 0);
  return -Math.floor((price * rules.economy.cancelRefundPercent) / 100);
}

/** The gold of the turn that is planned. */
export function budgetOf(plan: Plan, board: Board, rules: Rules): Budget {
  const gold = viewer(board)?.gold ?? 0;
  const income = board.seat === null ? 0 : incomeOf(board, board.seat, rules);
  const ships = byId(plan.ships).map(([ship, order]) => ({ ship, yard: null, cost: costOfShip(order, rules) }));
  const yards = byId(plan.yards).map(([yard, work]) => ({
    ship: null,
    yard,
    cost: costOfYard(yard, work, board, rules),
  }));
  let purse = gold + income;
  const payments: Payment[] = [];
  for (const order of [...ships, ...yards]) {
    if (order.cost === 0) continue;
    const paid = order.cost <= purse;
    payments.push({ ...order, purse, paid });
    if (paid) purse -= order.cost;
  }
  const sum = (of: (payment: Payment) => number): number => payments.reduce((total, payment) => total + of(payment), 0);
  const cost = sum((payment) => Math.max(0, payment.cost));
  const refund = sum((payment) => Math.max(0, -payment.cost));
  return { gold, income, cost, refund, left: gold + income + refund - cost, payments };
}

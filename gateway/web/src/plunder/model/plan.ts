// The orders of a turn while they are planned, with a way back and forth.
import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Engagement, Upgrade } from "../../gen/parley/plunder/v1/board_pb";
import { SheetSchema, StructureOrderSchema, UnitOrderSchema } from "../../gen/parley/plunder/v1/orders_pb";
import type { Sheet, StructureOrder, UnitOrder } from "../../gen/parley/plunder/v1/orders_pb";
import { hexOf } from "./hex";
import type { MapShape } from "./hex";
import type { Piece, Plan, ShipPlan, Stance, YardPlan } from "./model";
import { pieceOf, stanceOf, readTile } from "./wire";

/** The plan in which nothing is ordered. */
export const emptyPlan: Plan = { ships: new Map(), yards: new Map() };

/** What a ship without an order is told. */
export const noOrder: ShipPlan = { action: null, broadside: false, stance: null };

/** How many changes can be taken back. */
export const MAX_UNDO = 256;

/** A plan as it was staged before. */
export function planOf(sheet: Sheet | undefined, grid: MapShape): Plan {
  const ships = new Map<number, ShipPlan>();
  const yards = new Map<number, YardPlan>();
  for (const order of sheet?.units ?? []) {
    const { broadside } = order;
    ships.set(order.unit, { action: actionOf(order, grid), broadside, stance: stanceOf(order.engagement) });
  }
  for (const { structure, work } of sheet?.structures ?? []) {
    if (work.case === "build") yards.set(structure, { kind: "build", class: work.value });
    if (work.case === "cancelBuild") yards.set(structure, { kind: "cancel", index: work.value });
  }
  return { ships, yards };
}

/** The plan as the service is told it: by id, so that equal plans are equal sheets. */
export function sheetOf(plan: Plan, grid: MapShape): Sheet {
  return create(SheetSchema, {
    units: byId(plan.ships).map(([unit, order]) => unitOrder(unit, order, grid)),
    structures: byId(plan.yards).map(([structure, work]) => structureOrder(structure, work)),
  });
}

/** Orders by the id of who they are for. */
export function byId<T>(orders: ReadonlyMap<number, T>): [number, T][] {
  return [...orders].sort(([a], [b]) => a - b);
}

/** Changes what a ship is told; one that is told nothing any more has no order. */
export function orderShip(plan: Plan, ship: number, change: Partial<ShipPlan>): Plan {
  const order = { ...(plan.ships.get(ship) ?? noOrder), ...change };
  const ships = new Map(plan.ships);
  if (order.action === null && !order.broadside && order.stance === null) ships.delete(ship);
  else ships.set(ship, order);
  return { ...plan, ships };
}

/** Changes what a shipyard is told; null takes its order back. */
export function orderYard(plan: Plan, yard: number, work: YardPlan | null): Plan {
  const yards = new Map(plan.yards);
  if (work === null) yards.delete(yard);
  else yards.set(yard, work);
  return { ...plan, yards };
}

/** Takes back all orders of a ship. */
export function clearShip(plan: Plan, ship: number): Plan {
  return orderShip(plan, ship, noOrder);
}

/** Whether two plans say the same. */
export function samePlan(one: Plan, other: Plan): boolean {
  const said = ({ ships, yards }: Plan): string => JSON.stringify([byId(ships), byId(yards)]);
  return said(one) === said(other);
}

/** A plan, those before its last changes, and those that were taken back. */
export interface History {
  readonly past: readonly Plan[];
  readonly plan: Plan;
  readonly future: readonly Plan[];
}

/** A plan without a past. */
export function historyOf(plan: Plan): History {
  return { past: [], plan, future: [] };
}

/** Puts another plan in its place, which can be undone. A plan that says the same changes nothing. */
export function edit(history: History, plan: Plan): History {
  if (samePlan(history.plan, plan)) return history;
  return { past: [...history.past.slice(1 - MAX_UNDO), history.plan], plan, future: [] };
}

/** Takes the last change back, if there is one. */
export function undo(history: History): History {
  const plan = history.past.at(-1);
  if (plan === undefined) return history;
  return { past: history.past.slice(0, -1), plan, future: [...history.future, history.plan] };
}

/** Makes a change again that was taken back, if there is one. */
export function redo(history: History): History {
  const plan = history.future.at(-1);
  if (plan === undefined) return history;
  return { past: [...history.past, history.plan], plan, future: history.future.slice(0, -1) };
}

function actionOf(order: UnitOrder, grid: MapShape): ShipPlan["action"] {
  const { action } = order;
  switch (action.case) {
    case "move":
      return { kind: "move", path: action.value.path.map((hex) => readTile(grid, hex)) };
    case "hold":
    case "repair":
    case "press":
      return { kind: action.case };
    case "upgrade": {
      const piece = pieceOf(action.value);
      return piece === null ? null : { kind: "upgrade", piece };
    }
    case "deployShipyard":
      return { kind: "deploy" };
    case "bombard":
      return { kind: "bombard", yard: action.value };
    case undefined:
      return null;
  }
}

const PIECES: Readonly<Record<Piece, Upgrade>> = {
  sails: Upgrade.SAILS,
  cannons: Upgrade.CANNONS,
  hull: Upgrade.HULL,
};

const STANCES: Readonly<Record<Stance, Engagement>> = {
  ask: Engagement.ASK,
  evade: Engagement.EVADE,
  fight: Engagement.FIGHT,
  "fight-if-healthy": Engagement.FIGHT_IF_HEALTHY,
};

function unitOrder(unit: number, order: ShipPlan, grid: MapShape): UnitOrder {
  const engagement = order.stance === null ? Engagement.UNSPECIFIED : STANCES[order.stance];
  return create(UnitOrderSchema, {
    unit,
    broadside: order.broadside,
    engagement,
    action: actionMessage(order.action, grid),
  });
}

type ActionMessage = NonNullable<MessageInitShape<typeof UnitOrderSchema>["action"]>;

function actionMessage(action: ShipPlan["action"], grid: MapShape): ActionMessage {
  switch (action?.kind) {
    case "move":
      return { case: "move", value: { path: action.path.map((tile) => hexOf(grid, tile)) } };
    case "hold":
    case "repair":
    case "press":
      return { case: action.kind, value: {} };
    case "upgrade":
      return { case: "upgrade", value: PIECES[action.piece] };
    case "deploy":
      return { case: "deployShipyard", value: {} };
    case "bombard":
      return { case: "bombard", value: action.yard };
    case undefined:
      return { case: undefined };
  }
}

function structureOrder(structure: number, work: YardPlan): StructureOrder {
  return create(StructureOrderSchema, {
    structure,
    work: work.kind === "build" ? { case: "build", value: work.class } : { case: "cancelBuild", value: work.index },
  });
}

// Gold and what it buys: income, shipyard work, bombardment and construction (R11).
import type { GoldReason, Subject } from "./events";
import type { TileIndex } from "./hexes";
import type { UnitOrder } from "./orders";
import { ID_BOUND, fleetSize, living, newShip, shipsOf, structureAt, structuresOf } from "./state";
import type { Structure, Unit } from "./state";
import type { Turn } from "./turn";

/** What every living player is paid (R11.1). */
export function income(turn: Turn): void {
  const { state } = turn;
  const { income: base, income_per_shipyard: perShipyard, income_per_ship: perShip } = turn.rules.economy;
  for (const { id } of living(state)) {
    const gain = base + perShipyard * structuresOf(state, id).length + perShip * shipsOf(state, id).length;
    turn.pay(id, gain, "income");
  }
}

/** Orders that cost gold, in the order in which they are paid (R5.6, R11.3). */
export function work(turn: Turn): void {
  for (const player of living(turn.state)) {
    for (const unit of shipsOf(turn.state, player.id)) {
      const order = turn.unitOrder(unit);
      if (order !== undefined) shipWork(turn, unit, order);
    }
    // A shipyard that is deployed now has no order yet.
    for (const structure of structuresOf(turn.state, player.id)) {
      const order = turn.structureOrder(player.id, structure.id);
      if (order === undefined) continue;
      if ("cancel" in order.work) cancel(turn, structure, player.id, order.work.cancel);
      else build(turn, structure, player.id, order.work.build);
    }
  }
}

function shipWork(turn: Turn, unit: Unit, { deed }: UnitOrder): void {
  const { rules } = turn;
  switch (deed?.kind) {
    case "deploy_shipyard":
      deploy(turn, unit);
      break;
    case "repair":
      if (charge(turn, { unit: unit.id }, unit.owner, rules.economy.repair_cost, "repair")) {
        unit.hp = rules.maxHp(unit);
        turn.tell({ type: "repaired", unit: unit.id, hp: unit.hp });
      }
      break;
    case "upgrade": {
      const upgrade = rules.upgrades[deed.piece];
      if (charge(turn, { unit: unit.id }, unit.owner, upgrade.cost, "upgrade")) {
        unit[deed.piece] += 1;
        if (upgrade.heals) unit.hp = rules.maxHp(unit);
        turn.tell({ type: "upgraded", unit: unit.id, upgrade: deed.piece });
      }
      break;
    }
  }
}

/** Pays for an order, or skips it where the gold is not enough (R11.3). */
function charge(turn: Turn, subject: Subject, player: number, cost: number, reason: GoldReason): boolean {
  const { gold } = turn.player(player);
  if (gold < cost) {
    turn.tell({ type: "skipped", ...subject, cause: "unpaid", cost, gold });
    return false;
  }
  turn.pay(player, -cost, reason);
  return true;
}

function deploy(turn: Turn, unit: Unit): void {
  const { state, rules } = turn;
  if (structureAt(state, unit.at) !== null) {
    turn.tell({ type: "skipped", unit: unit.id, cause: "harbor_taken" });
    return;
  }
  const shipyards = structuresOf(state, unit.owner).length;
  if (shipyards >= rules.shipyard.per_player || state.nextStructure >= ID_BOUND) {
    turn.tell({ type: "skipped", unit: unit.id, cause: "shipyards_full" });
    return;
  }
  if (!charge(turn, { unit: unit.id }, unit.owner, rules.shipyard.deploy_cost, "deploy_shipyard")) return;
  const id = state.nextStructure;
  state.nextStructure += 1;
  state.structures.set(id, { id, at: unit.at, owner: unit.owner, hp: rules.shipyard.hp, queue: [] });
  turn.remove(unit.id);
  turn.tell({ type: "deployed", unit: unit.id, structure: id, at: turn.grid.hex(unit.at) });
}

function build(turn: Turn, structure: Structure, owner: number, key: string): void {
  const { rules } = turn;
  if (fleetSize(turn.state, owner) >= rules.economy.ships_per_player) {
    turn.tell({ type: "skipped", structure: structure.id, cause: "fleet_full" });
    return;
  }
  const kind = rules.classes.findIndex((row) => row.key === key);
  const { build_cost: cost, build_turns: turnsLeft } = rules.classAt(kind);
  if (charge(turn, { structure: structure.id }, owner, cost, "build")) {
    structure.queue.push({ kind, turnsLeft });
    turn.tell({ type: "queued", structure: structure.id, class: key });
  }
}

function cancel(turn: Turn, structure: Structure, owner: number, index: number): void {
  for (const { kind } of structure.queue.splice(index, 1)) {
    const { key, build_cost: cost } = turn.rules.classAt(kind);
    turn.tell({ type: "cancelled", structure: structure.id, class: key });
    turn.pay(owner, Math.floor((cost * turn.rules.economy.cancel_refund_percent) / 100), "cancel_build");
  }
}

/** All damage first, then whatever has fallen (R11.5). */
export function bombardment(turn: Turn): void {
  const { state, rules } = turn;
  const damage = new Map<number, Map<number, number>>();
  for (const player of living(state)) {
    for (const unit of shipsOf(state, player.id)) {
      const deed = turn.unitOrder(unit)?.deed;
      if (deed?.kind !== "bombard") continue;
      const target = turn.structure(deed.target);
      if (!turn.grid.adjacent(unit.at, target.at)) {
        turn.tell({ type: "skipped", unit: unit.id, cause: "out_of_reach" });
        continue;
      }
      const dealt = rules.combat.bombard_damage + rules.firepower(unit);
      const by = damage.get(target.id) ?? new Map<number, number>();
      damage.set(target.id, by.set(player.id, (by.get(player.id) ?? 0) + dealt));
      turn.tell({ type: "bombarded", unit: unit.id, structure: target.id, damage: dealt });
    }
  }
  for (const [id, by] of [...damage].sort(([a], [b]) => a - b)) fall(turn, turn.structure(id), by);
}

/** Takes the damage of the stage from a structure, which falls at 0. */
function fall(turn: Turn, structure: Structure, by: ReadonlyMap<number, number>): void {
  const all = [...by.values()].reduce((sum, dealt) => sum + dealt, 0);
  structure.hp = Math.max(0, structure.hp - all);
  if (structure.hp > 0) return;
  // Players are in order, so that of equals the lowest is the first.
  const [captor] = [...by].reduce((most, next) => (next[1] > most[1] ? next : most));
  turn.tell({ type: "captured", structure: structure.id, from: structure.owner, by: captor });
  const { hp, captured_hp_percent: percent } = turn.rules.shipyard;
  structure.owner = captor;
  structure.hp = Math.max(1, Math.floor((hp * percent) / 100));
  structure.queue = [];
}

/** The head of each queue advances, and finished ships appear (R11.2, R11.4). */
export function construction(turn: Turn): void {
  for (const player of living(turn.state)) {
    for (const structure of structuresOf(turn.state, player.id)) {
      const [head] = structure.queue;
      if (head === undefined) continue;
      head.turnsLeft = Math.max(0, head.turnsLeft - 1);
      if (head.turnsLeft === 0) spawn(turn, structure, player.id, head.kind);
    }
  }
}

function spawn(turn: Turn, structure: Structure, owner: number, kind: number): void {
  const { state } = turn;
  const place = room(turn, structure, owner, kind);
  if (place === undefined || state.nextUnit >= ID_BOUND) {
    turn.tell({ type: "spawn_delayed", structure: structure.id });
    return;
  }
  structure.queue.shift();
  const { hull, key } = turn.rules.classAt(kind);
  const unit = newShip(state.nextUnit, place, owner, kind, hull);
  state.nextUnit += 1;
  state.units.set(unit.id, unit);
  const at = turn.grid.hex(place);
  turn.tell({ type: "spawned", unit: unit.id, owner, class: key, structure: structure.id, at });
}

/** The shipyard's tile, or the first free neighbour in the order of directions. */
function room(turn: Turn, structure: Structure, owner: number, kind: number): TileIndex | undefined {
  const { grid, rules, state } = turn;
  return [structure.at, ...grid.neighbours(structure.at)].find((at) => {
    if (turn.unitsAt(at).some((unit) => unit.owner !== owner)) return false;
    if (state.contests.has(at) || turn.isClosedTo(owner, at)) return false;
    return at === structure.at || rules.isNavigable(grid, at, kind);
  });
}

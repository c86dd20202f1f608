// What an event lets the map show.
import { EncounterKind } from "../../gen/parley/plunder/v1/event_pb";
import type { Event } from "../../gen/parley/plunder/v1/event_pb";
import { Choice as ChoiceMessage } from "../../gen/parley/plunder/v1/orders_pb";
import type { Board, Choice, Effect, ExchangeSide, Ship, Tile } from "./model";
import { placeOf } from "./prospects";
import { pieceOf, readTile } from "./wire";

/**
 * What is shown of an event between two boards. What is not on the board is not shown. `defaulted` says of a decision
 * that nobody answered in time.
 */
export function effectsOf(before: Board, event: Event, after: Board, defaulted: boolean): Effect[] {
  const { what } = event;
  switch (what.case) {
    case "moved":
    case "gaveWay": {
      const [from, to] = [readTile(before.chart, what.value.from), readTile(before.chart, what.value.to)];
      return withShip(before, what.value.unit, (ship) => ({ kind: "move", ship, from, to }));
    }
    case "appeared":
      return withShip(after, what.value.unit, (ship) => ({ kind: "appear", ship }));
    case "spawned":
      return withShip(after, what.value.unit, (ship) => ({ kind: "spawn", ship }));
    case "vanished": {
      const from = readTile(before.chart, what.value.from);
      return withShip(before, what.value.unit, (ship) => ({ kind: "vanish", ship, from }));
    }
    case "removed":
      return withShip(before, what.value.unit, vanish);
    case "sightChanged":
      return [...before.ships.values()].filter((ship) => !after.ships.has(ship.id)).map(vanish);
    case "met": {
      const place = placeOf(before, what.value.site);
      const ships = what.value.parties.map((party) => party.unit);
      return place === null ? [] : [{ kind: "meet", passing: what.value.kind === EncounterKind.PASSING, place, ships }];
    }
    case "decided": {
      const choice = choiceFromWire(what.value.choice);
      return choice === null
        ? []
        : withShip(before, what.value.unit, (ship) => ({ kind: "decide", ship, choice, defaulted }));
    }
    case "exchanged": {
      const attacker = sideOf(what.value.attacker, what.value.attackerDice, what.value.attackerLoses, before, after);
      const defender = sideOf(what.value.defender, what.value.defenderDice, what.value.defenderLoses, before, after);
      return attacker === null || defender === null ? [] : [{ kind: "exchange", attacker, defender }];
    }
    case "sunk":
      return withShip(before, what.value.unit, (ship) => ({ kind: "sink", ship }));
    case "waited":
    case "blocked":
      return withShip(before, what.value.unit, (ship) => ({ kind: "wait", ship }));
    case "contestOpened":
    case "contestClosed":
      return [{ kind: "contest", tile: readTile(before.chart, what.value.hex), open: what.case === "contestOpened" }];
    case "bombarded": {
      const { damage, structure } = what.value;
      const yard = before.yards.get(structure);
      const left = after.yards.get(structure)?.hp ?? 0;
      return yard === undefined
        ? []
        : withShip(before, what.value.unit, (ship) => ({ kind: "bombard", ship, yard, damage, left }));
    }
    case "captured": {
      const yard = after.yards.get(what.value.structure);
      return yard === undefined ? [] : [{ kind: "capture", yard, by: what.value.by }];
    }
    case "repaired":
      return withShip(after, what.value.unit, (ship) => ({ kind: "repair", ship }));
    case "upgraded": {
      const piece = pieceOf(what.value.upgrade);
      return piece === null ? [] : withShip(after, what.value.unit, (ship) => ({ kind: "upgrade", ship, piece }));
    }
    case "deployed": {
      const yard = after.yards.get(what.value.structure);
      return yard === undefined ? [] : [{ kind: "deploy", yard }];
    }
    // Told in the log, or seen on the board itself.
    case "gold":
    case "queued":
    case "cancelled":
    case "skipped":
    case "withdrew":
    case "structureSighted":
    case "contestSighted":
    case "spawnDelayed":
    case "eliminated":
    case "neutralised":
    case "ended":
    // Shown with the decision.
    case "defaulted":
    case undefined:
      return [];
  }
}

function withShip(board: Board, id: number, how: (ship: Ship) => Effect): Effect[] {
  const ship = board.ships.get(id);
  return ship === undefined ? [] : [how(ship)];
}

function sideOf(id: number, dice: readonly number[], loses: number, before: Board, after: Board): ExchangeSide | null {
  const ship = before.ships.get(id);
  return ship === undefined ? null : { ship, dice, loses, left: after.ships.get(id)?.hp ?? 0 };
}

function vanish(ship: Ship): Effect & { readonly from: Tile } {
  return { kind: "vanish", ship, from: ship.tile };
}

/** Reads an answer to an encounter from a message; null where it is none. */
export function choiceFromWire(choice: ChoiceMessage): Choice | null {
  switch (choice) {
    case ChoiceMessage.PROCEED:
      return "proceed";
    case ChoiceMessage.YIELD:
      return "yield";
    case ChoiceMessage.ATTACK:
      return "attack";
    default:
      return null;
  }
}

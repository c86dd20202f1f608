// What messages of the service say, in the words of the page.
import { Engagement, Upgrade } from "../../gen/parley/plunder/v1/board_pb";
import type { Contest as ContestMessage, Job as JobMessage, Structure, Unit } from "../../gen/parley/plunder/v1/board_pb";
import { tileOf } from "./hex";
import type { MapShape, Hex } from "./hex";
import type { Contest, Job, Piece, Ship, Stance, Tile, Yard } from "./model";
import { withFittings } from "./rules";
import type { Rules } from "./rules";

/** The tile at a hex of a message. Only a broken service names one beyond the map. */
export function readTile(grid: MapShape, hex: Hex | undefined): Tile {
  const tile = hex === undefined ? null : tileOf(grid, hex);
  if (tile === null) throw new Error("the service named a place beyond the map");
  return tile;
}

/** Reads a ship from a message. */
export function shipOf(unit: Unit, grid: MapShape, rules: Rules): Ship {
  const { id, owner, hp, sails, cannons, hull } = unit;
  const bare: Ship = {
    id,
    owner,
    kind: unit.class,
    tile: readTile(grid, unit.hex),
    hp,
    maxHp: 0,
    speed: 0,
    damage: 0,
    sails,
    cannons,
    hull,
    stance: stanceOf(unit.engagement),
    route: unit.route.map((hex) => readTile(grid, hex)),
  };
  return withFittings(bare, rules);
}

/** Reads a shipyard from a message. */
export function yardOf(structure: Structure, grid: MapShape, rules: Rules): Yard {
  const { id, owner, hp, queue, queueKnown } = structure;
  const tile = readTile(grid, structure.hex);
  return { id, owner: owner ?? null, tile, hp, maxHp: rules.shipyard.hp, queue: jobsOf(queue, queueKnown) };
}

/** Reads what a shipyard builds from a message; null where that is not known. */
export function jobsOf(queue: readonly JobMessage[], isKnown: boolean): readonly Job[] | null {
  return isKnown ? queue.map((job) => ({ kind: job.class, turnsLeft: job.turnsLeft })) : null;
}

/** Reads a contest from a message. */
export function contestOf(contest: ContestMessage, grid: MapShape): Contest {
  const { since, rounds, contenders } = contest;
  return { tile: readTile(grid, contest.hex), since, rounds, contenders };
}

/** Reads a stance from a message; null where it is not told. */
export function stanceOf(engagement: Engagement): Stance | null {
  switch (engagement) {
    case Engagement.ASK:
      return "ask";
    case Engagement.EVADE:
      return "evade";
    case Engagement.FIGHT:
      return "fight";
    case Engagement.FIGHT_IF_HEALTHY:
      return "fight-if-healthy";
    default:
      return null;
  }
}

/** Reads a piece from a message; null where it is none. */
export function pieceOf(upgrade: Upgrade): Piece | null {
  switch (upgrade) {
    case Upgrade.SAILS:
      return "sails";
    case Upgrade.CANNONS:
      return "cannons";
    case Upgrade.HULL:
      return "hull";
    default:
      return null;
  }
}

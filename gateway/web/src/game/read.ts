// What messages of the service say, in the words of the page.
import { Engagement, Upgrade } from "../gen/parley/v1/board_pb";
import type { Contest as ContestMessage, Structure, Unit } from "../gen/parley/v1/board_pb";
import type { MatchResult } from "../gen/parley/v1/event_pb";
import { tileOf } from "./hex";
import type { Grid, Hex } from "./hex";
import type { Contest, Piece, Result, Ship, Stance, Tile, Yard } from "./model";
import { fitted } from "./rules";
import type { Rules } from "./rules";

/** The tile at a hex of a message. Only a broken service names one beyond the map. */
export function tileAt(grid: Grid, hex: Hex | undefined): Tile {
  const tile = hex === undefined ? null : tileOf(grid, hex);
  if (tile === null) throw new Error("the service named a place beyond the map");
  return tile;
}

/** A ship of a message. */
export function shipOf(unit: Unit, grid: Grid, rules: Rules): Ship {
  const { id, owner, hp, sails, cannons, hull } = unit;
  const bare: Ship = {
    id,
    owner,
    kind: unit.class,
    tile: tileAt(grid, unit.hex),
    hp,
    maxHp: 0,
    speed: 0,
    damage: 0,
    sails,
    cannons,
    hull,
    stance: stanceOf(unit.engagement),
    route: unit.route.map((hex) => tileAt(grid, hex)),
  };
  return fitted(bare, rules);
}

/** A shipyard of a message. */
export function yardOf(structure: Structure, grid: Grid, rules: Rules): Yard {
  const { id, owner, hp, queue, queueKnown } = structure;
  const jobs = queue.map((job) => ({ kind: job.class, turnsLeft: job.turnsLeft }));
  const tile = tileAt(grid, structure.hex);
  return { id, owner: owner ?? null, tile, hp, maxHp: rules.shipyard.hp, queue: queueKnown ? jobs : null };
}

/** A contest of a message. */
export function contestOf(contest: ContestMessage, grid: Grid): Contest {
  const { since, rounds, contenders } = contest;
  return { tile: tileAt(grid, contest.hex), since, rounds, contenders };
}

/** A stance of a message; null where it is not told. */
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

/** A result of a message. */
export function resultOf(result: MatchResult | undefined): Result | null {
  switch (result?.result.case) {
    case "winner":
      return { winner: result.result.value };
    case "draw":
      return { draw: result.result.value.players };
    default:
      return null;
  }
}

/** A piece of a message. */
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

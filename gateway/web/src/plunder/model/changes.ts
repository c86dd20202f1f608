// What the service says of a board becomes the next board. No rule of the game is known here: what a change does not say
// stays as it is, and a change of something that is not there is an error. Boards are never changed in place.
import { resultOf } from "../../frame/session/result";
import type {
  Change,
  ContestPatch,
  PlayerPatch,
  SightPatch,
  StructurePatch,
  UnitPatch,
} from "../../gen/parley/plunder/v1/change_pb";
import type { Board, Chart, Contest, Player, Ship, Yard } from "./model";
import { type Rules, withFittings } from "./rules";
import { jobsOf, readTile, stanceOf } from "./wire";

/** The board after some changes, in order. The rules are needed to read ships, as they are for those of a view. */
export function applyChanges(board: Board, changes: readonly Change[], rules: Rules): Board {
  return changes.reduce((now, change) => applyChange(now, change, rules), board);
}

function applyChange(board: Board, { what }: Change, rules: Rules): Board {
  const { chart, ships, yards, contests } = board;
  switch (what.case) {
    case "unit":
      return { ...board, ships: put(ships, what.value.id, shipAfter(ships.get(what.value.id), what.value, chart, rules)) };
    case "unitGone":
      return { ...board, ships: without(ships, what.value) };
    case "structure":
      return { ...board, yards: put(yards, what.value.id, yardAfter(yards.get(what.value.id), what.value, chart, rules)) };
    case "structureGone":
      return { ...board, yards: without(yards, what.value) };
    case "contest": {
      const tile = readTile(chart, what.value.hex);
      return { ...board, contests: put(contests, tile, contestAfter(contests.get(tile), what.value, chart)) };
    }
    case "contestGone":
      return { ...board, contests: without(contests, readTile(chart, what.value)) };
    case "player":
      return { ...board, players: playersAfter(board.players, what.value) };
    case "sight":
      return { ...board, chart: chartAfter(chart, what.value) };
    case "turn":
      return { ...board, turn: what.value };
    case "result":
      return { ...board, result: resultOf(what.value) };
    case undefined:
      throw new Error("the service changed something that this page does not know");
  }
}

function put<T>(things: ReadonlyMap<number, T>, id: number, thing: T): ReadonlyMap<number, T> {
  return new Map(things).set(id, thing);
}

function without<T>(things: ReadonlyMap<number, T>, id: number): ReadonlyMap<number, T> {
  const left = new Map(things);
  if (!left.delete(id)) throw new Error("the service took away something that is not there");
  return left;
}

/** What a change says, or else what was known. Of what comes new to the board, all of it has to be said. */
function known<T>(said: T | undefined, before: T | undefined): T {
  const now = said === undefined ? before : said;
  if (now === undefined) throw new Error("the service changed something that is not there");
  return now;
}

function shipAfter(before: Ship | undefined, patch: UnitPatch, chart: Chart, rules: Rules): Ship {
  const { engagement, route } = patch;
  const bare: Ship = {
    id: patch.id,
    owner: known(patch.owner, before?.owner),
    kind: known(patch.class, before?.kind),
    tile: known(patch.hex && readTile(chart, patch.hex), before?.tile),
    hp: known(patch.hp, before?.hp),
    maxHp: 0,
    speed: 0,
    damage: 0,
    sails: known(patch.sails, before?.sails),
    cannons: known(patch.cannons, before?.cannons),
    hull: known(patch.hull, before?.hull),
    stance: engagement === undefined ? (before?.stance ?? null) : stanceOf(engagement),
    route: route?.path.map((hex) => readTile(chart, hex)) ?? before?.route ?? [],
  };
  return withFittings(bare, rules);
}

function yardAfter(before: Yard | undefined, patch: StructurePatch, chart: Chart, rules: Rules): Yard {
  const { queue } = patch;
  return {
    id: patch.id,
    owner: known(patch.owner && (patch.owner.player ?? null), before?.owner),
    tile: known(patch.hex && readTile(chart, patch.hex), before?.tile),
    hp: known(patch.hp, before?.hp),
    maxHp: rules.shipyard.hp,
    queue: known(queue && jobsOf(queue.jobs, queue.known), before?.queue),
  };
}

function contestAfter(before: Contest | undefined, patch: ContestPatch, chart: Chart): Contest {
  return {
    tile: readTile(chart, patch.hex),
    since: known(patch.since, before?.since),
    rounds: known(patch.rounds, before?.rounds),
    contenders: known(patch.contenders?.units, before?.contenders),
  };
}

function playersAfter(players: readonly Player[], { id, alive, gold }: PlayerPatch): readonly Player[] {
  if (!players.some((player) => player.id === id)) throw new Error("the service changed somebody who does not play");
  const after = (player: Player): Player => ({
    id,
    alive: alive ?? player.alive,
    gold: gold === undefined ? player.gold : Number(gold),
  });
  return players.map((player) => (player.id === id ? after(player) : player));
}

function chartAfter(chart: Chart, { gained, lost }: SightPatch): Chart {
  if (chart.visible === null) throw new Error("the service changed what is seen where all is seen");
  const [terrain, visible] = [chart.terrain.slice(), chart.visible.slice()];
  for (const sighting of gained) {
    const tile = readTile(chart, sighting.hex);
    terrain[tile] = sighting.terrain;
    visible[tile] = 1;
  }
  for (const hex of lost) visible[readTile(chart, hex)] = 0;
  return { ...chart, terrain, visible };
}

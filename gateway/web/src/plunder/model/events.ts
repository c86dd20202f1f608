// What an event does to a board. Boards are never changed in place.
import { resultOf } from "../../frame/session/result";
import type { Event, Event_SightChanged } from "../../gen/parley/plunder/v1/event_pb";
import {
  changeShip,
  changeYard,
  leaveContests,
  lose,
  withContest,
  withPlayer,
  withQueue,
  withShip,
  withYard,
} from "./changes";
import type { Board, Contest, Piece, Ship, Tile, Yard } from "./model";
import { classOf, withFittings } from "./rules";
import type { Rules } from "./rules";
import { pieceOf, shipOf, readTile } from "./wire";

/**
 * The board after an event. Standing orders of ships are no events: routes shrink as they are sailed, and stances stay.
 */
export function apply(board: Board, event: Event, rules: Rules): Board {
  const { chart } = board;
  const what = event.what;
  switch (what.case) {
    case "gold": {
      const { player, balance } = what.value;
      return withPlayer(board, player, (known) => ({ ...known, gold: Number(balance) }));
    }
    case "moved":
      // Those who claim a tile lose their routes (R9.4).
      return moved(
        event.tick === 0 ? clearRoute(board, what.value.unit) : board,
        what.value.unit,
        readTile(chart, what.value.to),
      );
    case "gaveWay":
      return moved(leaveContests(board, what.value.unit), what.value.unit, readTile(chart, what.value.to));
    case "appeared":
      return what.value.unit === undefined ? board : withShip(board, shipOf(what.value.unit, chart, rules));
    case "spawned": {
      const { unit, structure } = what.value;
      if (unit === undefined) return board;
      const spawned = withShip(board, shipOf(unit, chart, rules));
      return structure === undefined ? spawned : withQueue(spawned, structure, (queue) => queue.slice(1));
    }
    case "vanished":
    case "sunk":
    case "removed":
      return lose(board, what.value.unit);
    case "exchanged": {
      const { attacker, defender, attackerLoses, defenderLoses } = what.value;
      const hurt = (ship: Ship, loss: number): Ship => ({ ...ship, hp: Math.max(0, ship.hp - loss) });
      const once = changeShip(board, attacker, (ship) => hurt(ship, attackerLoses));
      const twice = changeShip(once, defender, (ship) => hurt(ship, defenderLoses));
      return event.tick === 0 ? countRound(twice, attacker, defender) : twice;
    }
    case "repaired": {
      const { unit, hp } = what.value;
      return changeShip(board, unit, (ship) => ({ ...ship, hp }));
    }
    case "upgraded": {
      const piece = pieceOf(what.value.upgrade);
      return piece === null ? board : changeShip(board, what.value.unit, (ship) => fit(ship, piece, rules));
    }
    case "blocked":
      return clearRoute(board, what.value.unit);
    case "withdrew":
      return leaveContests(board, what.value.unit);
    case "eliminated":
      return withPlayer(board, what.value.player, (player) => ({ ...player, alive: false }));
    case "sightChanged":
      return look(board, what.value);
    case "contestOpened": {
      const contenders = what.value.contenders.filter((id) => board.ships.has(id));
      return withContest(board, { tile: readTile(chart, what.value.hex), since: board.turn, rounds: 1, contenders });
    }
    case "contestSighted": {
      // A contest fights one round in the turn that opens it and one in tick 0 of each turn after (R9).
      const { since, contenders } = what.value;
      const rounds = Math.max(1, board.turn - since + ((event.tick ?? 0) > 0 ? 1 : 0));
      return withContest(board, { tile: readTile(chart, what.value.hex), since, rounds, contenders });
    }
    case "contestClosed": {
      const contests = new Map(board.contests);
      contests.delete(readTile(chart, what.value.hex));
      return { ...board, contests };
    }
    case "deployed": {
      const { unit, structure, owner } = what.value;
      const { hp } = rules.shipyard;
      const queue = knowsQueue(board, owner) ? [] : null;
      return withYard(lose(board, unit), {
        id: structure,
        owner,
        tile: readTile(chart, what.value.hex),
        hp,
        maxHp: hp,
        queue,
      });
    }
    case "queued": {
      const kind = what.value.class;
      const turnsLeft = classOf(rules, kind)?.buildTurns ?? 0;
      return withQueue(board, what.value.structure, (queue) => [...queue, { kind, turnsLeft }]);
    }
    case "cancelled": {
      // The event does not tell which of several alike: the last.
      const { structure, class: kind } = what.value;
      return withQueue(board, structure, (queue) => {
        const index = queue.findLastIndex((job) => job.kind === kind);
        return queue.filter((_, place) => place !== index);
      });
    }
    case "spawnDelayed":
      return withQueue(board, what.value.structure, ([head, ...rest]) =>
        head === undefined ? [] : [{ ...head, turnsLeft: 0 }, ...rest],
      );
    case "structureSighted": {
      // Its hp is not told before the next view; until then it is taken to be whole.
      const { structure, owner } = what.value;
      const { hp } = rules.shipyard;
      const tile = readTile(chart, what.value.hex);
      const known = board.yards.get(structure);
      return withYard(board, known ?? { id: structure, owner: owner ?? null, tile, hp, maxHp: hp, queue: null });
    }
    case "bombarded": {
      const { structure, damage } = what.value;
      return changeYard(board, structure, (yard) => ({ ...yard, hp: Math.max(0, yard.hp - damage) }));
    }
    case "captured": {
      const { structure, by } = what.value;
      const hp = Math.max(1, Math.floor((rules.shipyard.hp * rules.shipyard.capturedHpPercent) / 100));
      return changeYard(board, structure, (yard) => ({
        ...yard,
        hp,
        owner: by,
        queue: knowsQueue(board, by) ? [] : null,
      }));
    }
    case "neutralised":
      return changeYard(board, what.value.structure, (yard) => ({
        ...yard,
        owner: null,
        queue: knowsQueue(board, null) ? [] : null,
      }));
    case "ended":
      return { ...board, result: resultOf(what.value) };
    // These change nothing that is on the board.
    case "skipped":
    case "waited":
    case "met":
    case "decided":
    case undefined:
      return board;
  }
}

/** The board when a turn is over: what happens in every turn leaves no event. The next view has the last word. */
export function endTurn(board: Board, events: readonly Event[], rules: Rules): Board {
  const turn = board.turn + 1;
  const delivered = new Set<number>();
  for (const { what } of events) {
    if (what.case === "spawned" && what.value.structure !== undefined) delivered.add(what.value.structure);
  }
  // The head of each queue advances once per turn (R11.2); of a queue that brought out a ship, it has (R11.4).
  const advance = (yard: Yard): Yard => {
    const [head, ...rest] = yard.queue ?? [];
    if (head === undefined || delivered.has(yard.id)) return yard;
    return { ...yard, queue: [{ ...head, turnsLeft: Math.max(0, head.turnsLeft - 1) }, ...rest] };
  };
  const works = rules.stages.includes("construction");
  return {
    ...board,
    turn,
    yards: works ? new Map([...board.yards].map(([id, yard]) => [id, advance(yard)])) : board.yards,
    contests: new Map(
      [...board.contests].map(([tile, contest]) => [tile, { ...contest, rounds: turn - contest.since }]),
    ),
  };
}

/** Fog hides queues from all but their owners (R14.1). */
function knowsQueue(board: Board, owner: number | null): boolean {
  return board.chart.visible === null || (owner !== null && owner === board.seat);
}

function moved(board: Board, id: number, tile: Tile): Board {
  return changeShip(board, id, (ship) => ({ ...ship, tile, route: ship.route[0] === tile ? ship.route.slice(1) : [] }));
}

function clearRoute(board: Board, id: number): Board {
  return changeShip(board, id, (ship) => ({ ...ship, route: [] }));
}

function fit(ship: Ship, piece: Piece, rules: Rules): Ship {
  const better = withFittings({ ...ship, [piece]: ship[piece] + 1 }, rules);
  return rules.pieces[piece].heals ? { ...better, hp: better.maxHp } : better;
}

/** A contest fights one round per turn, of however many exchanges. */
function countRound(board: Board, one: number, other: number): Board {
  const count = (contest: Contest): Contest =>
    contest.contenders.includes(one) && contest.contenders.includes(other)
      ? { ...contest, rounds: board.turn - contest.since + 1 }
      : contest;
  return { ...board, contests: new Map([...board.contests].map(([tile, contest]) => [tile, count(contest)])) };
}

/** Sight comes and goes; what others have on tiles that are no longer seen is gone with them. */
function look(board: Board, change: Event_SightChanged): Board {
  const terrain = board.chart.terrain.slice();
  const visible = board.chart.visible?.slice() ?? null;
  for (const sighting of change.gained) {
    const tile = readTile(board.chart, sighting.hex);
    terrain[tile] = sighting.terrain;
    if (visible !== null) visible[tile] = 1;
  }
  const lost = new Set(change.lost.map((hex) => readTile(board.chart, hex)));
  if (visible !== null) for (const tile of lost) visible[tile] = 0;
  let after: Board = { ...board, chart: { ...board.chart, terrain, visible } };
  for (const ship of board.ships.values()) {
    if (lost.has(ship.tile) && ship.owner !== board.seat) after = lose(after, ship.id);
  }
  const isOwn = (id: number): boolean => after.ships.get(id)?.owner === board.seat;
  return {
    ...after,
    yards: new Map(
      [...after.yards].filter(([, yard]) => !lost.has(yard.tile) || (yard.owner !== null && yard.owner === board.seat)),
    ),
    contests: new Map(
      [...after.contests].filter(([tile, contest]) => !lost.has(tile) || contest.contenders.some(isOwn)),
    ),
  };
}

// Small changes of boards, which are never changed in place.
import type { Board, Contest, Job, Player, Ship, Yard } from "./model";

/** A player is changed. */
export function withPlayer(board: Board, id: number, how: (player: Player) => Player): Board {
  return { ...board, players: board.players.map((player) => (player.id === id ? how(player) : player)) };
}

/** A ship comes, or takes the place of what was known of it. */
export function withShip(board: Board, ship: Ship): Board {
  return { ...board, ships: new Map(board.ships).set(ship.id, ship) };
}

/** A ship is changed, if it is known. */
export function changeShip(board: Board, id: number, how: (ship: Ship) => Ship): Board {
  const ship = board.ships.get(id);
  return ship === undefined ? board : withShip(board, how(ship));
}

/** A ship is gone, and with it its part in contests. */
export function lose(board: Board, id: number): Board {
  if (!board.ships.has(id)) return board;
  const ships = new Map(board.ships);
  ships.delete(id);
  return { ...leaveContests(board, id), ships };
}

/** A shipyard comes, or takes the place of what was known of it. */
export function withYard(board: Board, yard: Yard): Board {
  return { ...board, yards: new Map(board.yards).set(yard.id, yard) };
}

/** A shipyard is changed, if it is known. */
export function changeYard(board: Board, id: number, how: (yard: Yard) => Yard): Board {
  const yard = board.yards.get(id);
  return yard === undefined ? board : withYard(board, how(yard));
}

/** A queue is changed, if it is known. */
export function withQueue(board: Board, id: number, how: (queue: readonly Job[]) => readonly Job[]): Board {
  return changeYard(board, id, (yard) => (yard.queue === null ? yard : { ...yard, queue: how(yard.queue) }));
}

/** A contest comes, unless it is known. */
export function withContest(board: Board, contest: Contest): Board {
  if (board.contests.has(contest.tile)) return board;
  return { ...board, contests: new Map(board.contests).set(contest.tile, contest) };
}

/** A ship leaves its contests. */
export function leaveContests(board: Board, ship: number): Board {
  const leave = (contest: Contest): Contest =>
    contest.contenders.includes(ship)
      ? { ...contest, contenders: contest.contenders.filter((id) => id !== ship) }
      : contest;
  return { ...board, contests: new Map([...board.contests].map(([tile, contest]) => [tile, leave(contest)])) };
}

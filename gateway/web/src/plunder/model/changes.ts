// Small changes of boards, which are never changed in place.
import type { Board, Contest, Job, Player, Ship, Yard } from "./model";

/** The board with a changed player. */
export function withPlayer(board: Board, id: number, how: (player: Player) => Player): Board {
  return { ...board, players: board.players.map((player) => (player.id === id ? how(player) : player)) };
}

/** The board with a ship that is new, or that replaces what was known of it. */
export function withShip(board: Board, ship: Ship): Board {
  return { ...board, ships: new Map(board.ships).set(ship.id, ship) };
}

/** The board with a changed ship; the same board if the ship is not known. */
export function changeShip(board: Board, id: number, how: (ship: Ship) => Ship): Board {
  const ship = board.ships.get(id);
  return ship === undefined ? board : withShip(board, how(ship));
}

/** The board without a ship, which leaves its contests, too. */
export function lose(board: Board, id: number): Board {
  if (!board.ships.has(id)) return board;
  const ships = new Map(board.ships);
  ships.delete(id);
  return { ...leaveContests(board, id), ships };
}

/** The board with a shipyard that is new, or that replaces what was known of it. */
export function withYard(board: Board, yard: Yard): Board {
  return { ...board, yards: new Map(board.yards).set(yard.id, yard) };
}

/** The board with a changed shipyard; the same board if the shipyard is not known. */
export function changeYard(board: Board, id: number, how: (yard: Yard) => Yard): Board {
  const yard = board.yards.get(id);
  return yard === undefined ? board : withYard(board, how(yard));
}

/** The board with a changed queue of a shipyard; the same board if the queue is not known. */
export function withQueue(board: Board, id: number, how: (queue: readonly Job[]) => readonly Job[]): Board {
  return changeYard(board, id, (yard) => (yard.queue === null ? yard : { ...yard, queue: how(yard.queue) }));
}

/** The board with a contest, unless it has one on that tile already. */
export function withContest(board: Board, contest: Contest): Board {
  if (board.contests.has(contest.tile)) return board;
  return { ...board, contests: new Map(board.contests).set(contest.tile, contest) };
}

/** The board after a ship has left its contests. */
export function leaveContests(board: Board, ship: number): Board {
  const leave = (contest: Contest): Contest =>
    contest.contenders.includes(ship)
      ? { ...contest, contenders: contest.contenders.filter((id) => id !== ship) }
      : contest;
  return { ...board, contests: new Map([...board.contests].map(([tile, contest]) => [tile, leave(contest)])) };
}

// Who is out, and whether the match is over (R12).
import { living, shipsOf, structuresOf } from "./state";
import type { PlayerState, StateResult } from "./state";
import type { Turn } from "./turn";

/** Eliminates players and finds the result. */
export function reckoning(turn: Turn): void {
  const { state } = turn;
  const eliminated: number[] = [];
  for (const player of living(state)) {
    const conceded = turn.concedes(player.id);
    if (!conceded && !hasNothing(turn, player)) continue;
    eliminated.push(player.id);
    eliminate(turn, player, conceded);
  }
  state.result = resultOf(turn, eliminated);
  if (state.result !== null) turn.tell({ type: "ended", result: state.result });
}

function hasNothing({ state, rules }: Turn, player: PlayerState): boolean {
  if (shipsOf(state, player.id).length > 0) return false;
  return !(rules.structuresSave && structuresOf(state, player.id).length > 0);
}

function eliminate(turn: Turn, player: PlayerState, conceded: boolean): void {
  for (const unit of shipsOf(turn.state, player.id)) {
    turn.tell({ type: "removed", unit: unit.id });
    turn.remove(unit.id);
  }
  for (const structure of structuresOf(turn.state, player.id)) {
    structure.owner = null;
    structure.queue = [];
    turn.tell({ type: "neutralised", structure: structure.id });
  }
  player.alive = false;
  turn.tell({ type: "eliminated", player: player.id, conceded });
}

function resultOf({ state, rules }: Turn, eliminated: readonly number[]): StateResult | null {
  const left = living(state);
  const [first, second] = left;
  if (first === undefined) return { draw: eliminated };
  if (second === undefined) return { winner: first.id };
  if (rules.turnLimit === 0 || state.turn < rules.turnLimit) return null;
  const ships = (player: PlayerState) => shipsOf(state, player.id).length;
  const byStanding = (a: PlayerState, b: PlayerState) => ships(b) - ships(a) || b.gold - a.gold;
  const best = left.toSorted(byStanding)[0] ?? first;
  const level = left.filter((player) => byStanding(player, best) === 0).map((player) => player.id);
  return level.length === 1 ? { winner: best.id } : { draw: level };
}

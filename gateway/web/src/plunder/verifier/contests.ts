// Contested tiles in tick 0 (R9).
import { enemies, fightRound, pair } from "./combat";
import { contestsInOrder } from "./encode";
import type { ContestState, Unit } from "./state";
import type { Turn } from "./turn";

const TICK = 0;

/** Contenders withdraw or press, and then each contest is settled. */
export function contests(turn: Turn): void {
  const { state, grid } = turn;
  for (const contest of contestsInOrder(state, grid)) {
    for (const id of contest.contenders) {
      if (turn.unitOrder(turn.unit(id))?.deed?.kind === "move") {
        turn.tell({ type: "withdrew", tick: TICK, unit: id, from: grid.hex(contest.at) });
        contest.contenders = contest.contenders.filter((other) => other !== id);
      } else {
        turn.halted.add(id);
      }
    }
  }
  for (const contest of contestsInOrder(state, grid)) settle(turn, contest);
}

function settle(turn: Turn, contest: ContestState): void {
  if (owners(turn, contest) > 1) {
    clash(turn, TICK, contest);
    contest.rounds += 1;
  }
  const left = owners(turn, contest);
  const limit = turn.rules.contestLimit;
  if (left === 1) {
    for (const unit of contenders(turn, contest)) {
      unit.at = contest.at;
      unit.route = [];
      turn.tell({ type: "moved", tick: TICK, unit: unit.id, to: turn.grid.hex(contest.at) });
    }
    close(turn, contest, "claimed");
  } else if (left === 0) {
    close(turn, contest, "emptied");
  } else if (limit > 0 && contest.rounds >= limit) {
    close(turn, contest, "expired");
  }
}

/** One round between every enemy pair of contenders, with the coin saying who attacks (R9.3). */
export function clash(turn: Turn, tick: number, contest: ContestState): void {
  const pairs = enemies(contenders(turn, contest)).map(([a, b]) => pair(a.id, b.id));
  fightRound(turn, tick, pairs);
}

function contenders(turn: Turn, contest: ContestState): Unit[] {
  return contest.contenders.map((id) => turn.unit(id));
}

function owners(turn: Turn, contest: ContestState): number {
  return new Set(contenders(turn, contest).map((unit) => unit.owner)).size;
}

function close(turn: Turn, contest: ContestState, reason: "claimed" | "emptied" | "expired"): void {
  turn.state.contests.delete(contest.at);
  const [q, r] = turn.grid.hex(contest.at);
  turn.tell({ type: "contest_closed", q, r, reason });
}

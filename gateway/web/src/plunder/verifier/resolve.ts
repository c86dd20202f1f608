// One turn: the list of stages, and what stands before it (R5.6).
import { broadsides } from "./combat";
import { contests } from "./contests";
import { nextDigest } from "./digest";
import type { Event } from "./events";
import type { Grid } from "./hexes";
import type { LegalSheet } from "./legality";
import { movement } from "./movement";
import { reckoning } from "./reckoning";
import type { PinnedRules } from "./rules";
import type { Stage } from "./rulesfile";
import { bombardment, construction, income, work } from "./shipyards";
import type { State } from "./state";
import { Turn } from "./turn";
import type { Ask } from "./turn";

const STAGES: Readonly<Record<Stage, (turn: Turn) => void>> = {
  income,
  shipyard_work: work,
  contests,
  movement,
  broadsides,
  bombardment,
  construction,
  reckoning,
};

/** Where a match stands before a turn. */
export interface Position {
  readonly rules: PinnedRules;
  readonly grid: Grid;
  /** The seed of all dice (R13.4). */
  readonly seed: Uint8Array;
  readonly state: State;
  /** The digest of that state (R13.3). */
  readonly digest: Uint8Array;
}

/** What came of a turn. */
export interface Outcome {
  readonly state: State;
  readonly digest: Uint8Array;
  readonly events: readonly Event[];
  readonly exchanges: number;
}

/** Plays a turn with the orders that stand, by player. The position that is given stays as it is. */
export function resolve(position: Position, sheets: ReadonlyMap<number, LegalSheet>, ask: Ask): Outcome {
  const { rules, grid, seed, state: before } = position;
  if (before.result !== null) throw new Error("nothing is resolved after the end (R12.2)");
  const turn = new Turn(rules, grid, before, seed, sheets, ask);
  giveOrders(turn);
  for (const stage of rules.stages) STAGES[stage](turn);
  const { state, events, exchanges } = turn;
  state.turn += 1;
  return { state, digest: nextDigest(position.digest, grid, state), events, exchanges };
}

/** Engagements and routes change before the first stage (R5.3, R5.6). */
function giveOrders(turn: Turn): void {
  for (const unit of turn.state.units.values()) {
    const order = turn.unitOrder(unit);
    if (order === undefined) continue;
    if (order.engagement !== null) unit.engagement = order.engagement;
    if (order.deed === null) continue;
    unit.route = order.deed.kind === "move" ? order.deed.path.map((hex) => turn.grid.tile(hex)) : [];
  }
}

// Where a match stands, in words.
import type { PlunderState } from "../session/messages";

/** What the viewer can do now. */
export type Standing = "waiting" | "planning" | "locked" | "resolving" | "asked" | "watching" | "out" | "over";

/** Whether the viewer plays and is still in the match. */
function alive(state: PlunderState): boolean {
  const { seat, board } = state;
  return board === null || board.players.some((player) => player.id === seat && player.alive);
}

export function standingOf(state: PlunderState): Standing {
  if (state.ended !== null || state.phase === "over") return "over";
  if (state.seat === null) return "watching";
  if (state.prompt !== null) return "asked";
  if (!alive(state)) return "out";
  if (state.phase === "open" || state.board === null) return "waiting";
  if (state.phase === "resolving") return "resolving";
  return state.locked ? "locked" : "planning";
}

/** How many players the match still waits for; null where that is not told. */
function missing(state: PlunderState): number | null {
  if (state.locks === null || state.board === null) return null;
  const living = state.board.players.filter((player) => player.alive).length;
  return Math.max(0, living - state.locks.count);
}

/** One short sentence for the top of the screen. */
export function phaseWords(state: PlunderState): string {
  switch (standingOf(state)) {
    case "waiting":
      return "Waiting for the first turn";
    case "planning":
      return state.locking ? "Locking in" : "Plan your orders";
    case "locked": {
      const others = missing(state);
      if (others === null) return "Locked in — waiting for the others";
      if (others === 0) return "Locked in — the turn is resolving";
      return others === 1 ? "Locked in — waiting for 1 other" : `Locked in — waiting for ${others} others`;
    }
    case "resolving":
      return "The turn is resolving";
    case "asked":
      return "Your ships have met others — decide";
    case "watching":
      return "Watching";
    case "out":
      return "You are out — watching the others";
    case "over":
      return "The match is over";
  }
}

/** How much time is left, such as 0:07 or 12:30. */
export function timeWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

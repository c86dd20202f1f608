// A moment of a match that was played, and its address: #/replay/ID?view=all|SEAT&turn=N&step=K.

/** Whose eyes it is seen with, and when. */
export interface Moment {
  /** The seat that looks; null sees everything. */
  readonly seat: number | null;
  /** The turn that is shown, from 1. */
  readonly turn: number;
  /** How many of its frames are over: 0 is how it was planned. */
  readonly step: number;
}

const start: Moment = { seat: null, turn: 1, step: 0 };

/** A whole number that was written in an address; null for anything else. */
function whole(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Reads what an address says after its "?". What it does not say, or says badly, is the beginning with nothing hidden. */
export function readMoment(query: string): Moment {
  const words = new URLSearchParams(query);
  return {
    seat: whole(words.get("view")),
    turn: Math.max(1, whole(words.get("turn")) ?? start.turn),
    step: whole(words.get("step")) ?? start.step,
  };
}

/** The fragment of a moment's address. */
export function momentAddress(matchId: string, { seat, turn, step }: Moment): string {
  return `#/replay/${matchId}?view=${seat ?? "all"}&turn=${turn}&step=${step}`;
}

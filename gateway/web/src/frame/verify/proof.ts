// What a proof of a replay consists of. Plain data: it crosses from the worker to the page as it is.

/** Something that the replay says, beside what was computed again from what it rests on. Hashes are in hex. */
export interface Finding {
  /** Null where nothing was compared, because a fault was found before. */
  readonly ok: boolean | null;
  readonly told: string;
  /** What was computed; empty where it was not computed. */
  readonly computed: string;
}

/** Many alike that were compared, one after the other. */
export interface Tally {
  /** False from the first one on that was wrong. */
  readonly ok: boolean;
  /** How many were compared and found right. */
  readonly checked: number;
  /** How many there are in the replay. */
  readonly of: number;
}

/** A turn that was played again. */
export interface TurnFinding {
  readonly turn: number;
  /** The digest that the replay tells, in hex. */
  readonly digest: string;
  /** The one that was computed; null where the turn was not played to its end. */
  readonly recomputed: string | null;
  /** Null where the turn was not looked at, because a fault was found before. */
  readonly ok: boolean | null;
  /** How many pairs fought in the turn. */
  readonly exchanges: number;
}

/** The first thing in a replay that is not so. */
export interface ReplayFault {
  /** Null where it is in no turn. */
  readonly turn: number | null;
  /** Null where it is in no tick. */
  readonly tick: number | null;
  /** What it is about, such as `unit 5`, `seat 2, receipt` or `the header`. */
  readonly entity: string;
  readonly field: string;
  /** What it has to be, where that can be said. */
  readonly expected: string | null;
  /** What the replay has instead, where that can be said. */
  readonly found: string | null;
  /** The whole fault in one sentence. */
  readonly sentence: string;
}

/** How the match ended, as its last state says. */
export type Ending =
  | { readonly kind: "winner"; readonly seat: number }
  | { readonly kind: "draw"; readonly seats: readonly number[] }
  | { readonly kind: "stopped"; readonly reason: string };

/** What rests on the server's word, because nobody else can know it. */
export interface Believed {
  /** Answers to questions, given or by default; nobody signs for them. */
  readonly answers: number;
  /** Sheets that a deadline took, with what was staged or with nothing. */
  readonly deadlineSheets: number;
  /** Sheets of house bots, which get no receipts. */
  readonly houseSheets: number;
  /** Players who gave up by a call of their own. */
  readonly concessions: number;
  /** Players who added bytes of their own to the seed. */
  readonly added: number;
  /** The key of the receipts, where none was given to compare it with. */
  readonly key: boolean;
}

/** Everything that was found out about a replay. It is proven exactly if there is no fault. */
export interface Proof {
  readonly match: string;
  readonly name: string;
  readonly proven: boolean;
  readonly fault: ReplayFault | null;
  /** The hash of the rules (R13.3). */
  readonly rulesHash: Finding;
  /** The state that the match began with is sound and fair (R11.1). */
  readonly opening: boolean | null;
  /** The first digest (R13.3). */
  readonly genesis: Finding;
  /** BLAKE3 of the secret is what was published before the match (R13.4). */
  readonly commitment: Finding;
  /** The secret that was revealed, in hex. */
  readonly secret: string;
  /** The seed of all dice, in hex, from the secret and what players added (R13.4); null where it was not computed. */
  readonly seed: string | null;
  readonly turns: readonly TurnFinding[];
  /** Turns whose digest was computed again and is the same. */
  readonly digests: Tally;
  /** The signatures of receipts that were checked. */
  readonly signatures: Tally;
  /** Each receipt names the one of the same seat before. */
  readonly chains: Tally;
  /** Sheets are the ones that their receipts promise. */
  readonly sheets: Tally;
  /** Answers to what was asked, each question once (R7.2). */
  readonly answers: Tally;
  /** How it ended (R12.2), and whether the last state says so too. */
  readonly result: { readonly ok: boolean | null; readonly told: Ending | null };
  /** The digest after the last turn, in hex. */
  readonly finalDigest: Finding;
  /** Pairs that fought, and the dice that were rolled again for them. */
  readonly exchanges: number;
  readonly dice: number;
  readonly believed: Believed;
}

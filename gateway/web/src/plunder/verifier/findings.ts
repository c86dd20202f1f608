// What is found out while a replay is proven, step by step.
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Believed, Ending, ReplayFault, Finding, Proof, Tally, TurnFinding } from "../../frame/verify/proof";
import type { Replay } from "../../frame/verify/replayfile";

const DICE_PER_EXCHANGE = 5;

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** The first thing that is not so. */
export class Unproven extends Error {
  constructor(readonly fault: ReplayFault) {
    super(fault.sentence);
  }
}

/** What a fault says beside where it is. */
export interface Wrong {
  readonly entity: string;
  readonly field: string;
  /** The end of the sentence that begins with the field. */
  readonly why: string;
  readonly turn?: number;
  readonly tick?: number | null;
  readonly expected?: string | null;
  readonly found?: string | null;
}

/** A fault with its sentence. */
export function unproven({ entity, field, why, turn, tick, expected, found }: Wrong): Unproven {
  const moment = turn === undefined ? "" : `turn ${turn}${tick == null ? "" : `, tick ${tick}`}: `;
  return new Unproven({
    turn: turn ?? null,
    tick: tick ?? null,
    entity,
    field,
    expected: expected ?? null,
    found: found ?? null,
    sentence: `${moment}${entity}: ${field} ${why}`,
  });
}

/** The findings of a replay, which begin with nothing compared. */
export class Account {
  readonly rulesHash: Open<Finding>;
  readonly genesis: Open<Finding>;
  readonly commitment: Open<Finding>;
  readonly finalDigest: Open<Finding>;
  readonly turns: Open<TurnFinding>[];
  readonly digests: Open<Tally>;
  readonly signatures: Open<Tally>;
  readonly chains: Open<Tally>;
  readonly sheets: Open<Tally>;
  readonly answers: Open<Tally>;
  readonly result: { ok: boolean | null; told: Ending | null };
  readonly believed: Open<Believed>;
  opening: boolean | null = null;
  seed: string | null = null;

  constructor(private readonly replay: Replay) {
    const { header, turns, end } = replay;
    const receipts = sum(turns, (turn) => sum(turn.sheets, (sheet) => (sheet.receipt === undefined ? 0 : 1)));
    const answers = sum(turns, (turn) => sum(turn.windows, (window) => window.answers.length));
    this.rulesHash = finding(header.rulesHash);
    this.genesis = finding(header.genesisDigest);
    this.commitment = finding(header.seedCommitment);
    this.finalDigest = finding(end.finalDigest);
    this.turns = turns.map(({ turn, digest }) => {
      return { turn, digest: bytesToHex(digest), recomputed: null, ok: null, exchanges: 0 };
    });
    this.digests = tally(turns.length);
    this.signatures = tally(receipts);
    this.chains = tally(receipts);
    this.sheets = tally(receipts);
    this.answers = tally(answers);
    this.result = { ok: null, told: ending(replay) };
    this.believed = { answers: 0, deadlineSheets: 0, houseSheets: 0, concessions: 0, added: 0, key: true };
  }

  /** All of it, with the fault that ended the work, if there was one. */
  closed(fault: ReplayFault | null): Proof {
    const { header, end } = this.replay;
    const exchanges = sum(this.turns, (turn) => turn.exchanges);
    return {
      match: header.matchId,
      name: header.name,
      proven: fault === null,
      fault,
      rulesHash: this.rulesHash,
      opening: this.opening,
      genesis: this.genesis,
      commitment: this.commitment,
      secret: bytesToHex(end.secret),
      seed: this.seed,
      turns: this.turns,
      digests: this.digests,
      signatures: this.signatures,
      chains: this.chains,
      sheets: this.sheets,
      answers: this.answers,
      result: this.result,
      finalDigest: this.finalDigest,
      exchanges,
      dice: exchanges * DICE_PER_EXCHANGE,
      believed: this.believed,
    };
  }
}

/** Notes what was computed beside what is told, and whether it is the same. */
export function compared(finding: Open<Finding>, computed: Uint8Array): boolean {
  finding.computed = bytesToHex(computed);
  finding.ok = finding.computed === finding.told;
  return finding.ok;
}

function finding(told: Uint8Array): Open<Finding> {
  return { ok: null, told: bytesToHex(told), computed: "" };
}

function tally(of: number): Open<Tally> {
  return { ok: true, checked: 0, of };
}

function ending({ end: { end } }: Replay): Ending | null {
  switch (end.case) {
    case "winner":
      return { kind: "winner", seat: end.value };
    case "draw":
      return { kind: "draw", seats: end.value.seats };
    case "stopped":
      return { kind: "stopped", reason: end.value.reason };
    default:
      return null;
  }
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((all, item) => all + count(item), 0);
}

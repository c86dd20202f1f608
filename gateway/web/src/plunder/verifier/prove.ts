// A replay, proven: everything that it says is computed again from what was promised and said.
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Proof } from "../../frame/verify/proof";
import type { Replay } from "../../frame/verify/replayfile";
import { shownResult } from "./differences";
import { SIZE, digest, firstDigest, matchSeed, rulesHash, same } from "./digest";
import { EncodingFault, decode } from "./encode";
import { Account, Unproven, compared, unproven } from "./findings";
import { Grid, MAX_TILES } from "./hexes";
import type { OrderRefusal } from "./legality";
import { proveTurn } from "./proveturn";
import type { ProofRun } from "./proveturn";
import { Signatures } from "./receipt";
import { parseRules } from "./rules";
import type { PinnedRules } from "./rules";
import { RulesFault } from "./rulesfile";
import { faults, openingFaults } from "./soundness";
import type { State } from "./state";

/** The name of the game whose rules are played here. */
const RULESET = "plunder";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Proves a replay. The key of the receipts may be known from elsewhere. Progress is told after every turn. */
export function prove(replay: Replay, key?: Uint8Array, onTurn?: (done: number, of: number) => void): Proof {
  const account = new Account(replay);
  try {
    const prover = new Prover(replay, account);
    prover.checkKey(key);
    const course = prover.begin();
    replay.turns.forEach((turn, place) => {
      proveTurn(course, turn, place);
      onTurn?.(place + 1, replay.turns.length);
    });
    prover.checkEnd(course);
    return account.closed(null);
  } catch (fault) {
    if (!(fault instanceof Unproven)) throw fault;
    return account.closed(fault.fault);
  }
}

/** What stands around the turns: the header and the end. */
class Prover {
  constructor(
    private readonly replay: Replay,
    private readonly account: Account,
  ) {}

  checkKey(known?: Uint8Array): void {
    this.account.believed.key = known === undefined;
    const { receiptKey: key } = this.replay.header;
    if (known === undefined || same(key, known)) return;
    const why = `is ${bytesToHex(key)} and not the key that was given`;
    throw this.wrong("receipt_key", why, bytesToHex(known), bytesToHex(key));
  }

  /** Everything that was fixed before the first turn. */
  begin(): ProofRun {
    const { header } = this.replay;
    if (!UUID.test(header.matchId)) throw this.wrong("match_id", "is no UUID in its usual form");
    if (header.ruleset !== RULESET) {
      const why = `is ${header.ruleset || "empty"} and has to be ${RULESET}`;
      throw this.wrong("ruleset", why, RULESET, header.ruleset);
    }
    const rules = this.readRules();
    const grid = this.readMap(rules);
    const state = this.opening(rules, grid);
    const genesis = firstDigest(rules.text, grid, state);
    if (!compared(this.account.genesis, genesis)) {
      const { told, computed } = this.account.genesis;
      throw this.wrong("genesis_digest", `is not ${computed} (R13.3)`, computed, told);
    }
    const seed = this.readSeed();
    return {
      match: header.matchId,
      position: { rules, grid, seed, state, digest: genesis },
      houses: new Set(header.seats.filter((seat) => seat.policy !== "").map((seat) => seat.seat)),
      lastPromises: new Map(header.seats.map((seat) => [seat.seat, header.seedCommitment])),
      signatures: new Signatures(header.receiptKey),
      account: this.account,
    };
  }

  private readRules(): PinnedRules {
    const { rules: text } = this.replay.header;
    if (!compared(this.account.rulesHash, rulesHash(text))) {
      const { told, computed } = this.account.rulesHash;
      throw this.wrong("rules_hash", "is not the hash of the rules (R13.3)", computed, told);
    }
    try {
      const rules = parseRules(text);
      if (rules.text === text) return rules;
    } catch (fault) {
      if (!(fault instanceof RulesFault)) throw fault;
      throw this.wrong("rules", `cannot be played by: ${fault.message}`);
    }
    throw this.wrong("rules", "are not the text that a hash is made of (R13.3)");
  }

  private readMap(rules: PinnedRules): Grid {
    const { map } = this.replay.header;
    const tiles = (map?.width ?? 0) * (map?.height ?? 0);
    const isRectangle = tiles >= 1 && tiles <= MAX_TILES && map?.terrain.length === tiles;
    if (map === undefined || !isRectangle || (map.wrap && map.width < 2)) {
      throw this.wrong("map", "is no rectangle of tiles (R3.1, R3.2)");
    }
    if (map.terrain.some((row) => row >= rules.terrains.length)) {
      throw this.wrong("map", "has a terrain that the rules do not know (R3.2)");
    }
    return new Grid(map.width, map.height, map.wrap, map.terrain);
  }

  /** The state that the match began with, which has to be sound and a fair start (R11.1). */
  private opening(rules: PinnedRules, grid: Grid): State {
    const { account } = this;
    account.opening = false;
    const state = this.readOpening(grid);
    const first = (found: Iterable<OrderRefusal>, what: string) => {
      for (const { about, reason, rule } of found) {
        throw unproven({ entity: `the initial state, ${about}`, field: "it", why: `${what}: ${reason} (${rule})` });
      }
    };
    first(faults(rules, grid, state), "cannot be");
    const seats = this.replay.header.seats.map((seat) => seat.seat);
    if (seats.join() !== [...state.players.keys()].join()) {
      throw this.wrong("seats", "are not the players of the initial state");
    }
    first(openingFaults(rules, state), "is unfair");
    account.opening = true;
    return state;
  }

  private readOpening(grid: Grid): State {
    try {
      return decode(this.replay.header.initialState, grid);
    } catch (fault) {
      if (!(fault instanceof EncodingFault)) throw fault;
      throw this.wrong("initial_state", `is no encoded state: ${fault.message} (R13.3)`);
    }
  }

  /** The seed, from the secret that was promised and what players added to it (R13.4). */
  private readSeed(): Uint8Array {
    const { account } = this;
    const { secret } = this.replay.end;
    const { seats } = this.replay.header;
    const kept = compared(account.commitment, digest(secret));
    if (!kept || secret.length !== SIZE) {
      account.commitment.ok = false;
      const { told, computed } = account.commitment;
      const why = "is not the one that seed_commitment promised (R13.4)";
      throw unproven({ entity: "the end", field: "secret", why, expected: told, found: computed });
    }
    for (const { seat, added } of seats) {
      if (added.length !== 0 && added.length !== SIZE) {
        const why = `has ${added.length} bytes (R13.4)`;
        throw unproven({ entity: `the header, seat ${seat}`, field: "added", why });
      }
      if (added.length > 0) account.believed.added += 1;
    }
    const seed = matchSeed(
      secret,
      seats.map((seat) => seat.added),
    );
    account.seed = bytesToHex(seed);
    return seed;
  }

  checkEnd(course: ProofRun): void {
    const { account } = this;
    const { state, digest: last } = course.position;
    const entity = "the end";
    if (!compared(account.finalDigest, last)) {
      const { told, computed } = account.finalDigest;
      const why = `is not ${computed} (R13.3)`;
      throw unproven({ entity, field: "final_digest", why, expected: computed, found: told });
    }
    account.result.ok = this.endsLike(state);
    if (!account.result.ok) {
      const why = "is not what the last state says (R12.2)";
      throw unproven({ entity, field: "end", why, expected: shownResult(state.result) });
    }
  }

  private endsLike({ result }: State): boolean {
    const told = this.account.result.told;
    switch (told?.kind) {
      case "winner":
        return result !== null && "winner" in result && result.winner === told.seat;
      case "draw":
        return result !== null && "draw" in result && result.draw.join() === told.seats.join();
      case "stopped":
        return result === null;
      default:
        return false;
    }
  }

  private wrong(field: string, why: string, expected?: string, found?: string): Unproven {
    return unproven({ entity: "the header", field, why, expected: expected ?? null, found: found ?? null });
  }
}

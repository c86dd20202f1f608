// One turn of a replay, proven: what was said, what was asked, and what came of it.
import { create, fromBinary } from "@bufbuild/protobuf";
import { bytesToHex } from "@noble/hashes/utils.js";
import { SheetSchema as PlunderSheetSchema } from "../../gen/parley/plunder/v1/orders_pb";
import { SheetSchema } from "../../gen/parley/v1/game_pb";
import { SheetOrigin } from "../../gen/parley/v1/replay_pb";
import type { Receipt, ReplayAnswer, ReplaySheet, ReplayTurn, ReplayWindow } from "../../gen/parley/v1/replay_pb";
import { TooManyExchanges } from "./combat";
import { firstDifference } from "./differences";
import { digest, same } from "./digest";
import { EncodingFault, decode, encode } from "./encode";
import { Unproven, unproven } from "./findings";
import type { Account, Wrong } from "./findings";
import { judge } from "./legality";
import type { LegalSheet } from "./legality";
import { SheetFault, readSheet } from "./orders";
import type { EncounterChoice, Sheet } from "./orders";
import { ReceiptFault, checkChain, checkSubject, promisedBytes } from "./receipt";
import type { ReceiptField, Signatures } from "./receipt";
import { resolve } from "./resolve";
import type { Outcome, Position } from "./resolve";
import { living } from "./state";
import type { State } from "./state";
import type { ShipAsked } from "./turn";

/** A match while its turns are proven one after the other. */
export interface ProofRun {
  readonly match: string;
  position: Position;
  /** Seats of house bots. */
  readonly houses: ReadonlySet<number>;
  /** By seat, what its next receipt has to name as the one before. */
  readonly lastPromises: Map<number, Uint8Array>;
  readonly signatures: Signatures;
  readonly account: Account;
}

/** Proves the next turn, and moves the match on. */
export function proveTurn(course: ProofRun, told: ReplayTurn, place: number): void {
  const finding = course.account.turns[place];
  try {
    const outcome = new TurnProver(course, told).prove((played) => {
      if (finding === undefined) return;
      finding.recomputed = bytesToHex(played.digest);
      finding.exchanges = played.exchanges;
    });
    if (finding !== undefined) finding.ok = true;
    course.account.digests.checked += 1;
    course.position = { ...course.position, state: outcome.state, digest: outcome.digest };
  } catch (fault) {
    if (finding !== undefined) finding.ok = false;
    throw fault;
  }
}

class TurnProver {
  private windows = 0;
  /** By seat, how many questions the turn has put to it. */
  private readonly questions = new Map<number, number>();

  constructor(
    private readonly course: ProofRun,
    private readonly told: ReplayTurn,
  ) {}

  prove(onPlayed: (outcome: Outcome) => void): Outcome {
    const { told } = this;
    const { state } = this.course.position;
    const entity = "the turn";
    if (told.turn !== state.turn) {
      throw this.wrong({ entity, field: "turn", why: `is not the next one, ${state.turn}` });
    }
    if (state.result !== null) throw this.wrong({ entity, field: "it", why: "comes after the end (R12.2)" });
    const outcome = this.play(this.sheets());
    onPlayed(outcome);
    if (this.nextWindow() !== undefined) {
      const why = "is told, and nobody was asked (R7.2)";
      throw this.wrongAnswer({ entity: "the window", field: "it", why });
    }
    this.compare(outcome);
    return outcome;
  }

  private sheets(): Map<number, LegalSheet> {
    const { sheets } = this.told;
    const players = living(this.course.position.state).map((player) => player.id);
    if (sheets.map((sheet) => sheet.seat).join() !== players.join()) {
      const why = "are not one for every living player, by seat";
      throw this.wrong({ entity: "the turn", field: "sheets", why });
    }
    return new Map(sheets.map((sheet) => [sheet.seat, this.sheet(sheet)]));
  }

  /** A sheet as it stands; what was locked in stands as a whole. */
  private sheet(told: ReplaySheet): LegalSheet {
    const entity = `seat ${told.seat}`;
    const sheet = this.read(entity, told);
    this.origin(entity, told);
    const { rules, grid, state } = this.course.position;
    const { legal, refusals } = judge(rules, grid, state, told.seat, sheet);
    const [first] = refusals;
    if (first !== undefined && told.origin !== SheetOrigin.AT_DEADLINE) {
      const why = `is refused: ${first.reason} (${first.rule})`;
      throw this.wrong({ entity: `${entity}, ${first.about}`, field: "its order", why });
    }
    if (!told.conceded) return legal;
    this.course.account.believed.concessions += 1;
    return { ...legal, concede: true };
  }

  private read(entity: string, told: ReplaySheet): Sheet {
    const field = "sheet";
    try {
      // Where nothing was staged there are no bytes, and with them no game.
      if (told.sheet.length === 0) return readSheet(create(PlunderSheetSchema));
      const { game } = fromBinary(SheetSchema, told.sheet);
      if (game.case !== "plunder") throw new SheetFault("it is of another game");
      return readSheet(game.value);
    } catch (fault) {
      const why = fault instanceof SheetFault ? `cannot be obeyed: ${fault.message}` : "cannot be read";
      throw this.wrong({ entity, field, why });
    }
  }

  /** How a sheet came to be, and whether the server signed for it. */
  private origin(entity: string, { origin, receipt, seat, sheet }: ReplaySheet): void {
    const { account, houses } = this.course;
    const wrong = (field: string, why: string) => {
      account.sheets.ok = false;
      return this.wrong({ entity, field, why });
    };
    if (origin === SheetOrigin.LOCKED) {
      if (receipt !== undefined) this.receipt(entity, seat, sheet, receipt);
      else if (houses.has(seat)) account.believed.houseSheets += 1;
      else throw wrong("receipt", "is missing for a sheet that was locked in");
      return;
    }
    if (receipt !== undefined) throw wrong("receipt", "is given for a sheet that was not locked in");
    if (origin === SheetOrigin.ABSENT && sheet.length > 0) {
      throw wrong("sheet", "is not empty, and nothing was staged");
    }
    if (origin !== SheetOrigin.AT_DEADLINE && origin !== SheetOrigin.ABSENT) {
      throw wrong("origin", "is none that is known");
    }
    account.believed.deadlineSheets += 1;
  }

  private receipt(entity: string, seat: number, sheet: Uint8Array, receipt: Receipt): void {
    const { match, lastPromises, signatures, account } = this.course;
    const previous = lastPromises.get(seat) ?? new Uint8Array();
    const promised = { match, turn: this.told.turn, seat, sheet, previous };
    const said = promisedBytes(promised);
    try {
      checkSubject(receipt, promised);
      account.sheets.checked += 1;
      checkChain(receipt, promised);
      account.chains.checked += 1;
      signatures.check(receipt, said);
      account.signatures.checked += 1;
    } catch (fault) {
      if (!(fault instanceof ReceiptFault)) throw fault;
      const { field, message: why, expected, found } = fault;
      this.tallyOf(field).ok = false;
      throw this.wrong({ entity: `${entity}, receipt`, field, why, expected, found });
    }
    lastPromises.set(seat, digest(said));
  }

  private tallyOf(field: ReceiptField): { ok: boolean } {
    const { account } = this.course;
    if (field === "previous") return account.chains;
    const subject: readonly ReceiptField[] = ["match_id", "turn", "seat", "sheet_hash"];
    return subject.includes(field) ? account.sheets : account.signatures;
  }

  private play(sheets: ReadonlyMap<number, LegalSheet>): Outcome {
    try {
      return resolve(this.course.position, sheets, (tick, asked) => this.answers(tick, asked));
    } catch (fault) {
      if (fault instanceof TooManyExchanges) {
        throw this.wrong({ entity: "the turn", field: "it", why: `cannot be: ${fault.message}`, tick: fault.tick });
      }
      throw fault;
    }
  }

  private nextWindow(): ReplayWindow | undefined {
    const window = this.told.windows[this.windows];
    this.windows += 1;
    return window;
  }

  /** What the next window answers to the questions that are put now, which have to be all that it answers. */
  private answers(tick: number, asked: readonly ShipAsked[]): (EncounterChoice | null)[] {
    const window = this.nextWindow();
    if (window === undefined) {
      const why = "in which it is asked is missing (R7.2)";
      throw this.wrongAnswer({ entity: `unit ${asked[0]?.unit}`, field: "the window", why, tick });
    }
    const numbered = asked.map((each) => ({ ...each, question: this.nextQuestion(each.seat) }));
    const inOrder = numbered.toSorted((a, b) => a.seat - b.seat || a.question - b.question);
    const [expected, found] = [listed(inOrder), listed(window.answers)];
    if (expected !== found) {
      const why = `are not those to what is asked: ${expected} (R7.2)`;
      throw this.wrongAnswer({ entity: "the window", field: "answers", why, tick, expected, found });
    }
    const choices = new Map(inOrder.map((each, place) => [each.unit, this.choice(tick, each, window.answers[place])]));
    return asked.map(({ unit }) => choices.get(unit) ?? null);
  }

  /** The number of the next question to a seat, which counts through all windows of the turn. */
  private nextQuestion(seat: number): number {
    const number = (this.questions.get(seat) ?? 0) + 1;
    this.questions.set(seat, number);
    return number;
  }

  /** What was chosen for a ship; null where nobody answered in time. */
  private choice(tick: number, { unit, choices }: ShipAsked, told?: ReplayAnswer): EncounterChoice | null {
    const { account } = this.course;
    const { options = [], defaulted = false } = told ?? {};
    const [place = -1, ...more] = options;
    const choice = more.length > 0 ? undefined : choices[place];
    const wrong = (why: string, expected: string) => {
      const found = options.join(", ");
      return this.wrongAnswer({ entity: `unit ${unit}`, field: "options", why, tick, expected, found });
    };
    if (choice === undefined) {
      const why = `are ${options.join(" and ") || "none"}, and one of 0 for ${choices[0]} and 1 for ${choices[1]} counts (R7.2)`;
      throw wrong(why, "0 or 1");
    }
    if (defaulted && choice !== choices[0]) {
      throw wrong(`are ${place} for ${choice}, and nobody answered, so that 0 for ${choices[0]} counts (R7.2)`, "0");
    }
    account.answers.checked += 1;
    account.believed.answers += 1;
    return defaulted ? null : choice;
  }

  private compare(outcome: Outcome): void {
    const { rules, grid } = this.course.position;
    if (!same(this.told.state, encode(outcome.state, grid))) {
      this.course.account.digests.ok = false;
      const found = firstDifference(rules, grid, this.state(), outcome.state, outcome.events);
      if (found === null) throw this.wrong({ entity: "the turn", field: "state", why: "is not the one by the rules" });
      const { about: entity, field, told, computed, tick } = found;
      const why = `is ${told} in the file and ${computed} by the rules`;
      throw this.wrong({ entity, field, why, tick, expected: computed, found: told });
    }
    if (!same(this.told.digest, outcome.digest)) {
      this.course.account.digests.ok = false;
      const [expected, found] = [bytesToHex(outcome.digest), bytesToHex(this.told.digest)];
      throw this.wrong({ entity: "the turn", field: "digest", why: `is not ${expected} (R13.3)`, expected, found });
    }
  }

  /** The state that the replay tells. */
  private state(): State {
    try {
      return decode(this.told.state, this.course.position.grid);
    } catch (fault) {
      if (!(fault instanceof EncodingFault)) throw fault;
      const why = `is no encoded state: ${fault.message} (R13.3)`;
      throw this.wrong({ entity: "the turn", field: "state", why });
    }
  }

  private wrong(wrong: Wrong): Unproven {
    return unproven({ ...wrong, turn: this.told.turn });
  }

  private wrongAnswer(wrong: Wrong): Unproven {
    this.course.account.answers.ok = false;
    return this.wrong(wrong);
  }
}

/** Questions by their seats and numbers. */
function listed(all: readonly { readonly seat: number; readonly question: number }[]): string {
  return all.map(({ seat, question }) => `question ${question} of seat ${seat}`).join(", ");
}

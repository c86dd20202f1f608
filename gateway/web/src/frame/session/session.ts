// A match that is followed and played from this page.
import type { Client } from "@connectrpc/connect";
import type { Fault as WireFault } from "../../gen/parley/common/v1/fault_pb";
import type { Lobby } from "../../gen/parley/v1/lobby_pb";
import type { News, Play } from "../../gen/parley/v1/play_pb";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { requestId } from "../api/clients";
import { serverClock } from "../api/clock";
import { type RequestFault, type Refusal, ownRefusal } from "../api/refusal";
import { RetryingCaller } from "./caller";
import { faultsOfAnswers, faultsOfOrders } from "./faultplace";
import { faultyQuestion } from "./faultyquestion";
import { CALL_MS, Follower } from "./follower";
import type { GameMessages, GameTypes } from "./game";
import { type MessageReading, applyDescription, applyNews, initialState, applyView } from "./reducer";
import { Stager } from "./stager";
import type { CallResult, Session, SessionState, OpenPrompt, Picks, Staging } from "./state";
import { Store } from "./store";
import { onWake } from "./wake";

/** The services that a match needs. */
export interface MatchCalls {
  readonly lobby: Pick<Client<typeof Lobby>, "getMatch">;
  readonly play: Pick<
    Client<typeof Play>,
    "stageOrders" | "lockIn" | "answer" | "getView" | "watch" | "advise" | "concede"
  >;
}

/** Reasons that say that the match has gone on: the news of it are on their way, or were lost. */
const UNTIMELY = new Set([Reason.OTHER_TURN, Reason.OTHER_WINDOW, Reason.NOT_ASKED, Reason.MATCH_OVER, Reason.ELIMINATED]);

/** Follows a match from the moment in which it is made, until it is closed. */
export class MatchSession<G extends GameTypes> implements Session<G> {
  readonly #calls: MatchCalls;
  readonly #messages: GameMessages<G>;
  readonly #store: Store<SessionState<G>>;
  readonly #follower: Follower;
  readonly #stager: Stager<G["Plan"]>;
  readonly #caller: RetryingCaller;
  readonly #sleep: () => void;
  #options: { readonly turn: number; readonly answer: Promise<CallResult<G["Options"]>> } | null = null;
  #closed = false;

  /** `seat` is null for spectators; `calls` carry the token of whoever follows the match. */
  constructor(id: string, seat: number | null, calls: MatchCalls, messages: GameMessages<G>) {
    this.#calls = calls;
    this.#messages = messages;
    this.#store = new Store(initialState<G>(id, seat, messages.emptyPlan));
    this.#follower = new Follower(id, calls.play, {
      describe: (signal) => this.#describe(signal),
      viewed: (view) => this.#change((state) => this.#withReading(state, (reading) => applyView(state, view, reading))),
      heard: (news) => this.#heard(news),
      connected: (connection) => this.#change((state) => ({ ...state, connection })),
      isOver: () => this.snapshot().phase === "over",
    });
    this.#caller = new RetryingCaller(() => this.#follower.doubt());
    this.#stager = new Stager({
      send: (turn, plan) => this.#sendPlan(turn, plan),
      staging: (turn, staging, faults) => this.#staged(turn, staging, faults),
      refused: (refusal) => this.#untimely(refusal),
    });
    this.#sleep = onWake(() => this.retry());
    void this.#follower.run();
  }

  readonly subscribe = (changed: () => void): (() => void) => this.#store.subscribe(changed);

  readonly snapshot = (): SessionState<G> => this.#store.snapshot();

  stage(plan: G["Plan"], faults: readonly RequestFault[] = []): void {
    const { phase, locked, locking, seat, turn } = this.snapshot();
    if (this.#closed || phase !== "planning" || locked || locking || seat === null) return;
    this.#change((state) => ({ ...state, plan, faults }));
    this.#stager.want(turn, plan);
  }

  async lockIn(plan: G["Plan"]): Promise<CallResult> {
    const { id: matchId, turn, board } = this.snapshot();
    if (board === null) return { ok: false, refusal: ownRefusal("The match has not been started.") };
    this.#stager.forget();
    this.#change((state) => ({ ...state, plan, locking: true, faults: [] }));
    const request = { requestId: requestId(), matchId, turn, sheet: this.#messages.writeSheet(plan, board) };
    const answer = await this.#caller.untilAnswered(() => this.#calls.play.lockIn(request, { timeoutMs: CALL_MS }));
    this.#change((state) => {
      if (state.turn !== turn || state.phase === "over") return state;
      if (answer.ok) return { ...state, locking: false, locked: true, staging: "kept" };
      return { ...state, locking: false };
    });
    if (!answer.ok) {
      // What was to be locked is still what is to be kept.
      const refusal = { ...answer.refusal, faults: faultsOfOrders(answer.refusal.faults, request.sheet) };
      if (!this.#untimely(refusal) && this.snapshot().turn === turn) this.stage(plan, refusal.faults);
      return { ok: false, refusal };
    }
    return { ok: true, value: undefined };
  }

  async answer(picks: Picks): Promise<CallResult> {
    const { id: matchId, prompt } = this.snapshot();
    if (prompt === null) return { ok: false, refusal: ownRefusal("Nothing is asked of you now.") };
    const { turn, window } = prompt;
    const answers = Array.from(picks, ([question, options]) => ({ question, options: [...options] }));
    const request = { requestId: requestId(), matchId, turn, window, answers };
    this.#changePrompt(turn, window, (open) => ({ ...open, sending: true, refusal: null }));
    const result = await this.#caller.untilAnswered(() => this.#calls.play.answer(request, { timeoutMs: CALL_MS }));
    this.#changePrompt(turn, window, (open) => {
      if (result.ok) return { ...open, sending: false, answered: new Map([...open.answered, ...picks]) };
      const refusal = { ...result.refusal, faults: faultsOfAnswers(result.refusal.faults, answers, open.questions) };
      return { ...open, sending: false, refusal, answered: answeredElsewhere(open, refusal) };
    });
    if (result.ok) return { ok: true, value: undefined };
    this.#untimely(result.refusal);
    return result;
  }

  async concede(): Promise<CallResult<number>> {
    const request = { requestId: requestId(), matchId: this.snapshot().id };
    const answer = await this.#caller.untilAnswered(() => this.#calls.play.concede(request, { timeoutMs: CALL_MS }));
    if (!answer.ok) return answer;
    const { turn } = answer.value;
    this.#change((state) => (state.turn === turn ? { ...state, conceding: true, locked: true } : state));
    return { ok: true, value: turn };
  }

  options(): Promise<CallResult<G["Options"]>> {
    const { id: matchId, turn } = this.snapshot();
    if (this.#options?.turn !== turn) {
      const answer = this.#caller.once(() =>
        this.#messages.askOptions(async (query) => {
          const { advice } = await this.#calls.play.advise({ matchId, query }, { timeoutMs: CALL_MS });
          return advice;
        }),
      );
      const kept = { turn, answer };
      this.#options = kept;
      // What failed, or came for another turn, is asked for again.
      void answer.then((got) => {
        if (this.#options === kept && !(got.ok && got.value.turn === turn)) this.#options = null;
      });
    }
    return this.#options.answer;
  }

  shown(turn: number): void {
    this.#change((state) => {
      const outcomes = state.outcomes.filter((told) => told.turn > turn);
      return outcomes.length === state.outcomes.length ? state : { ...state, outcomes };
    });
  }

  retry(): void {
    this.#follower.retry();
    this.#stager.hurry();
    this.#caller.hurry();
  }

  close(): void {
    this.#closed = true;
    this.#sleep();
    this.#stager.forget();
    this.#stager.hurry();
    this.#follower.close();
    this.#caller.close();
  }

  #change(how: (state: SessionState<G>) => SessionState<G>): void {
    if (!this.#closed) this.#store.set(how(this.snapshot()));
  }

  #changePrompt(turn: number, window: number, how: (open: OpenPrompt<G>) => OpenPrompt<G>): void {
    this.#change((state) => {
      const open = state.prompt;
      return open?.turn === turn && open.window === window ? { ...state, prompt: how(open) } : state;
    });
  }

  /** Changes a state with what its messages are read with; before the rules are known, nothing can be read. */
  #withReading(state: SessionState<G>, how: (reading: MessageReading<G>) => SessionState<G>): SessionState<G> {
    if (state.rules === null) return state;
    const { rules } = state;
    return how({ messages: this.#messages, rules, local: (moment) => serverClock.local(moment), now: Date.now });
  }

  /** Takes in a piece of news; false where that needs a view. */
  #heard(news: News): boolean {
    let isTaken = true;
    this.#change((state) =>
      this.#withReading(state, (reading) => {
        const after = applyNews(state, news, reading);
        isTaken = after !== null;
        return after ?? state;
      }),
    );
    if (news.what.case === "locksChanged") this.#compareLocks();
    return isTaken;
  }

  async #describe(signal: AbortSignal): Promise<void> {
    const request = { matchId: this.snapshot().id };
    const found = await this.#calls.lobby.getMatch(request, { signal, timeoutMs: CALL_MS });
    const { match, rules, traced, traceUrl } = found;
    if (match) this.#change((state) => applyDescription(state, match, this.#messages.readRules(rules), traced ? traceUrl : null));
  }

  async #sendPlan(turn: number, plan: G["Plan"]): Promise<CallResult<readonly RequestFault[]>> {
    const { id: matchId, board } = this.snapshot();
    if (board === null) return { ok: true, value: [] };
    const request = { requestId: requestId(), matchId, turn, sheet: this.#messages.writeSheet(plan, board) };
    const answer = await this.#caller.once(() => this.#calls.play.stageOrders(request, { timeoutMs: CALL_MS }));
    return answer.ok ? { ok: true, value: answer.value.faults.map(faultOf) } : answer;
  }

  #staged(turn: number, staging: Staging, faults: readonly RequestFault[] | null): void {
    this.#change((state) =>
      state.turn === turn && !state.locked && !state.locking
        ? { ...state, staging, faults: faults ?? state.faults }
        : state,
    );
  }

  /** Whether the match is elsewhere than this page thinks; then it sees how things are. */
  #untimely({ reason }: Refusal): boolean {
    if (reason === Reason.ALREADY_LOCKED) void this.#lookAgain();
    else if (UNTIMELY.has(reason)) this.#follower.doubt();
    else return false;
    return true;
  }

  /** A seat that is told to have locked in, but not by this page, has done so elsewhere. */
  #compareLocks(): void {
    const { seat, locks } = this.snapshot();
    if (seat !== null && locks?.seats.includes(seat)) void this.#lookAgain();
  }

  /** Sees what this seat has locked elsewhere. News are followed as before, so that none is left out. */
  async #lookAgain(): Promise<void> {
    const plans = ({ phase, locked, locking }: SessionState<G>) => phase === "planning" && !locked && !locking;
    if (!plans(this.snapshot())) return;
    const matchId = this.snapshot().id;
    const answer = await this.#caller.once(() => this.#calls.play.getView({ matchId }, { timeoutMs: CALL_MS }));
    if (!answer.ok) return this.#follower.doubt();
    const view = answer.value;
    this.#change((state) => {
      if (!plans(state)) return state;
      const seen = this.#withReading(state, (reading) => applyView(state, view, reading));
      return seen.board?.turn === state.turn ? seen : state;
    });
  }
}

/**
 * What was answered, with the questions whose answers the server does not take. A page picks only what is offered, so that
 * they were answered already: in another tab, or before a reload.
 */
function answeredElsewhere<G extends GameTypes>(open: OpenPrompt<G>, refusal: Refusal): OpenPrompt<G>["answered"] {
  const answered = new Map(open.answered);
  for (const fault of refusal.faults) {
    const question = faultyQuestion(open.questions, fault)?.id;
    if (question !== undefined && !answered.has(question)) answered.set(question, null);
  }
  return answered;
}

function faultOf(fault: WireFault): RequestFault {
  const subject = fault.subject?.subject;
  return {
    unit: subject?.case === "unit" ? subject.value : null,
    structure: subject?.case === "structure" ? subject.value : null,
    rule: fault.rule,
    text: fault.text,
    field: fault.field,
  };
}

// What the page knows of a match, after one more thing was told. Pure, given how messages are read.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { MatchStage, type Match } from "../../gen/parley/v1/lobby_pb";
import {
  Phase as WirePhase,
  type DeadlineChanged,
  type GetViewResponse,
  type News,
  type Outcome,
  type Prompt,
  type SeatsChanged,
  type TurnOpened,
} from "../../gen/parley/v1/play_pb";
import { digitsOf } from "../api/digits";
import { namesOf } from "../names";
import type { BoardFacts, GameMessages, GameTypes } from "./game";
import { resultOf } from "./result";
import type { Ended, OpenPrompt, Phase, SessionState } from "./state";

/** Everything that is needed to read the messages of a match. */
export interface MessageReading<G extends GameTypes> {
  readonly messages: GameMessages<G>;
  readonly rules: G["Rules"];
  /** A moment of the server's clock on this machine's; null is never. */
  readonly local: (moment: Timestamp | undefined) => number | null;
  readonly now: () => number;
}

/** Outcomes that are kept until they are shown; when more come, the oldest are left out. */
export const MOST_OUTCOMES = 16;

/** How many turns' traces are kept. */
const MOST_TRACES = 256;

/** The state before anything is known of the match. */
export function initialState<G extends GameTypes>(id: string, seat: number | null, plan: G["Plan"]): SessionState<G> {
  return {
    id,
    seat,
    connection: { kind: "connecting" },
    match: null,
    rules: null,
    names: [],
    phase: "open",
    turn: 0,
    board: null,
    deadline: null,
    plan,
    staging: "none",
    faults: [],
    locked: false,
    locking: false,
    conceding: false,
    locks: null,
    prompt: null,
    outcomes: [],
    missed: 0,
    traces: new Map(),
    traceUrl: null,
    ended: null,
  };
}

/** The state after the match was described. */
export function applyDescription<G extends GameTypes>(
  state: SessionState<G>,
  match: Match,
  rules: G["Rules"],
  traceUrl: string | null,
): SessionState<G> {
  return { ...state, match, rules, names: namesOf(match.seats), traceUrl };
}

const PHASES: Readonly<Record<WirePhase, Phase>> = {
  [WirePhase.UNSPECIFIED]: "open",
  [WirePhase.LOBBY]: "open",
  [WirePhase.PLANNING]: "planning",
  [WirePhase.RESOLVING]: "resolving",
  [WirePhase.OVER]: "over",
};

/** The state after a view, which tells everything as it is now: at first, or in place of news that were lost. */
export function applyView<G extends GameTypes>(
  state: SessionState<G>,
  view: GetViewResponse,
  reading: MessageReading<G>,
): SessionState<G> {
  const { messages, rules } = reading;
  const board = view.view ? messages.readView(view.view, rules) : null;
  const reached = board?.turn ?? 0;
  // A match that was won has no next turn to plan: it stands at the last one that was played.
  const turn = board !== null && board.result !== null ? Math.max(1, reached - 1) : reached;
  const same = state.board !== null && state.turn === turn;
  // Orders that are on their way to the server are newer than what it has.
  const unsent = same && !view.locked && state.staging !== "none" && state.staging !== "kept";
  const said = view.sheet && board ? messages.readSheet(view.sheet, board) : messages.emptyPlan;
  const phase = PHASES[view.phase];
  const told = state.outcomes.length > 0 ? state.outcomes[state.outcomes.length - 1]?.after.turn : state.board?.turn;
  return {
    ...state,
    phase,
    turn,
    board,
    deadline: phase === "planning" ? reading.local(view.deadline) : null,
    plan: unsent ? state.plan : said,
    staging: unsent ? state.staging : view.sheet ? "kept" : "none",
    faults: unsent ? state.faults : [],
    locked: view.locked,
    locking: same && !view.locked && state.locking,
    conceding: view.sheet !== undefined && messages.concedes(view.sheet),
    locks: same ? state.locks : null,
    prompt: view.prompt && board ? promptOf(state, view.prompt, board, reading) : null,
    missed: state.missed + Math.max(0, reached - (told ?? reached)),
    ended: phase === "over" ? (state.ended ?? endOf(state.match, board)) : null,
  };
}

/** The state after one piece of news; null where they cannot be taken in without a view. */
export function applyNews<G extends GameTypes>(
  state: SessionState<G>,
  news: News,
  reading: MessageReading<G>,
): SessionState<G> | null {
  const { what } = news;
  switch (what.case) {
    case "seatsChanged":
      return seatsChanged(state, what.value);
    case "turnOpened":
      // The first turn is planned on a board that no news tell.
      return null;
    case "locksChanged":
      if (what.value.turn !== state.turn) return state;
      return { ...state, locks: { count: what.value.count, seats: what.value.seats } };
    case "prompt":
      if (state.board === null || what.value.turn !== state.turn) return state;
      return { ...state, phase: "resolving", prompt: promptOf(state, what.value, state.board, reading) };
    case "outcome":
      return resolved(state, what.value, reading);
    case "deadlineChanged":
      return deadlineChanged(state, what.value, reading);
    case "matchStopped":
      return over(state, { result: null, stopped: what.value.reason, secret: null, digest: null });
    default:
      return state;
  }
}

/** The deadline of the turn, or of the open prompt, has another time. */
function deadlineChanged<G extends GameTypes>(
  state: SessionState<G>,
  changed: DeadlineChanged,
  reading: MessageReading<G>,
): SessionState<G> {
  const deadline = reading.local(changed.deadline);
  if (changed.turn !== state.turn) return state;
  if (changed.window === 0) return state.phase === "planning" ? { ...state, deadline } : state;
  if (state.prompt?.window !== changed.window) return state;
  return { ...state, prompt: { ...state.prompt, deadline } };
}

function seatsChanged<G extends GameTypes>(state: SessionState<G>, change: SeatsChanged): SessionState<G> {
  if (state.match === null) return state;
  const seats = state.match.seats.map((seat) => {
    const now = change.seats.find((other) => other.seat === seat.seat);
    return now ? { ...seat, taken: now.taken, name: now.name } : seat;
  });
  const match = { ...state.match, seats };
  return { ...state, match, names: namesOf(match.seats) };
}

/** A new turn can be planned, on what the turn before has made of the board. */
function opened<G extends GameTypes>(
  state: SessionState<G>,
  turn: TurnOpened,
  board: G["Board"],
  reading: MessageReading<G>,
): SessionState<G> {
  return {
    ...state,
    match: state.match && { ...state.match, stage: MatchStage.RUNNING, turn: turn.turn },
    phase: "planning",
    turn: turn.turn,
    board,
    deadline: reading.local(turn.deadline),
    plan: reading.messages.emptyPlan,
    staging: "none",
    faults: [],
    locked: false,
    locking: false,
    conceding: false,
    locks: null,
    prompt: null,
  };
}

/** The traces with that of one more turn. */
function traced(traces: ReadonlyMap<number, string>, { turn, traceId }: Outcome): ReadonlyMap<number, string> {
  const latest = [...traces].slice(1 - MOST_TRACES);
  return new Map([...latest, [turn, digitsOf(traceId)]]);
}

function resolved<G extends GameTypes>(
  state: SessionState<G>,
  outcome: Outcome,
  reading: MessageReading<G>,
): SessionState<G> | null {
  const { messages, rules } = reading;
  const before = state.board;
  // Without the board that the turn began with, what is told of it means nothing.
  if (before === null || before.turn !== outcome.turn) return null;
  const news = messages.readNews(
    { news: outcome.shared, changes: outcome.sharedChanges },
    { news: outcome.own, changes: outcome.ownChanges },
  );
  const after = messages.afterNews(before, news, rules);
  const outcomes = [...state.outcomes, { turn: outcome.turn, before, news, after }];
  const tooMany = Math.max(0, outcomes.length - MOST_OUTCOMES);
  const told = {
    ...state,
    traces: traced(state.traces, outcome),
    outcomes: outcomes.slice(tooMany),
    missed: state.missed + tooMany,
  };
  return finished(outcome.next ? opened(told, outcome.next, after, reading) : told, outcome, after);
}

function finished<G extends GameTypes>(
  state: SessionState<G>,
  outcome: Outcome,
  board: G["Board"],
): SessionState<G> {
  const { ended } = outcome;
  if (!ended) return state;
  const result = resultOf(ended.result) ?? board.result;
  return over({ ...state, board }, { result, stopped: null, secret: ended.secret, digest: ended.digest });
}

function over<G extends GameTypes>(state: SessionState<G>, ended: Ended): SessionState<G> {
  const match = state.match && { ...state.match, stage: MatchStage.FINISHED };
  return { ...state, match, phase: "over", prompt: null, deadline: null, locking: false, ended };
}

/** The end of a match that was over before this page came. */
function endOf(match: Match | null, board: BoardFacts | null): Ended {
  const stopped = match?.stopped || null;
  return { result: board?.result ?? resultOf(match?.result) ?? null, stopped, secret: null, digest: null };
}

function promptOf<G extends GameTypes>(
  state: SessionState<G>,
  prompt: Prompt,
  before: G["Board"],
  reading: MessageReading<G>,
): OpenPrompt<G> {
  const { messages, rules } = reading;
  const soFar = messages.readNews({ news: prompt.soFar, changes: prompt.changes });
  const known = state.prompt?.turn === prompt.turn && state.prompt.window === prompt.window ? state.prompt : null;
  return {
    turn: prompt.turn,
    window: prompt.window,
    deadline: reading.local(prompt.deadline),
    since: known?.since ?? reading.now(),
    before,
    soFar,
    board: messages.afterNews(before, soFar, rules),
    questions: prompt.questions,
    answered: known?.answered ?? new Map(),
    sending: known?.sending ?? false,
    refusal: known?.refusal ?? null,
  };
}

// What the page knows of a match that it follows, and what it can do there.
import type { Match } from "../../gen/parley/v1/lobby_pb";
import type { Question } from "../../gen/parley/v1/question_pb";
import type { Reason } from "../../gen/parley/v1/reason_pb";
import type { RequestFault, Refusal } from "../api/refusal";
import type { GameTypes } from "./game";
import type { FinalResult } from "./result";

/** How the match is followed. Moments are of this machine's clock, in milliseconds since 1970. */
export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** The connection was lost, and is tried again at `retryAt`. */
  | { readonly kind: "lost"; readonly retryAt: number; readonly sentence: string }
  /** The match is over and everything was told. */
  | { readonly kind: "ended" }
  /** The server refused, and trying again would not help. */
  | { readonly kind: "refused"; readonly reason: Reason; readonly sentence: string };

/** open: not started; planning: orders are staged and locked; resolving: the viewer is asked; over: the end. */
export type Phase = "open" | "planning" | "resolving" | "over";

/** A turn that was resolved and not shown yet. */
export interface ResolvedTurn<G extends GameTypes = GameTypes> {
  readonly turn: number;
  /** The board that the turn was planned on. */
  readonly before: G["Board"];
  /** What the viewer learns of the turn. */
  readonly news: G["News"];
  /** The board that the turn left. */
  readonly after: G["Board"];
}

/** Answers by the number of their question: the places of the options that are picked. */
export type Picks = ReadonlyMap<number, readonly number[]>;

/** The questions that the viewer is asked now. What they are about, and how they are drawn, is the game's. */
export interface OpenPrompt<G extends GameTypes = GameTypes> {
  readonly turn: number;
  /** The number of the window among those of the turn in which the viewer is asked. */
  readonly window: number;
  /** When the defaults of questions without an answer count; null: not by time. */
  readonly deadline: number | null;
  /** When it was first seen here, so that a bar can show how much time is left. */
  readonly since: number;
  /** The board that the turn was planned on. */
  readonly before: G["Board"];
  /** What has happened in the turn so far. */
  readonly soFar: G["News"];
  /** The board inside of the turn, after that. */
  readonly board: G["Board"];
  /** What is asked, by number. */
  readonly questions: readonly Question[];
  /** What was picked for a question, and taken by the server; null where it was answered elsewhere, with what is not told. */
  readonly answered: ReadonlyMap<number, readonly number[] | null>;
  /** Whether answers are on their way to the server. */
  readonly sending: boolean;
  /** Why the last answers were not taken. */
  readonly refusal: Refusal | null;
}

/** The end of a match. */
export interface Ended {
  /** Who won; null where the match was stopped. */
  readonly result: FinalResult | null;
  /** Why it was stopped, where it was. */
  readonly stopped: string | null;
  /** The secret that the dice came from and the last digest; null where this page came after the end. */
  readonly secret: Uint8Array | null;
  readonly digest: Uint8Array | null;
}

/** Who has locked in, as far as the match tells. */
export interface Locks {
  readonly count: number;
  /** Empty where only the count is told. */
  readonly seats: readonly number[];
}

/** Whether the server has the orders that are staged here. */
export type Staging = "none" | "waiting" | "sending" | "kept" | "failed";

/** Everything that is known of a match. Never changed in place. */
export interface SessionState<G extends GameTypes = GameTypes> {
  readonly id: string;
  /** The viewer's seat; null for spectators. */
  readonly seat: number | null;
  readonly connection: Connection;
  /** The match as the lobby describes it; null until the server has told. */
  readonly match: Match | null;
  readonly rules: G["Rules"] | null;
  /** What each player is called, by seat. */
  readonly names: readonly string[];
  readonly phase: Phase;
  /** The turn that is being planned or resolved; 0 before the first. */
  readonly turn: number;
  /** The board that the turn is planned on; null before the first turn. */
  readonly board: G["Board"] | null;
  /** When planning ends; null: not by time. */
  readonly deadline: number | null;
  /** The orders of this turn as they stand here. */
  readonly plan: G["Plan"];
  readonly staging: Staging;
  /** What the server found wrong with staged orders. */
  readonly faults: readonly RequestFault[];
  /** Whether the orders of this turn are locked in. */
  readonly locked: boolean;
  /** Whether a lock-in is on its way to the server. */
  readonly locking: boolean;
  /** Whether the viewer gives up at the end of this turn. */
  readonly conceding: boolean;
  readonly locks: Locks | null;
  readonly prompt: OpenPrompt<G> | null;
  /** Turns that were resolved and not shown yet, in order. */
  readonly outcomes: readonly ResolvedTurn<G>[];
  /** How many turns were left out because too many came at once; they are in the replay. */
  readonly missed: number;
  /** The ids of the traces of the latest turns, by turn. */
  readonly traces: ReadonlyMap<number, string>;
  /** Where they are shown: an id goes behind it. Empty: nowhere. Null: the server does not trace turns. */
  readonly traceUrl: string | null;
  readonly ended: Ended | null;
}

/** The outcome of a call: its value, or why it was refused. */
export type CallResult<T = void> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/** A match that is followed, for screens. */
export interface Session<G extends GameTypes = GameTypes> {
  /** Calls back after each change, until the returned function is called. */
  subscribe(changed: () => void): () => void;
  snapshot(): SessionState<G>;
  /** Changes the plan at once, and keeps it on the server a moment later. */
  stage(plan: G["Plan"]): void;
  /** Freezes a plan. It is tried until it is answered, or the turn is over. */
  lockIn(plan: G["Plan"]): Promise<CallResult>;
  /** Answers questions of the open window. */
  answer(picks: Picks): Promise<CallResult>;
  /** Gives up; the number is the turn at whose end it takes effect. */
  concede(): Promise<CallResult<number>>;
  /** What the viewer could order in this turn; the server is asked once per turn. */
  options(): Promise<CallResult<G["Options"]>>;
  /** Says that this turn, and those before it, were shown, so that they need not be kept. */
  shown(turn: number): void;
  /** Tries to connect now instead of later. */
  retry(): void;
  /** Stops following. */
  close(): void;
}

// Keeps staged orders on the server, so that a deadline or a reload does not lose them.
import { type RequestFault, type Refusal, isPassing } from "../api/refusal";
import { Backoff } from "./backoff";
import type { CallResult, Staging } from "./state";

/** The least time between two calls. The first change is sent at once. */
const SPACING_MS = 400;

/** Whoever sends plans for the stager, and is told how that goes. */
export interface StagerListener<Plan> {
  send(turn: number, plan: Plan): Promise<CallResult<readonly RequestFault[]>>;
  /** Faults are told with an answer; null before there is one. */
  staging(turn: number, staging: Staging, faults: readonly RequestFault[] | null): void;
  refused(refusal: Refusal): void;
}

/** Sends the newest plan, one at a time. */
export class Stager<Plan> {
  readonly #listener: StagerListener<Plan>;
  readonly #backoff: Backoff;
  #wanted: { readonly turn: number; readonly plan: Plan } | null = null;
  #busy: Promise<void> | null = null;

  constructor(listener: StagerListener<Plan>, backoff = new Backoff()) {
    this.#listener = listener;
    this.#backoff = backoff;
  }

  /** Takes a plan that the server is to keep, in place of any earlier one. */
  want(turn: number, plan: Plan): void {
    this.#wanted = { turn, plan };
    this.#listener.staging(turn, "waiting", null);
    this.#busy ??= this.#run();
  }

  /** Drops the plan that was to be kept. */
  forget(): void {
    this.#wanted = null;
  }

  hurry(): void {
    this.#backoff.hurry();
  }

  async #run(): Promise<void> {
    while (this.#wanted !== null) {
      const sent = this.#wanted;
      this.#listener.staging(sent.turn, "sending", null);
      const answer = await this.#listener.send(sent.turn, sent.plan);
      const changed = this.#wanted !== sent;
      if (answer.ok) {
        this.#backoff.succeeded();
        if (!changed) {
          this.#wanted = null;
          this.#listener.staging(sent.turn, "kept", answer.value);
        }
        await this.#backoff.wait(SPACING_MS);
      } else if (isPassing(answer.refusal)) {
        if (!changed) this.#listener.staging(sent.turn, "failed", null);
        await this.#backoff.wait(this.#backoff.failed(answer.refusal.retryMs ?? 0));
      } else {
        if (!changed) {
          this.#wanted = null;
          this.#listener.staging(sent.turn, "failed", answer.refusal.faults);
        }
        this.#listener.refused(answer.refusal);
      }
    }
    this.#busy = null;
  }
}

// Keeps staged orders on the server, so that a deadline or a reload does not lose them.
import { type Fault, type Refusal, isPassing } from "../api/refusal";
import type { Plan } from "../game/model";
import { Patience } from "./patience";
import type { Answer, Staging } from "./state";

/** The least time between two calls. The first change is sent at once. */
const SPACING_MS = 400;

/** What staging says. */
export interface StagingEar {
  send(turn: number, plan: Plan): Promise<Answer<readonly Fault[]>>;
  /** Faults are told with an answer; null before there is one. */
  staging(turn: number, staging: Staging, faults: readonly Fault[] | null): void;
  refused(refusal: Refusal): void;
}

/** Sends the newest plan, one at a time. */
export class Stager {
  readonly #ear: StagingEar;
  readonly #patience: Patience;
  #wanted: { readonly turn: number; readonly plan: Plan } | null = null;
  #busy: Promise<void> | null = null;

  constructor(ear: StagingEar, patience = new Patience()) {
    this.#ear = ear;
    this.#patience = patience;
  }

  /** This plan is to be kept. */
  want(turn: number, plan: Plan): void {
    this.#wanted = { turn, plan };
    this.#ear.staging(turn, "waiting", null);
    this.#busy ??= this.#run();
  }

  /** Nothing is to be kept any more. */
  forget(): void {
    this.#wanted = null;
  }

  hurry(): void {
    this.#patience.hurry();
  }

  async #run(): Promise<void> {
    while (this.#wanted !== null) {
      const sent = this.#wanted;
      this.#ear.staging(sent.turn, "sending", null);
      const answer = await this.#ear.send(sent.turn, sent.plan);
      const changed = this.#wanted !== sent;
      if (answer.ok) {
        this.#patience.succeeded();
        if (!changed) {
          this.#wanted = null;
          this.#ear.staging(sent.turn, "kept", answer.value);
        }
        await this.#patience.wait(SPACING_MS);
      } else if (isPassing(answer.refusal)) {
        if (!changed) this.#ear.staging(sent.turn, "failed", null);
        await this.#patience.wait(this.#patience.failed(answer.refusal.retryMs ?? 0));
      } else {
        if (!changed) {
          this.#wanted = null;
          this.#ear.staging(sent.turn, "failed", answer.refusal.faults);
        }
        this.#ear.refused(answer.refusal);
      }
    }
    this.#busy = null;
  }
}

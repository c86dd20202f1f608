// Calls whose answers matter: once, or until the server has answered.
import { Reason } from "../../gen/parley/v1/reason_pb";
import { isPassing, refusalOf } from "../api/refusal";
import { Backoff } from "./backoff";
import type { CallResult } from "./state";

export class RetryingCaller {
  readonly #unheard: () => void;
  readonly #waits = new Set<Backoff>();
  #closed = false;

  /** `unheard` is told of each call that did not get through. */
  constructor(unheard: () => void) {
    this.#unheard = unheard;
  }

  async once<T>(call: () => Promise<T>): Promise<CallResult<T>> {
    try {
      return { ok: true, value: await call() };
    } catch (thrown) {
      return { ok: false, refusal: refusalOf(thrown) };
    }
  }

  /** Repeats a call, which must carry a request id, until the server has answered it. */
  async untilAnswered<T>(call: () => Promise<T>): Promise<CallResult<T>> {
    const backoff = new Backoff();
    this.#waits.add(backoff);
    try {
      for (;;) {
        const answer = await this.once(call);
        if (answer.ok || this.#closed || !isPassing(answer.refusal)) return answer;
        // A server that gives a reason is there, and so is the connection to it.
        if (answer.refusal.reason === Reason.UNSPECIFIED) this.#unheard();
        await backoff.wait(backoff.failed(answer.refusal.retryMs ?? 0));
      }
    } finally {
      this.#waits.delete(backoff);
    }
  }

  /** Repeats at once every call that waits to be repeated. */
  hurry(): void {
    for (const backoff of this.#waits) backoff.hurry();
  }

  /** Stops repeating calls for good. */
  close(): void {
    this.#closed = true;
    this.hurry();
  }
}

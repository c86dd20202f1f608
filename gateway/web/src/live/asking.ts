// Calls whose answers matter: once, or until the server has answered.
import { isPassing, refusalOf } from "../api/refusal";
import { Patience } from "./patience";
import type { Answer } from "./state";

export class Asking {
  readonly #unheard: () => void;
  readonly #waits = new Set<Patience>();
  #closed = false;

  /** `unheard` is told of each call that did not get through. */
  constructor(unheard: () => void) {
    this.#unheard = unheard;
  }

  async once<T>(call: () => Promise<T>): Promise<Answer<T>> {
    try {
      return { ok: true, value: await call() };
    } catch (thrown) {
      return { ok: false, refusal: refusalOf(thrown) };
    }
  }

  /** Repeats a call, which must carry a request id, until the server has answered it. */
  async untilAnswered<T>(call: () => Promise<T>): Promise<Answer<T>> {
    const patience = new Patience();
    this.#waits.add(patience);
    try {
      for (;;) {
        const answer = await this.once(call);
        if (answer.ok || this.#closed || !isPassing(answer.refusal)) return answer;
        // A server that gives a reason is there, and so is the connection to it.
        if (answer.refusal.reason === "") this.#unheard();
        await patience.wait(patience.failed(answer.refusal.retryMs ?? 0));
      }
    } finally {
      this.#waits.delete(patience);
    }
  }

  /** Repeats at once what waits to be repeated. */
  hurry(): void {
    for (const patience of this.#waits) patience.hurry();
  }

  /** Repeats nothing any more. */
  close(): void {
    this.#closed = true;
    this.hurry();
  }
}

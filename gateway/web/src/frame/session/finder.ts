// Finds out which game a match is of, over as many calls as it takes: only then is it known who can follow it.
import type { Client } from "@connectrpc/connect";
import type { Lobby } from "../../gen/parley/v1/lobby_pb";
import { type Refusal, isPassing, ownRefusal, refusalOf } from "../api/refusal";
import { Backoff } from "./backoff";
import { CALL_MS } from "./follower";
import type { Connection } from "./state";
import { type Followable, Store } from "./store";
import { onWake } from "./wake";

/** What is known of a match whose game is looked for. */
export interface Search {
  /** How the server can be reached; refused where trying again would not help. */
  readonly connection: Connection;
  /** The name of the game; null until the server has told. */
  readonly ruleset: string | null;
}

export class GameFinder implements Followable<Search> {
  readonly #id: string;
  readonly #lobby: Pick<Client<typeof Lobby>, "getMatch">;
  readonly #backoff: Backoff;
  readonly #store = new Store<Search>({ connection: { kind: "connecting" }, ruleset: null });
  readonly #call = new AbortController();
  readonly #sleep: () => void;

  /** Looks from this moment on, until it has found the game, the server refuses, or it is closed. */
  constructor(id: string, lobby: Pick<Client<typeof Lobby>, "getMatch">, backoff = new Backoff()) {
    this.#id = id;
    this.#lobby = lobby;
    this.#backoff = backoff;
    this.#sleep = onWake(() => this.retry());
    void this.#run();
  }

  readonly subscribe = (changed: () => void): (() => void) => this.#store.subscribe(changed);

  readonly snapshot = (): Search => this.#store.snapshot();

  /** Asks at once, where it would be asked later. */
  retry(): void {
    this.#backoff.hurry();
  }

  close(): void {
    this.#sleep();
    this.#call.abort();
    this.#backoff.hurry();
  }

  async #run(): Promise<void> {
    const { signal } = this.#call;
    while (!signal.aborted) {
      const answer = await this.#ask(signal);
      if (signal.aborted) return;
      if (typeof answer === "string") {
        this.#sleep();
        return this.#store.set({ connection: { kind: "connecting" }, ruleset: answer });
      }
      const { reason, sentence } = answer;
      if (!isPassing(answer)) return this.#connected({ kind: "refused", reason, sentence });
      const wait = this.#backoff.failed(answer.retryMs ?? 0);
      this.#connected({ kind: "lost", retryAt: Date.now() + wait, sentence });
      await this.#backoff.wait(wait);
      if (!signal.aborted) this.#connected({ kind: "connecting" });
    }
  }

  /** The name of the game, or why it was not told. */
  async #ask(signal: AbortSignal): Promise<string | Refusal> {
    try {
      const { match } = await this.#lobby.getMatch({ matchId: this.#id }, { signal, timeoutMs: CALL_MS });
      return match?.ruleset ?? ownRefusal("There is no such match.");
    } catch (thrown) {
      return refusalOf(thrown);
    }
  }

  #connected(connection: Connection): void {
    this.#store.set({ connection, ruleset: null });
  }
}

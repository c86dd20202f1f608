// Follows a match over as many connections as it takes. News come in the order of their cursors, each exactly once.
import type { Client } from "@connectrpc/connect";
import type { GetViewResponse, News, Play } from "../../gen/parley/v1/play_pb";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { type Refusal, isPassing, refusalOf } from "../api/refusal";
import { Backoff } from "./backoff";
import type { Connection } from "./state";

/** The calls that are needed to follow a match. */
export type FollowCalls = Pick<Client<typeof Play>, "getView" | "watch">;

/** What a follower asks of whoever wants to know of the match, and what it tells them. */
export interface FollowerListener {
  /**
   * Asks what the match is like. It is asked after a view was taken and before the view is told: who joined between the
   * two is in the news after the view, but who joined before it is in no news, so an older description would stay wrong.
   */
  describe(signal: AbortSignal): Promise<void>;
  viewed(view: GetViewResponse): void;
  /** Takes in a piece of news; false where it cannot, so that a view has to stand for it. */
  heard(news: News): boolean;
  connected(connection: Connection): void;
  /** Whether everything that there is to tell was told. */
  isOver(): boolean;
}

/** How long a call may take before it counts as lost. */
export const CALL_MS = 20_000;
/** A connection that stood for this long counts as one that worked, in milliseconds. */
const STOOD_MS = 5_000;
/** A connection that was silent for this long is opened anew: networks drop quiet ones without telling. */
const QUIET_MS = 60_000;

export class Follower {
  readonly #id: string;
  readonly #calls: FollowCalls;
  readonly #listener: FollowerListener;
  readonly #backoff: Backoff;
  #cursor: bigint | null = null;
  #stream: AbortController | null = null;
  #again = false;
  /** Views that were asked for since something was told. */
  #views = 0;
  #closed = false;

  constructor(id: string, calls: FollowCalls, listener: FollowerListener, backoff = new Backoff()) {
    this.#id = id;
    this.#calls = calls;
    this.#listener = listener;
    this.#backoff = backoff;
  }

  /** Follows until everything is told, the server refuses, or it is closed. */
  async run(): Promise<void> {
    this.#listener.connected({ kind: "connecting" });
    while (!this.#closed) {
      const refusal = await this.#connect();
      if (this.#closed) return;
      if (this.#again) {
        this.#again = false;
        continue;
      }
      const told = this.#listener.isOver() && (refusal === null || !isPassing(refusal));
      if (told) return this.#listener.connected({ kind: "ended" });
      // A server that has lost news, or a view that cannot be gone on from, is asked for a new view.
      if (refusal?.reason === Reason.CURSOR_UNKNOWN) this.#cursor = null;
      else if (refusal !== null && !isPassing(refusal)) {
        return this.#listener.connected({ kind: "refused", reason: refusal.reason, sentence: refusal.sentence });
      }
      const wait = this.#backoff.failed(refusal?.retryMs ?? 0);
      const sentence = refusal?.sentence ?? "The server closed the connection.";
      this.#listener.connected({ kind: "lost", retryAt: Date.now() + wait, sentence });
      await this.#backoff.wait(wait);
      if (!this.#closed) this.#listener.connected({ kind: "connecting" });
    }
  }

  /** Connects at once, and anew if there is a connection. */
  retry(): void {
    this.#backoff.hurry();
    this.doubt();
  }

  /** What another call was told makes a connection doubtful that seems to stand: it is opened anew. */
  doubt(): void {
    if (this.#stream === null) return;
    this.#again = true;
    this.#stream.abort();
  }

  close(): void {
    this.#closed = true;
    this.#backoff.hurry();
    this.#stream?.abort();
  }

  /** One connection, to its end: null where the server ended it, otherwise why it broke. */
  async #connect(): Promise<Refusal | null> {
    const stream = new AbortController();
    this.#stream = stream;
    const began = Date.now();
    try {
      await this.#listen(stream.signal);
      return null;
    } catch (thrown) {
      return refusalOf(thrown);
    } finally {
      this.#stream = null;
      // What the connection has left behind, such as its watch for silence, ends with it.
      stream.abort();
      if (Date.now() - began > STOOD_MS) this.#backoff.succeeded();
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    if (this.#cursor === null) {
      const view = await this.#calls.getView({ matchId: this.#id }, { signal, timeoutMs: CALL_MS });
      await this.#listener.describe(signal);
      if (signal.aborted) return;
      this.#cursor = view.cursor;
      this.#views += 1;
      this.#listener.viewed(view);
    }
    const request = { matchId: this.#id, after: this.#cursor };
    const onHeader = () => this.#listener.connected({ kind: "live" });
    let quiet = setTimeout(() => this.doubt(), QUIET_MS);
    signal.addEventListener("abort", () => clearTimeout(quiet));
    for await (const { news } of this.#calls.watch(request, { signal, onHeader })) {
      if (signal.aborted) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => this.doubt(), QUIET_MS);
      if (news === undefined) continue;
      const tooOld = news.what.case === "snapshotRequired";
      const cursor: bigint = this.#cursor;
      // What was told before is not told again, whoever repeats it.
      if (!tooOld && news.cursor <= cursor) continue;
      // What cannot be taken in, and what breaks while it is, leaves no cursor to go on from.
      this.#cursor = null;
      if (tooOld || news.cursor > cursor + 1n || !this.#listener.heard(news)) {
        // A view stands for it and for all in between that is not told any more, but not view after view without a pause.
        this.#again = this.#views < 2;
        return;
      }
      this.#cursor = news.cursor;
      this.#views = 0;
      this.#backoff.succeeded();
    }
  }
}

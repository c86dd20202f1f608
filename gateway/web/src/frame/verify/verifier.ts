// What the verify panel asks of a game: to play a whole match again, and to say what it found.
import type { ReplayRecord } from "../../gen/parley/v1/replay_pb";
import type { Proof } from "./proof";

/** What may be said beside the replay. */
export interface VerifyOptions {
  /** The key of the receipts, 32 bytes, known from elsewhere than the replay. */
  readonly key?: Uint8Array | undefined;
  /** Told after every turn that was played again. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  /** Ends the work early; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Proves the replays of one game. */
export interface Verifier {
  /** Proves a replay. What is no replay is rejected with `FileFault`. */
  readonly verify: (records: readonly ReplayRecord[], options: VerifyOptions) => Promise<Proof>;
  /** What was checked of answers, after their count: "of the right ships in the right ticks". */
  readonly answerWords: string;
}

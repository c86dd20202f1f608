// What the page calls to have a replay proven. The work is done by a worker, whose code is loaded when it is needed.
import type { ReplayRecord } from "../gen/parley/v1/replay_pb";
import type { Proof } from "./proof";
import { FileFault, readReplayFile, writeReplayFile } from "./replayfile";

export { FileFault, readReplayFile, writeReplayFile };
export type { Proof };

/** What the worker is asked. */
export interface Task {
  readonly file: Uint8Array;
  readonly key: Uint8Array | null;
}

/** What the worker says: how far it is, what it found, or why the bytes are no replay. */
export type Answer =
  | { readonly kind: "progress"; readonly done: number; readonly of: number }
  | { readonly kind: "proof"; readonly proof: Proof }
  | { readonly kind: "no-replay"; readonly why: string };

/** What may be said beside the replay. */
export interface Wishes {
  /** The key of the receipts, 32 bytes, known from elsewhere than the replay. */
  readonly key?: Uint8Array | undefined;
  /** Told after every turn that was played again. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  /** Ends the work early; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Proves a replay, given as its records or as the bytes of a file. What is no replay is rejected with `FileFault`. */
export function verifyReplay(replay: readonly ReplayRecord[] | Uint8Array, wishes: Wishes = {}): Promise<Proof> {
  const { key, onProgress, signal } = wishes;
  const file = replay instanceof Uint8Array ? replay : writeReplayFile(replay);
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    const stop = () => {
      worker.terminate();
      signal?.removeEventListener("abort", cancel);
    };
    const cancel = () => {
      stop();
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel);
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.kind === "progress") {
        onProgress?.(data.done, data.of);
        return;
      }
      stop();
      if (data.kind === "proof") resolve(data.proof);
      else reject(new FileFault(data.why));
    };
    worker.onerror = (event) => {
      stop();
      reject(new Error(`the verifier failed: ${event.message || "it could not be loaded"}`));
    };
    worker.postMessage({ file, key: key ?? null } satisfies Task);
  });
}

// What the page calls to have a replay proven. The work is done by a worker, whose code is loaded when it is needed.
import type { Proof } from "../../frame/verify/proof";
import { FileFault, writeReplayFile } from "../../frame/verify/replayfile";
import type { VerifyOptions } from "../../frame/verify/verifier";
import type { ReplayRecord } from "../../gen/parley/v1/replay_pb";

/** What the worker is asked. */
export interface WorkerTask {
  readonly file: Uint8Array;
  readonly key: Uint8Array | null;
}

/** What the worker says: how far it is, what it found, or why the bytes are no replay. */
export type WorkerMessage =
  | { readonly kind: "progress"; readonly done: number; readonly of: number }
  | { readonly kind: "proof"; readonly proof: Proof }
  | { readonly kind: "no-replay"; readonly why: string };

/** Proves a replay, given as its records or as the bytes of a file. What is no replay is rejected with `FileFault`. */
export function verifyReplay(replay: readonly ReplayRecord[] | Uint8Array, options: VerifyOptions = {}): Promise<Proof> {
  const { key, onProgress, signal } = options;
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
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
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
    worker.postMessage({ file, key: key ?? null } satisfies WorkerTask);
  });
}

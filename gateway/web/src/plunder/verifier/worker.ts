// The worker that proves replays, so that the page stays awake meanwhile.
import { FileFault, readReplayFile, replayOf } from "../../frame/verify/replayfile";
import { prove } from "./prove";
import type { WorkerMessage, WorkerTask } from "./verify";

const tell = (answer: WorkerMessage) => self.postMessage(answer);

self.onmessage = ({ data }: MessageEvent<WorkerTask>) => {
  try {
    const replay = replayOf(readReplayFile(data.file));
    const onTurn = (done: number, of: number) => tell({ kind: "progress", done, of });
    tell({ kind: "proof", proof: prove(replay, data.key ?? undefined, onTurn) });
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    tell({ kind: "no-replay", why: fault.message });
  }
};

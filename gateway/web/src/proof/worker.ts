// The worker that proves replays, so that the page stays awake meanwhile.
import { prove } from "./prove";
import { FileFault, readReplayFile, replayOf } from "./replayfile";
import type { Answer, Task } from "./verify";

const tell = (answer: Answer) => self.postMessage(answer);

self.onmessage = ({ data }: MessageEvent<Task>) => {
  try {
    const replay = replayOf(readReplayFile(data.file));
    const onTurn = (done: number, of: number) => tell({ kind: "progress", done, of });
    tell({ kind: "proof", proof: prove(replay, data.key ?? undefined, onTurn) });
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    tell({ kind: "no-replay", why: fault.message });
  }
};

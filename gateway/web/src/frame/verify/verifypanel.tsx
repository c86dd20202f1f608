// The proof of a replay, check by check, computed in this browser.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReplayRecord } from "../../gen/parley/v1/replay_pb";
import type { Clients } from "../api/clients";
import { refusalOf } from "../api/refusal";
import { Icon } from "../ui/icon";
import type { Proof } from "./proof";
import { ProofList } from "./prooflist";
import { FileFault, writeReplayFile } from "./replayfile";
import type { Verifier } from "./verifier";

type Work =
  | { readonly kind: "idle" }
  | { readonly kind: "fetching"; readonly turns: number }
  | { readonly kind: "proving"; readonly done: number; readonly of: number }
  | { readonly kind: "done"; readonly proof: Proof; readonly ms: number }
  | { readonly kind: "failed"; readonly sentence: string };

export interface VerifyPanelProps {
  readonly verifier: Verifier;
  readonly id: string;
  readonly clients: Clients;
  readonly names: readonly string[];
  /** Called to show a turn of the replay. */
  readonly onTurn: (turn: number) => void;
}

/** All records of a replay, in the order of the file. */
async function fetchRecords(
  { archive }: Clients,
  matchId: string,
  signal: AbortSignal,
  onTurn: (turns: number) => void,
): Promise<ReplayRecord[]> {
  const records: ReplayRecord[] = [];
  for await (const { record } of archive.getReplay({ matchId }, { signal })) {
    if (record !== undefined) records.push(record);
    if (record?.record.case === "turn") onTurn(records.length - 1);
  }
  return records;
}

function save(id: string, bytes: Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${id}.parley-replay`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function VerifyPanel({ verifier, id, clients, names, onTurn }: VerifyPanelProps) {
  const [work, setWork] = useState<Work>({ kind: "idle" });
  const [saving, setSaving] = useState<{ readonly busy: boolean; readonly sentence: string } | null>(null);
  const abort = useRef<AbortController | null>(null);
  const fetching = useRef<AbortController | null>(null);
  useEffect(
    () => () => {
      abort.current?.abort();
      fetching.current?.abort();
    },
    [id],
  );

  const begin = (): AbortSignal => {
    abort.current?.abort();
    abort.current = new AbortController();
    return abort.current.signal;
  };

  const verify = async () => {
    const signal = begin();
    setWork({ kind: "fetching", turns: 0 });
    try {
      const [records, match] = await Promise.all([
        fetchRecords(clients, id, signal, (turns) => setWork({ kind: "fetching", turns })),
        clients.lobby.getMatch({ matchId: id }, { signal }),
      ]);
      const since = performance.now();
      const key = match.receiptKey.length === 0 ? undefined : match.receiptKey;
      const onProgress = (done: number, of: number) => setWork({ kind: "proving", done, of });
      const proof = await verifier.verify(records, { key, onProgress, signal }).catch((thrown: unknown) => {
        if (!signal.aborted) setWork({ kind: "failed", sentence: verifierSentence(thrown) });
        return null;
      });
      if (proof !== null) setWork({ kind: "done", proof, ms: performance.now() - since });
    } catch (thrown) {
      if (!signal.aborted) setWork({ kind: "failed", sentence: refusalOf(thrown).sentence });
    }
  };

  const download = async () => {
    const { signal } = (fetching.current = new AbortController());
    setSaving({ busy: true, sentence: "Fetching the file …" });
    try {
      save(id, writeReplayFile(await fetchRecords(clients, id, signal, () => undefined)));
      setSaving(null);
    } catch (thrown) {
      if (!signal.aborted) setSaving({ busy: false, sentence: refusalOf(thrown).sentence });
    }
  };

  const busy = work.kind === "fetching" || work.kind === "proving";
  return (
    <section class="verify stack" aria-label="Verify">
      <p class="soft">
        Believe nothing: this page plays the whole match again, with its own code and here in your browser, and compares
        every die, order and digest with what the server has told.
      </p>
      <div class="row">
        <button class="primary" type="button" disabled={busy} onClick={() => void verify()}>
          <Icon name="check" />
          {work.kind === "done" ? "Verify again" : "Verify this match"}
        </button>
        <button type="button" disabled={saving?.busy === true} onClick={() => void download()}>
          <Icon name="download" />
          Download the replay
        </button>
      </div>
      <p class="soft small">
        The file proves the same anywhere else: <code class="mono">parley verify {id.slice(0, 8)}….parley-replay</code>
      </p>
      {saving !== null && <p role="status">{saving.sentence}</p>}
      {work.kind === "proving" && <progress max={work.of} value={work.done} aria-label="Turns that were played again" />}
      <div role="status" class="stack">
        {work.kind === "fetching" && (
          <p>
            Fetching the records … <Uncalled words={`${work.turns} turns`} />
          </p>
        )}
        {work.kind === "proving" && (
          <p>
            Playing every turn again … <Uncalled words={`${work.done} of ${work.of}`} />
          </p>
        )}
        {work.kind === "failed" && <p class="notice bad">{work.sentence}</p>}
        {work.kind === "done" && <Verdict proof={work.proof} ms={work.ms} />}
      </div>
      {work.kind === "done" && <ProofList proof={work.proof} answerWords={verifier.answerWords} names={names} onTurn={onTurn} />}
    </section>
  );
}

/** Numbers that run; whoever listens is not told each of them. */
function Uncalled({ words }: { readonly words: string }) {
  return (
    <span class="numbers" aria-hidden="true">
      {words}
    </span>
  );
}

function verifierSentence(thrown: unknown): string {
  if (thrown instanceof FileFault) return `This replay cannot be verified: ${thrown.message}.`;
  return "The verifier itself failed, so nothing is proven; download the replay and verify it elsewhere.";
}

function Verdict({ proof, ms }: { readonly proof: Proof; readonly ms: number }) {
  const { fault } = proof;
  if (fault === null) {
    return (
      <p class="notice good">
        <strong>Proven.</strong> {proof.turns.length} turns, {proof.exchanges} exchanges and {proof.dice} dice were computed
        again in {(ms / 1000).toFixed(1)} s, and all of them are as told.
      </p>
    );
  }
  const facts: readonly (readonly [string, string | number | null])[] = [
    ["Turn", fault.turn],
    ["Tick", fault.tick],
    ["What", fault.entity],
    ["Field", fault.field],
    ["Has to be", fault.expected],
    ["Is", fault.found],
  ];
  return (
    <div class="notice bad">
      <strong>Not as told.</strong> {fault.sentence}
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === null || value === "" ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}

// Every single finding of a proof.
import type { ComponentChildren } from "preact";
import { nameOf } from "../names";
import { listOf } from "../words";
import type { Ending, Proof, Tally, TurnFinding } from "./proof";

export interface ProofListProps {
  readonly proof: Proof;
  /** What was checked of answers, after their count. */
  readonly answerWords: string;
  readonly names: readonly string[];
  readonly onTurn: (turn: number) => void;
}

/** The sign of a check that was right, wrong, or not made. */
function Mark({ ok }: { readonly ok: boolean | null }) {
  const [sign, word, tone] =
    ok === null ? ["–", "not checked", "soft"] : ok ? ["✓", "right", "good-text"] : ["✗", "wrong", "bad-text"];
  return (
    <span class={`mark ${tone}`} role="img" aria-label={word}>
      {sign}
    </span>
  );
}

function Check({ ok, name, children }: { ok: boolean | null; name: string; children: ComponentChildren }) {
  return (
    <li class="check-line">
      <Mark ok={ok} />
      <div class="grow">
        <strong>{name}</strong>
        <div class="small">{children}</div>
      </div>
    </li>
  );
}

/** The first digits of a hash, and all of it for those who want it. */
function Hash({ hex }: { readonly hex: string }) {
  if (hex === "") return <span class="soft">nothing</span>;
  return (
    <details class="hash">
      <summary class="mono">{hex.slice(0, 12)}…</summary>
      <code class="mono">{hex}</code>
    </details>
  );
}

function Count({ tally, what }: { readonly tally: Tally; readonly what: string }) {
  return (
    <>
      {tally.checked} of {tally.of} {what}
    </>
  );
}

function endingWords(ending: Ending | null, names: readonly string[]): string {
  const name = (seat: number) => nameOf(names, seat);
  if (ending === null) return "nothing is told";
  if (ending.kind === "winner") return `${name(ending.seat)} has won`;
  if (ending.kind === "draw") return ending.seats.length === 0 ? "a draw" : `a draw of ${listOf(ending.seats.map(name))}`;
  return ending.reason === "" ? "stopped before the end" : `stopped before the end: “${ending.reason}”`;
}

/** What rests on the server's word, in sentences. */
function beliefs({ believed }: Proof): readonly string[] {
  const said: string[] = [];
  const some = (count: number, one: string, many: string) => {
    if (count > 0) said.push(count === 1 ? `1 ${one}` : `${count} ${many}`);
  };
  some(believed.answers, "decision in an encounter, which nobody signs for", "decisions in encounters, which nobody signs for");
  some(believed.deadlineSheets, "sheet that a deadline took", "sheets that a deadline took");
  some(believed.houseSheets, "sheet of a house bot, which gets no receipt", "sheets of house bots, which get no receipts");
  some(believed.concessions, "player who gave up by a call", "players who gave up by a call");
  if (believed.key) said.push("the key that receipts are signed with");
  return said;
}

export function ProofList({ proof, answerWords, names, onTurn }: ProofListProps) {
  const said = beliefs(proof);
  return (
    <>
      <ul class="checks" aria-label="Checks">
        <Check ok={proof.commitment.ok} name="The secret is the one that was promised">
          <div>
            Its BLAKE3 hash was published before the match: <Hash hex={proof.commitment.told} />
          </div>
          <div>
            The secret: <Hash hex={proof.secret} />
          </div>
        </Check>
        <Check ok={proof.seed === null ? null : true} name="The seed of all dice">
          From the secret and the bytes of {proof.believed.added === 1 ? "1 player" : `${proof.believed.added} players`}:{" "}
          <Hash hex={proof.seed ?? ""} />
        </Check>
        <Check ok={proof.rulesHash.ok} name="The rules">
          <Hash hex={proof.rulesHash.told} />
        </Check>
        <Check ok={proof.opening === false || proof.genesis.ok === false ? false : proof.genesis.ok} name="The opening">
          Sound and fair, with its digest: <Hash hex={proof.genesis.told} />
        </Check>
        <Check ok={proof.digests.ok} name="Every turn leads where it is told to">
          <Count tally={proof.digests} what="digests, each chained with the one before" />
        </Check>
        <Check ok={proof.signatures.ok && proof.chains.ok && proof.sheets.ok} name="Receipts">
          <Count tally={proof.signatures} what="signatures" />, <Count tally={proof.chains} what="links of their chains" />,{" "}
          <Count tally={proof.sheets} what="order sheets as promised" />
        </Check>
        <Check ok={proof.answers.ok} name="Decisions">
          <Count tally={proof.answers} what={answerWords} />
        </Check>
        <Check ok={proof.result.ok} name="The result">
          {endingWords(proof.result.told, names)}; the last digest: <Hash hex={proof.finalDigest.told} />
        </Check>
      </ul>
      {said.length > 0 && (
        <details>
          <summary>What rests on the server's word</summary>
          <ul class="beliefs small">
            {said.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>Turn by turn</summary>
        <ol class="turn-list" aria-label="Digests turn by turn">
          {proof.turns.map((turn) => (
            <TurnLine key={turn.turn} finding={turn} onTurn={onTurn} />
          ))}
        </ol>
      </details>
    </>
  );
}

function TurnLine({ finding, onTurn }: { readonly finding: TurnFinding; readonly onTurn: (turn: number) => void }) {
  const { turn, ok, digest, recomputed, exchanges } = finding;
  return (
    <li class="check-line">
      <Mark ok={ok} />
      <button class="small quiet" type="button" title="Show this turn" onClick={() => onTurn(turn)}>
        Turn {turn}
      </button>
      <Hash hex={digest} />
      {exchanges > 0 && <small class="soft">{exchanges === 1 ? "1 exchange" : `${exchanges} exchanges`}</small>}
      {ok === false && recomputed !== null && (
        <span class="bad-text small">
          computed: <Hash hex={recomputed} />
        </span>
      )}
    </li>
  );
}

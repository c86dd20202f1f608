// How the match ended, for the one who looks at it.
import { nameOf } from "../../frame/names";
import type { Ended } from "../../frame/session/state";
import { Icon } from "../../frame/ui/icon";
import { listOf } from "../../frame/words";

export interface EndWords {
  readonly tone: "good" | "bad" | "";
  readonly title: string;
  readonly sentence: string;
}

export function endWords(ended: Ended, seat: number | null, names: readonly string[], turn: number): EndWords {
  const name = (player: number) => nameOf(names, player);
  const { result } = ended;
  const after = turn === 1 ? "after 1 turn" : `after ${turn} turns`;
  if (result === null) {
    const why = ended.stopped === null || ended.stopped === "" ? "" : ` “${ended.stopped}”`;
    return { tone: "", title: "Stopped", sentence: `The match was stopped ${after}.${why}` };
  }
  if ("winner" in result) {
    if (result.winner === seat) return { tone: "good", title: "Victory", sentence: `The sea is yours ${after}.` };
    const sentence = `${name(result.winner)} has won ${after}.`;
    return seat === null ? { tone: "", title: `${name(result.winner)} wins`, sentence } : { tone: "bad", title: "Defeat", sentence };
  }
  if (result.draw.length === 0) return { tone: "", title: "Draw", sentence: `Nobody has won ${after}.` };
  const level = listOf(result.draw.map((player) => (player === seat ? "you" : name(player))));
  return { tone: "", title: "Draw", sentence: `Nobody is ahead of ${level} ${after}.` };
}

export interface EndPanelProps {
  readonly id: string;
  readonly ended: Ended;
  readonly seat: number | null;
  readonly names: readonly string[];
  readonly turn: number;
  /** Starts another match like this one; null where that cannot be done from here. */
  readonly onAgain: (() => void) | null;
  /** Whether the other match is being started. */
  readonly starting: boolean;
  /** What of this match another one cannot have; null where it has everything. */
  readonly lacks: string | null;
  /** Why starting it did not work. */
  readonly refusal: string | null;
  readonly onClose: () => void;
}

export function EndPanel({ id, ended, seat, names, turn, onAgain, starting, lacks, refusal, onClose }: EndPanelProps) {
  const words = endWords(ended, seat, names, turn);
  return (
    <section class={`ending panel ${words.tone}`} role="status" aria-label="Result">
      <button class="icon quiet ending-close" type="button" aria-label="Close the result" onClick={onClose}>
        <Icon name="remove" />
      </button>
      <h2>{words.title}</h2>
      <p>{words.sentence}</p>
      <div class="row">
        {onAgain !== null && (
          <button class="primary" type="button" disabled={starting} onClick={onAgain}>
            {starting ? "Setting sail …" : "Play again"}
          </button>
        )}
        <a class="button" href={`#/replay/${id}`}>
          Watch the replay and verify it
        </a>
        <a class="button quiet" href="#/">
          To the lobby
        </a>
      </div>
      {onAgain !== null && lacks !== null && <p class="soft small">{lacks}</p>}
      {refusal !== null && <p class="notice bad">{refusal}</p>}
    </section>
  );
}

// What has happened, in sentences, by turn.
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine } from "./logline";
import { Trace } from "./trace";
import type { Traces } from "./trace";

/** How many lines are drawn at once; older ones are asked for. */
const pageLines = 150;

export interface LogProps {
  readonly lines: readonly LogLine[];
  /** How many lines were dropped before these. */
  readonly gone?: number;
  readonly onLook: (tile: number) => void;
  /** Whether there is a choice between all lines and those about the viewer's own. */
  readonly mine: boolean;
  /** What is said where there are no lines. */
  readonly none?: string;
  readonly traces?: Traces;
}

/** A line with its number from the beginning of the match, so that it stays the same while others come and go. */
interface Numbered {
  readonly line: LogLine;
  readonly key: number;
}

interface Group {
  readonly turn: number;
  readonly lines: readonly Numbered[];
}

/** Groups lines by their turn, in the order of the turns. */
function byTurn(lines: readonly Numbered[]): readonly Group[] {
  const groups: { turn: number; lines: Numbered[] }[] = [];
  for (const numbered of lines) {
    const { turn } = numbered.line;
    const group = groups.at(-1);
    if (group?.turn === turn) group.lines.push(numbered);
    else groups.push({ turn, lines: [numbered] });
  }
  return groups;
}

export function Log({ lines, gone = 0, onLook, mine, traces, none = "Nothing has happened yet." }: LogProps) {
  const [own, setOwn] = useState(false);
  const [pages, setPages] = useState(1);
  const list = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const top = useRef(0);
  const numbered = lines.map((line, place) => ({ line, key: gone + place }));
  const chosen = own ? numbered.filter(({ line }) => line.own) : numbered;
  const first = Math.max(0, chosen.length - pages * pageLines);

  const toEnd = () => {
    const element = list.current;
    if (element === null || !follows.current) return;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
  };
  useEffect(toEnd, [lines, own]);
  // A log that was hidden begins at its top again when it is shown.
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(toEnd);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  return (
    <section class="log" aria-label="Log">
      {mine && (
        <div class="row log-filter" role="group" aria-label="Which lines">
          <button class="small" type="button" aria-pressed={!own} onClick={() => setOwn(false)}>
            All
          </button>
          <button class="small" type="button" aria-pressed={own} onClick={() => setOwn(true)}>
            About me
          </button>
        </div>
      )}
      <div
        ref={list}
        class="log-lines"
        role="log"
        aria-live="polite"
        aria-label="What has happened"
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          if (clientHeight === 0) return;
          // Whoever scrolls up wants to read there; lines that come meanwhile do not pull the log down.
          if (scrollTop < top.current) follows.current = false;
          if (scrollTop + clientHeight > scrollHeight - 24) follows.current = true;
          top.current = scrollTop;
        }}
      >
        {first > 0 && (
          <button class="small quiet" type="button" onClick={() => setPages(pages + 1)}>
            Show earlier lines
          </button>
        )}
        {chosen.length === 0 && <p class="soft">{none}</p>}
        {byTurn(chosen.slice(first)).map((group) => (
          <section key={group.turn} aria-label={`Turn ${group.turn}`}>
            <h2>
              Turn {group.turn} <Trace traces={traces} turn={group.turn} />
            </h2>
            <ul>
              {group.lines.map(({ line, key }) => (
                <li key={key} class="log-line" data-tone={line.tone}>
                  <Line line={line} onLook={onLook} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}

function Line({ line, onLook }: { readonly line: LogLine; readonly onLook: (tile: number) => void }) {
  const { tile, text } = line;
  if (tile === null) return <span>{text}</span>;
  return (
    <button class="log-look" type="button" title="Look there" onClick={() => onLook(tile)}>
      {text}
    </button>
  );
}

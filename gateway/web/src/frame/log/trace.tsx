// Where to look a turn up in the traces of the service.

/** The traces of some turns. */
export interface Traces {
  /** Their ids in hexadecimal digits, by turn. */
  readonly ids: ReadonlyMap<number, string>;
  /** Where they are shown: an id goes behind it. Empty: nowhere. Null: turns are not traced. */
  readonly url: string | null;
}

/** The trace of a turn: a link where it is shown somewhere, and otherwise its id. */
export function Trace({ traces, turn }: { readonly traces: Traces | undefined; readonly turn: number }) {
  const id = traces?.ids.get(turn);
  if (traces === undefined || traces.url === null || id === undefined || id === "") return null;
  if (traces.url === "") {
    return (
      <code class="trace" title={`Trace ${id}`}>
        {id}
      </code>
    );
  }
  return (
    <a class="trace" href={traces.url + id} target="_blank" rel="noreferrer" title={`Trace ${id}`}>
      trace of turn {turn}
    </a>
  );
}

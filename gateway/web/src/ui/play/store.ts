// Small stores that components follow.
import { useEffect, useState } from "preact/hooks";

/** Something with a state that is replaced when it changes. */
export interface Store<State> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => State;
}

/** The state of a store; the component is drawn again when it changes. */
export function useFollowed<State>(store: Store<State>): State {
  const [, draw] = useState(0);
  useEffect(() => {
    const seen = store.snapshot();
    const stop = store.subscribe(() => draw((count) => count + 1));
    if (store.snapshot() !== seen) draw((count) => count + 1);
    return stop;
  }, [store]);
  return store.snapshot();
}

// A value that changes, and those who want to know.
import { useEffect, useState } from "preact/hooks";

/** Something whose changes can be followed. */
export interface Followable<T> {
  subscribe(changed: () => void): () => void;
  snapshot(): T;
}

/** A value that changes as a whole. */
export class Store<T> implements Followable<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#followers.add(changed);
    return () => this.#followers.delete(changed);
  };

  readonly snapshot = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const changed of [...this.#followers]) changed();
  }
}

/** What a store holds now; the component is rendered anew when that changes. */
export function useStore<T>(store: Followable<T>): T {
  const [, changed] = useState({});
  const value = store.snapshot();
  useEffect(() => {
    const stop = store.subscribe(() => changed({}));
    // It may have changed between the first rendering and now.
    if (!Object.is(value, store.snapshot())) changed({});
    return stop;
  }, [store]);
  return value;
}

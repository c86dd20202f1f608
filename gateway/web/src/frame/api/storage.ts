// What this browser keeps for the page. Where it keeps nothing, the page does for as long as it is open.

/** The part of Storage that is needed. */
export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A storage that never fails: what the one behind it does not take is remembered here. */
export class SafeStorage implements KeyValueStorage {
  readonly #behind: () => KeyValueStorage | null;
  readonly #remembered = new Map<string, string>();

  constructor(behind: () => KeyValueStorage | null) {
    this.#behind = behind;
  }

  getItem(key: string): string | null {
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined) return remembered;
    try {
      return this.#behind()?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  setItem(key: string, text: string): void {
    try {
      const storage = this.#behind();
      storage?.setItem(key, text);
      if (storage === null) this.#remembered.set(key, text);
      else this.#remembered.delete(key);
    } catch {
      this.#remembered.set(key, text);
    }
  }

  removeItem(key: string): void {
    this.#remembered.delete(key);
    try {
      this.#behind()?.removeItem(key);
    } catch {
      // What could not be kept does not have to go.
    }
  }
}

/** What this browser keeps. Asking for it may already be refused. */
export const browserStorage: KeyValueStorage = new SafeStorage(() => globalThis.localStorage ?? null);

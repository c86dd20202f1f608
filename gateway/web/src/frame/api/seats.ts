// The seats that were taken from this browser. They are all that lets a player come back, so they live in the browser
// and nowhere else; a token never stands in an address.
import { type KeyValueStorage, browserStorage } from "./storage";

/** Everything that this browser keeps of one match. */
export interface StoredMatch {
  /** The id of the match. */
  readonly id: string;
  /** The name of the match, as lists show it. */
  readonly title: string;
  /** The player's seat, with the token that speaks for it; null for a host or a guest without a seat. */
  readonly seat: { readonly number: number; readonly name: string; readonly token: string } | null;
  /** The token that starts and stops the match; null where it was created elsewhere. */
  readonly host: string | null;
  /** The token that lets others into a private match; null where there is none. */
  readonly invite: string | null;
  /** When it was created or joined, and when the seat expires: milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
  /** Whether the match was seen to be over, so that only its replay is left. */
  readonly over: boolean;
}

const KEY = "parley.seats";
/** Matches that are kept; the oldest go first. */
const MOST = 100;

/** The stored seats, the newest first. What is corrupt or has expired is dropped. */
export class SeatStore {
  readonly #storage: KeyValueStorage;
  readonly #now: () => number;

  constructor(storage: KeyValueStorage, now: () => number = Date.now) {
    this.#storage = storage;
    this.#now = now;
  }

  all(): readonly StoredMatch[] {
    const now = this.#now();
    return parse(this.#storage.getItem(KEY) ?? "").filter((stored) => stored.until > now);
  }

  of(id: string): StoredMatch | null {
    return this.all().find((stored) => stored.id === id) ?? null;
  }

  /** Keeps something of a match, over what is known of it already. */
  keep(id: string, what: Partial<Omit<StoredMatch, "id">>): StoredMatch {
    const now = this.#now();
    const blank: StoredMatch = { id, title: "", seat: null, host: null, invite: null, since: now, until: now + MONTH, over: false };
    const stored = { ...(this.of(id) ?? blank), ...what };
    this.#write([stored, ...this.all().filter((other) => other.id !== id)].slice(0, MOST));
    return stored;
  }

  drop(id: string): void {
    this.#write(this.all().filter((stored) => stored.id !== id));
  }

  #write(all: readonly StoredMatch[]): void {
    if (all.length === 0) this.#storage.removeItem(KEY);
    else this.#storage.setItem(KEY, JSON.stringify(all));
  }
}

const MONTH = 30 * 24 * 3600 * 1000;

function parse(text: string): readonly StoredMatch[] {
  if (text === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isStored).map((stored) => ({ ...stored, over: stored.over === true })) : [];
  } catch {
    return [];
  }
}

function isStored(value: unknown): value is StoredMatch {
  if (!isObject(value)) return false;
  const { id, title, seat, host, invite, since, until } = value;
  const textOrNull = (text: unknown) => text === null || typeof text === "string";
  const seated =
    seat === null ||
    (isObject(seat) &&
      Number.isInteger(seat["number"]) &&
      typeof seat["name"] === "string" &&
      typeof seat["token"] === "string");
  return (
    typeof id === "string" &&
    typeof title === "string" &&
    seated &&
    textOrNull(host) &&
    textOrNull(invite) &&
    typeof since === "number" &&
    typeof until === "number"
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The seats of this browser. */
export const seats = new SeatStore(browserStorage);

// The turns of a match as one viewer saw them, fetched page by page when they are looked at.

/** A page of turns, as the archive sends them. */
export interface TurnPage<Turn> {
  readonly turns: readonly Turn[];
  /** How many turns the match had. */
  readonly last: number;
}

/** How many turns a page has. The archive sends no more at once, and fewer where they are large. */
export const pageSize = 32;

/** How many pages are kept. The one that was looked at longest ago goes first. */
const maxPages = 4;

/** Fetches turns from `first` on. */
export type Fetch<Turn> = (first: number, count: number) => Promise<TurnPage<Turn>>;

export class Turns<Turn> {
  readonly #fetch: Fetch<Turn>;
  readonly #pages = new Map<number, Promise<TurnPage<Turn>>>();

  constructor(fetch: Fetch<Turn>) {
    this.#fetch = fetch;
  }

  /** A turn, from 1, and how many there are; no turn where the match had fewer. */
  async at(turn: number): Promise<{ readonly told: Turn | null; readonly last: number }> {
    const page = await this.page(Math.floor((turn - 1) / pageSize));
    return { told: page.turns[(turn - 1) % pageSize] ?? null, last: page.last };
  }

  /** Fetches what comes after a turn, so that it is there when it is wanted. */
  ahead(turn: number, last: number): void {
    if (turn < last) this.at(turn + 1).catch(() => undefined);
  }

  /** Fetches a page of turns, unless it is kept already. Pages are counted from 0. */
  page(number: number): Promise<TurnPage<Turn>> {
    const known = this.#pages.get(number);
    const page = known ?? this.#whole(number * pageSize + 1);
    this.#pages.delete(number);
    this.#pages.set(number, page);
    if (known === undefined) {
      page.catch(() => {
        if (this.#pages.get(number) === page) this.#pages.delete(number);
      });
      const oldest = this.#pages.keys().next();
      if (this.#pages.size > maxPages && !oldest.done) this.#pages.delete(oldest.value);
    }
    return page;
  }

  /** All turns of a page, in as many answers as they take. */
  async #whole(first: number): Promise<TurnPage<Turn>> {
    const turns: Turn[] = [];
    for (;;) {
      const answer = await this.#fetch(first + turns.length, pageSize - turns.length);
      turns.push(...answer.turns);
      const complete = turns.length >= pageSize || first + turns.length > answer.last;
      if (complete || answer.turns.length === 0) return { turns, last: answer.last };
    }
  }
}

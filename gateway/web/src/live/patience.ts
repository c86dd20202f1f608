// How long to wait before trying again.

/** The bounds of trying again, in milliseconds. */
export interface Bounds {
  /** The wait after the first failure; each further one doubles it. */
  readonly first: number;
  readonly longest: number;
  /** As long as a server may ask for. */
  readonly asked: number;
}

const BOUNDS: Bounds = { first: 300, longest: 10_000, asked: 60_000 };

/** Failures in a row, and waits that somebody can cut short. */
export class Patience {
  readonly #bounds: Bounds;
  readonly #random: () => number;
  #failures = 0;
  #hurry: (() => void) | null = null;

  constructor(random: () => number = Math.random, bounds: Bounds = BOUNDS) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** Something worked. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Something failed: how long to wait. Half is certain, half is drawn; what the server asks for comes before. */
  failed(atLeast: number): number {
    const { first, longest, asked } = this.#bounds;
    const half = Math.min(longest, first * 2 ** Math.min(this.#failures, 16)) / 2;
    this.#failures += 1;
    const drawn = half * this.#random();
    // Many who were told the same wait do not come back in the same moment.
    return Math.max(half, Math.min(atLeast, asked)) + drawn;
  }

  /** Waits, unless somebody is in a hurry. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      this.#hurry = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.#hurry = null;
  }

  /** Ends the wait, where there is one. */
  hurry(): void {
    this.#hurry?.();
  }
}

// How long to wait before trying again.

/** The bounds of trying again, in milliseconds. */
export interface BackoffBounds {
  /** The wait after the first failure; each further one doubles it. */
  readonly first: number;
  readonly longest: number;
  /** The longest wait that a server may ask for. */
  readonly asked: number;
}

const BOUNDS: BackoffBounds = { first: 300, longest: 10_000, asked: 60_000 };

/** Failures in a row, and waits that somebody can cut short. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  #failures = 0;
  #hurry: (() => void) | null = null;

  constructor(random: () => number = Math.random, bounds: BackoffBounds = BOUNDS) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** Says that a call worked: the next failure waits as briefly as the first. */
  succeeded(): void {
    this.#failures = 0;
  }

  /**
   * Says that a call failed, and returns how long to wait. Half of the wait is certain and half is drawn; it is never
   * shorter than what the server asks for.
   */
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

  /** Ends the wait at once, where somebody waits. */
  hurry(): void {
    this.#hurry?.();
  }
}

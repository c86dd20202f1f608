// The server's clock, as far as this machine can tell. Deadlines are moments of the server's clock; countdowns need
// them on ours.

import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A second, which is how exact a Date header is. */
const SECOND = 1000;

/** Narrows down how far the server's clock is ahead, answer by answer. */
export class ServerClock {
  #least = -Infinity;
  #most = Infinity;

  /**
   * An answer said that it was written at `date` of the server's clock, cut to the second. On this machine's clock it
   * was asked for at `asked` and arrived at `heard`.
   */
  heard(date: string | null, asked: number, heard: number): void {
    const written = date === null ? NaN : Date.parse(date);
    if (Number.isNaN(written) || heard < asked) return;
    const least = written - heard;
    const most = written + SECOND - asked;
    this.#least = Math.max(this.#least, least);
    this.#most = Math.min(this.#most, most);
    // One of the clocks was set anew: what was known before no longer holds.
    if (this.#least > this.#most) [this.#least, this.#most] = [least, most];
  }

  /** Milliseconds that the server's clock is ahead of this machine's. */
  get ahead(): number {
    if (this.#least === -Infinity) return 0;
    // Clocks that agree as far as one can tell are taken to agree.
    if (this.#least <= 0 && this.#most >= 0) return 0;
    return (this.#least + this.#most) / 2;
  }

  /** A moment of the server's clock on this machine's, in milliseconds since 1970; null where there is none. */
  local(moment: Timestamp | undefined): number | null {
    return moment === undefined ? null : timestampMs(moment) - this.ahead;
  }
}

/** The clock of the server that this page came from. */
export const serverClock = new ServerClock();

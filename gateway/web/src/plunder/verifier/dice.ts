// The dice of an exchange: one block of ChaCha with 8 rounds as a pure function (R13.2).

const ROUNDS = 8;
const CONSTANT = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
export const BROADSIDE_TICK = 255;

/** What the dice of one exchange show, whether all of it is used or not. */
export interface Roll {
  /** The coin: the ship with the lower id is the attacker. */
  readonly lowerAttacks: boolean;
  /** Three dice, highest first. */
  readonly attacker: readonly number[];
  /** Two dice, highest first. */
  readonly defender: readonly number[];
}

/** A number of 64 bits, as two of 32 bits. */
type Long = readonly [low: number, high: number];

/** The 16 words of one block. */
export function block(key: Uint8Array, counter: Long, stream: Long): Uint32Array {
  const view = new DataView(key.buffer, key.byteOffset, 32);
  const words = Array.from({ length: 8 }, (_, word) => view.getUint32(4 * word, true));
  const initial = Uint32Array.from([...CONSTANT, ...words, ...counter, ...stream]);
  const x = initial.slice();
  for (let round = 0; round < ROUNDS; round += 2) {
    quarter(x, 0, 4, 8, 12);
    quarter(x, 1, 5, 9, 13);
    quarter(x, 2, 6, 10, 14);
    quarter(x, 3, 7, 11, 15);
    quarter(x, 0, 5, 10, 15);
    quarter(x, 1, 6, 11, 12);
    quarter(x, 2, 7, 8, 13);
    quarter(x, 3, 4, 9, 14);
  }
  return x.map((mixed, word) => mixed + (initial[word] ?? 0));
}

/** The dice of the ships `lower` and `higher` in a tick of a turn. */
export function roll(seed: Uint8Array, turn: number, tick: number, lower: number, higher: number): Roll {
  // tick << 56 | lower << 28 | higher, of which the low word has all of `higher` and 4 bits of `lower`.
  const low = ((lower << 28) | higher) >>> 0;
  const high = ((tick << 24) | (lower >>> 4)) >>> 0;
  const [coin = 0, ...words] = block(seed, [low, high], [turn, 0]);
  const dice = words.slice(0, 5).map((word) => 1 + Math.floor((word * 6) / 2 ** 32));
  const sorted = (some: number[]) => some.sort((a, b) => b - a);
  return { lowerAttacks: coin % 2 === 0, attacker: sorted(dice.slice(0, 3)), defender: sorted(dice.slice(3)) };
}

function quarter(x: Uint32Array, a: number, b: number, c: number, d: number): void {
  mix(x, a, b, d, 16);
  mix(x, c, d, b, 12);
  mix(x, a, b, d, 8);
  mix(x, c, d, b, 7);
}

/** Adds one word to another, and turns a third that was mixed with the sum. */
function mix(x: Uint32Array, sum: number, added: number, turned: number, by: number): void {
  x[sum] = (x[sum] ?? 0) + (x[added] ?? 0);
  const word = (x[turned] ?? 0) ^ (x[sum] ?? 0);
  x[turned] = (word << by) | (word >>> (32 - by));
}

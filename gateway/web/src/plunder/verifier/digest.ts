// Hashes that bind a match: of its rules, its states one after the other, and its seed (R13.3, R13.4).
import { blake3 } from "@noble/hashes/blake3.js";
import { encode, encodeMap } from "./encode";
import type { Grid } from "./hexes";
import type { State } from "./state";

export const SIZE = 32;

/** BLAKE3 with 32 bytes, over parts one after the other. */
export function digest(...parts: readonly Uint8Array[]): Uint8Array {
  return blake3(joined(parts));
}

/** The hash of rules, over their canonical text. */
export function rulesHash(text: string): Uint8Array {
  return digest(new TextEncoder().encode(text));
}

/** The digest that a match begins with. */
export function firstDigest(rules: string, grid: Grid, state: State): Uint8Array {
  return digest(Uint8Array.of(0), rulesHash(rules), encodeMap(grid), encode(state, grid));
}

/** The digest after a turn. */
export function nextDigest(before: Uint8Array, grid: Grid, state: State): Uint8Array {
  return digest(Uint8Array.of(1), before, encode(state, grid));
}

/** The seed of all dice: the server's secret with the players' bytes in seat order (R13.4). */
export function matchSeed(secret: Uint8Array, added: readonly Uint8Array[]): Uint8Array {
  return blake3(joined(added), { key: secret });
}

/** Bytes one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Whether two sequences of bytes are the same. */
export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

// The server's promise that it has a seat's orders, checked (the comments of Receipt in `replay.proto`).
import { hashes, verify } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Receipt } from "../../gen/parley/v1/replay_pb";
import { ByteWriter } from "./bytes";
import { SIZE, digest, joined, same } from "./digest";

hashes.sha512 = sha512;

const PROMISE = letters("parley receipt 1");
const NODE = letters("parley receipt 2");
const ROOT = letters("parley receipt 3");
const SALT_SIZE = 16;
const LEVELS = 5;

/** A field of a receipt, as the wire names it. */
export type ReceiptField =
  | "match_id"
  | "turn"
  | "seat"
  | "sheet_hash"
  | "previous"
  | "signature"
  | "salt"
  | "path"
  | "leaf";

/** A receipt that promises something else, or nothing. */
export class ReceiptFault extends Error {
  constructor(
    readonly field: ReceiptField,
    reason: string,
    readonly expected: string | null = null,
    readonly found: string | null = null,
  ) {
    super(reason);
  }
}

/** What a receipt has to be about. */
export interface Promised {
  /** A UUID in its usual text form. */
  readonly match: string;
  readonly turn: number;
  readonly seat: number;
  /** The encoded sheet. */
  readonly sheet: Uint8Array;
  /** The hash of the promise before; of the first one, the commitment to the secret. */
  readonly previous: Uint8Array;
}

/** The bytes of what the server promises, which it signs. */
export function promisedBytes({ match, turn, seat, sheet, previous }: Promised): Uint8Array {
  const place = new ByteWriter();
  place.u32(turn);
  place.u8(seat);
  return joined([PROMISE, hexToBytes(match.replaceAll("-", "")), place.taken(), digest(sheet), previous]);
}

/** Checks whether a receipt is about what it has to be about, up to the one before. */
export function checkSubject(receipt: Receipt, promised: Promised): void {
  compare("match_id", receipt.matchId, promised.match);
  compare("turn", String(receipt.turn), String(promised.turn));
  compare("seat", String(receipt.seat), String(promised.seat));
  compare("sheet_hash", bytesToHex(receipt.sheetHash), bytesToHex(digest(promised.sheet)));
}

/** Checks whether a receipt names the one before. */
export function checkChain(receipt: Receipt, promised: Promised): void {
  compare("previous", bytesToHex(receipt.previous), bytesToHex(promised.previous));
}

/** Signatures of one key. The server signs many promises at once, so that the same one may be met again. */
export class Signatures {
  private readonly sound = new Map<string, Uint8Array>();

  constructor(private readonly key: Uint8Array) {}

  /** Checks the signature over a promise. */
  check(receipt: Receipt, said: Uint8Array): void {
    const root = rootOf(receipt, said);
    const name = bytesToHex(receipt.signature);
    const known = this.sound.get(name);
    if (known !== undefined && same(known, root)) return;
    if (!isSigned(receipt.signature, joined([ROOT, root]), this.key)) {
      throw new ReceiptFault("signature", "is not one of this key under this promise");
    }
    this.sound.set(name, root);
  }
}

function isSigned(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  try {
    return verify(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
}

/** The root of the tree that the promise is a leaf of. */
function rootOf(receipt: Receipt, said: Uint8Array): Uint8Array {
  const { salt, path, leaf } = receipt;
  size("salt", salt, SALT_SIZE);
  size("path", path, LEVELS * SIZE);
  if (leaf >= 2 ** LEVELS) throw new ReceiptFault("leaf", `is ${leaf} and has to be below ${2 ** LEVELS}`);
  let node = digest(said, salt);
  for (let level = 0; level < LEVELS; level++) {
    const neighbour = path.subarray(level * SIZE, (level + 1) * SIZE);
    const isRight = ((leaf >> level) & 1) === 1;
    node = isRight ? digest(NODE, neighbour, node) : digest(NODE, node, neighbour);
  }
  return node;
}

function size(field: ReceiptField, bytes: Uint8Array, wanted: number): void {
  const found = bytes.length;
  if (found === wanted) return;
  throw new ReceiptFault(field, `has ${found} bytes and not ${wanted}`, `${wanted} bytes`, `${found} bytes`);
}

function compare(field: ReceiptField, found: string, expected: string): void {
  if (found === expected) return;
  throw new ReceiptFault(field, `is ${found || "empty"} and has to be ${expected}`, expected, found);
}

function letters(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

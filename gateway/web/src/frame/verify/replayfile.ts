// Replay files as bytes: a first line, and records with their length before them (`replay.proto`).
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ReplayRecordSchema } from "../../gen/parley/v1/replay_pb";
import type { ReplayEnd, ReplayHeader, ReplayRecord, ReplayTurn } from "../../gen/parley/v1/replay_pb";

export const FORMAT = 2;
export const FIRST_LINE = `PARLEY-REPLAY ${FORMAT}\n`;
const EARLIER_FORMAT = 1;
const MAX_FILE_BYTES = 2 ** 30;
const MAX_VARINT_BYTES = 10;

/** A file that is no replay, in one sentence. */
export class FileFault extends Error {}

/** The records of a match. */
export interface Replay {
  readonly header: ReplayHeader;
  readonly turns: ReplayTurn[];
  readonly end: ReplayEnd;
}

/** Takes a file apart into its records. What they say is not judged here. */
export function readReplayFile(bytes: Uint8Array): ReplayRecord[] {
  if (bytes.length > MAX_FILE_BYTES) throw new FileFault(`it has more than ${MAX_FILE_BYTES} bytes`);
  if (beginsWith(bytes, `PARLEY-REPLAY ${EARLIER_FORMAT}\n`)) throw earlier();
  if (!beginsWith(bytes, FIRST_LINE)) throw new FileFault(`it does not begin with the line '${FIRST_LINE.trim()}'`);
  const records: ReplayRecord[] = [];
  let at = FIRST_LINE.length;
  while (at < bytes.length) {
    const place = records.length + 1;
    const length = readLength(bytes, at, place);
    at = length.next;
    if (length.value > bytes.length - at) throw new FileFault(`it ends within record ${place}`);
    records.push(readRecord(bytes.subarray(at, at + length.value), place));
    at += length.value;
  }
  return records;
}

/** Puts a file together. */
export function writeReplayFile(records: readonly ReplayRecord[]): Uint8Array<ArrayBuffer> {
  const parts = [new TextEncoder().encode(FIRST_LINE)];
  for (const record of records) {
    const encoded = toBinary(ReplayRecordSchema, record);
    parts.push(varint(encoded.length), encoded);
  }
  const file = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

/** Sorts records into the parts of a replay. */
export function replayOf(records: readonly ReplayRecord[]): Replay {
  const first = records[0]?.record;
  if (first?.case !== "header") throw new FileFault("its first record is no header");
  if (first.value.format === EARLIER_FORMAT) throw earlier();
  if (first.value.format !== FORMAT) {
    throw new FileFault(`its format is ${first.value.format}, and ${FORMAT} is known here`);
  }
  const last = records.at(-1)?.record;
  if (last?.case !== "end") throw new FileFault("its last record is no end");
  const turns = records.slice(1, -1).map(({ record }, place) => {
    if (record.case !== "turn") throw new FileFault(`its record ${place + 2} is no turn`);
    return record.value;
  });
  return { header: first.value, turns, end: last.value };
}

/** The records of a replay in the order of the file. */
export function recordsOf({ header, turns, end }: Replay): ReplayRecord[] {
  return [
    create(ReplayRecordSchema, { record: { case: "header", value: header } }),
    ...turns.map((turn) => create(ReplayRecordSchema, { record: { case: "turn", value: turn } })),
    create(ReplayRecordSchema, { record: { case: "end", value: end } }),
  ];
}

/** Format 1 tells decisions by tick and unit where format 2 has answers to questions. */
function earlier(): FileFault {
  return new FileFault(`it was written by an earlier version of Parley (format ${EARLIER_FORMAT}), which this page cannot read`);
}

function beginsWith(bytes: Uint8Array, line: string): boolean {
  return new TextEncoder().encode(line).every((byte, at) => bytes[at] === byte);
}

function readRecord(bytes: Uint8Array, place: number): ReplayRecord {
  try {
    return fromBinary(ReplayRecordSchema, bytes);
  } catch {
    throw new FileFault(`its record ${place} cannot be read`);
  }
}

function readLength(bytes: Uint8Array, at: number, place: number): { value: number; next: number } {
  let value = 0;
  for (let nth = 0; nth < MAX_VARINT_BYTES; nth++) {
    const byte = bytes[at + nth];
    if (byte === undefined) throw new FileFault(`it ends within the length of record ${place}`);
    value += (byte & 0x7f) * 2 ** (7 * nth);
    if (byte < 0x80) return { value, next: at + nth + 1 };
  }
  throw new FileFault(`the length of record ${place} cannot be read`);
}

function varint(number: number): Uint8Array<ArrayBuffer> {
  const out = [];
  for (; number >= 0x80; number = Math.floor(number / 0x80)) out.push((number % 0x80) | 0x80);
  return Uint8Array.from([...out, number]);
}

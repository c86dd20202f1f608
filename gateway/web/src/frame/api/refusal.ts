// Why a call changed nothing, in words and for programs.
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { refusalSentence } from "./refusalsentence";

/** Something that is wrong with an order, an answer or a field. */
export interface RequestFault {
  /** The unit whose order, or the answer to a question about which, is wrong; null where it is about no unit. */
  readonly unit: number | null;
  /** The structure whose order, or the answer to a question about which, is wrong; null where it is about none. */
  readonly structure: number | null;
  /** The number of the rule that it breaks, such as R5.5; empty where it breaks none. */
  readonly rule: string;
  readonly text: string;
  /** The field of the request, such as sheet.plunder.units[7].move.path[2]; empty where it is not told. */
  readonly field: string;
}

/** A call that was refused, or that did not get through. */
export interface Refusal {
  readonly code: Code;
  /** Unspecified where the server gave no reason, or one that this page does not know. */
  readonly reason: Reason;
  /** For people: one sentence, with a capital and a full stop. */
  readonly sentence: string;
  readonly faults: readonly RequestFault[];
  /** The turn that the match is in; 0 where it was not told. */
  readonly turn: number;
  /** The caller's number of the open window; 0 where the caller is not asked in one. */
  readonly window: number;
  /** How long to wait before trying again; null where trying again does not help. */
  readonly retryMs: number | null;
}

/** Reads what a call threw. */
export function refusalOf(thrown: unknown): Refusal {
  const error = ConnectError.from(thrown);
  const metadata = new Map<string, string>();
  const faults: RequestFault[] = [];
  let named: string | null = null;
  let retryMs: number | null = null;
  for (const detail of error.details) {
    if (!("type" in detail)) continue;
    if (detail.type === "google.rpc.ErrorInfo") named = readInfo(detail.value, metadata);
    else if (detail.type === "google.rpc.BadRequest") readViolations(detail.value, faults);
    else if (detail.type === "google.rpc.RetryInfo") retryMs = readDelay(detail.value);
  }
  const reason = named !== null && isReason(named) ? Reason[named] : Reason.UNSPECIFIED;
  const away = named === null && AWAY.has(error.code);
  return {
    code: error.code,
    reason,
    sentence: away ? "The server cannot be reached." : refusalSentence(reason, error.rawMessage),
    faults,
    turn: Number(metadata.get("turn") ?? 0),
    window: Number(metadata.get("window") ?? 0),
    retryMs: retryMs ?? (away || error.code === Code.Unavailable ? 0 : null),
  };
}

/** A refusal that the page itself gives, without asking the server. */
export function ownRefusal(sentence: string): Refusal {
  return { code: Code.FailedPrecondition, reason: Reason.UNSPECIFIED, sentence, faults: [], turn: 0, window: 0, retryMs: null };
}

/** Whether a status names a reason as the protos do, without the prefix that all have. */
function isReason(name: string): name is keyof typeof Reason {
  return Object.hasOwn(Reason, name) && typeof Reason[name as keyof typeof Reason] === "number";
}

/** The codes of a connection that broke, where the server itself did not say anything. */
const AWAY = new Set([Code.Unavailable, Code.Unknown, Code.Internal, Code.Aborted, Code.DeadlineExceeded]);

/** Whether the same call can succeed later: the server is away, or asks for patience. */
export function isPassing(refusal: Refusal): boolean {
  return refusal.retryMs !== null;
}

/** Calls `field` for each field of a message; what it does not read is skipped. */
function readFields(bytes: Uint8Array, field: (number: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (!field(number, reader)) reader.skip(type, number);
  }
}

/** Reads google.rpc.ErrorInfo: returns the reason, and puts the metadata into the map. */
function readInfo(bytes: Uint8Array, metadata: Map<string, string>): string {
  let reason = "";
  readFields(bytes, (number, reader) => {
    if (number === 1) reason = reader.string();
    else if (number === 3) {
      const [key, value] = readPair(reader.bytes());
      metadata.set(key, value);
    } else return false;
    return true;
  });
  return reason;
}

/** A message whose fields 1 and 2 are texts. */
function readPair(bytes: Uint8Array): [string, string] {
  const pair: [string, string] = ["", ""];
  readFields(bytes, (number, reader) => {
    if (number !== 1 && number !== 2) return false;
    pair[number - 1] = reader.string();
    return true;
  });
  return pair;
}

/** Reads google.rpc.BadRequest: each violation becomes a fault. */
function readViolations(bytes: Uint8Array, faults: RequestFault[]): void {
  readFields(bytes, (number, reader) => {
    if (number !== 1) return false;
    faults.push(faultOf(...readPair(reader.bytes())));
    return true;
  });
}

/** Reads google.rpc.RetryInfo: the wait that the server asks for, in milliseconds. */
function readDelay(bytes: Uint8Array): number {
  let ms = 0;
  readFields(bytes, (number, reader) => {
    if (number !== 1) return false;
    readFields(reader.bytes(), (part, duration) => {
      if (part === 1) ms += Number(duration.int64()) * 1000;
      else if (part === 2) ms += duration.int32() / 1_000_000;
      else return false;
      return true;
    });
    return true;
  });
  return ms;
}

/** A violation says its rule at its end. Whom it is about knows whoever knows what stood in the field. */
function faultOf(field: string, description: string): RequestFault {
  const said = /^(.*) \((R\d+(?:\.\d+)?)\)$/s.exec(description);
  return { unit: null, structure: null, rule: said?.[2] ?? "", text: said?.[1] ?? description, field };
}

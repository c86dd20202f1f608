import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { isPassing, refusalOf } from "./refusal";

const text = (field: number, value: string, writer = new BinaryWriter()) =>
  writer.tag(field, WireType.LengthDelimited).string(value);
const nested = (field: number, inner: BinaryWriter, writer = new BinaryWriter()) =>
  writer.tag(field, WireType.LengthDelimited).bytes(inner.finish());

function thrown(code: Code, message: string, details: readonly [string, BinaryWriter][]): ConnectError {
  const error = new ConnectError(message, code);
  error.details = details.map(([type, writer]) => ({ type: `google.rpc.${type}`, value: writer.finish() }));
  return error;
}

test("the reason, the moment and all faults are read", () => {
  const info = text(2, "parley.v1", text(1, "ORDERS_INVALID"));
  nested(3, text(2, "7", text(1, "turn")), info);
  nested(3, text(2, "2", text(1, "window")), info);
  const bad = nested(1, text(2, "has no such class (R4)", text(1, "sheet.plunder.structures[3].build")));
  nested(1, text(2, "the first step is not adjacent (R5.5)", text(1, "sheet.plunder.units[12].move.path[0]")), bad);
  nested(1, text(2, "at most 40 printable characters", text(1, "name")), bad);
  const refusal = refusalOf(
    thrown(Code.InvalidArgument, "2 of the orders cannot stand, and nothing was locked", [
      ["ErrorInfo", info],
      ["BadRequest", bad],
    ]),
  );
  expect(refusal.reason).toBe(Reason.ORDERS_INVALID);
  expect(refusal.sentence).toBe("2 of the orders cannot stand, and nothing was locked.");
  expect([refusal.turn, refusal.window]).toEqual([7, 2]);
  expect(refusal.faults).toEqual([
    { unit: null, structure: null, rule: "R4", text: "has no such class", field: "sheet.plunder.structures[3].build" },
    {
      unit: null,
      structure: null,
      rule: "R5.5",
      text: "the first step is not adjacent",
      field: "sheet.plunder.units[12].move.path[0]",
    },
    { unit: null, structure: null, rule: "", text: "at most 40 printable characters", field: "name" },
  ]);
  expect(isPassing(refusal)).toBe(false);
});

test("the name of a field is not for people", () => {
  const refusal = refusalOf(
    thrown(Code.InvalidArgument, "match_id: no match has such an id", [["ErrorInfo", text(1, "FIELD_INVALID")]]),
  );
  expect(refusal.sentence).toBe("No match has such an id.");
  const deep = "settings.seats[2].house_bot: no such bot";
  const within = refusalOf(thrown(Code.InvalidArgument, deep, [["ErrorInfo", text(1, "FIELD_INVALID")]]));
  expect(within.sentence).toBe("No such bot.");
});

test("a reason of a later server is one that is not known", () => {
  for (const name of ["MOON_FULL", "toString", "1"]) {
    const refusal = refusalOf(thrown(Code.Internal, "the moon is full", [["ErrorInfo", text(1, name)]]));
    expect([refusal.reason, refusal.sentence]).toEqual([Reason.UNSPECIFIED, "The moon is full."]);
  }
});

test("the server can ask for patience", () => {
  const delay = new BinaryWriter().tag(1, WireType.Varint).int64(2).tag(2, WireType.Varint).int32(500_000_000);
  const limit = thrown(Code.ResourceExhausted, "slow down", [
    ["ErrorInfo", text(1, "RATE_LIMITED")],
    ["RetryInfo", nested(1, delay)],
  ]);
  const refusal = refusalOf(limit);
  expect(refusal.retryMs).toBe(2500);
  expect(isPassing(refusal)).toBe(true);
  expect(refusal.sentence).toBe("That was a lot at once. Wait a moment and try again.");
});

test("a connection that broke is no refusal of the server", () => {
  for (const error of [new TypeError("Failed to fetch"), new ConnectError("missing trailer", Code.Internal)]) {
    expect(refusalOf(error).sentence).toBe("The server cannot be reached.");
    expect(isPassing(refusalOf(error))).toBe(true);
  }
  expect(isPassing(refusalOf(new ConnectError("no", Code.PermissionDenied)))).toBe(false);
});

// Replays that were tampered with: each kind is found, and named with its turn, tick, subject and field.
import { describe, expect, test } from "vitest";
import type { Proof } from "../../frame/verify/proof";
import { FIRST_LINE, FileFault, readReplayFile, recordsOf, replayOf, writeReplayFile } from "../../frame/verify/replayfile";
import type { Replay } from "../../frame/verify/replayfile";
import { prove } from "./prove";
import { FRAME_DAMAGES } from "./testing/damagedframe";
import { OUTCOME_DAMAGES } from "./testing/damagedoutcome";
import { SHEET_DAMAGES } from "./testing/damagedsheets";
import { PUBLIC, forged } from "./testing/forge";

const DAMAGES = { ...FRAME_DAMAGES, ...SHEET_DAMAGES, ...OUTCOME_DAMAGES };
const SOUND = writeReplayFile(recordsOf(forged()));
const copied = (): Replay => replayOf(readReplayFile(SOUND.slice()));
const proofOf = (file: Uint8Array): Proof => prove(replayOf(readReplayFile(file)));

function damaged(name: string): Proof {
  const replay = copied();
  DAMAGES[name]?.[1](replay);
  return proofOf(writeReplayFile(recordsOf(replay)));
}

test("there are many kinds of damage", () => {
  expect(Object.keys(DAMAGES).length).toBeGreaterThan(80);
});

test.each(Object.entries(DAMAGES))("%s", (name, [says]) => {
  const { proven, fault, turns, result } = damaged(name);
  expect(proven).toBe(false);
  expect(fault?.sentence.slice(0, says.length)).toBe(says);
  const [, turn, tick] = /^turn (\d+)(?:, tick (\d+))?:/.exec(says) ?? [];
  expect(fault?.turn).toBe(turn === undefined ? null : Number(turn));
  if (says.includes(":", 8)) expect(fault?.tick).toBe(tick === undefined ? null : Number(tick));
  // What comes before the fault is proven, and nothing after it is looked at.
  const place = turns.findIndex(({ ok }) => ok !== true);
  const rest = place === -1 ? [] : turns.slice(place);
  expect(turns.slice(0, place === -1 ? turns.length : place).every(({ ok }) => ok)).toBe(true);
  expect(rest.map(({ ok }) => ok)).toEqual(rest.map((_, nth) => (nth === 0 && turn !== undefined ? false : null)));
  if (turn !== undefined) expect(result.ok).toBeNull();
});

test("a difference says what it has to be and what it is", () => {
  const { fault } = damaged("a ship that was spared");
  expect(fault).toMatchObject({ turn: 2, tick: 1, entity: "unit 4", field: "hp" });
  expect(Number(fault?.found)).toBe(Number(fault?.expected) + 1);
});

describe("the tally that a fault belongs to", () => {
  test.each([
    ["another signature", "signatures"],
    ["a lock-in passed off as late", "chains"],
    ["another order", "sheets"],
    ["a window left out", "answers"],
    ["another digest", "digests"],
  ] as const)("%s", (name, tally) => {
    const proof = damaged(name);
    for (const each of ["signatures", "chains", "sheets", "answers", "digests"] as const) {
      expect(proof[each].ok, each).toBe(each !== tally);
      expect(proof[each].checked).toBeLessThan(proof[each].of);
    }
  });
});

test("a state that is not the told one is shown with its own digest", () => {
  const told = copied().turns[0];
  const [turn] = damaged("gold from nowhere").turns;
  expect(turn?.ok).toBe(false);
  expect(turn?.recomputed).toBe(turn?.digest);
  expect(turn?.digest).toBe(told && Buffer.from(told.digest).toString("hex"));
});

test("a key that is known from elsewhere", () => {
  expect(prove(copied(), PUBLIC).proven).toBe(true);
  const { fault } = prove(copied(), new Uint8Array(32));
  expect(fault).toMatchObject({ entity: "the header", field: "receipt_key", expected: "00".repeat(32) });
});

test("bytes that are turned anywhere are noticed, apart from names and times", { timeout: 120_000 }, () => {
  const { header, turns } = copied();
  const late = turns[1]?.sheets[1]?.sheet ?? new Uint8Array();
  const letters = (text: string) => new TextEncoder().encode(text);
  const believed = [...header.seats.map((seat) => letters(seat.name || seat.policy)), late].map((part) => {
    const from = Buffer.from(SOUND).indexOf(part);
    return { from, to: from + part.length };
  });
  const unnoticed: number[] = [];
  for (let at = FIRST_LINE.length; at < SOUND.length; at += 173) {
    const turned = SOUND.slice();
    turned[at] = (turned[at] ?? 0) ^ 0x10;
    try {
      if (proofOf(turned).proven) unnoticed.push(at);
    } catch (fault) {
      expect(fault).toBeInstanceOf(FileFault);
    }
  }
  expect(unnoticed.filter((at) => !believed.some(({ from, to }) => from <= at && at < to))).toEqual([]);
});

describe("files that are no replays", () => {
  const line = [...new TextEncoder().encode(FIRST_LINE)];
  const twice = [...SOUND, ...SOUND.slice(line.length)];
  const otherFormat = copied();
  otherFormat.header.format = 3;
  const earlierFormat = copied();
  earlierFormat.header.format = 1;
  const earlier = "it was written by an earlier version of Parley (format 1), which this page cannot read";
  const kinds: [string, Iterable<number>][] = [
    ["it does not begin with the line 'PARLEY-REPLAY 2'", []],
    ["it does not begin with the line 'PARLEY-REPLAY 2'", new TextEncoder().encode("PARLEY-REPLAY 3\n")],
    [earlier, new TextEncoder().encode("PARLEY-REPLAY 1\n")],
    [earlier, writeReplayFile(recordsOf(earlierFormat))],
    ["its first record is no header", line],
    ["its record 1 cannot be read", [...line, 5, 255, 255, 255, 255, 255]],
    ["the length of record 1 cannot be read", [...line, ...Array<number>(11).fill(255)]],
    ["it ends within the length of record 1", [...line, 255]],
    ["it ends within record 8", SOUND.slice(0, -1)],
    ["its format is 3, and 2 is known here", writeReplayFile(recordsOf(otherFormat))],
    ["its record 8 is no turn", twice],
    ["its last record is no end", writeReplayFile(recordsOf(copied()).slice(0, -1))],
  ];
  test.each(kinds)("%s", (says, bytes) => {
    expect(() => proofOf(Uint8Array.from(bytes))).toThrow(new FileFault(says));
  });
});

// Sound replays are proven: one that is made here, and matches that a real server played.
import { expect, test } from "vitest";
import type { Proof } from "../../frame/verify/proof";
import { readReplayFile, recordsOf, replayOf, writeReplayFile } from "../../frame/verify/replayfile";
import type { Replay } from "../../frame/verify/replayfile";
import { prove } from "./prove";
import { PUBLIC, forged } from "./testing/forge";
import { fixture } from "./testing/repository";

function recorded(name: string): { replay: Replay; proof: Proof } {
  const replay = replayOf(readReplayFile(fixture(name)));
  return { replay, proof: prove(replay, PUBLIC) };
}

function expectProven(proof: Proof, turns: number, receipts: number): void {
  expect(proof.fault).toBeNull();
  expect(proof.proven && proof.opening).toBe(true);
  for (const finding of [proof.rulesHash, proof.genesis, proof.commitment, proof.finalDigest]) {
    expect(finding.ok).toBe(true);
    expect(finding.computed).toBe(finding.told);
    expect(finding.told).toMatch(/^[0-9a-f]{64}$/);
  }
  expect(proof.seed).toMatch(/^[0-9a-f]{64}$/);
  expect(proof.turns.map((turn) => turn.turn)).toEqual(Array.from({ length: turns }, (_, place) => place + 1));
  expect(proof.turns.every((turn) => turn.ok && turn.digest === turn.recomputed)).toBe(true);
  expect(proof.digests).toEqual({ ok: true, checked: turns, of: turns });
  for (const tally of [proof.signatures, proof.chains, proof.sheets]) {
    expect(tally).toEqual({ ok: true, checked: receipts, of: receipts });
  }
  expect(proof.answers.checked).toBe(proof.answers.of);
  expect(proof.result.ok).toBe(true);
  expect(proof.dice).toBe(5 * proof.exchanges);
}

test("a replay that is made here", () => {
  const told: [number, number][] = [];
  const proof = prove(forged(), PUBLIC, (done, of) => told.push([done, of]));
  expectProven(proof, 6, 22);
  expect(told).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]));
  expect(proof.exchanges).toBeGreaterThan(20);
  expect(proof.answers.of).toBeGreaterThan(30);
  const believed = { deadlineSheets: 2, houseSheets: 0, concessions: 0, added: 2, key: false };
  expect(proof.believed).toEqual({ ...believed, answers: proof.answers.of });
});

test("a match in fog, with bytes of a player in the seed", () => {
  const { replay, proof } = recorded("fog");
  expectProven(proof, 12, 36);
  expect(replay.header.rules).toContain('"fog":"on"');
  expect(proof.believed.added).toBe(1);
  expect(proof.answers.checked).toBeGreaterThan(0);
});

test("a match with contests, whose players are asked", () => {
  const { replay, proof } = recorded("contests");
  expectProven(proof, 14, 28);
  expect(replay.header.rules).toContain('"contest_limit":3');
  expect(proof.exchanges).toBeGreaterThan(20);
  expect(proof.answers.checked).toBeGreaterThan(20);
});

test("a match in which somebody gives up", () => {
  const { replay, proof } = recorded("concede");
  expectProven(proof, 9, 23);
  expect(replay.turns.map((turn) => turn.sheets.length)).toEqual([3, 3, 3, 3, 3, 2, 2, 2, 2]);
});

test("a match of deadlines: late sheets, bad orders in them, nothing at all, no answers, and a call to give up", () => {
  const { replay, proof } = recorded("deadline");
  expectProven(proof, 9, 9);
  expect(proof.believed.deadlineSheets).toBe(9);
  expect(proof.believed.concessions).toBe(1);
  const answers = replay.turns.flatMap((turn) => turn.windows.flatMap((window) => window.answers));
  expect(answers.some((answer) => answer.defaulted)).toBe(true);
  expect(proof.result.told).toEqual({ kind: "winner", seat: 1 });
});

test("a match that was stopped", () => {
  const { proof } = recorded("stopped");
  expectProven(proof, 3, 6);
  expect(proof.result.told).toEqual({ kind: "stopped", reason: "a storm" });
});

test("a file that is read and written again is the same", () => {
  for (const name of ["fog", "contests", "concede", "deadline", "stopped"]) {
    const file = fixture(name);
    expect(writeReplayFile(readReplayFile(file))).toEqual(file);
    expect(writeReplayFile(recordsOf(replayOf(readReplayFile(file))))).toEqual(file);
  }
});

test("a house bot needs no receipts", () => {
  const replay = forged();
  for (const turn of replay.turns) for (const sheet of turn.sheets) if (sheet.seat === 3) delete sheet.receipt;
  const proof = prove(replay);
  expectProven(proof, 6, 16);
  expect(proof.believed).toMatchObject({ houseSheets: 6, key: true });
});

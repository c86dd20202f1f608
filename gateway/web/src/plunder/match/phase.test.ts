import { expect, it } from "vitest";
import { initialState } from "../../frame/session/reducer";
import { emptyPlan } from "../model/plan";
import { sampleBoard, sampleChart } from "../planning/sample";
import type { PlunderState, PlunderTypes } from "../session/messages";
import { phaseWords, standingOf, timeWords } from "./phase";

const board = sampleBoard(sampleChart(["..."]), []);
const state = (what: Partial<PlunderState>): PlunderState => ({ ...initialState<PlunderTypes>("id", 0, emptyPlan), phase: "planning", turn: 5, board, ...what });

it("says what the viewer can do", () => {
  expect(standingOf(state({}))).toBe("planning");
  expect(standingOf(state({ locked: true }))).toBe("locked");
  expect(standingOf(state({ phase: "resolving" }))).toBe("resolving");
  expect(standingOf(state({ seat: null }))).toBe("watching");
  expect(standingOf(state({ board: null }))).toBe("waiting");
  const dead = { ...board, players: board.players.map((player) => ({ ...player, alive: player.id !== 0 })) };
  expect(standingOf(state({ board: dead }))).toBe("out");
  const ended = { result: { winner: 1 }, stopped: null, secret: null, digest: null };
  expect(standingOf(state({ board: dead, phase: "over", ended }))).toBe("over");
});

it("counts those who are waited for, where that is told", () => {
  const locked = (count: number) => phaseWords(state({ locked: true, locks: { count, seats: [] } }));
  expect(phaseWords(state({ locked: true }))).toBe("Locked in — waiting for the others");
  expect(locked(1)).toBe("Locked in — waiting for 1 other");
  expect(locked(0)).toBe("Locked in — waiting for 2 others");
  expect(locked(2)).toBe("Locked in — the turn is resolving");
});

it("rounds time up, so that 0:00 is the end", () => {
  expect([0, 1, 1000, 59_001, 61_000, -5].map(timeWords)).toEqual(["0:00", "0:01", "0:01", "1:00", "1:01", "0:00"]);
});

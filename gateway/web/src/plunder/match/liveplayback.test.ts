import { expect, it } from "vitest";
import type { LogLine } from "../../frame/log/logline";
import type { Frame } from "../model/model";
import { sampleBoard, sampleChart } from "../planning/sample";
import { catchUp, withLines } from "./liveplayback";

const board = sampleBoard(sampleChart(["..."]), []);

function framesOfTurns(...turns: readonly number[]): readonly Frame[] {
  return turns.map((turn) => ({ turn, tick: null, title: "", before: board, effects: [], after: board, lines: [] }));
}

it("shows everything while few turns wait", () => {
  expect(catchUp(framesOfTurns(1, 1, 2, 3), 0, 3)).toBe(0);
  expect(catchUp(framesOfTurns(1, 1, 2, 3), 1, 3)).toBe(1);
  expect(catchUp([], 0, 3)).toBe(0);
});

it("goes on with the last turns when too many wait", () => {
  expect(catchUp(framesOfTurns(1, 1, 2, 2, 3, 4), 1, 3)).toBe(2);
  expect(catchUp(framesOfTurns(1, 2, 3, 4, 5, 6, 6), 0, 2)).toBe(4);
});

it("keeps the newest lines of a log", () => {
  const line = (text: string): LogLine => ({ turn: 1, tick: null, text, tone: "plain", own: false, tile: null });
  const [a, b, c] = [line("a"), line("b"), line("c")];
  const log = { lines: [a], gone: 4 };
  expect(withLines(log, [b, c], 2)).toEqual({ lines: [b, c], gone: 5 });
  expect(withLines(log, [])).toBe(log);
});

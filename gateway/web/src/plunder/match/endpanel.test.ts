import { expect, it } from "vitest";
import type { Ended } from "../../frame/session/state";
import { endWords } from "./endpanel";

const names = ["Anna", "Ben", "Carl"];
const end = (what: Partial<Ended>): Ended => ({ result: null, stopped: null, secret: null, digest: null, ...what });

it("tells a victory, a defeat and a match of others apart", () => {
  const ended = end({ result: { winner: 1 } });
  expect(endWords(ended, 1, names, 9)).toEqual({ tone: "good", title: "Victory", sentence: "The sea is yours after 9 turns." });
  expect(endWords(ended, 0, names, 1)).toEqual({ tone: "bad", title: "Defeat", sentence: "Ben has won after 1 turn." });
  expect(endWords(ended, null, names, 9).title).toBe("Ben wins");
});

it("names everybody who is level in a draw", () => {
  const ended = end({ result: { draw: [0, 1, 2] } });
  expect(endWords(ended, 1, names, 9).sentence).toBe("Nobody is ahead of Anna, you and Carl after 9 turns.");
  expect(endWords(end({ result: { draw: [] } }), 1, names, 9).title).toBe("Draw");
});

it("says why a match was stopped", () => {
  expect(endWords(end({ stopped: "maintenance" }), 0, names, 4)).toEqual({
    tone: "",
    title: "Stopped",
    sentence: "The match was stopped after 4 turns. “maintenance”",
  });
});

import { expect, it } from "vitest";
import { Playback } from "../playback/playback";
import { stepOf } from "./replayturn";

it("counts the frames that are over", () => {
  const frame = { turn: 1, title: "", before: null, after: null };
  const playback = new Playback(() => 0, { now: () => 0, after: () => () => undefined });
  playback.load([frame, { ...frame }], 0, false);
  const step = () => stepOf(playback.snapshot(), playback.progress());
  expect(step()).toBe(0);
  playback.toggle();
  expect(step()).toBe(1);
  playback.seek(1, 1);
  expect(step()).toBe(2);
  playback.skip();
  expect(step()).toBe(2);
});

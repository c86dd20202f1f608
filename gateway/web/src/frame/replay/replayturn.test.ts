import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetTurnsResponseSchema } from "../../gen/parley/v1/archive_pb";
import { Playback } from "../playback/playback";
import { pageOf, stepOf } from "./replayturn";

it("gives every turn the view after it", () => {
  const page = pageOf(
    create(GetTurnsResponseSchema, { turns: [{ view: { turn: 1 } }, { view: { turn: 2 } }], last: 2, after: { turn: 3 } }),
  );
  expect(page.last).toBe(2);
  expect(page.turns.map(({ turn, after }) => [turn.view?.turn, after?.turn])).toEqual([
    [1, 2],
    [2, 3],
  ]);
  const cut = pageOf(create(GetTurnsResponseSchema, { turns: [{ view: { turn: 1 } }], last: 40 }));
  expect(cut.turns[0]?.after).toBeNull();
});

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

import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetTurnsResponseSchema, TurnToldSchema } from "../../gen/parley/v1/archive_pb";
import { ViewSchema } from "../../gen/parley/v1/game_pb";
import { Playback } from "../playback/playback";
import { pageOf, stepOf } from "./replayturn";

it("gives every turn the view after it", () => {
  const [first, second, third] = [1, 2, 3].map(() => create(ViewSchema));
  const turns = [{ view: first }, { view: second }].map((turn) => create(TurnToldSchema, turn));
  const page = pageOf(create(GetTurnsResponseSchema, { turns, last: 2, after: third }));
  expect(page.last).toBe(2);
  expect(page.turns.map(({ turn }) => turn)).toEqual(turns);
  expect(page.turns[0]?.after).toBe(second);
  expect(page.turns[1]?.after).toBe(third);
  const cut = pageOf(create(GetTurnsResponseSchema, { turns: turns.slice(0, 1), last: 40 }));
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

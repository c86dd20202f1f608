import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GetTurnsResponseSchema } from "../../gen/parley/v1/archive_pb";
import { EventSchema } from "../../gen/parley/v1/event_pb";
import { Reel } from "../play/reel";
import { pageOf, stepOf } from "./film";
import { highlightOf, highlightWords } from "./highlights";

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
  const board = { seat: null, turn: 1, chart: { width: 1, height: 1, wrap: false, keys: [], terrain: new Uint8Array(1), visible: null } };
  const still = { ...board, players: [], ships: new Map(), yards: new Map(), contests: new Map(), result: null };
  const frame = { turn: 1, tick: null, title: "", before: still, effects: [], after: still, lines: [] };
  const reel = new Reel({ now: () => 0, after: () => () => undefined });
  reel.load([frame, { ...frame }], 0, false);
  const step = () => stepOf(reel.snapshot(), reel.progress());
  expect(step()).toBe(0);
  reel.toggle();
  expect(step()).toBe(1);
  reel.seek(1, 1);
  expect(step()).toBe(2);
  reel.skip();
  expect(step()).toBe(2);
});

it("finds fights and sinkings", () => {
  const events = [
    create(EventSchema, { what: { case: "exchanged", value: { attacker: 1, defender: 2 } } }),
    create(EventSchema, { what: { case: "exchanged", value: { attacker: 1, defender: 3 } } }),
    create(EventSchema, { what: { case: "sunk", value: { unit: 2 } } }),
    create(EventSchema, { what: { case: "moved", value: { unit: 3 } } }),
  ];
  expect(highlightWords(highlightOf(events))).toBe("2 fights, 1 ship sunk");
  expect(highlightWords(highlightOf([]))).toBe("");
});

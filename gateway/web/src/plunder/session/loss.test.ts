// What a page goes through whose connection, tab or clock is not what it should be.
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MatchSession } from "../../frame/session/session";
import { GetViewResponseSchema, Phase } from "../../gen/parley/v1/play_pb";
import { sheetWith } from "../arms";
import { emptyPlan, orderShip } from "../model/plan";
import { FakeServer, broken, faulty, limited, news, outcome, planning, question, refused, view } from "./fakeserver";
import { plunderMessages } from "./messages";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const hold = orderShip(emptyPlan, 1, { action: { kind: "hold" } });
const fight = orderShip(emptyPlan, 1, { stance: "fight" });
const heldElsewhere = sheetWith({ units: [{ unit: 1, action: { case: "hold", value: {} } }] });

async function opened(server = new FakeServer()) {
  const session = new MatchSession("m", 0, server, plunderMessages);
  await pass();
  return { session, server, state: session.snapshot };
}

/** What GetView answers where this seat has locked in. */
function lockedView(turn: number, cursor: bigint) {
  return create(GetViewResponseSchema, { phase: Phase.PLANNING, view: view(turn), cursor, locked: true, sheet: heldElsewhere });
}

test("a gap in the news is filled with a view", async () => {
  const { server, state } = await opened();
  server.now = planning(3, 9n);
  server.stream.say(outcome(6n, 2));
  await pass();
  expect(server.viewsAsked).toHaveLength(2);
  expect(server.stream.after).toBe(9n);
  expect(state()).toMatchObject({ turn: 3, missed: 2, connection: { kind: "live" } });
});

test("a server that only ever wants views is not asked without a pause", async () => {
  const { server } = await opened();
  for (let second = 0; second < 600; second++) {
    server.stream.say(news(0n, { case: "snapshotRequired", value: { newest: 3n } }));
    await pass(100);
  }
  expect(server.viewsAsked.length).toBeLessThan(25);
});

test("a lock-in that is on its way when turns are skipped does not freeze the turn that is there then", async () => {
  const { session, server, state } = await opened();
  server.locks.then(broken(), refused(Code.FailedPrecondition, "OTHER_TURN"));
  server.now = planning(9, 40n);
  const locked = session.lockIn(hold);
  await pass();
  server.stream.say(news(0n, { case: "snapshotRequired", value: { newest: 40n } }));
  await pass(2000);
  expect(await locked).toMatchObject({ ok: false, refusal: { sentence: "Too late: that turn is over." } });
  expect(state()).toMatchObject({ turn: 9, locking: false, locked: false, plan: emptyPlan });
  session.stage(fight);
  expect(state().plan).toBe(fight);
});

test("a turn that ended unheard is caught up with when something is refused for it", async () => {
  const { session, server, state } = await opened();
  server.stages.then(refused(Code.FailedPrecondition, "OTHER_TURN"));
  session.stage(hold);
  await pass(100);
  expect(server.streams).toHaveLength(2);
  expect(server.stream.after).toBe(3n);
  server.stream.say(outcome(4n, 1));
  await pass();
  expect(state()).toMatchObject({ turn: 2, missed: 0 });
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([1]);
});

test("a refused lock-in keeps the plan, its faults, and the server's copy of it", async () => {
  const { session, server, state } = await opened();
  server.locks.then(faulty("ORDERS_INVALID", "sheet.plunder.units[0].unit", "is not there (R1)"));
  await session.lockIn(hold);
  expect(state()).toMatchObject({ plan: hold, locked: false, faults: [{ unit: 1, text: "is not there", rule: "R1" }] });
  await pass();
  expect(server.stageRequests.at(-1)?.sheet?.game.value?.units).toHaveLength(1);
  expect(state().staging).toBe("kept");
});

test("a staged sheet that comes after its own lock-in does not lose the turn", async () => {
  const { session, server, state } = await opened();
  let late: (error: Error) => void = () => {};
  server.play.stageOrders = () => new Promise((_, refuse) => (late = refuse));
  session.stage(hold);
  await session.lockIn(hold);
  late(refused(Code.FailedPrecondition, "ALREADY_LOCKED"));
  server.now = planning(2, 4n);
  await pass(1000);
  server.stream.say(outcome(4n, 1));
  await pass();
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([1]);
  expect(state().missed).toBe(0);
  expect(server.viewsAsked).toHaveLength(1);
});

test("a seat that locks in from another tab is seen to be locked here, with what it locked", async () => {
  const { session, server, state } = await opened();
  session.stage(fight);
  await pass(1000);
  server.now = lockedView(1, 4n);
  server.stream.say(news(4n, { case: "locksChanged", value: { turn: 1, count: 1, seats: [0] } }));
  await pass();
  expect(state()).toMatchObject({ locked: true, staging: "kept" });
  expect(state().plan.ships.get(1)?.action).toEqual({ kind: "hold" });
  // The news go on as before.
  server.stream.say(outcome(5n, 1));
  await pass();
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([1]);
});

test("the own lock-in is no news", async () => {
  const { session, server } = await opened();
  await session.lockIn(hold);
  server.stream.say(news(4n, { case: "locksChanged", value: { turn: 1, count: 1, seats: [0] } }));
  await pass();
  expect(server.viewsAsked).toHaveLength(1);
});

test("a question that was answered elsewhere is not claimed to be answered as it was tried here", async () => {
  const { session, server, state } = await opened();
  const prompt = { turn: 1, window: 1, questions: [question(1, 7), question(2, 3)] };
  server.stream.say(news(4n, { case: "prompt", value: prompt }));
  await pass();
  server.answers.then(faulty("ANSWERS_INVALID", "answers[0].question", "question 1 has been answered before (R7.2)"));
  await session.answer(new Map([[1, [1]], [2, [1]]]));
  expect([...(state().prompt?.answered ?? [])]).toEqual([[1, null]]);
  await session.answer(new Map([[2, [1]]]));
  expect([...(state().prompt?.answered ?? [])]).toEqual([
    [1, null],
    [2, [1]],
  ]);
});

test("a server that asks for patience gets it, and its connection is not doubted", async () => {
  const { session, server } = await opened();
  server.locks.then(limited(30));
  const locked = session.lockIn(hold);
  await pass(29_000);
  expect(server.lockRequests).toHaveLength(1);
  expect(server.streams).toHaveLength(1);
  await pass(2_000);
  expect(await locked).toMatchObject({ ok: true });
});

test("a match that was told to its end has ended, whatever the server says then", async () => {
  const { server, state } = await opened();
  server.stream.say(news(4n, { case: "matchStopped", value: { reason: "enough" } }));
  server.stream.fail(refused(Code.NotFound, "MATCH_UNKNOWN"));
  await pass();
  expect(state().connection).toEqual({ kind: "ended" });
});

test("what is known of a long match does not grow", async () => {
  const server = new FakeServer();
  const session = new MatchSession("m", null, server, plunderMessages);
  await pass();
  const size = () => JSON.stringify(session.snapshot(), (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)).length;
  const play = async (from: number, to: number) => {
    for (let turn = from; turn <= to; turn++) {
      server.stream.say(outcome(BigInt(turn + 3), turn));
      await pass();
      session.shown(turn);
    }
  };
  await play(1, 20);
  const early = size();
  await play(21, 500);
  expect(session.snapshot()).toMatchObject({ turn: 501, missed: 0, outcomes: [] });
  expect(size()).toBeLessThan(early + 100);
  expect(server.streams).toHaveLength(1);
  // One timer waits for silence, and nothing else is left.
  expect(vi.getTimerCount()).toBe(1);
  session.close();
  await pass();
  expect(vi.getTimerCount()).toBe(0);
});

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MOST_OUTCOMES, initialState, applyView } from "../../frame/session/reducer";
import { MatchSession } from "../../frame/session/session";
import { MatchResultSchema } from "../../gen/parley/common/v1/result_pb";
import { Engagement } from "../../gen/parley/plunder/v1/board_pb";
import type { EventSchema } from "../../gen/parley/plunder/v1/event_pb";
import { AdviseResponseSchema, GetViewResponseSchema, Phase } from "../../gen/parley/v1/play_pb";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { sheetWith } from "../arms";
import { recordedMatch as recorded } from "../model/fixtures/matches";
import { emptyPlan, orderShip } from "../model/plan";
import { FakeServer, broken, changed, news, outcome, planning, question, refused, view } from "./fakeserver";
import { type PlunderTypes, plunderMessages } from "./messages";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** Lets everything happen that is due within so many milliseconds. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

const hold = orderShip(emptyPlan, 1, { action: { kind: "hold" } });
const fight = orderShip(emptyPlan, 1, { stance: "fight" });

async function opened(server = new FakeServer()) {
  const session = new MatchSession("m", 0, server, plunderMessages);
  await pass();
  return { session, server, state: session.snapshot };
}

test("a match is described, seen, and then followed from there", async () => {
  const { server, state } = await opened();
  expect(state()).toMatchObject({ connection: { kind: "live" }, phase: "planning", turn: 1, names: ["Anna", "Raider"] });
  expect(state().board?.ships.size).toBe(2);
  expect(server.stream.after).toBe(3n);
});

test("who joins while the first view is on its way has a name", async () => {
  const server = new FakeServer();
  const described = server.lobby.getMatch;
  const late: FakeServer["lobby"]["getMatch"] = async (request, options) => {
    const answer = await described(request, options);
    const [, other] = answer.match?.seats ?? [];
    if (other) Object.assign(other, server.viewsAsked.length > 0 ? { name: "Ben", houseBot: "" } : { name: "", taken: false });
    return answer;
  };
  Object.assign(server.lobby, { getMatch: late });
  const { state } = await opened(server);
  expect(state().names).toEqual(["Anna", "Ben"]);
});

test("a match that is over when the page comes stands at its last turn", () => {
  const reading = { messages: plunderMessages, rules: recorded("open").rules, local: () => null, now: () => 0 };
  const result = create(MatchResultSchema, { result: { case: "winner", value: 1 } });
  const over = create(GetViewResponseSchema, { phase: Phase.OVER, view: view(8, result), cursor: 9n });
  const state = applyView(initialState<PlunderTypes>("m", 0, emptyPlan), over, reading);
  expect(state).toMatchObject({ phase: "over", turn: 7, missed: 0, ended: { result: { winner: 1 } } });
});

test("an outcome waits to be shown, and the next turn can be planned", async () => {
  const { session, server, state } = await opened();
  session.stage(hold);
  await pass();
  server.stream.say(outcome(4n, 1), outcome(5n, 2));
  await pass();
  expect(state()).toMatchObject({ turn: 3, phase: "planning", plan: emptyPlan, staging: "none", locked: false });
  expect(state().outcomes.map(({ turn, before, after }) => [turn, before.turn, after.turn])).toEqual([
    [1, 1, 2],
    [2, 2, 3],
  ]);
  session.shown(1);
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([2]);
});

test("a board is what the changes make of it, without another view", async () => {
  const { server, state } = await opened();
  const what = (unit: number) => ({ case: "exchanged" as const, value: { attacker: unit, defender: 3 - unit } });
  const events = [1, 2].map((group) => ({ tick: 255, group, changes: 1, what: what(group) }));
  const own = [{ tick: 255, changes: 1, after: 1, what: { case: "defaulted" as const, value: { unit: 1 } } }];
  const plunder = (told: MessageInitShape<typeof EventSchema>[]) => ({ game: { case: "plunder" as const, value: { events: told } } });
  const value = {
    turn: 1,
    shared: plunder(events),
    own: plunder(own),
    sharedChanges: changed(
      { case: "unit", value: { id: 2, hp: 8 } },
      { case: "unit", value: { id: 2, hp: 5 } },
      { case: "turn", value: 2 },
    ),
    ownChanges: changed({ case: "unit", value: { id: 1, engagement: Engagement.FIGHT } }, { case: "player", value: { id: 0, gold: 90n } }),
    next: { turn: 2 },
  };
  server.stream.say(news(4n, { case: "outcome", value }));
  await pass();
  const { board, outcomes } = state();
  expect(board).toMatchObject({ turn: 2, players: [{ gold: 90 }, { gold: 100 }] });
  expect([board?.ships.get(1)?.stance, board?.ships.get(2)?.hp]).toEqual(["fight", 5]);
  expect(outcomes[0]?.news.events.map(({ event, changes }) => [event.what.case, changes.length])).toEqual([
    ["exchanged", 1],
    ["defaulted", 1],
    ["exchanged", 1],
  ]);
  expect(outcomes[0]?.after).toBe(board);
  expect(server.viewsAsked).toHaveLength(1);
  expect(server.stream.views).toBe(false);
});

test("a match that begins while it is followed is seen once", async () => {
  const server = new FakeServer();
  server.now = create(GetViewResponseSchema, { phase: Phase.LOBBY, cursor: 1n });
  const { state } = await opened(server);
  expect(state()).toMatchObject({ phase: "open", board: null });
  server.now = planning(1, 2n);
  server.stream.say(news(2n, { case: "turnOpened", value: { turn: 1 } }));
  await pass();
  expect(state()).toMatchObject({ phase: "planning", turn: 1, missed: 0, connection: { kind: "live" } });
  expect(state().board?.ships.size).toBe(2);
  expect(server.viewsAsked).toHaveLength(2);
  expect(server.stream.after).toBe(2n);
  server.stream.say(outcome(3n, 1));
  await pass();
  expect(state()).toMatchObject({ turn: 2, missed: 0 });
  expect(server.viewsAsked).toHaveLength(2);
});

test("changes that do not fit the board are answered with a view", async () => {
  const { server, state } = await opened();
  server.now = planning(2, 4n);
  const sharedChanges = changed({ case: "unitGone", value: 77 }, { case: "turn", value: 2 });
  server.stream.say(news(4n, { case: "outcome", value: { turn: 1, next: { turn: 2 }, sharedChanges } }));
  await pass(1000);
  expect(server.viewsAsked).toHaveLength(2);
  expect(state()).toMatchObject({ turn: 2, missed: 1, outcomes: [], connection: { kind: "live" } });
  server.stream.say(outcome(5n, 2));
  await pass();
  expect(state()).toMatchObject({ turn: 3, missed: 1 });
});

test("every turn names its trace, and where that is shown", async () => {
  const { server, state } = await opened();
  server.stream.say(outcome(4n, 1), outcome(5n, 2));
  await pass();
  expect([...state().traces]).toEqual([
    [1, "ab01"],
    [2, "ab02"],
  ]);
  expect(state().traceUrl).toBe("http://jaeger.example/trace/");
});

test("after a loss the news go on from the cursor, each once", async () => {
  const { server, state } = await opened();
  server.stream.say(outcome(4n, 1));
  await pass();
  server.stream.fail(broken());
  await pass();
  expect(state().connection).toMatchObject({ kind: "lost", sentence: "The server cannot be reached." });
  expect(server.streams).toHaveLength(1);
  await pass(1000);
  expect(server.streams).toHaveLength(2);
  expect(server.stream.after).toBe(4n);
  expect(server.viewsAsked).toHaveLength(1);
  // A repetition is not told twice.
  server.stream.say(outcome(4n, 1), outcome(5n, 2));
  await pass();
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([1, 2]);
  expect(state()).toMatchObject({ connection: { kind: "live" }, turn: 3, missed: 0 });
});

test("a connection that is silent for long is opened anew, without a gap", async () => {
  const { server, state } = await opened();
  server.stream.say(outcome(4n, 1));
  await pass(59_000);
  expect(server.streams).toHaveLength(1);
  await pass(2_000);
  expect(server.streams).toHaveLength(2);
  expect(server.stream.after).toBe(4n);
  expect(state()).toMatchObject({ connection: { kind: "live" }, turn: 2 });
});

test("a call that does not get through makes the connection doubtful", async () => {
  const { session, server } = await opened();
  server.locks.then(broken());
  void session.lockIn(hold);
  await pass();
  expect(server.streams).toHaveLength(2);
  expect(server.stream.after).toBe(3n);
});

test("waits grow with failures in a row, within bounds, and can be cut short", async () => {
  const server = new FakeServer();
  server.views.then(...Array.from({ length: 40 }, broken));
  const { session, state } = await opened(server);
  await pass(60_000);
  const attempts = server.viewsAsked.length;
  expect(attempts).toBeGreaterThan(7);
  expect(attempts).toBeLessThan(20);
  const gaps = server.viewsAsked.slice(1).map((at, i) => at - (server.viewsAsked[i] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
  expect(gaps[0]).toBeLessThanOrEqual(300);
  expect(state().connection.kind).toBe("lost");
  session.retry();
  await pass();
  expect(server.viewsAsked).toHaveLength(attempts + 1);
});

test("a cursor that is too old is answered with a view", async () => {
  const { server, state } = await opened();
  server.stream.say(outcome(4n, 1));
  server.now = planning(9, 40n);
  server.stream.say(news(0n, { case: "snapshotRequired", value: { newest: 40n } }));
  await pass();
  expect(state()).toMatchObject({ turn: 9, missed: 7, connection: { kind: "live" } });
  expect(server.stream.after).toBe(40n);
  expect(state().outcomes.map(({ turn }) => turn)).toEqual([1]);
});

test("too many outcomes at once are bounded, and counted", async () => {
  const { server, state } = await opened();
  for (let turn = 1; turn <= MOST_OUTCOMES + 5; turn++) server.stream.say(outcome(BigInt(turn + 3), turn));
  await pass();
  expect(state().outcomes).toHaveLength(MOST_OUTCOMES);
  expect(state().missed).toBe(5);
  expect(state().turn).toBe(MOST_OUTCOMES + 6);
});

test("staged orders reach the server, the newest last, and survive a loss", async () => {
  const { session, server, state } = await opened();
  server.stages.then(broken());
  session.stage(hold);
  await pass();
  session.stage(fight);
  expect(state().plan).toBe(fight);
  await pass(2000);
  expect(state().staging).toBe("kept");
  expect(server.stageRequests.length).toBeLessThanOrEqual(3);
  expect(server.stageRequests.at(-1)?.sheet?.game.value?.units).toHaveLength(1);
  expect(server.stageRequests.at(-1)?.turn).toBe(1);
});

test("orders that the server has come back after a reload", async () => {
  const server = new FakeServer();
  const said = sheetWith({ units: [{ unit: 1, action: { case: "hold", value: {} } }] });
  server.now = create(GetViewResponseSchema, { phase: Phase.PLANNING, view: view(4), cursor: 9n, sheet: said, locked: true });
  const { state } = await opened(server);
  expect(state()).toMatchObject({ turn: 4, locked: true, staging: "kept" });
  expect(state().plan.ships.get(1)?.action).toEqual({ kind: "hold" });
});

test("a lock-in that was not answered is repeated with the same id", async () => {
  const { session, server, state } = await opened();
  server.locks.then(broken(), broken());
  const locked = session.lockIn(hold);
  await pass();
  expect(state()).toMatchObject({ locking: true, locked: false });
  session.stage(fight);
  expect(state().plan).toBe(hold);
  await pass(2000);
  expect(await locked).toEqual({ ok: true, value: undefined });
  expect(state()).toMatchObject({ locking: false, locked: true });
  expect(server.lockRequests).toHaveLength(3);
  expect(new Set(server.lockRequests.map((request) => request.requestId)).size).toBe(1);
});

test("a lock-in that is answered after its turn does not lock the next", async () => {
  const { session, server, state } = await opened();
  server.locks.then(broken());
  const locked = session.lockIn(hold);
  await pass();
  server.stream.say(outcome(4n, 1));
  await pass(1000);
  expect(await locked).toMatchObject({ ok: true });
  expect(state()).toMatchObject({ turn: 2, locked: false, locking: false });
});

test("a lock-in that is refused leaves the plan open", async () => {
  const { session, server, state } = await opened();
  server.locks.then(refused(Code.InvalidArgument, "ORDERS_INVALID"));
  expect(await session.lockIn(hold)).toMatchObject({ ok: false, refusal: { reason: Reason.ORDERS_INVALID } });
  expect(state()).toMatchObject({ locking: false, locked: false, plan: hold });
});

test("a seat that has locked in elsewhere is seen to be locked", async () => {
  const { session, server, state } = await opened();
  server.now = create(GetViewResponseSchema, { phase: Phase.PLANNING, view: view(1), cursor: 5n, locked: true });
  server.stages.then(refused(Code.FailedPrecondition, "ALREADY_LOCKED"));
  session.stage(hold);
  await pass(100);
  expect(state()).toMatchObject({ locked: true });
  // What else is new is told as before.
  expect(server.streams).toHaveLength(1);
});

test("a prompt is asked on the board inside of the turn, answered once, and gone with the outcome", async () => {
  const { session, server, state } = await opened();
  const hex = { q: 1, r: 0 };
  const moved = { tick: 1, changes: 1, what: { case: "moved" as const, value: { unit: 1, from: { q: 0, r: 0 }, to: hex } } };
  const encounters = [{ tick: 2, group: 1, participants: [{ unit: 1, owner: 0, asked: true }] }];
  const told = { game: { case: "plunder" as const, value: { events: [moved], encounters } } };
  const changes = changed({ case: "unit", value: { id: 1, hex } });
  const prompt = { turn: 1, window: 3, soFar: told, changes, questions: [question(4, 1)] };
  server.stream.say(news(4n, { case: "prompt", value: prompt }));
  await pass();
  expect(state()).toMatchObject({ phase: "resolving", prompt: { window: 3, questions: [{ id: 4, kind: "encounter" }], sending: false } });
  expect(state().prompt?.soFar.encounters).toMatchObject(encounters);
  expect(state().prompt?.board.ships.get(1)?.tile).toBe(1);
  expect(state().board?.ships.get(1)?.tile).toBe(0);
  server.answers.then(broken());
  const answered = session.answer(new Map([[4, [1]]]));
  expect(state().prompt?.sending).toBe(true);
  await pass(1000);
  expect(await answered).toMatchObject({ ok: true });
  expect(state().prompt?.answered.get(4)).toEqual([1]);
  expect(server.answerRequests).toHaveLength(2);
  expect(new Set(server.answerRequests.map((request) => request.requestId)).size).toBe(1);
  expect(server.answerRequests[0]).toMatchObject({ matchId: "m", turn: 1, window: 3, answers: [{ question: 4, options: [1] }] });
  server.stream.say(outcome(5n, 1));
  await pass();
  expect(state()).toMatchObject({ phase: "planning", prompt: null, turn: 2 });
});

test("an answer that comes too late is said", async () => {
  const { session, server, state } = await opened();
  server.stream.say(news(4n, { case: "prompt", value: { turn: 1, window: 1, questions: [question(1, 1)] } }));
  await pass();
  for (const reason of ["NOT_ASKED", "OTHER_WINDOW"]) {
    const streams = server.streams.length;
    server.answers.then(refused(Code.FailedPrecondition, reason));
    await session.answer(new Map([[1, [1]]]));
    expect(state().prompt?.refusal?.sentence).toBe("Too late: this encounter has been decided.");
    expect(state().prompt?.answered.size).toBe(0);
    // What has happened meanwhile was lost on the way, or is on its way.
    await pass();
    expect(server.streams).toHaveLength(streams + 1);
  }
});

test("what was answered is known as long as its window is open, and not in the next", async () => {
  const { session, server, state } = await opened();
  const prompt = { turn: 1, window: 1, questions: [question(1, 1)] };
  server.stream.say(news(4n, { case: "prompt", value: prompt }));
  await pass();
  await session.answer(new Map([[1, [0]]]));
  server.stream.say(news(5n, { case: "prompt", value: prompt }));
  await pass();
  expect([...(state().prompt?.answered ?? [])]).toEqual([[1, [0]]]);
  server.stream.say(news(6n, { case: "prompt", value: { ...prompt, window: 2, questions: [question(2, 1)] } }));
  await pass();
  expect(state()).toMatchObject({ prompt: { window: 2, questions: [{ id: 2 }] } });
  expect(state().prompt?.answered.size).toBe(0);
});

test("the end is told with its result, and nothing is tried again", async () => {
  const { server, state } = await opened();
  const ended = { result: { result: { case: "winner" as const, value: 0 } }, secret: new Uint8Array(32) };
  const winner = create(MatchResultSchema, { result: { case: "winner", value: 0 } });
  const sharedChanges = changed({ case: "turn", value: 2 }, { case: "result", value: winner });
  server.stream.say(news(4n, { case: "outcome", value: { turn: 1, ended, sharedChanges } }));
  server.stream.end();
  await pass(60_000);
  expect(state()).toMatchObject({ phase: "over", connection: { kind: "ended" }, ended: { result: { winner: 0 } } });
  expect(state().outcomes).toHaveLength(1);
  expect(state().board).toMatchObject({ turn: 2, result: { winner: 0 } });
  expect(server.streams).toHaveLength(1);
});

test("a match that is stopped says why", async () => {
  const { server, state } = await opened();
  server.stream.say(news(4n, { case: "matchStopped", value: { reason: "the host went home" } }));
  server.stream.end();
  await pass();
  expect(state()).toMatchObject({ phase: "over", ended: { result: null, stopped: "the host went home" } });
});

test("a deadline that is changed is counted down to", async () => {
  const { server, state } = await opened();
  const before = state();
  server.stream.say(news(4n, { case: "deadlineChanged", value: { turn: 1, window: 0, deadline: timestampFromMs(90_000) } }));
  await pass();
  expect(state().deadline).not.toBeNull();
  expect(state()).toEqual({ ...before, deadline: state().deadline });
  const changed = state();
  server.stream.say(news(5n, { case: "deadlineChanged", value: { turn: 7, window: 0, deadline: timestampFromMs(10) } }));
  await pass();
  expect(state()).toEqual(changed);
});

test("a deadline of questions that is changed is the one of their window alone", async () => {
  const { server, state } = await opened();
  server.stream.say(news(4n, { case: "prompt", value: { turn: 1, window: 2, questions: [question(3, 1)], deadline: timestampFromMs(80_000) } }));
  await pass();
  const asked = state();
  expect(asked.prompt?.deadline).not.toBeNull();
  server.stream.say(
    news(5n, { case: "deadlineChanged", value: { turn: 1, window: 1, deadline: timestampFromMs(90_000) } }),
    news(6n, { case: "deadlineChanged", value: { turn: 1, window: 0, deadline: timestampFromMs(90_000) } }),
  );
  await pass();
  expect(state()).toEqual(asked);
  server.stream.say(news(7n, { case: "deadlineChanged", value: { turn: 1, window: 2, deadline: timestampFromMs(90_000) } }));
  await pass();
  expect(state().prompt?.deadline).toBe((asked.prompt?.deadline ?? 0) + 10_000);
});

test("a token that is refused is not tried again", async () => {
  const server = new FakeServer();
  server.views.then(refused(Code.Unauthenticated, "TOKEN_EXPIRED"));
  const { state } = await opened(server);
  await pass(60_000);
  expect(state().connection).toEqual({
    kind: "refused",
    reason: Reason.TOKEN_EXPIRED,
    sentence: "Your seat in this match has expired.",
  });
  expect(server.viewsAsked).toHaveLength(1);
});

test("seats and locks are told as they change", async () => {
  const { server, state } = await opened();
  server.stream.say(
    news(4n, { case: "seatsChanged", value: { seats: [{ seat: 0, taken: true, name: "Ben" }] } }),
    news(5n, { case: "locksChanged", value: { turn: 1, count: 1, seats: [1] } }),
  );
  await pass();
  expect(state().names).toEqual(["Ben", "Raider"]);
  expect(state().locks).toEqual({ count: 1, seats: [1] });
  server.stream.say(outcome(6n, 1));
  await pass();
  expect(state().locks).toBeNull();
});

test("options are asked for once per turn", async () => {
  const { session, server } = await opened();
  await Promise.all([session.options(), session.options()]);
  expect(server.optionsAsked).toBe(1);
  server.stream.say(outcome(4n, 1));
  await pass();
  await session.options();
  expect(server.optionsAsked).toBe(2);
});

test("an answer that tells no options is said to be none", async () => {
  const { session, server } = await opened();
  server.play.advise = async () => create(AdviseResponseSchema);
  const answer = await session.options();
  expect(!answer.ok && answer.refusal.sentence).toBe("The server answered something else than what may be ordered.");
});

test("whoever gave up in the sheet that the server has is seen to have given up", async () => {
  const server = new FakeServer();
  const sheet = sheetWith({ concede: true });
  server.now = create(GetViewResponseSchema, { phase: Phase.PLANNING, view: view(1), cursor: 3n, sheet, locked: true });
  const { state } = await opened(server);
  expect(state()).toMatchObject({ conceding: true, locked: true });
});

test("an empty plan is a sheet of the game, too", async () => {
  const { session, server } = await opened();
  await session.lockIn(emptyPlan);
  expect(server.lockRequests[0]?.sheet?.game).toMatchObject({ case: "plunder", value: { units: [], structures: [] } });
});

test("options that one answer does not hold are asked for until they are all there", async () => {
  const { session, server } = await opened();
  server.pagesOfOptions = 3;
  const answer = await session.options();
  expect(answer.ok && answer.value.units.map((options) => options.unit)).toEqual([0, 1, 2]);
  expect(server.optionsAsked).toBe(3);
});

test("a match that is closed is followed no more", async () => {
  const { session, server, state } = await opened();
  session.close();
  server.stream.say(outcome(4n, 1));
  await pass(60_000);
  expect(state().turn).toBe(1);
  expect(server.streams).toHaveLength(1);
});

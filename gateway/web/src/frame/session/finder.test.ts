import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type GetMatchResponse, GetMatchResponseSchema } from "../../gen/parley/v1/lobby_pb";
import { type Game, gameOf } from "../game";
import { unknownGameWords } from "../lobby/unknowngame";
import { GameFinder } from "./finder";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const away = () => new ConnectError("network error", Code.Unavailable);

/** A lobby that answers these one after the other, and the last again and again. */
function lobbyWith(...answers: readonly (GetMatchResponse | ConnectError)[]) {
  const asked: string[] = [];
  const getMatch = async ({ matchId = "" }: { matchId?: string }) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(matchId);
    if (!answer || answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, getMatch };
}

const ofChess = create(GetMatchResponseSchema, { match: { matchId: "m", ruleset: "chess" } });

test("the game of a match is told by the match", async () => {
  const lobby = lobbyWith(ofChess);
  const finder = new GameFinder("m", lobby);
  expect(finder.snapshot()).toEqual({ connection: { kind: "connecting" }, ruleset: null });
  await pass();
  expect(finder.snapshot().ruleset).toBe("chess");
  await pass(60_000);
  expect(lobby.asked).toEqual(["m"]);
});

test("a server that is away is asked again, and at once where somebody wants it", async () => {
  const lobby = lobbyWith(away(), away(), ofChess);
  const finder = new GameFinder("m", lobby);
  await pass();
  expect(finder.snapshot()).toMatchObject({ connection: { kind: "lost", sentence: "The server cannot be reached." } });
  finder.retry();
  await pass();
  expect(lobby.asked).toHaveLength(2);
  await pass(1_000);
  expect(finder.snapshot().ruleset).toBe("chess");
});

test("a match that is refused is not asked for again", async () => {
  const lobby = lobbyWith(new ConnectError("there is no such match", Code.NotFound));
  const finder = new GameFinder("m", lobby);
  await pass(60_000);
  expect(finder.snapshot()).toMatchObject({ connection: { kind: "refused", sentence: "There is no such match." }, ruleset: null });
  expect(lobby.asked).toHaveLength(1);
});

test("whoever has gone is told nothing any more", async () => {
  const lobby = lobbyWith(away(), ofChess);
  const finder = new GameFinder("m", lobby);
  await pass();
  finder.close();
  await pass(60_000);
  expect(finder.snapshot()).toMatchObject({ connection: { kind: "lost" }, ruleset: null });
  expect(lobby.asked).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a match is shown by the game whose name it says, and by no other", () => {
  const named = (name: string) => ({ name }) as Game;
  const games = [named("plunder"), named("chess")];
  expect(gameOf(games, "chess")).toBe(games[1]);
  expect(gameOf(games, "go")).toBeNull();
  expect(unknownGameWords("go")).toBe("This match is of the game “go”, which this page does not know.");
});

import { create } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { usualChoices } from "../../frame/lobby/choices";
import { aboutMatch, age } from "../../frame/lobby/list";
import { summary } from "../../frame/lobby/newmatch";
import { MatchResultSchema } from "../../gen/parley/common/v1/result_pb";
import { MatchSchema, MatchStage, Visibility } from "../../gen/parley/v1/lobby_pb";
import { plunderLobby } from "./pieces";

const DEFAULTS = usualChoices(plunderLobby);
const MINUTE = 60_000;
const match = create(MatchSchema, {
  matchId: "m",
  stage: MatchStage.RUNNING,
  createdAt: timestampFromMs(1_000),
  settings: {
    game: { game: { case: "plunder", value: { map: { source: { case: "generated", value: { size: "tiny" } } }, fog: true } } },
    planningTime: durationFromMs(180_000),
    visibility: Visibility.PUBLIC,
  },
  seats: [
    { seat: 0, name: "Anna", taken: true },
    { seat: 1, name: "", taken: false },
    { seat: 2, name: "raider", taken: true, houseBot: "raider" },
  ],
});

test("a row says what one wants to know before choosing", () => {
  expect(aboutMatch(plunderLobby, match, "join", 1_000)).toBe("1 of 3 seats free · tiny · fog · just now");
  expect(aboutMatch(plunderLobby, match, "watch", 1_000 + 5 * MINUTE)).toBe("Anna, Raider · tiny · fog · 5 min ago");
  const won = create(MatchSchema, { ...match, result: create(MatchResultSchema, { result: { case: "winner", value: 2 } }) });
  expect(aboutMatch(plunderLobby, won, "replay", 1_000)).toContain("won by Raider");
  // Of the settings of a game that is not known here, nothing is said.
  expect(aboutMatch(null, match, "join", 1_000)).toBe("1 of 3 seats free · just now");
  expect(aboutMatch(plunderLobby, create(MatchSchema, { ...match, stopped: "by its host" }), "replay", 1_000)).toContain("stopped");
});

test("ages are rough", () => {
  expect([0, 59 * MINUTE, 60 * MINUTE, 23 * 60 * MINUTE, 24 * 60 * MINUTE, 72 * 60 * MINUTE].map(age)).toEqual([
    "just now",
    "59 min ago",
    "1 h ago",
    "23 h ago",
    "yesterday",
    "3 days ago",
  ]);
});

test("the button says what it starts", () => {
  expect(summary(DEFAULTS)).toBe("Against one house bot (raider) on a small map, in clear sight, without a clock.");
  const mixed = { ...DEFAULTS, bots: ["hold", "planner"], people: 1, fog: true, minutes: 3 };
  expect(summary(mixed)).toBe("Against a friend and 2 house bots on a small map, in fog, 3 minutes a turn.");
});

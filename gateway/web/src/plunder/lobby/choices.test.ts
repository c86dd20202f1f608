import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { usualChoices, withinRoom, keepChoices, readChoices, roomOf, settingsOf, withBots } from "../../frame/lobby/choices";
import { Visibility } from "../../gen/parley/v1/lobby_pb";
import { matchName } from "./matchname";
import { plunderLobby } from "./pieces";

const DEFAULTS = usualChoices(plunderLobby);

function paper(text: string | null) {
  return { text, getItem: () => text, setItem: (_: string, now: string) => void (text = now), removeItem: () => {} };
}

test("maps have room for so many players", () => {
  expect(plunderLobby.sizes.map((size) => roomOf(plunderLobby, size.key))).toEqual([4, 9, 14, 16, 16]);
});

test("choices fit on the map, with two players at least", () => {
  const crowd = withBots(plunderLobby, { ...DEFAULTS, size: "huge" }, 15);
  expect(withinRoom(plunderLobby, crowd).bots).toHaveLength(15);
  expect(withinRoom(plunderLobby, { ...crowd, size: "tiny" }).bots).toHaveLength(3);
  expect(withinRoom(plunderLobby, { ...crowd, size: "tiny", people: 2 }).bots).toHaveLength(1);
  expect(withinRoom(plunderLobby, { ...DEFAULTS, bots: [], people: 0 }).bots).toEqual(["raider"]);
  expect(withinRoom(plunderLobby, { ...DEFAULTS, bots: [], people: 2 }).bots).toEqual([]);
});

test("more bots are like the last", () => {
  expect(withBots(plunderLobby, { ...DEFAULTS, bots: ["hold", "planner"] }, 4).bots).toEqual(["hold", "planner", "planner", "planner"]);
  expect(withBots(plunderLobby, { ...DEFAULTS, bots: ["hold", "planner"] }, 1).bots).toEqual(["hold"]);
});

test("a match against bots is public and without a clock, one with friends is private", () => {
  const house = settingsOf(plunderLobby, { ...DEFAULTS, bots: ["raider", "hold"] });
  const generated = { source: { case: "generated", value: { size: "small" } } };
  expect(house.game).toEqual({ game: { case: "plunder", value: { map: generated, fog: false } } });
  expect(house.seats).toEqual([{ houseBot: "" }, { houseBot: "raider" }, { houseBot: "hold" }]);
  expect([house.planningTime, house.decisionTime, house.visibility]).toEqual([
    durationFromMs(0),
    durationFromMs(0),
    Visibility.PUBLIC,
  ]);
  const friends = settingsOf(plunderLobby, { ...DEFAULTS, people: 1, bots: [], minutes: 3 });
  expect(friends.seats).toHaveLength(2);
  expect([friends.planningTime, friends.decisionTime, friends.visibility]).toEqual([
    durationFromMs(180_000),
    durationFromMs(60_000),
    Visibility.PRIVATE,
  ]);
  expect(settingsOf(plunderLobby, { ...DEFAULTS, people: 1, listed: true }).visibility).toBe(Visibility.PUBLIC);
});

test("every match has a name that can be told apart from others", () => {
  const names = new Set(Array.from({ length: 50 }, () => settingsOf(plunderLobby, DEFAULTS).name));
  expect(names.size).toBeGreaterThan(20);
  expect([matchName(() => 0), matchName(() => 0.999999)]).toEqual(["Amber Banks", "Winter Waters"]);
});

test("choices are remembered, and nonsense is not", () => {
  const storage = paper(null);
  expect(readChoices(plunderLobby, storage)).toEqual(DEFAULTS);
  const chosen = { ...DEFAULTS, name: "Anna", size: "large", bots: ["hold", "planner"], fog: true, minutes: 5 };
  keepChoices(chosen, storage);
  expect(readChoices(plunderLobby, storage)).toEqual(chosen);
  for (const text of ["{", "[]", '{"size":"vast","bots":[1],"people":-1,"minutes":7,"fog":"yes"}', "3"]) {
    expect(readChoices(plunderLobby, paper(text))).toEqual(DEFAULTS);
  }
});

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rematchLacks, rematchSettings } from "../../frame/lobby/rematch";
import { LockDisclosure, MatchSchema, Visibility } from "../../gen/parley/v1/lobby_pb";
import { plunderLobby } from "./pieces";

type Map = NonNullable<NonNullable<MessageInitShape<typeof MatchSchema>["settings"]>["map"]>;

function played(map: Map) {
  return create(MatchSchema, {
    settings: {
      name: "Heron Straits",
      map,
      fog: true,
      planningMs: 45_000n,
      decisionMs: 7_000n,
      visibility: Visibility.PRIVATE,
      lockDisclosure: LockDisclosure.COUNT,
      spectatorDelayTurns: 2,
      startWhenFull: false,
    },
    seats: [
      { seat: 0, name: "raider", taken: true, houseBot: "raider" },
      { seat: 1, name: "Anna", taken: true },
      { seat: 2, name: "Ben", taken: true },
    ],
  });
}

test("another match has the same settings, on another draw of the same kind of map", () => {
  const match = played({ source: { case: "generated", value: { seed: 7n, width: 18, height: 9, wrap: true } } });
  const { name, ...like } = rematchSettings(plunderLobby, match.settings, match.seats, '{"turn_limit":7}');
  expect(name).not.toBe("");
  expect(like).toEqual({
    map: { source: { case: "generated", value: { size: "", width: 18, height: 9, wrap: true } } },
    rules: '{"turn_limit":7}',
    seats: [{ houseBot: "raider" }, { houseBot: "" }, { houseBot: "" }],
    planningMs: 45_000n,
    decisionMs: 7_000n,
    fog: true,
    visibility: Visibility.PRIVATE,
    lockDisclosure: LockDisclosure.COUNT,
    spectatorDelayTurns: 2,
    startWhenFull: false,
  });
  expect(rematchLacks(match.settings)).toBeNull();
});

test("a drawn map cannot be had again, which is said", () => {
  const match = played({ source: { case: "drawn", value: { wrap: false } } });
  expect(rematchSettings(plunderLobby, match.settings, match.seats, "").map).toEqual({
    source: { case: "generated", value: { size: "tiny", width: 0, height: 0, wrap: false } },
  });
  expect(rematchLacks(match.settings)).toContain("drawn");
});

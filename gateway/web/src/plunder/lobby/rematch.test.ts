import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { rematchSettings } from "../../frame/lobby/rematch";
import type { MapChoiceSchema } from "../../gen/parley/plunder/v1/settings_pb";
import { LockDisclosure, MatchSchema, Visibility } from "../../gen/parley/v1/lobby_pb";
import { plunderLobby } from "./pieces";
import { rematchLacks } from "./settings";

function played(map: MessageInitShape<typeof MapChoiceSchema>) {
  return create(MatchSchema, {
    settings: {
      name: "Heron Straits",
      game: { game: { case: "plunder", value: { map, fog: true } } },
      planningTime: durationFromMs(45_000),
      decisionTime: durationFromMs(7_000),
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
    game: {
      game: {
        case: "plunder",
        value: {
          map: { source: { case: "generated", value: { size: "", width: 18, height: 9, wrap: true } } },
          rules: '{"turn_limit":7}',
          fog: true,
        },
      },
    },
    seats: [{ houseBot: "raider" }, { houseBot: "" }, { houseBot: "" }],
    planningTime: durationFromMs(45_000),
    decisionTime: durationFromMs(7_000),
    visibility: Visibility.PRIVATE,
    lockDisclosure: LockDisclosure.COUNT,
    spectatorDelayTurns: 2,
    startWhenFull: false,
  });
  expect(rematchLacks(match.settings?.game)).toBeNull();
});

test("a drawn map cannot be had again, which is said", () => {
  const match = played({ source: { case: "drawn", value: { wrap: false } } });
  expect(rematchSettings(plunderLobby, match.settings, match.seats, "").game?.game?.value?.map).toEqual({
    source: { case: "generated", value: { size: "tiny", width: 0, height: 0, wrap: false } },
  });
  expect(rematchLacks(match.settings?.game)).toContain("drawn");
});

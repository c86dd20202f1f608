// Another match like one that was played.
import type { MatchSettings, Seat } from "../../gen/parley/v1/lobby_pb";
import type { NewSettings } from "./choices";
import type { LobbyPieces } from "./pieces";

/**
 * The settings of a match like one with these settings, seats and rules: everything is the same but its name, and what
 * the game draws anew.
 */
export function rematchSettings(
  pieces: LobbyPieces,
  settings: MatchSettings | undefined,
  seats: readonly Seat[],
  rules: string,
): NewSettings {
  return {
    name: pieces.matchName(),
    game: pieces.sameGame(settings?.game, seats.length, rules),
    seats: seats.map(({ houseBot }) => ({ houseBot })),
    ...(settings?.planningTime === undefined ? {} : { planningTime: settings.planningTime }),
    ...(settings?.decisionTime === undefined ? {} : { decisionTime: settings.decisionTime }),
    visibility: settings?.visibility ?? 0,
    lockDisclosure: settings?.lockDisclosure ?? 0,
    spectatorDelayTurns: settings?.spectatorDelayTurns ?? 0,
    startWhenFull: settings?.startWhenFull ?? true,
  };
}

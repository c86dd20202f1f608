// Another match like one that was played.
import type { MatchSettings, Seat } from "../../gen/parley/v1/lobby_pb";
import { type NewSettings, roomOf } from "./choices";
import type { LobbyPieces } from "./pieces";

/**
 * The settings of a match like one with these settings, seats and rules: everything is the same but its name and, as
 * no seed is given, the draw of its map. A drawn map is not told; the smallest with room for all takes its place.
 */
export function rematchSettings(
  pieces: LobbyPieces,
  settings: MatchSettings | undefined,
  seats: readonly Seat[],
  rules: string,
): NewSettings {
  const source = settings?.map?.source;
  const room = pieces.sizes.find(({ key }) => roomOf(pieces, key) >= seats.length) ?? pieces.sizes.at(-1);
  const { size, width, height, wrap } =
    source?.case === "generated" ? source.value : { size: room?.key ?? "", width: 0, height: 0, wrap: false };
  return {
    name: pieces.matchName(),
    map: { source: { case: "generated", value: { size, width, height, wrap } } },
    rules,
    seats: seats.map(({ houseBot }) => ({ houseBot })),
    ...(settings?.planningMs === undefined ? {} : { planningMs: settings.planningMs }),
    ...(settings?.decisionMs === undefined ? {} : { decisionMs: settings.decisionMs }),
    ...(settings?.fog === undefined ? {} : { fog: settings.fog }),
    visibility: settings?.visibility ?? 0,
    lockDisclosure: settings?.lockDisclosure ?? 0,
    spectatorDelayTurns: settings?.spectatorDelayTurns ?? 0,
    startWhenFull: settings?.startWhenFull ?? true,
  };
}

/** What of a match cannot be had again, in a sentence; null where all of it can. */
export function rematchLacks(settings: MatchSettings | undefined): string | null {
  if (settings?.map?.source.case !== "drawn") return null;
  return "The map was drawn for this match and is not told by the server: another match has a generated one.";
}

// What a new match is to be like, as it is chosen in the lobby and remembered.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { LockDisclosure, Visibility, type MatchSettingsSchema } from "../../gen/parley/v1/lobby_pb";
import { browserStorage, type KeyValueStorage } from "../api/storage";
import type { GameChoices, LobbyPieces } from "./pieces";

/** Minutes to plan a turn; 0 is no limit. */
export const MINUTES: readonly number[] = [0, 1, 3, 5];

/** How long encounters can be answered where the time to plan is limited, in milliseconds. */
const DECISION_MS = 60_000;

/** The settings that a match is created with. */
export type NewSettings = MessageInitShape<typeof MatchSettingsSchema>;

export interface MatchChoices extends GameChoices {
  /** The player's name. */
  readonly name: string;
  /** House bots, each with its policy. */
  readonly bots: readonly string[];
  /** Seats for people besides the player. */
  readonly people: number;
  readonly minutes: number;
  /** Listed, so that everybody finds it; otherwise it needs the link. Only asked where people are invited. */
  readonly listed: boolean;
}

/** The choices of somebody who has not chosen anything yet. */
export function usualChoices({ usualSize, usualBot }: LobbyPieces): MatchChoices {
  return { name: "", size: usualSize, bots: [usualBot], people: 0, fog: false, minutes: 0, listed: false };
}

/** How many players a map has room for. */
export function roomOf({ sizes, maxPlayers, tilesPerPlayer }: LobbyPieces, size: string): number {
  const found = sizes.find((other) => other.key === size);
  return found ? Math.min(maxPlayers, Math.floor((found.width * found.height) / tilesPerPlayer)) : maxPlayers;
}

/** As many bots as wanted, those that are there first, more like the last of them. */
export function withBots(pieces: LobbyPieces, choices: MatchChoices, count: number): MatchChoices {
  const last = choices.bots.at(-1) ?? pieces.usualBot;
  return { ...choices, bots: Array.from({ length: count }, (_, i) => choices.bots[i] ?? last) };
}

/** The same choices with no more players than the map has room for, and at least two. */
export function withinRoom(pieces: LobbyPieces, choices: MatchChoices): MatchChoices {
  const room = roomOf(pieces, choices.size) - 1;
  const people = Math.min(choices.people, room);
  const least = people === 0 ? 1 : 0;
  return withBots(pieces, { ...choices, people }, Math.min(Math.max(choices.bots.length, least), room - people));
}

/** The settings of a match like this. The player sits first, then those who are invited, then the bots. */
export function settingsOf(pieces: LobbyPieces, choices: MatchChoices): NewSettings {
  const { bots, people, minutes, listed } = choices;
  const open = Array.from({ length: people + 1 }, () => ({ houseBot: "" }));
  return {
    name: pieces.matchName(),
    game: pieces.newGame(choices),
    seats: [...open, ...bots.map((houseBot) => ({ houseBot }))],
    planningTime: durationFromMs(minutes * 60_000),
    decisionTime: durationFromMs(minutes === 0 ? 0 : DECISION_MS),
    visibility: people > 0 && !listed ? Visibility.PRIVATE : Visibility.PUBLIC,
    lockDisclosure: LockDisclosure.WHO,
    startWhenFull: true,
  };
}

const KEY = "parley.choices";

/** Reads what was chosen last. Values that make no sense are replaced by the usual ones. */
export function readChoices(pieces: LobbyPieces, from: KeyValueStorage = browserStorage): MatchChoices {
  const usual = usualChoices(pieces);
  try {
    const kept: unknown = JSON.parse(from.getItem(KEY) ?? "null");
    return typeof kept === "object" && kept !== null ? withinRoom(pieces, sensible(pieces, kept as Record<string, unknown>)) : usual;
  } catch {
    return usual;
  }
}

function sensible(pieces: LobbyPieces, kept: Record<string, unknown>): MatchChoices {
  const usual = usualChoices(pieces);
  const { name, size, bots, people, fog, minutes, listed } = kept;
  return {
    name: typeof name === "string" ? name.slice(0, 40) : usual.name,
    size: pieces.sizes.some((other) => other.key === size) ? String(size) : usual.size,
    bots: Array.isArray(bots) && bots.every((bot) => typeof bot === "string") ? bots : usual.bots,
    people: typeof people === "number" && Number.isInteger(people) && people >= 0 ? people : usual.people,
    fog: fog === true,
    minutes: typeof minutes === "number" && MINUTES.includes(minutes) ? minutes : usual.minutes,
    listed: listed === true,
  };
}

export function keepChoices(choices: MatchChoices, on: KeyValueStorage = browserStorage): void {
  on.setItem(KEY, JSON.stringify(choices));
}

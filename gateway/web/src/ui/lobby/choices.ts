// What a new match is to be like, as it is chosen in the lobby and remembered.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { shelf, type Shelf } from "../../api/shelf";
import { seaName } from "./seaname";
import { LockDisclosure, Visibility, type MatchSettingsSchema } from "../../gen/parley/v1/lobby_pb";

/** A named size of a map. */
export interface Size {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

export const SIZES: readonly Size[] = [
  { key: "tiny", title: "Tiny", width: 12, height: 8 },
  { key: "small", title: "Small", width: 16, height: 12 },
  { key: "standard", title: "Standard", width: 20, height: 14 },
  { key: "large", title: "Large", width: 24, height: 18 },
  { key: "huge", title: "Huge", width: 32, height: 24 },
];

/** Minutes to plan a turn; 0 is no limit. */
export const MINUTES: readonly number[] = [0, 1, 3, 5];

/** Tiles that the generator wants for each player, and the most players that it places. */
const TILES_EACH = 20;
const MOST_PLAYERS = 16;
/** Time to answer encounters where there is a limit at all. */
const DECISION_MS = 60_000;

/** The settings that a match is created with. */
export type NewSettings = MessageInitShape<typeof MatchSettingsSchema>;

export interface Choices {
  /** The player's name. */
  readonly name: string;
  readonly size: string;
  /** House bots, each with its policy. */
  readonly bots: readonly string[];
  /** Seats for people besides the player. */
  readonly people: number;
  readonly fog: boolean;
  readonly minutes: number;
  /** Listed, so that everybody finds it; otherwise it needs the link. Only asked where people are invited. */
  readonly listed: boolean;
}

export const DEFAULTS: Choices = {
  name: "",
  size: "small",
  bots: ["raider"],
  people: 0,
  fog: false,
  minutes: 0,
  listed: false,
};

/** How many players a map has room for. */
export function roomOf(size: string): number {
  const found = SIZES.find((other) => other.key === size);
  return found ? Math.min(MOST_PLAYERS, Math.floor((found.width * found.height) / TILES_EACH)) : MOST_PLAYERS;
}

/** As many bots as wanted, those that are there first, more like the last of them. */
export function withBots(choices: Choices, count: number): Choices {
  const last = choices.bots.at(-1) ?? DEFAULTS.bots[0] ?? "";
  return { ...choices, bots: Array.from({ length: count }, (_, i) => choices.bots[i] ?? last) };
}

/** The same choices with no more players than the map has room for, and at least two. */
export function fitted(choices: Choices): Choices {
  const room = roomOf(choices.size) - 1;
  const people = Math.min(choices.people, room);
  const least = people === 0 ? 1 : 0;
  return withBots({ ...choices, people }, Math.min(Math.max(choices.bots.length, least), room - people));
}

/** The settings of a match like this. The player sits first, then those who are invited, then the bots. */
export function settingsOf(choices: Choices): NewSettings {
  const { size, bots, people, fog, minutes, listed } = choices;
  const open = Array.from({ length: people + 1 }, () => ({ houseBot: "" }));
  return {
    name: seaName(),
    map: { source: { case: "generated", value: { size } } },
    seats: [...open, ...bots.map((houseBot) => ({ houseBot }))],
    planningMs: BigInt(minutes * 60_000),
    decisionMs: BigInt(minutes === 0 ? 0 : DECISION_MS),
    fog,
    visibility: people > 0 && !listed ? Visibility.PRIVATE : Visibility.PUBLIC,
    lockDisclosure: LockDisclosure.WHO,
    startWhenFull: true,
  };
}

const KEY = "parley.choices";

/** What was chosen last. What does not make sense is as at first. */
export function readChoices(from: Shelf = shelf): Choices {
  try {
    const kept: unknown = JSON.parse(from.getItem(KEY) ?? "null");
    return typeof kept === "object" && kept !== null ? fitted(sensible(kept as Record<string, unknown>)) : DEFAULTS;
  } catch {
    return DEFAULTS;
  }
}

function sensible(kept: Record<string, unknown>): Choices {
  const { name, size, bots, people, fog, minutes, listed } = kept;
  return {
    name: typeof name === "string" ? name.slice(0, 40) : DEFAULTS.name,
    size: SIZES.some((other) => other.key === size) ? String(size) : DEFAULTS.size,
    bots: Array.isArray(bots) && bots.every((bot) => typeof bot === "string") ? bots : DEFAULTS.bots,
    people: typeof people === "number" && Number.isInteger(people) && people >= 0 ? people : DEFAULTS.people,
    fog: fog === true,
    minutes: typeof minutes === "number" && MINUTES.includes(minutes) ? minutes : DEFAULTS.minutes,
    listed: listed === true,
  };
}

export function keepChoices(choices: Choices, on: Shelf = shelf): void {
  on.setItem(KEY, JSON.stringify(choices));
}

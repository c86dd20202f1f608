// What matches of the naval game are created with: written for new ones, read of others.
import type { GameChoices, MapSize, NewGame } from "../../frame/lobby/pieces";
import type { GameSettings } from "../../gen/parley/v1/game_pb";
import { settingsArm } from "../arms";

/** The named sizes of generated maps, the smallest first. */
export const SIZES: readonly MapSize[] = [
  { key: "tiny", title: "Tiny", width: 12, height: 8 },
  { key: "small", title: "Small", width: 16, height: 12 },
  { key: "standard", title: "Standard", width: 20, height: 14 },
  { key: "large", title: "Large", width: 24, height: 18 },
  { key: "huge", title: "Huge", width: 32, height: 24 },
];
/** The most players that a generated map takes, and the tiles that the generator wants for each of them. */
export const MOST_PLAYERS = 16;
export const TILES_PER_PLAYER = 20;

/** The settings of a match on a generated map. */
export function newGame({ size, fog }: GameChoices): NewGame {
  return { game: { case: "plunder", value: { map: { source: { case: "generated", value: { size } } }, fog } } };
}

/**
 * The settings of another match like one that was played: as no seed is given, only the draw of its map is another. A
 * drawn map is not told; the smallest with room for all takes its place.
 */
export function sameGame(settings: GameSettings | undefined, players: number, rules: string): NewGame {
  const { map, fog } = settingsArm(settings) ?? {};
  const fits = ({ width, height }: MapSize) => players <= Math.min(MOST_PLAYERS, (width * height) / TILES_PER_PLAYER);
  const room = SIZES.find(fits) ?? SIZES.at(-1);
  const { size, width, height, wrap } =
    map?.source.case === "generated" ? map.source.value : { size: room?.key ?? "", width: 0, height: 0, wrap: false };
  const generated = { source: { case: "generated" as const, value: { size, width, height, wrap } } };
  return { game: { case: "plunder", value: { map: generated, rules, ...(fog === undefined ? {} : { fog }) } } };
}

/** What of a match cannot be had again, in a sentence; null where all of it can. */
export function rematchLacks(settings: GameSettings | undefined): string | null {
  if (settingsArm(settings)?.map?.source.case !== "drawn") return null;
  return "The map was drawn for this match and is not told by the server: another match has a generated one.";
}

/** The named size of the map, and whether there is fog. */
export function settingsWords(settings: GameSettings | undefined): readonly string[] {
  const { map, fog } = settingsArm(settings) ?? {};
  const source = map?.source;
  const size = SIZES.find(({ key }) => source?.case === "generated" && source.value.size === key);
  return [...(size === undefined ? [] : [size.key]), ...(fog === true ? ["fog"] : [])];
}

// What the lobby asks of a game.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ComponentType } from "preact";
import type { GameSettings, GameSettingsSchema } from "../../gen/parley/v1/game_pb";

/** A named size of a map. */
export interface MapSize {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
}

/** What a game's new match is created with. */
export type NewGame = MessageInitShape<typeof GameSettingsSchema>;

/** What a player chooses of the game itself. */
export interface GameChoices {
  /** The key of the size of the map. */
  readonly size: string;
  readonly fog: boolean;
}

/** The words, the picture and the numbers with which a game's matches are offered. */
export interface LobbyPieces {
  readonly heading: string;
  /** The sentence below the heading. */
  readonly invitation: string;
  readonly Picture: ComponentType;
  /** The maps that can be chosen, the smallest first. */
  readonly sizes: readonly MapSize[];
  /** The size that is chosen at first. */
  readonly usualSize: string;
  /** The policy of the house bot that is chosen at first. */
  readonly usualBot: string;
  /** The most players that a match has, and the tiles that the map generator wants for each of them. */
  readonly maxPlayers: number;
  readonly tilesPerPlayer: number;
  /** What a player is called who gives no name. */
  readonly usualName: string;
  /** What playing in fog means, beside the box that chooses it. */
  readonly fogWords: string;
  /** What is said while a match is created. */
  readonly starting: string;
  /** A name for a new match, so that a list of them can be told apart. */
  readonly matchName: () => string;
  /** What a policy is like, in a few words; empty for one that is not known. */
  readonly botWords: (policy: string) => string;
  /** The settings of a new match as it was chosen. */
  readonly newGame: (choices: GameChoices) => NewGame;
  /** The settings of another match like one with these settings, for so many players, by these rules. */
  readonly sameGame: (settings: GameSettings | undefined, players: number, rules: string) => NewGame;
  /** What the settings of a match are like, a word or two each, for lists of matches. */
  readonly settingsWords: (settings: GameSettings | undefined) => readonly string[];
}

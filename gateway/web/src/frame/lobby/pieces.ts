// What the lobby asks of a game.
import type { ComponentType } from "preact";

/** A named size of a map. */
export interface MapSize {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
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
}

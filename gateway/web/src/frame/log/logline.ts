// A line of the log, as a game writes it.

/** A sentence of the log. */
export interface LogLine {
  readonly turn: number;
  /** The tick of the turn; null for what is in no tick. */
  readonly tick: number | null;
  readonly text: string;
  /** own: it is about what belongs to the viewer; grave: something was lost for good. */
  readonly tone: "plain" | "own" | "fight" | "grave" | "economy";
  /** Something that belongs to the viewer is in it, whatever its tone. */
  readonly own: boolean;
  /** The number of the tile to look at; null where there is no place. */
  readonly tile: number | null;
}

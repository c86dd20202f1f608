import type { Tile } from "../../game/model";
import type { Live, OpenPrompt } from "../../live/state";

/** What the encounter dialog (`EncounterDialog` in `dialog.tsx`) is told. It lies over the sea while a prompt is open. */
export interface PromptProps {
  readonly live: Live;
  readonly prompt: OpenPrompt;
  readonly names: readonly string[];
  /** The viewer's seat. */
  readonly seat: number;
  /** The tiles of the encounter that is looked at, to be lit and brought into view; empty when it is done. */
  readonly onSpotlight: (tiles: readonly Tile[]) => void;
}

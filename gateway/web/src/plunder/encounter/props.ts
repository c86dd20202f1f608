import type { Tile } from "../model/model";
import type { PlunderPrompt, PlunderSession } from "../session/messages";

/** What the encounter dialog (`EncounterDialog` in `dialog.tsx`) is told. It lies over the board while a prompt is open. */
export interface PromptProps {
  readonly session: PlunderSession;
  readonly prompt: PlunderPrompt;
  readonly names: readonly string[];
  /** The viewer's seat. */
  readonly seat: number;
  /** The tiles of the encounter that is looked at, to be lit and brought into view; empty when it is done. */
  readonly onSpotlight: (tiles: readonly Tile[]) => void;
}

// Where something happens that should not be missed.
import type { Effect, Tile } from "../model/model";

/** The place of the first effect that a viewer wants to see; ships that only sail are not followed. */
export function focusOf(effects: readonly Effect[]): Tile | null {
  for (const effect of effects) {
    switch (effect.kind) {
      case "exchange":
        return effect.defender.ship.tile;
      case "meet":
        return "tile" in effect.place ? effect.place.tile : effect.place.edge[0];
      case "contest":
        return effect.tile;
      case "bombard":
      case "capture":
        return effect.yard.tile;
      case "decide":
      case "sink":
        return effect.ship.tile;
      default:
        break;
    }
  }
  return null;
}

// Words for places, choices and gold.
import { Direction } from "../../gen/parley/common/v1/board_pb";
import { GoldReason } from "../../gen/parley/plunder/v1/event_pb";
import type { Site } from "../../gen/parley/plunder/v1/event_pb";
import { Choice } from "../../gen/parley/plunder/v1/orders_pb";
import { DIRECTIONS, hexName } from "./hex";
import type { Hex } from "./hex";

/** The name of a place that a message tells. */
export function at(hex: Hex | undefined): string {
  return hex === undefined ? "an unknown place" : hexName(hex);
}

/** Where an encounter is: "at (1, 2)", "between (1, 2) and (2, 2)". */
export function siteName(site: Site | undefined): string {
  switch (site?.place.case) {
    case "hex":
      return `at ${at(site.place.value)}`;
    case "edge":
      return `between ${at(site.place.value.first)} and ${at(site.place.value.second)}`;
    default:
      return "out of sight";
  }
}

/** A sentence: words of our own begin with a capital letter there, names stay as they are. */
export function capitalised(text: string): string {
  return /^(you|your|ship|shipyard|the|a|passing|entry)\b/.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text;
}

/** What a ship does that chose this. */
export function choiceVerb(choice: Choice): string {
  switch (choice) {
    case Choice.PROCEED:
      return "proceeds";
    case Choice.YIELD:
      return "yields";
    case Choice.ATTACK:
      return "attacks";
    default:
      return "does nothing";
  }
}

/** Says what gold was paid or received for. */
export function reasonName(reason: GoldReason): string {
  switch (reason) {
    case GoldReason.INCOME:
      return "as income";
    case GoldReason.DEPLOY_SHIPYARD:
      return "for a shipyard";
    case GoldReason.BUILD:
      return "for a build";
    case GoldReason.CANCEL_BUILD:
      return "for a build that was cancelled";
    case GoldReason.REPAIR:
      return "for a repair";
    case GoldReason.UPGRADE:
      return "for an upgrade";
    case GoldReason.SALVAGE:
      return "of salvage";
    default:
      return "for something";
  }
}

/** Where somebody goes, in words: "to the east". Directions of messages count from 1. */
export function compass(direction: Direction): string {
  return `to the ${DIRECTIONS[direction - 1] ?? "side"}`;
}

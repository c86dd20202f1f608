// How the naval game is played, in a minute, and every key of its screens.
import type { HelpTexts } from "../frame/help";

const STEPS: HelpTexts["steps"] = [
  ["Plan", "Pick a ship and give it a course. Everybody plans in secret, and nothing happens until all have locked in."],
  ["Meet", "All ships sail at once, tile by tile. Where enemies meet, you are asked: go on, give way, or attack."],
  ["Fight", "An attacker rolls three dice and counts the best two, a defender rolls two and wins ties. The page shows exact odds."],
  ["Hold", "Two who insist on one tile contest it, round by round, until one is left or withdraws."],
  ["Build", "Gold comes every turn. At a shipyard ships are built, repaired and fitted with sails, cannons and hulls."],
  ["Win", "Whoever has the last ships wins. Afterwards anybody can check every die."],
];

const KEYS: HelpTexts["keys"] = [
  [
    "Planning",
    [
      ["N", "next ship with nothing to do"],
      ["[ ]", "the own ship before, the next"],
      ["L", "lock in"],
      ["Ctrl+Z", "undo; with Shift redo"],
      ["Del", "take an order back"],
      ["Esc", "let go of what is selected"],
    ],
  ],
  [
    "On the map",
    [
      ["← → ↑ ↓", "move over the tiles"],
      ["Home PgUp", "north-west, north-east"],
      ["End PgDn", "south-west, south-east"],
      ["Enter", "pick the tile"],
      ["+ − 0", "closer, farther, everything"],
    ],
  ],
  [
    "A selected ship",
    [
      ["G", "sail to the tile under the cursor"],
      ["H R", "hold, repair"],
      ["1 2 3", "fit with sails, cannons, a hull"],
      ["B P", "bombard, press in a contest"],
      ["Y", "become a shipyard"],
      ["T", "change how it answers encounters"],
      ["F", "fire a broadside after moving"],
      ["O", "withdraw from a contest"],
      ["M", "at a shipyard: build a ship"],
    ],
  ],
  [
    "Playing a turn back",
    [
      ["Space", "pause and go on"],
      [", .", "one step back, one ahead"],
      ["Esc", "skip to the end"],
      ["V", "show the last turn again"],
    ],
  ],
  [
    "In an encounter",
    [
      ["P", "proceed"],
      ["Y", "yield"],
      ["A", "attack"],
      ["1 – 9", "go to that ship"],
      ["M", "look at the map, and come back"],
    ],
  ],
];

export const plunderHelp: HelpTexts = { steps: STEPS, keys: KEYS };

// Every key of the match screen and what it does.
import type { Board, Stance } from "../../game/model";
import type { Rules } from "../../game/rules";
import type { Pointed } from "../../sea/props";
import type { Desk } from "./desk";
import { useKeys } from "./keys";
import { shipOptions } from "./options";
import { isOwn } from "./selection";
import { actionKeys, isSameAction } from "./ship";
import type { Showing } from "./showing";
import { stances } from "./stance";

export interface MatchKeys {
  readonly desk: Desk;
  readonly board: Board;
  readonly rules: Rules;
  /** Orders can be changed. */
  readonly open: boolean;
  readonly showing: Showing;
  /** Where the pointer or the cursor is. */
  readonly at: Pointed | null;
  readonly lock: () => void;
  /** The dialog of an encounter has the keys. */
  readonly prompted: boolean;
}

type Deeds = Record<string, (() => void) | null>;

export function useMatchKeys(keys: MatchKeys): void {
  useKeys(keys.prompted ? {} : keys.showing.frame === null ? planningKeys(keys) : playbackKeys(keys.showing));
}

function playbackKeys({ reel }: Showing): Deeds {
  const skip = () => reel.skip();
  return {
    " ": () => reel.toggle(),
    ",": () => reel.step(-1),
    ".": () => reel.step(1),
    ArrowLeft: () => reel.step(-1),
    ArrowRight: () => reel.step(1),
    Escape: skip,
    Enter: skip,
  };
}

/** Arrow keys are for the sea, also where nothing has the focus. */
function toSea(): void {
  document.querySelector<HTMLElement>("[role='application']")?.focus();
}

/** The stance after this one. */
function nextStance(stance: Stance): Stance {
  const place = stances.findIndex((other) => other.stance === stance);
  return stances[(place + 1) % stances.length]?.stance ?? "ask";
}

function planningKeys({ desk, board, rules, open, at, lock, showing }: MatchKeys): Deeds {
  const { selection, plan, options } = desk;
  const deeds: Deeds = {
    Escape: selection === null ? null : () => desk.select(null),
    "[": () => desk.nextOwn(-1),
    "]": () => desk.nextOwn(1),
    v: showing.again,
    ArrowLeft: toSea,
    ArrowRight: toSea,
    ArrowUp: toSea,
    ArrowDown: toSea,
  };
  if (!open) return deeds;
  Object.assign(deeds, {
    n: desk.nextIdle,
    l: lock,
    "Shift+l": lock,
    "Ctrl+Enter": lock,
    u: desk.undo,
    "Ctrl+z": desk.undo,
    "Ctrl+Shift+z": desk.redo,
    "Ctrl+y": desk.redo,
  } satisfies Deeds);
  if (selection === null || !isOwn(board, selection)) return deeds;
  deeds["Delete"] = () => desk.clear(selection);
  deeds["Backspace"] = () => desk.clear(selection);
  if (selection.kind === "yard") {
    const build = options?.structures.find((yard) => yard.structure === selection.id)?.builds[0];
    if (build !== undefined && build.fault === undefined) {
      const building = plan.yards.get(selection.id)?.kind === "build";
      deeds["m"] = () => desk.orderYard(selection.id, building ? null : { kind: "build", class: build.class });
    }
    return deeds;
  }
  return { ...deeds, ...shipKeys({ desk, board, rules, at }, selection.id) };
}

function shipKeys({ desk, board, rules, at }: Pick<MatchKeys, "desk" | "board" | "rules" | "at">, id: number): Deeds {
  const ship = board.ships.get(id);
  const order = desk.plan.ships.get(id);
  const options = desk.options?.units.find((unit) => unit.unit === id);
  const deeds: Deeds = {
    o: () => desk.withdraw(id),
    f: () => desk.orderShip(id, { broadside: !(order?.broadside ?? false) }),
    t: () => desk.setStance(id, nextStance(order?.stance ?? ship?.stance ?? "ask")),
    g: at === null ? null : () => desk.sail(id, at.tile),
  };
  for (const option of options === undefined ? [] : shipOptions(options.actions, rules)) {
    const key = Object.entries(actionKeys).find(([, does]) => does(option.what))?.[0];
    if (key === undefined || deeds[key] !== undefined) continue;
    const { what, reason } = option;
    deeds[key] = () => {
      if (reason !== null) desk.say(reason);
      else desk.orderShip(id, { action: isSameAction(what, order?.action ?? null) ? null : what });
    };
  }
  return deeds;
}

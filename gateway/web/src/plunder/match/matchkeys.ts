// Every key of the match screen and what it does.
import { useKeys } from "../../frame/ui/keys";
import type { Pointed } from "../board/props";
import type { Board, Stance } from "../model/model";
import type { Rules } from "../model/rules";
import { shipOptions } from "../planning/options";
import type { Planning } from "../planning/planning";
import { isOwn } from "../planning/selection";
import { actionKeys, isSameAction } from "../planning/ship";
import { stances } from "../planning/stance";
import type { LivePlayback } from "./liveplayback";

export interface MatchKeys {
  readonly planning: Planning;
  readonly board: Board;
  readonly rules: Rules;
  /** Whether orders can be changed now. */
  readonly open: boolean;
  readonly showing: LivePlayback;
  /** Where the pointer or the cursor is. */
  readonly at: Pointed | null;
  readonly lock: () => void;
  /** Whether the dialog of an encounter is open and has the keys. */
  readonly prompted: boolean;
}

type Deeds = Record<string, (() => void) | null>;

export function useMatchKeys(keys: MatchKeys): void {
  useKeys(keys.prompted ? {} : keys.showing.frame === null ? planningKeys(keys) : playbackKeys(keys.showing));
}

function playbackKeys({ playback }: LivePlayback): Deeds {
  const skip = () => playback.skip();
  return {
    " ": () => playback.toggle(),
    ",": () => playback.step(-1),
    ".": () => playback.step(1),
    ArrowLeft: () => playback.step(-1),
    ArrowRight: () => playback.step(1),
    Escape: skip,
    Enter: skip,
  };
}

/** Gives the focus to the board: arrow keys are for it, also where nothing has the focus. */
function focusBoard(): void {
  document.querySelector<HTMLElement>("[role='application']")?.focus();
}

/** The stance after this one. */
function nextStance(stance: Stance): Stance {
  const place = stances.findIndex((other) => other.stance === stance);
  return stances[(place + 1) % stances.length]?.stance ?? "ask";
}

function planningKeys({ planning, board, rules, open, at, lock, showing }: MatchKeys): Deeds {
  const { selection, plan, options } = planning;
  const deeds: Deeds = {
    Escape: selection === null ? null : () => planning.select(null),
    "[": () => planning.nextOwn(-1),
    "]": () => planning.nextOwn(1),
    v: showing.again,
    ArrowLeft: focusBoard,
    ArrowRight: focusBoard,
    ArrowUp: focusBoard,
    ArrowDown: focusBoard,
  };
  if (!open) return deeds;
  Object.assign(deeds, {
    n: planning.nextIdle,
    l: lock,
    "Shift+l": lock,
    "Ctrl+Enter": lock,
    u: planning.undo,
    "Ctrl+z": planning.undo,
    "Ctrl+Shift+z": planning.redo,
    "Ctrl+y": planning.redo,
  } satisfies Deeds);
  if (selection === null || !isOwn(board, selection)) return deeds;
  deeds["Delete"] = () => planning.clear(selection);
  deeds["Backspace"] = () => planning.clear(selection);
  if (selection.kind === "yard") {
    const build = options?.structures.find((yard) => yard.structure === selection.id)?.builds[0];
    if (build !== undefined && build.fault === undefined) {
      const building = plan.yards.get(selection.id)?.kind === "build";
      deeds["m"] = () => planning.orderYard(selection.id, building ? null : { kind: "build", class: build.class });
    }
    return deeds;
  }
  return { ...deeds, ...shipKeys({ planning, board, rules, at }, selection.id) };
}

function shipKeys({ planning, board, rules, at }: Pick<MatchKeys, "planning" | "board" | "rules" | "at">, id: number): Deeds {
  const ship = board.ships.get(id);
  const order = planning.plan.ships.get(id);
  const options = planning.options?.units.find((unit) => unit.unit === id);
  const deeds: Deeds = {
    o: () => planning.withdraw(id),
    f: () => planning.orderShip(id, { broadside: !(order?.broadside ?? false) }),
    t: () => planning.setStance(id, nextStance(order?.stance ?? ship?.stance ?? "ask")),
    g: at === null ? null : () => planning.sail(id, at.tile),
  };
  for (const option of options === undefined ? [] : shipOptions(options.actions, rules)) {
    const key = Object.entries(actionKeys).find(([, does]) => does(option.what))?.[0];
    if (key === undefined || deeds[key] !== undefined) continue;
    const { what, reason } = option;
    deeds[key] = () => {
      if (reason !== null) planning.say(reason);
      else planning.orderShip(id, { action: isSameAction(what, order?.action ?? null) ? null : what });
    };
  }
  return deeds;
}

// What is drawn over the board while a turn is planned.
import type { Course, Marks } from "../board/props";
import { ownShips } from "../model/board";
import type { Board, Plan, ShipPlan, Tile, Warning } from "../model/model";
import { legsOf, reachOf, type Ways } from "../model/path";
import type { Selection } from "./selection";

export const noMarks: Marks = {
  selectedShip: null,
  selectedYard: null,
  reach: new Map(),
  courses: [],
  warnings: [],
  badges: new Map(),
  spotlight: [],
};

/** How many turns ahead the reach of a ship is shown. */
const turnsAhead = 3;

/** The path under the pointer, not staged yet. */
export interface Draft {
  readonly ship: number;
  readonly path: readonly Tile[];
}

const letters: Readonly<Record<NonNullable<ShipPlan["action"]>["kind"], string>> = {
  move: "",
  hold: "H",
  repair: "R",
  upgrade: "",
  deploy: "Y",
  bombard: "B",
  press: "P",
};

const pieceLetters = { sails: "+S", cannons: "+C", hull: "+H" } as const;

/** The sign on a ship with this order; empty for none. */
export function badgeOf({ action, broadside }: ShipPlan): string {
  const letter = action === null ? "" : action.kind === "upgrade" ? pieceLetters[action.piece] : letters[action.kind];
  return broadside ? `${letter}!` : letter;
}

/** Where each own ship goes: along what is ordered, or along what is left of an earlier path. */
function coursesOf(board: Board, plan: Plan, draft: Draft | null): Course[] {
  const courses: Course[] = [];
  for (const ship of ownShips(board)) {
    const action = plan.ships.get(ship.id)?.action ?? null;
    const dragged = draft?.ship === ship.id && draft.path.length > 0;
    const add = (path: readonly Tile[], style: Course["style"]) => {
      if (path.length > 0) courses.push({ ship: ship.id, from: ship.tile, legs: legsOf(ship, path), style });
    };
    if (action?.kind === "move") add(action.path, "plan");
    else if (action === null) add(ship.route, "route");
    if (dragged) add(draft.path, "draft");
  }
  return courses;
}

export interface Planned {
  readonly board: Board;
  readonly plan: Plan;
  readonly selection: Selection | null;
  /** Where the selected own ship can go; null where none is selected. */
  readonly ways: Ways | null;
  readonly draft: Draft | null;
  readonly warnings: readonly Warning[];
}

export function marksOf({ board, plan, selection, ways, draft, warnings }: Planned): Marks {
  const badges = new Map<number, string>();
  for (const [ship, order] of plan.ships) {
    const badge = badgeOf(order);
    if (badge !== "") badges.set(ship, badge);
  }
  return {
    ...noMarks,
    selectedShip: selection?.kind === "ship" ? selection.id : null,
    selectedYard: selection?.kind === "yard" ? selection.id : null,
    reach: ways === null ? noMarks.reach : reachOf(ways, turnsAhead),
    courses: coursesOf(board, plan, draft),
    warnings: warnings.filter((warning) => warning.grade === "warn"),
    badges,
    spotlight: selection?.kind === "contest" ? [selection.id] : [],
  };
}

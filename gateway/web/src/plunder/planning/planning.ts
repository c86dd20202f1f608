// How a turn is planned: the plan with its past, what is selected, and every change that can be made.
import { useEffect, useMemo, useState } from "preact/hooks";
import { isPassing } from "../../frame/api/refusal";
import type { Options } from "../../gen/parley/plunder/v1/advice_pb";
import type { Pointed } from "../board/props";
import type { Board, Plan, ShipPlan, Stance, Tile, YardPlan } from "../model/model";
import { extend, pathTo, waysOf, type Ways } from "../model/path";
import { clearShip, edit, type History, historyOf, orderShip, orderYard, redo, undo } from "../model/plan";
import type { Rules } from "../model/rules";
import type { PlunderSession, PlunderState } from "../session/messages";
import type { Draft } from "./marks";
import { type Selection, isOwn, nextIdle, nextOwn, stillThere, tileOfSelection, wishAt } from "./selection";
import { withdrawalTile } from "./withdrawal";

export interface Planning {
  readonly plan: Plan;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly selection: Selection | null;
  /** Where the selected own ship can go. */
  readonly ways: Ways | null;
  readonly draft: Draft | null;
  /** What may be ordered in this turn; null while the server is asked. */
  readonly options: Options | null;
  /** Why something that was just tried did not work. */
  readonly notice: string | null;
  readonly lookAt: { readonly tile: Tile } | null;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly select: (selection: Selection | null, look?: boolean) => void;
  readonly look: (tile: Tile) => void;
  readonly say: (notice: string | null) => void;
  readonly pick: (at: Pointed) => void;
  readonly hover: (at: Pointed | null) => void;
  readonly drag: (ship: number, over: Tile, done: boolean) => void;
  readonly sail: (ship: number, to: Tile) => void;
  readonly orderShip: (ship: number, change: Partial<ShipPlan>) => void;
  readonly orderYard: (yard: number, work: YardPlan | null) => void;
  readonly setStance: (ship: number, stance: Stance) => void;
  readonly withdraw: (ship: number) => void;
  readonly clear: (selection: Selection) => void;
  readonly nextIdle: () => void;
  readonly nextOwn: (by: 1 | -1) => void;
}

/** What own ships and shipyards could be told in this turn; asked for while it is planned. */
function useOptions(
  session: PlunderSession,
  turn: number,
  planning: boolean,
  say: (notice: string) => void,
): Options | null {
  const [options, setOptions] = useState<Options | null>(null);
  const [attempt, setAttempt] = useState(0);
  const known = options?.turn === turn ? options : null;
  useEffect(() => {
    if (!planning || known !== null) return undefined;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void session.options().then((answer) => {
      if (gone) return;
      if (answer.ok && answer.value.turn === turn) return setOptions(answer.value);
      if (!answer.ok && !isPassing(answer.refusal)) return say(answer.refusal.sentence);
      const wait = Math.max(askAgainMs, answer.ok ? 0 : (answer.refusal.retryMs ?? 0));
      timer = setTimeout(() => setAttempt(attempt + 1), wait);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [session, turn, planning, known, attempt]);
  return known;
}

/** How long it takes at least until options that did not come are asked for again, in milliseconds. */
const askAgainMs = 1500;

/** How long a notice stays, in milliseconds. */
const noticeMs = 6000;

/** `open` says whether orders can be changed now. */
export function usePlanning(session: PlunderSession, state: PlunderState, board: Board, rules: Rules, open: boolean): Planning {
  const [kept, setKept] = useState<History>(() => historyOf(state.plan));
  const [chosen, setChosen] = useState<Selection | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [notice, say] = useState<string | null>(null);
  const [lookAt, setLookAt] = useState<{ readonly tile: Tile } | null>(null);
  const options = useOptions(session, state.turn, open, say);

  // A plan that was not made here, such as that of a new turn, has no past here.
  const history = kept.plan === state.plan ? kept : historyOf(state.plan);
  const { plan } = history;
  const selection = stillThere(board, chosen);
  const ship = selection?.kind === "ship" && isOwn(board, selection) ? (board.ships.get(selection.id) ?? null) : null;
  const ways = useMemo(() => (ship === null || !open ? null : waysOf(board, ship, rules)), [board, ship, rules, open]);

  // Where nothing is selected when a turn can be planned, the first ship without anything to do is.
  useEffect(() => {
    if (open && selection === null) setChosen(nextIdle(board, plan, null));
  }, [open, state.turn]);

  useEffect(() => {
    if (notice === null) return undefined;
    const timer = setTimeout(() => say(null), noticeMs);
    return () => clearTimeout(timer);
  }, [notice]);

  const turnInto = (next: History) => {
    if (!open || next === history) return;
    setKept(next);
    setDraft(null);
    say(null);
    session.stage(next.plan);
  };
  const change = (next: Plan) => turnInto(edit(history, next));
  const select = (next: Selection | null, look = false) => {
    setChosen(next);
    setDraft(null);
    say(null);
    const tile = look ? tileOfSelection(board, next) : null;
    if (tile !== null) setLookAt({ tile });
  };
  const sail = (id: number, to: Tile) => {
    const mover = board.ships.get(id);
    const path = mover === undefined ? null : pathTo(waysOf(board, mover, rules), to);
    if (path === null || path.length === 0) say("Nothing leads there, as far as is known.");
    else change(orderShip(plan, id, { action: { kind: "move", path } }));
  };

  return {
    plan,
    canUndo: open && history.past.length > 0,
    canRedo: open && history.future.length > 0,
    selection,
    ways,
    draft,
    options,
    notice,
    lookAt,
    undo: () => turnInto(undo(history)),
    redo: () => turnInto(redo(history)),
    select,
    look: (tile) => setLookAt({ tile }),
    say,
    pick: (at) => {
      const wish = wishAt(board, selection, at, (tile) => ways?.steps.has(tile) === true);
      if (wish.kind === "sail") sail(wish.ship, wish.to);
      else select(wish.selection);
    },
    hover: (at) => {
      const path = ways === null || at === null ? null : pathTo(ways, at.tile);
      const shown = ship !== null && path !== null && path.length > 0 ? { ship: ship.id, path } : null;
      if (shown !== null || draft !== null) setDraft(shown);
    },
    drag: (id, over, done) => {
      const mover = board.ships.get(id);
      if (!open || mover === undefined) return;
      if (ship?.id !== id) select({ kind: "ship", id });
      const path = extend(board, mover, draft?.ship === id ? draft.path : [], over, rules);
      if (!done) setDraft({ ship: id, path });
      else if (path.length > 0) change(orderShip(plan, id, { action: { kind: "move", path } }));
      else setDraft(null);
    },
    sail,
    orderShip: (id, how) => change(orderShip(plan, id, how)),
    orderYard: (id, work) => change(orderYard(plan, id, work)),
    setStance: (id, stance) => {
      const now = board.ships.get(id)?.stance ?? "ask";
      change(orderShip(plan, id, { stance: stance === now ? null : stance }));
    },
    withdraw: (id) => {
      const contender = board.ships.get(id);
      const tile = contender === undefined ? null : withdrawalTile(board, contender, rules);
      if (tile === null) say("There is no free tile to withdraw to.");
      else change(orderShip(plan, id, { action: { kind: "move", path: [tile] } }));
    },
    clear: (what) => {
      if (what.kind === "ship") change(clearShip(plan, what.id));
      else if (what.kind === "yard") change(orderYard(plan, what.id, null));
    },
    nextIdle: () => {
      const next = nextIdle(board, plan, selection);
      if (next !== null) select(next, true);
    },
    nextOwn: (by) => select(nextOwn(board, selection, by), true),
  };
}

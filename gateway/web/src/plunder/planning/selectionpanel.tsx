// What is selected, with everything that it can be told.
import type { RequestFault } from "../../frame/api/refusal";
import { contestWith } from "../model/board";
import type { Board, Warning } from "../model/model";
import type { Rules } from "../model/rules";
import { ContestPanel } from "./contest";
import type { Planning } from "./planning";
import { ShipPanel } from "./ship";
import { YardPanel } from "./yard";

export interface SelectionPanelProps {
  readonly board: Board;
  readonly names: readonly string[];
  readonly rules: Rules;
  readonly planning: Planning;
  readonly warnings: readonly Warning[];
  readonly faults: readonly RequestFault[];
  /** open: orders can be given; frozen: they are locked in; look: there are none. */
  readonly mode: "open" | "frozen" | "look";
}

export function SelectionPanel({ board, names, rules, planning, warnings, faults, mode }: SelectionPanelProps) {
  const { selection, plan, options } = planning;
  const frozen = mode !== "open";
  if (selection?.kind === "ship") {
    const ship = board.ships.get(selection.id);
    if (ship === undefined) return null;
    const { id } = ship;
    const own = ship.owner === board.seat && mode !== "look";
    const shipPlanning = {
      plan: plan.ships.get(id),
      options: options?.units.find((unit) => unit.unit === id) ?? null,
      warnings: warnings.filter((warning) => warning.ship === id),
      faults: faults.filter((fault) => fault.unit === id).map((fault) => fault.text),
      frozen,
      edits: {
        act: (action: Parameters<Planning["orderShip"]>[1]["action"]) => planning.orderShip(id, { action: action ?? null }),
        stance: (stance: Parameters<Planning["setStance"]>[1]) => planning.setStance(id, stance),
        broadside: (broadside: boolean) => planning.orderShip(id, { broadside }),
        withdraw: () => planning.withdraw(id),
        clear: () => planning.clear(selection),
      },
    };
    return <ShipPanel key={id} board={board} ship={ship} names={names} rules={rules} planning={own ? shipPlanning : null} />;
  }
  if (selection?.kind === "yard") {
    const yard = board.yards.get(selection.id);
    if (yard === undefined) return null;
    const { id } = yard;
    const own = yard.owner !== null && yard.owner === board.seat && mode !== "look";
    const yardPlanning = {
      plan: plan.yards.get(id),
      options: options?.structures.find((structure) => structure.structure === id) ?? null,
      warnings: warnings.filter((warning) => warning.yard === id),
      faults: faults.filter((fault) => fault.structure === id).map((fault) => fault.text),
      frozen,
      onWork: (work: Parameters<Planning["orderYard"]>[1]) => planning.orderYard(id, work),
    };
    return <YardPanel key={id} board={board} yard={yard} names={names} planning={own ? yardPlanning : null} />;
  }
  if (selection?.kind === "contest") {
    const contest = board.contests.get(selection.id);
    if (contest === undefined) return null;
    return (
      <ContestPanel
        board={board}
        contest={contest}
        names={names}
        rules={rules}
        plan={plan}
        mode={mode}
        onPress={(ship) => planning.orderShip(ship, { action: { kind: "press" } })}
        onWithdraw={planning.withdraw}
        onSelect={(id) => planning.select({ kind: "ship", id })}
      />
    );
  }
  return <p class="soft selection-none">{hint(board, mode)}</p>;
}

/** What to do where nothing is selected. */
function hint(board: Board, mode: SelectionPanelProps["mode"]): string {
  if (mode !== "open") return "Choose a ship or a shipyard to look at it.";
  const contending = [...board.ships.values()].some((ship) => ship.owner === board.seat && contestWith(board, ship.id) !== null);
  return contending
    ? "Choose one of your ships to give it orders. One of them contends for a tile: it presses on unless it sails away."
    : "Choose one of your ships to give it orders, or a shipyard to build.";
}

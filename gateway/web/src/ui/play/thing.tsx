// What is selected, with everything that it can be told.
import { contestWith } from "../../game/board";
import type { Board, Warning } from "../../game/model";
import type { Rules } from "../../game/rules";
import type { Fault } from "../../api/refusal";
import { ContestPanel } from "./contest";
import type { Desk } from "./desk";
import { ShipPanel } from "./ship";
import { YardPanel } from "./yard";

export interface ThingProps {
  readonly board: Board;
  readonly names: readonly string[];
  readonly rules: Rules;
  readonly desk: Desk;
  readonly warnings: readonly Warning[];
  readonly faults: readonly Fault[];
  /** open: orders can be given; frozen: they are locked in; look: there are none. */
  readonly mode: "open" | "frozen" | "look";
}

export function Thing({ board, names, rules, desk, warnings, faults, mode }: ThingProps) {
  const { selection, plan, options } = desk;
  const frozen = mode !== "open";
  if (selection?.kind === "ship") {
    const ship = board.ships.get(selection.id);
    if (ship === undefined) return null;
    const { id } = ship;
    const own = ship.owner === board.seat && mode !== "look";
    const shipDesk = {
      plan: plan.ships.get(id),
      options: options?.units.find((unit) => unit.unit === id) ?? null,
      warnings: warnings.filter((warning) => warning.ship === id),
      faults: faults.filter((fault) => fault.ship === id).map((fault) => fault.text),
      frozen,
      edits: {
        act: (action: Parameters<Desk["orderShip"]>[1]["action"]) => desk.orderShip(id, { action: action ?? null }),
        stance: (stance: Parameters<Desk["setStance"]>[1]) => desk.setStance(id, stance),
        broadside: (broadside: boolean) => desk.orderShip(id, { broadside }),
        withdraw: () => desk.withdraw(id),
        clear: () => desk.clear(selection),
      },
    };
    return <ShipPanel key={id} board={board} ship={ship} names={names} rules={rules} desk={own ? shipDesk : null} />;
  }
  if (selection?.kind === "yard") {
    const yard = board.yards.get(selection.id);
    if (yard === undefined) return null;
    const { id } = yard;
    const own = yard.owner !== null && yard.owner === board.seat && mode !== "look";
    const yardDesk = {
      plan: plan.yards.get(id),
      options: options?.structures.find((structure) => structure.structure === id) ?? null,
      warnings: warnings.filter((warning) => warning.yard === id),
      faults: faults.filter((fault) => fault.yard === id).map((fault) => fault.text),
      frozen,
      onWork: (work: Parameters<Desk["orderYard"]>[1]) => desk.orderYard(id, work),
    };
    return <YardPanel key={id} board={board} yard={yard} names={names} desk={own ? yardDesk : null} />;
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
        onPress={(ship) => desk.orderShip(ship, { action: { kind: "press" } })}
        onWithdraw={desk.withdraw}
        onSelect={(id) => desk.select({ kind: "ship", id })}
      />
    );
  }
  return <p class="soft thing-none">{hint(board, mode)}</p>;
}

/** What to do where nothing is selected. */
function hint(board: Board, mode: ThingProps["mode"]): string {
  if (mode !== "open") return "Choose a ship or a shipyard to look at it.";
  const contending = [...board.ships.values()].some((ship) => ship.owner === board.seat && contestWith(board, ship.id) !== null);
  return contending
    ? "Choose one of your ships to give it orders. One of them contends for a tile: it presses on unless it sails away."
    : "Choose one of your ships to give it orders, or a shipyard to build.";
}

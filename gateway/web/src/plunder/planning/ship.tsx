// A ship: what it is, and for an own one everything that it can be told.
import { nameOf } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import { Icon } from "../../frame/ui/icon";
import type { UnitOptions } from "../../gen/parley/plunder/v1/advice_pb";
import { contestWith } from "../model/board";
import { tileName } from "../model/hex";
import type { Board, Ship, ShipPlan, Stance, Warning } from "../model/model";
import { noOrder } from "../model/plan";
import type { Rules } from "../model/rules";
import { describeIdle, describeShip } from "../model/stagedorders";
import { type Action, faultSentence, shipOptions } from "./options";
import { OrderButton } from "./orderbutton";
import { BroadsideChoice, StanceChoice } from "./stance";

/** What can be changed of a ship's order. */
export interface ShipEdits {
  readonly act: (action: Action) => void;
  readonly stance: (stance: Stance) => void;
  readonly broadside: (on: boolean) => void;
  readonly withdraw: () => void;
  readonly clear: () => void;
}

export interface ShipPanelProps {
  readonly board: Board;
  readonly ship: Ship;
  readonly names: readonly string[];
  readonly rules: Rules;
  /** What can be ordered here; null where the viewer cannot give it orders, because it is somebody else's. */
  readonly planning: ShipPlanning | null;
}

export interface ShipPlanning {
  readonly plan: ShipPlan | undefined;
  /** What the ship may be ordered to do; null while the server is asked. */
  readonly options: UnitOptions | null;
  readonly warnings: readonly Warning[];
  /** What the server found wrong with its order. */
  readonly faults: readonly string[];
  /** Whether the orders are locked in, so that nothing can be changed any more. */
  readonly frozen: boolean;
  readonly edits: ShipEdits;
}

/** The keys that do what buttons do. */
export const actionKeys: Readonly<Record<string, (action: Action) => boolean>> = {
  h: (action) => action.kind === "hold",
  r: (action) => action.kind === "repair",
  "1": (action) => action.kind === "upgrade" && action.piece === "sails",
  "2": (action) => action.kind === "upgrade" && action.piece === "cannons",
  "3": (action) => action.kind === "upgrade" && action.piece === "hull",
  y: (action) => action.kind === "deploy",
  b: (action) => action.kind === "bombard",
  p: (action) => action.kind === "press",
};

function hotkey(action: Action): string {
  return Object.entries(actionKeys).find(([, does]) => does(action))?.[0] ?? "";
}

export function isSameAction(a: Action, b: Action | null): boolean {
  if (b === null || a.kind !== b.kind) return false;
  if (a.kind === "upgrade") return b.kind === "upgrade" && a.piece === b.piece;
  return a.kind !== "bombard" || (b.kind === "bombard" && a.yard === b.yard);
}

export function HpBar({ hp, maxHp }: { readonly hp: number; readonly maxHp: number }) {
  const share = hp / Math.max(1, maxHp);
  return (
    <meter class="hp" min={0} max={maxHp} value={hp} data-state={share >= 0.5 ? "well" : "hurt"} aria-label={`${hp} of ${maxHp} hp`} />
  );
}

function ShipFacts({ ship }: { readonly ship: Ship }) {
  const pieces = [
    [ship.sails, "sails"],
    [ship.cannons, "cannons"],
    [ship.hull, "hull"],
  ] as const;
  const fitted = pieces.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return (
    <div class="ship-facts">
      <HpBar hp={ship.hp} maxHp={ship.maxHp} />
      <span class="numbers">
        {ship.hp}/{ship.maxHp} hp · speed {ship.speed} · hits for {ship.damage}
      </span>
      {fitted.length > 0 && <span class="soft">Fitted: {fitted.join(", ")}</span>}
    </div>
  );
}

export function ShipPanel({ board, ship, names, rules, planning }: ShipPanelProps) {
  const contest = contestWith(board, ship.id);
  return (
    <section class="selection" aria-label={`Ship ${ship.id}`}>
      <header class="selection-head">
        <Emblem owner={ship.owner} size={22} />
        <h2>{ship.owner === board.seat ? `Ship ${ship.id}` : `${nameOf(names, ship.owner)}'s ship ${ship.id}`}</h2>
        <span class="soft">{tileName(board.chart, ship.tile)}</span>
      </header>
      <ShipFacts ship={ship} />
      {contest !== null && (
        <p class="notice bad">
          Contends for {tileName(board.chart, contest.tile)}, round {contest.rounds}, since turn {contest.since}.
        </p>
      )}
      {planning !== null && <ShipOrders board={board} ship={ship} rules={rules} planning={planning} contending={contest !== null} />}
    </section>
  );
}

/** What its owner should know, in short lines. */
export function Cautions({ warnings }: { readonly warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="cautions small">
      {warnings.map((warning) => (
        <li key={warning.text} data-grade={warning.grade}>
          {warning.text}
        </li>
      ))}
    </ul>
  );
}

interface ShipOrdersProps {
  readonly board: Board;
  readonly ship: Ship;
  readonly rules: Rules;
  readonly planning: ShipPlanning;
  readonly contending: boolean;
}

function ShipOrders({ board, ship, rules, planning, contending }: ShipOrdersProps) {
  const { plan, options, warnings, faults, frozen, edits } = planning;
  const order = plan ?? noOrder;
  const does = plan === undefined ? describeIdle(ship, board) : describeShip(plan, ship, board);
  const all = options === null ? [] : shipOptions(options.actions, rules);
  const possible = all.filter((option) => option.reason === null || isSameAction(option.what, order.action));
  const impossible = all.filter((option) => !possible.includes(option));
  const fault = options?.broadsideFault;
  const button = (option: (typeof all)[number]) => (
    <OrderButton
      key={option.name}
      option={frozen ? { ...option, reason: option.reason ?? "Your orders are locked in." } : option}
      pressed={isSameAction(option.what, order.action)}
      hotkey={hotkey(option.what)}
      onPick={edits.act}
    />
  );
  return (
    <>
      <div class="intention">
        <strong>It {does}.</strong>
        {plan !== undefined && !frozen && (
          <button class="small quiet" type="button" onClick={edits.clear} title="Take the order back (Delete)">
            <Icon name="remove" /> Clear
          </button>
        )}
      </div>
      {faults.map((text) => (
        <p key={text} class="notice bad">
          {faultSentence(text, "It")}
        </p>
      ))}
      <Cautions warnings={warnings} />
      {!frozen && order.action === null && (
        <p class="soft small">
          {contending
            ? "It presses on unless it withdraws: choose a tile to withdraw there."
            : "Choose a tile to sail there, or drag the ship along a path."}
        </p>
      )}
      <div class="choices">
        {contending && !frozen && (
          <OrderButton
            option={{ what: null, name: "Withdraw", note: "The shortest way out", cost: 0, reason: null }}
            pressed={order.action?.kind === "move"}
            hotkey="o"
            onPick={edits.withdraw}
          />
        )}
        {possible.map(button)}
      </div>
      {options === null && <p class="soft">Asking what is possible …</p>}
      <StanceChoice ship={ship.id} stance={order.stance ?? ship.stance ?? "ask"} frozen={frozen} onPick={edits.stance} />
      <BroadsideChoice
        on={order.broadside}
        reason={fault === undefined ? null : faultSentence(fault.text, "It")}
        frozen={frozen}
        onChange={edits.broadside}
      />
      {impossible.length > 0 && (
        <details class="impossible">
          <summary>Not possible now ({impossible.length})</summary>
          <div class="choices broad">{impossible.map(button)}</div>
        </details>
      )}
    </>
  );
}

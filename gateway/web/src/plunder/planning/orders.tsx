// The staged orders in words, what they cost, and what speaks against them.
import type { RequestFault } from "../../frame/api/refusal";
import type { Staging } from "../../frame/session/state";
import { Icon } from "../../frame/ui/icon";
import type { Budget } from "../model/budget";
import type { Warning } from "../model/model";
import type { Staged } from "../model/stagedorders";
import { faultSentence } from "./options";
import { Gold } from "./orderbutton";
import type { Selection } from "./selection";

export interface OrdersProps {
  readonly staged: readonly Staged[];
  readonly budget: Budget;
  readonly warnings: readonly Warning[];
  readonly faults: readonly RequestFault[];
  readonly idle: number;
  readonly staging: Staging;
  readonly frozen: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  readonly onSelect: (selection: Selection) => void;
  readonly onRemove: (selection: Selection) => void;
  readonly onNextIdle: () => void;
}

const stagingWords: Readonly<Record<Staging, string>> = {
  none: "",
  waiting: "Saving …",
  sending: "Saving …",
  kept: "Saved",
  failed: "Not saved yet",
};

function subjectOf(of: { readonly ship: number | null; readonly yard: number | null }): Selection | null {
  if (of.ship !== null) return { kind: "ship", id: of.ship };
  return of.yard === null ? null : { kind: "yard", id: of.yard };
}

export function Orders(props: OrdersProps) {
  const { staged, budget, warnings, faults, idle, frozen } = props;
  const loose = faults.filter((fault) => !staged.some((order) => order.ship === fault.unit && order.yard === fault.structure));
  return (
    <section class="orders" aria-label="Orders">
      <header class="row orders-head">
        <h2 class="grow">{frozen ? "Locked orders" : "Orders"}</h2>
        {!frozen && (
          <>
            <small class="soft" role="status">
              {stagingWords[props.staging]}
            </small>
            <button class="icon small" type="button" aria-label="Undo" title="Undo (Ctrl+Z)" disabled={!props.canUndo} onClick={props.onUndo}>
              <Icon name="undo" />
            </button>
            <button
              class="icon small"
              type="button"
              aria-label="Redo"
              title="Redo (Ctrl+Shift+Z)"
              disabled={!props.canRedo}
              onClick={props.onRedo}
            >
              <Icon name="redo" />
            </button>
          </>
        )}
      </header>
      {staged.length === 0 && (
        <p class="soft">{frozen ? "You gave no orders in this turn." : "No orders yet."}</p>
      )}
      <ul class="order-list" aria-label="Staged orders">
        {staged.map((order) => (
          <OrderLine key={`${order.ship}-${order.yard}`} order={order} {...props} />
        ))}
      </ul>
      {loose.map((fault) => (
        <p key={fault.text} class="notice bad">
          {faultSentence(fault.text, "An order")}
        </p>
      ))}
      <BudgetLine budget={budget} />
      {idle > 0 && !frozen && (
        <div class="row idle">
          <span class="grow">{idle === 1 ? "1 ship has nothing to do" : `${idle} ships have nothing to do`}</span>
          <button class="small" type="button" title="Next idle ship (n)" onClick={props.onNextIdle}>
            Next idle ship
          </button>
        </div>
      )}
      {warnings.length > 0 && !frozen && (
        <details class="warnings" open={warnings.length <= 4}>
          <summary>
            <Icon name="warning" /> {warnings.length === 1 ? "1 thing to know" : `${warnings.length} things to know`}
          </summary>
          <ul>
            {warnings.map((warning) => {
              const subject = subjectOf(warning);
              return (
                <li key={`${warning.ship}-${warning.yard}-${warning.text}`} data-grade={warning.grade}>
                  <button class="log-look" type="button" onClick={() => subject !== null && props.onSelect(subject)}>
                    {warning.text}
                  </button>
                </li>
              );
            })}
          </ul>
        </details>
      )}
    </section>
  );
}

function OrderLine({ order, faults, frozen, onSelect, onRemove }: { readonly order: Staged } & OrdersProps) {
  const subject = subjectOf(order);
  if (subject === null) return null;
  const wrong = faults.filter((fault) => fault.unit === order.ship && fault.structure === order.yard);
  return (
    <li class="order" data-wrong={wrong.length > 0}>
      <div class="order-line">
        <button class="log-look grow" type="button" title="Select it" onClick={() => onSelect(subject)}>
          {order.text}
        </button>
        {order.cost !== 0 && <Gold amount={order.cost} />}
        {!frozen && (
          <button class="icon small quiet" type="button" aria-label={`Remove: ${order.text}`} onClick={() => onRemove(subject)}>
            <Icon name="remove" />
          </button>
        )}
      </div>
      {!order.paid && <small class="bad-text">There will not be enough gold for it.</small>}
      {wrong.map((fault) => (
        <small key={fault.text} class="bad-text">
          {faultSentence(fault.text, "It")}
          {fault.rule !== "" && ` (${fault.rule})`}
        </small>
      ))}
    </li>
  );
}

function BudgetLine({ budget }: { readonly budget: Budget }) {
  const { gold, income, cost, refund, left } = budget;
  if (cost === 0 && refund === 0) return null;
  return (
    <p class={left < 0 ? "budget numbers bad-text" : "budget numbers"}>
      Costs {cost}
      {refund > 0 && `, gives back ${refund}`} of {gold + income} gold; {left < 0 ? `${-left} too much` : `${left} left`}.
    </p>
  );
}

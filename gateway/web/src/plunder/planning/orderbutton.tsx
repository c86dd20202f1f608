// A button for something that may not be possible: then it says why.
import { Icon } from "../../frame/ui/icon";
import type { Option } from "./options";

export interface OrderButtonProps<What> {
  readonly option: Option<What>;
  readonly pressed: boolean;
  /** The key that does the same; empty for none. */
  readonly hotkey?: string;
  readonly onPick: (what: What) => void;
}

/** A sum of gold, with its sign where it is given back. */
export function Gold({ amount }: { readonly amount: number }) {
  return (
    <span class="gold numbers" aria-label={`${amount} gold`}>
      <Icon name="coin" />
      {amount < 0 ? `+${-amount}` : amount}
    </span>
  );
}

export function OrderButton<What>({ option, pressed, hotkey = "", onPick }: OrderButtonProps<What>) {
  const { what, name, note, cost, reason } = option;
  return (
    <button
      class="choice"
      type="button"
      aria-pressed={pressed}
      aria-disabled={reason !== null}
      title={hotkey === "" ? note : `${note} (${hotkey})`}
      onClick={() => {
        if (reason === null) onPick(what);
      }}
    >
      <span class="choice-name">
        {name}
        {cost !== 0 && <Gold amount={cost} />}
      </span>
      <small class="choice-note">{reason ?? note}</small>
    </button>
  );
}

// The panel beside the sea; on small screens a sheet below it, with tabs.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Sign } from "./sign";

export interface SideProps {
  /** Names what is selected; a change brings it to the front. */
  readonly selected: string | null;
  /** How many orders are staged; null where there are none to give. */
  readonly orders: number | null;
  readonly thing: ComponentChildren;
  readonly plan: ComponentChildren | null;
  readonly log: ComponentChildren;
}

type Tab = "thing" | "plan" | "log";

export function Side({ selected, orders, thing, plan, log }: SideProps) {
  const [tab, setTab] = useState<Tab>("thing");
  const [low, setLow] = useState(false);
  useEffect(() => {
    if (selected !== null) setTab("thing");
  }, [selected]);
  const shown = tab === "plan" && plan === null ? "thing" : tab;
  const button = (name: Tab, words: string) => (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={shown === name}
      aria-controls={`side-${name}`}
      onClick={() => {
        setTab(name);
        setLow(false);
      }}
    >
      {words}
    </button>
  );
  return (
    <aside class="side" data-tab={shown} data-low={low} aria-label="Ship, orders and log">
      <div class="side-tabs" role="tablist" aria-label="Panels">
        {button("thing", "Selected")}
        {plan !== null && button("plan", orders === null || orders === 0 ? "Orders" : `Orders (${orders})`)}
        {button("log", "Log")}
        <button class="icon quiet" type="button" aria-label={low ? "Raise the panel" : "Lower the panel"} onClick={() => setLow(!low)}>
          <Sign name={low ? "up" : "down"} />
        </button>
      </div>
      <div class="side-part" id="side-thing" data-part="thing">
        {thing}
      </div>
      {plan !== null && (
        <div class="side-part" id="side-plan" data-part="plan">
          {plan}
        </div>
      )}
      <div class="side-part" id="side-log" data-part="log">
        {log}
      </div>
    </aside>
  );
}

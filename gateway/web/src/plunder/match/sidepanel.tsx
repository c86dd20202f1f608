// The panel beside the board; on small screens a sheet below it, with tabs.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../frame/ui/icon";

export interface SidePanelProps {
  /** Whether a turn is played back: then the log is in front. */
  readonly showing: boolean;
  /** Names what is selected; a change brings it to the front. */
  readonly selected: string | null;
  /** How many orders are staged; null where there are none to give. */
  readonly orders: number | null;
  readonly selection: ComponentChildren;
  readonly plan: ComponentChildren | null;
  readonly log: ComponentChildren;
}

type Tab = "selection" | "plan" | "log";

/** Whether there is room for the panel beside the board; the styles ask the same. */
function useWide(): boolean {
  const [query] = useState(() => matchMedia("(min-width: 901px)"));
  const [wide, setWide] = useState(query.matches);
  useEffect(() => {
    const change = () => setWide(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [query]);
  return wide;
}

/** The attributes of the panel that a tab opens. */
function panel(name: Tab) {
  return { role: "tabpanel", "aria-labelledby": `tab-${name}` } as const;
}

export function SidePanel({ showing, selected, orders, selection, plan, log }: SidePanelProps) {
  const [tab, setTab] = useState<Tab>("selection");
  const [low, setLow] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (showing) setTab("log");
    else setTab(selected === null && plan !== null ? "plan" : "selection");
  }, [showing, selected]);
  useEffect(() => {
    if (top.current !== null) top.current.scrollTop = 0;
  }, [selected]);
  const shown = tab === "plan" && plan === null ? "selection" : tab;
  // On wide screens what is selected stands above, and one of the other two below.
  const below = plan === null || tab === "log" ? "log" : "plan";
  const wide = useWide();
  const button = (name: Tab, words: string) => (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      data-name={name}
      aria-selected={wide ? below === name : shown === name}
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
    <aside class="side" data-tab={shown} data-below={below} data-low={low} data-showing={showing} aria-label="Ship, orders and log">
      <div class="side-part" id="side-selection" data-part="selection" ref={top} {...(wide ? {} : panel("selection"))}>
        {selection}
      </div>
      <div class="side-tabs">
        <div class="side-tablist" role="tablist" aria-label="Panels">
          {!wide && button("selection", "Selected")}
          {plan !== null && button("plan", orders === null || orders === 0 ? "Orders" : `Orders (${orders})`)}
          {button("log", "Log")}
        </div>
        {!wide && (
          <button class="icon quiet" type="button" aria-label={low ? "Raise the panel" : "Lower the panel"} onClick={() => setLow(!low)}>
            <Icon name={low ? "up" : "down"} />
          </button>
        )}
      </div>
      {plan !== null && (
        <div class="side-part" id="side-plan" data-part="plan" {...panel("plan")}>
          {plan}
        </div>
      )}
      <div class="side-part" id="side-log" data-part="log" {...panel("log")}>
        {log}
      </div>
    </aside>
  );
}

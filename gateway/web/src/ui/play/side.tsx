// The panel beside the sea; on small screens a sheet below it, with tabs.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Sign } from "./sign";

export interface SideProps {
  /** A turn is played back: the log is what counts. */
  readonly showing: boolean;
  /** Names what is selected; a change brings it to the front. */
  readonly selected: string | null;
  /** How many orders are staged; null where there are none to give. */
  readonly orders: number | null;
  readonly thing: ComponentChildren;
  readonly plan: ComponentChildren | null;
  readonly log: ComponentChildren;
}

type Tab = "thing" | "plan" | "log";

/** Whether there is room for the panel beside the sea; the styles ask the same. */
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

/** What a tab opens. */
function panel(name: Tab) {
  return { role: "tabpanel", "aria-labelledby": `tab-${name}` } as const;
}

export function Side({ showing, selected, orders, thing, plan, log }: SideProps) {
  const [tab, setTab] = useState<Tab>("thing");
  const [low, setLow] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (showing) setTab("log");
    else setTab(selected === null && plan !== null ? "plan" : "thing");
  }, [showing, selected]);
  useEffect(() => {
    if (top.current !== null) top.current.scrollTop = 0;
  }, [selected]);
  const shown = tab === "plan" && plan === null ? "thing" : tab;
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
      <div class="side-part" id="side-thing" data-part="thing" ref={top} {...(wide ? {} : panel("thing"))}>
        {thing}
      </div>
      <div class="side-tabs">
        <div class="side-tablist" role="tablist" aria-label="Panels">
          {!wide && button("thing", "Selected")}
          {plan !== null && button("plan", orders === null || orders === 0 ? "Orders" : `Orders (${orders})`)}
          {button("log", "Log")}
        </div>
        {!wide && (
          <button class="icon quiet" type="button" aria-label={low ? "Raise the panel" : "Lower the panel"} onClick={() => setLow(!low)}>
            <Sign name={low ? "up" : "down"} />
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

// A shipyard: what it builds, and for an own one what it can be told.
import { nameOf } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import { Icon } from "../../frame/ui/icon";
import type { StructureOptions } from "../../gen/parley/plunder/v1/advice_pb";
import { tileName } from "../model/hex";
import type { Board, Job, Warning, Yard, YardPlan } from "../model/model";
import { buildOptions, cancelOptions, faultSentence, type Option } from "./options";
import { OrderButton } from "./orderbutton";
import { Cautions, HpBar } from "./ship";

export interface YardPlanning {
  readonly plan: YardPlan | undefined;
  readonly options: StructureOptions | null;
  readonly warnings: readonly Warning[];
  readonly faults: readonly string[];
  readonly frozen: boolean;
  /** Gives the shipyard an order; null takes its order back. */
  readonly onWork: (work: YardPlan | null) => void;
}

export interface YardPanelProps {
  readonly board: Board;
  readonly yard: Yard;
  readonly names: readonly string[];
  /** What can be ordered here; null where the viewer cannot give it orders. */
  readonly planning: YardPlanning | null;
}

function titleOf(yard: Yard, names: readonly string[], own: boolean): string {
  if (own) return `Shipyard ${yard.id}`;
  return yard.owner === null ? `Neutral shipyard ${yard.id}` : `${nameOf(names, yard.owner)}'s shipyard ${yard.id}`;
}

function jobWords(job: Job, head: boolean): string {
  if (job.turnsLeft === 0) return "waits for a free tile";
  const turns = job.turnsLeft === 1 ? "1 turn left" : `${job.turnsLeft} turns left`;
  return head ? turns : `${turns} once it is its turn`;
}

export function YardPanel({ board, yard, names, planning }: YardPanelProps) {
  return (
    <section class="selection" aria-label={`Shipyard ${yard.id}`}>
      <header class="selection-head">
        {yard.owner === null ? <Icon name="anchor" /> : <Emblem owner={yard.owner} size={22} />}
        <h2>{titleOf(yard, names, yard.owner !== null && yard.owner === board.seat)}</h2>
        <span class="soft">{tileName(board.chart, yard.tile)}</span>
      </header>
      <div class="ship-facts">
        <HpBar hp={yard.hp} maxHp={yard.maxHp} />
        <span class="numbers">
          {yard.hp}/{yard.maxHp} hp
        </span>
      </div>
      {yard.queue === null && <p class="soft">What it builds is not known.</p>}
      {yard.queue !== null && yard.queue.length === 0 && <p class="soft">Nothing is being built.</p>}
      {yard.queue !== null && yard.queue.length > 0 && (
        <ol class="queue" aria-label="Queue">
          {yard.queue.map((job, place) => (
            <li key={place}>
              <span>
                {place + 1}. {job.kind}
              </span>
              <span class="soft small grow">{jobWords(job, place === 0)}</span>
              {planning !== null && <Cancel planning={planning} place={place} />}
            </li>
          ))}
        </ol>
      )}
      {planning !== null && <YardOrders planning={planning} />}
    </section>
  );
}

function isCancelled(plan: YardPlan | undefined, place: number): boolean {
  return plan?.kind === "cancel" && plan.index === place;
}

function Cancel({ planning, place }: { readonly planning: YardPlanning; readonly place: number }) {
  const option = planning.options === null ? undefined : cancelOptions(planning.options)[place];
  if (option === undefined) return null;
  const pressed = isCancelled(planning.plan, place);
  return (
    <button
      class="small"
      type="button"
      aria-pressed={pressed}
      aria-label={`${option.name}, place ${place + 1}. ${option.note}`}
      title={option.reason ?? option.note}
      disabled={planning.frozen || option.reason !== null}
      onClick={() => planning.onWork(pressed ? null : { kind: "cancel", index: place })}
    >
      Cancel (+{-option.cost})
    </button>
  );
}

function YardOrders({ planning }: { readonly planning: YardPlanning }) {
  const { plan, options, warnings, faults, frozen, onWork } = planning;
  const builds = options === null ? [] : buildOptions(options);
  const button = (option: Option<string>) => {
    const pressed = plan?.kind === "build" && plan.class === option.what;
    return (
      <OrderButton
        key={option.what}
        option={frozen ? { ...option, reason: option.reason ?? "Your orders are locked in." } : option}
        pressed={pressed}
        hotkey="m"
        onPick={(what) => onWork(pressed ? null : { kind: "build", class: what })}
      />
    );
  };
  return (
    <>
      {faults.map((text) => (
        <p key={text} class="notice bad">
          {faultSentence(text, "It")}
        </p>
      ))}
      <Cautions warnings={warnings} />
      {options === null && <p class="soft">Asking what is possible …</p>}
      <div class="choices broad">{builds.map(button)}</div>
      {plan !== undefined && !frozen && (
        <button class="small quiet" type="button" onClick={() => onWork(null)} title="Take the order back (Delete)">
          <Icon name="remove" /> Clear its order
        </button>
      )}
    </>
  );
}

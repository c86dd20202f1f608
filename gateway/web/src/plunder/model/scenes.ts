// Where one scene of a turn ends and the next begins (R5.6, R6, R7).
import { EncounterKind, GoldReason } from "../../gen/parley/plunder/v1/event_pb";
import type { Cause, Event, Shortfall } from "../../gen/parley/plunder/v1/event_pb";

/** When in a turn something is: before all ticks, in a tick (0 to 255), or after them. */
const START = -1;
export const BROADSIDES = 255;
const BOMBARDMENT = 256;
const CONSTRUCTION = 257;
export const END = 258;

/** What a scene is about. */
export type SceneKind =
  | "start"
  | "withdraw"
  | "move"
  | "meet"
  | "decide"
  | "give-way"
  | "exchange"
  | "sink"
  | "contest"
  | "enter"
  | "claim"
  | "bombard"
  | "capture"
  | "build"
  | "end";

/** Events that are shown at once. */
export interface Scene {
  readonly stage: number;
  readonly kind: SceneKind;
  /** In "decide": whether the encounter is a passing. */
  readonly passing: boolean;
  /** The events, each with its place in the list of the turn. */
  readonly events: readonly { readonly event: Event; readonly place: number }[];
}

/** The tick of a stage; null before and after the ticks. */
export function tickOf(stage: number): number | null {
  return stage >= 0 && stage <= BROADSIDES ? stage : null;
}

/** The stage in which something falls short. */
export function stageOfShortfall(shortfall: Shortfall): number {
  return shortfall.tick ?? stageOfCause(shortfall.cause);
}

/** A scene that is still growing. */
type Growing = Omit<Scene, "events"> & { readonly events: { event: Event; place: number }[] };

/**
 * Cuts the events of a turn into scenes. An exchange is a scene of its own, so that its dice can be read; only
 * broadsides are shown together where `apart` says that the ships are far enough from each other.
 */
export function scenesOf(events: readonly Event[], apart: (one: number, other: number) => boolean = () => false): Scene[] {
  const scenes: Growing[] = [];
  let meetings = new Meetings();
  events.forEach((event, place) => {
    const current = scenes.at(-1);
    const stage = Math.max(current?.stage ?? START, stageOf(event) ?? current?.stage ?? START);
    if (stage !== current?.stage) meetings = new Meetings();
    const kind = kindOf(event, stage, stage === current?.stage ? current.kind : null);
    const other = meetings.follow(event);
    const joins = current !== undefined && current.stage === stage && current.kind === kind && kind !== "exchange";
    const closed = current?.kind === "claim" && current.events.at(-1)?.event.what.case === "contestClosed";
    const volley = stage === BROADSIDES ? volleyFor(scenes, event, apart) : undefined;
    if (volley !== undefined) volley.events.push({ event, place });
    else if (joins && !other && !closed) current.events.push({ event, place });
    else scenes.push({ stage, kind, passing: meetings.passing, events: [{ event, place }] });
  });
  return scenes;
}

/**
 * The first scene of this round of broadsides that an exchange can be shown in. All exchanges of a round are rolled
 * from one state (R8.1), so that their order does not matter.
 */
function volleyFor(
  scenes: readonly Growing[],
  { what }: Event,
  apart: (one: number, other: number) => boolean,
): Growing | undefined {
  if (what.case !== "exchanged") return undefined;
  const ships = [what.value.attacker, what.value.defender];
  const first = scenes.findLastIndex((scene) => scene.kind !== "exchange" || scene.stage !== BROADSIDES) + 1;
  const isClear = ({ event }: { readonly event: Event }): boolean =>
    event.what.case !== "exchanged" ||
    [event.what.value.attacker, event.what.value.defender].every((one) => ships.every((other) => apart(one, other)));
  return scenes.slice(first).find((scene) => scene.events.every(isClear));
}

/** The encounters of a tick, and which of them is being resolved. */
class Meetings {
  private readonly kinds: EncounterKind[] = [];
  private readonly byShip = new Map<number, number>();
  private current = -1;

  /** Whether this event belongs to another encounter than the ones before it. */
  follow({ what }: Event): boolean {
    if (what.case === "met") {
      for (const { unit } of what.value.parties) this.byShip.set(unit, this.kinds.length);
      this.kinds.push(what.value.kind);
    }
    if (what.case !== "decided") return false;
    const encounter = this.byShip.get(what.value.unit) ?? -1;
    const other = encounter !== this.current;
    this.current = encounter;
    return other;
  }

  get passing(): boolean {
    return this.kinds[this.current] === EncounterKind.PASSING;
  }
}

/** The stage that an event is in; null where that follows from the events before it. */
function stageOf({ tick, what }: Event): number | null {
  if (tick !== undefined) return tick;
  switch (what.case) {
    case "gold":
      return what.value.reason === GoldReason.SALVAGE ? null : START;
    case "skipped":
      return stageOfCause(what.value.cause);
    case "withdrew":
    case "contestClosed":
      return 0;
    case "bombarded":
    case "captured":
      return BOMBARDMENT;
    case "spawned":
    case "spawnDelayed":
      return CONSTRUCTION;
    case "removed":
    case "neutralised":
    case "eliminated":
    case "ended":
      return END;
    default:
      return null;
  }
}

/** Causes that are in no tick (R10, R11). */
function stageOfCause(cause: Cause | undefined): number {
  switch (cause?.why.case) {
    case "outOfReach":
      return BOMBARDMENT;
    case "noTarget":
    case "foughtAlready":
    case "broadsidesOff":
      return BROADSIDES;
    default:
      return START;
  }
}

function kindOf({ what }: Event, stage: number, current: SceneKind | null): SceneKind {
  if (stage === START) return "start";
  if (stage === CONSTRUCTION) return "build";
  if (stage === END) return "end";
  const settled = current !== null && current !== "move";
  switch (what.case) {
    case "met":
      return "meet";
    case "decided":
      return "decide";
    case "gaveWay":
      return "give-way";
    case "exchanged":
      return "exchange";
    case "sunk":
      return "sink";
    case "contestOpened":
      return "contest";
    case "withdrew":
      return "withdraw";
    case "contestClosed":
      return "claim";
    case "bombarded":
      return "bombard";
    case "captured":
      return "capture";
    case "moved":
    case "vanished":
      return stage === 0 ? "claim" : settled ? "enter" : "move";
    // Salvage and what comes into sight belong to what happened just before.
    default:
      return current ?? (stage === BOMBARDMENT ? "bombard" : "move");
  }
}

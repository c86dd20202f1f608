// Where one scene of a turn ends and the next begins (R5.6, R6, R7). What belongs together, the service says.
import { EncounterKind, Stage } from "../../gen/parley/plunder/v1/event_pb";
import type { Cause, Event, Shortfall } from "../../gen/parley/plunder/v1/event_pb";

/** When in a turn something is: before all ticks, in a tick (0 to 255), or after them. */
const START = -1;
const CONTESTS = 0;
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
  | "claim"
  | "bombard"
  | "capture"
  | "build"
  | "end";

/** Kinds of scenes that show one group of events and no other. */
const APART: ReadonlySet<SceneKind> = new Set(["decide", "claim"]);

/** Events that are shown at once. */
export interface Scene {
  readonly when: number;
  readonly kind: SceneKind;
  /** The group of its first event: an encounter, the round of a contest, or an exchange of broadsides; 0 is none. */
  readonly group: number;
  /** In "decide": whether the encounter is a passing. */
  readonly passing: boolean;
  /** The events, each with its place in the list of the turn. */
  readonly events: readonly { readonly event: Event; readonly place: number }[];
}

/** The tick of a moment in the turn; null before and after the ticks. */
export function tickOf(when: number): number | null {
  return when >= CONTESTS && when <= BROADSIDES ? when : null;
}

/** When something falls short. */
export function whenOfShortfall(shortfall: Shortfall): number {
  return shortfall.tick ?? whenOfCause(shortfall.cause);
}

/** A scene that is still growing. */
type Growing = Omit<Scene, "events"> & { readonly events: { event: Event; place: number }[] };

/**
 * Cuts the events of a turn into scenes. An exchange is a scene of its own, so that its dice can be read; only
 * broadsides are shown together where `apart` says that the ships are far enough from each other.
 */
export function scenesOf(events: readonly Event[], apart: (one: number, other: number) => boolean = () => false): Scene[] {
  const scenes: Growing[] = [];
  /** The groups that are passings. */
  const passings = new Set<number>();
  events.forEach((event, place) => {
    const { what, group } = event;
    const current = scenes.at(-1);
    const when = whenOf(event, current?.when ?? START);
    const kind = kindOf(event, when, when === current?.when ? current.kind : null);
    if (what.case === "met" && what.value.kind === EncounterKind.PASSING) passings.add(group);
    const other = APART.has(kind) && group !== 0 && group !== current?.group;
    const joins = current?.when === when && current.kind === kind && kind !== "exchange" && !other;
    const volley = when === BROADSIDES ? volleyFor(scenes, event, apart) : undefined;
    if (volley !== undefined) volley.events.push({ event, place });
    else if (joins) current.events.push({ event, place });
    else scenes.push({ when, kind, group, passing: passings.has(group), events: [{ event, place }] });
  });
  return scenes;
}

/**
 * The first scene of this round of broadsides that an exchange can be shown in: after those in which one of its ships has
 * fired or was fired on, because each exchange says the hp that both ships have left.
 */
function volleyFor(
  scenes: readonly Growing[],
  { what }: Event,
  apart: (one: number, other: number) => boolean,
): Growing | undefined {
  if (what.case !== "exchanged") return undefined;
  const ships = [what.value.attacker, what.value.defender];
  const isOther = (scene: Growing): boolean => scene.kind !== "exchange" || scene.when !== BROADSIDES;
  const fights = ({ event }: { readonly event: Event }): boolean =>
    event.what.case === "exchanged" &&
    [event.what.value.attacker, event.what.value.defender].some((ship) => ships.includes(ship));
  const first = scenes.findLastIndex((scene) => isOther(scene) || scene.events.some(fights)) + 1;
  const isClear = ({ event }: { readonly event: Event }): boolean =>
    event.what.case !== "exchanged" ||
    [event.what.value.attacker, event.what.value.defender].every((one) => ships.every((other) => apart(one, other)));
  return scenes.slice(first).find((scene) => scene.events.every(isClear));
}

/** When an event is. What movement brings in no tick of its own, such as salvage, is when the event before it was. */
function whenOf({ stage, tick }: Event, before: number): number {
  if (tick !== undefined) return tick;
  switch (stage) {
    case Stage.CONTESTS:
      return CONTESTS;
    case Stage.MOVEMENT:
      return before;
    case Stage.BROADSIDES:
      return BROADSIDES;
    case Stage.BOMBARDMENT:
      return BOMBARDMENT;
    case Stage.CONSTRUCTION:
      return CONSTRUCTION;
    case Stage.RECKONING:
      return END;
    default:
      return START;
  }
}

/** Causes of shortfalls that are in no tick (R10, R11). */
function whenOfCause(cause: Cause | undefined): number {
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

function kindOf({ what }: Event, when: number, current: SceneKind | null): SceneKind {
  if (when === START) return "start";
  if (when === CONSTRUCTION) return "build";
  if (when === END) return "end";
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
      return when === CONTESTS ? "claim" : "move";
    // Salvage and what comes into sight belong to what happened just before.
    default:
      return current ?? (when === BOMBARDMENT ? "bombard" : "move");
  }
}

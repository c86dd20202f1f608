// Sentences with what a log needs: when, where, and how grave.
import type { LogLine } from "../../frame/log/logline";
import type { Event, Shortfall } from "../../gen/parley/plunder/v1/event_pb";
import type { Hex } from "./hex";
import type { Board, Tile } from "./model";
import { placeOf } from "./prospects";
import type { SentenceWriter } from "./sentences";
import { readTile } from "./wire";

/** A ship's whole way in a turn. */
export interface Voyage {
  readonly ship: number;
  readonly from: Hex | undefined;
  readonly to: Hex | undefined;
}

/**
 * The ways of all ships from one of the events on, each at the place of the event that ended it. Single steps would drown
 * the rest.
 */
export function voyagesOf(events: readonly Event[], first: number): Map<number, Voyage> {
  const byShip = new Map<number, { readonly place: number; readonly voyage: Voyage }>();
  events.forEach(({ what }, place) => {
    if (what.case !== "moved" || place < first) return;
    const { unit, from, to } = what.value;
    byShip.set(unit, { place, voyage: { ship: unit, from: byShip.get(unit)?.voyage.from ?? from, to } });
  });
  return new Map([...byShip.values()].map(({ place, voyage }) => [place, voyage]));
}

/** The line of an event, with its voyage where it is the last move of a ship; null where nothing is told. */
export function lineOf(
  teller: SentenceWriter,
  event: Event,
  before: Board,
  after: Board,
  tick: number | null,
  voyage: Voyage | null,
  defaulted: boolean,
): LogLine | null {
  // Asked before it is told: what falls was the viewer's until then.
  const own = isOwn(teller, event, before);
  const told = teller.tell(event, before, defaulted);
  if (told === null || (event.what.case === "moved" && voyage === null)) return null;
  const text = voyage === null ? told : teller.tellVoyage(voyage.ship, voyage.from, voyage.to);
  return { turn: before.turn, tick, text, tone: toneOf(event, own), own, tile: placeOfEvent(event, before, after) };
}

/** The line of an own order that did not do all it asked. */
export function shortfallLine(shortfall: Shortfall, board: Board): LogLine {
  const subject = shortfall.subject?.subject;
  const ship = subject?.case === "unit" ? board.ships.get(subject.value) : undefined;
  const yard = subject?.case === "structure" ? board.yards.get(subject.value) : undefined;
  const tile = ship?.tile ?? yard?.tile ?? null;
  const own = board.seat !== null;
  return { turn: board.turn, tick: shortfall.tick ?? null, text: shortfall.text, tone: "own", own, tile };
}

function toneOf({ what }: Event, own: boolean): LogLine["tone"] {
  switch (what.case) {
    case "sunk":
    case "removed":
    case "captured":
    case "neutralised":
    case "eliminated":
    case "ended":
      return "grave";
    case "met":
    case "decided":
    case "exchanged":
    case "gaveWay":
    case "withdrew":
    case "contestOpened":
    case "contestClosed":
    case "bombarded":
      return "fight";
    case "gold":
    case "deployed":
    case "queued":
    case "cancelled":
    case "repaired":
    case "upgraded":
    case "spawned":
    case "spawnDelayed":
      return "economy";
    default:
      return own ? "own" : "plain";
  }
}

/** Whether one of the viewer's own is in it. The end of a match is everybody's. */
function isOwn(teller: SentenceWriter, { what }: Event, board: Board): boolean {
  const { seat } = board;
  if (seat === null) return false;
  switch (what.case) {
    case "gold":
    case "eliminated":
      return what.value.player === seat;
    case "met":
      return what.value.parties.some((party) => party.owner === seat);
    case "exchanged":
      return teller.isOwn(what.value.attacker) || teller.isOwn(what.value.defender);
    case "contestOpened":
      return what.value.contenders.some((unit) => teller.isOwn(unit));
    case "contestClosed": {
      const contest = board.contests.get(readTile(board.chart, what.value.hex));
      return contest?.contenders.some((unit) => teller.isOwn(unit)) === true;
    }
    case "bombarded":
      return teller.isOwn(what.value.unit) || teller.isOwnYard(what.value.structure);
    case "captured":
      return what.value.by === seat || what.value.from === seat;
    case "spawned":
    case "appeared":
      return what.value.owner === seat;
    case "queued":
    case "cancelled":
    case "spawnDelayed":
    case "neutralised":
      return teller.isOwnYard(what.value.structure);
    case "deployed":
      return what.value.owner === seat;
    case "moved":
    case "gaveWay":
    case "vanished":
    case "decided":
    case "sunk":
    case "removed":
    case "repaired":
    case "upgraded":
    case "withdrew":
      return teller.isOwn(what.value.unit);
    case "ended":
      return true;
    default:
      return false;
  }
}

/** The tile to look at for an event; null where it has no place. */
function placeOfEvent({ what }: Event, before: Board, after: Board): Tile | null {
  const shipTile = (id: number): Tile | null => (before.ships.get(id) ?? after.ships.get(id))?.tile ?? null;
  const yardTile = (id: number): Tile | null => (before.yards.get(id) ?? after.yards.get(id))?.tile ?? null;
  switch (what.case) {
    case "moved":
    case "gaveWay":
      return readTile(before.chart, what.value.to);
    case "vanished":
      return readTile(before.chart, what.value.from);
    case "deployed":
    case "structureSighted":
    case "contestSighted":
    case "contestOpened":
    case "contestClosed":
    case "withdrew":
    case "appeared":
    case "spawned":
      return readTile(before.chart, what.value.hex);
    case "met": {
      const place = placeOf(before, what.value.site);
      return place === null ? null : "tile" in place ? place.tile : place.edge[0];
    }
    case "exchanged":
      return shipTile(what.value.defender) ?? shipTile(what.value.attacker);
    case "decided":
    case "sunk":
    case "removed":
    case "repaired":
    case "upgraded":
      return shipTile(what.value.unit);
    case "bombarded":
    case "captured":
    case "neutralised":
    case "queued":
    case "cancelled":
    case "spawnDelayed":
      return yardTile(what.value.structure);
    default:
      return null;
  }
}

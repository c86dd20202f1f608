// What one viewer learns of a turn, as one list: each event with the changes of the board that are its own.
import type { Change, Changes } from "../../gen/parley/plunder/v1/change_pb";
import type { Encounter, Event, Shortfall, TurnNews } from "../../gen/parley/plunder/v1/event_pb";
import { applyChanges } from "./changes";
import type { Board } from "./model";
import type { Rules } from "./rules";

/** Something that happened, and how the board changes with it. */
export interface ToldEvent {
  readonly event: Event;
  readonly changes: readonly Change[];
}

/** What one viewer learns of a turn, or of its beginning. */
export interface PlunderNews {
  readonly events: readonly ToldEvent[];
  /** How the board changes after all of them: what is otherwise without an event, such as what is left of a route. */
  readonly rest: readonly Change[];
  readonly shortfalls: readonly Shortfall[];
  /** The encounters that wait for answers, in a prompt. */
  readonly encounters: readonly Encounter[];
}

/** What everybody is told, and what this viewer is told beside it, each with its changes. */
export function newsOf(
  shared: TurnNews,
  sharedChanges: Changes | undefined,
  own: TurnNews,
  ownChanges: Changes | undefined,
): PlunderNews {
  const [all, mine] = [split(shared, sharedChanges), split(own, ownChanges)];
  const events: ToldEvent[] = [];
  let taken = 0;
  for (const told of mine.events) {
    const { after } = told.event;
    events.push(...all.events.slice(taken, after), told);
    taken = Math.max(taken, after);
  }
  events.push(...all.events.slice(taken));
  return {
    events,
    rest: [...all.rest, ...mine.rest],
    shortfalls: [...shared.shortfalls, ...own.shortfalls],
    encounters: [...shared.encounters, ...own.encounters],
  };
}

/** Each event says how many of the changes are its own; what is left over belongs to none. */
function split(news: TurnNews, changes: Changes | undefined): Pick<PlunderNews, "events" | "rest"> {
  const all = changes?.changes ?? [];
  let used = 0;
  const events = news.events.map((event) => {
    const own = all.slice(used, used + event.changes);
    used += event.changes;
    return { event, changes: own };
  });
  if (used > all.length) throw new Error("the service left out changes of the board");
  return { events, rest: all.slice(used) };
}

/** The board after all that is told. */
export function boardAfter(board: Board, { events, rest }: PlunderNews, rules: Rules): Board {
  const last = events.reduce((now, { changes }) => applyChanges(now, changes, rules), board);
  return applyChanges(last, rest, rules);
}

// Where something happened in a match, turn by turn, so that it can be found on the scrubber.
import type { Event } from "../../gen/parley/v1/event_pb";

/** What happened in a turn. */
export interface Highlight {
  readonly fights: number;
  readonly sinkings: number;
}

export function highlightOf(events: readonly Event[]): Highlight {
  const count = (kind: Event["what"]["case"]) => events.filter((event) => event.what.case === kind).length;
  return { fights: count("exchanged"), sinkings: count("sunk") };
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

/** "2 fights, 1 ship sunk"; empty where nothing happened. */
export function highlightWords({ fights, sinkings }: Highlight): string {
  const words: string[] = [];
  if (fights > 0) words.push(counted(fights, "fight", "fights"));
  if (sinkings > 0) words.push(counted(sinkings, "ship sunk", "ships sunk"));
  return words.join(", ");
}

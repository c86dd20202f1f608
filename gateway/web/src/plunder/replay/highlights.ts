// Where something happened in a match, turn by turn, so that it can be found on the scrubber.
import type { Highlight } from "../../frame/replay/pieces";
import type { Event } from "../../gen/parley/plunder/v1/event_pb";

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

/** What happened in a turn: "2 fights, 1 ship sunk"; null where nobody fought and nothing sank. */
export function highlightOf(events: readonly Event[]): Highlight | null {
  const count = (kind: Event["what"]["case"]) => events.filter((event) => event.what.case === kind).length;
  const [fights, sinkings] = [count("exchanged"), count("sunk")];
  const words: string[] = [];
  if (fights > 0) words.push(counted(fights, "fight", "fights"));
  if (sinkings > 0) words.push(counted(sinkings, "ship sunk", "ships sunk"));
  return words.length === 0 ? null : { words: words.join(", "), grave: sinkings > 0 };
}

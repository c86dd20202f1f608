// What exactly is asked: one answer for each own ship that is asked, encounter by encounter.
import type { Encounter } from "../../gen/parley/v1/event_pb";
import type { Choice, Tile } from "../model/model";
import { peaceOf, placeOf } from "../model/prospects";
import type { PlunderPrompt } from "../session/messages";

export interface Question {
  readonly encounter: Encounter;
  readonly ship: number;
  /** The peaceful answer, which is also what counts where nobody answers. */
  readonly peace: Choice;
}

/** The questions of a prompt, in the order in which the encounters are resolved. */
export function questionsOf(prompt: PlunderPrompt): readonly Question[] {
  return prompt.encounters.flatMap((encounter) =>
    encounter.participants
      .filter((participant) => participant.asked === true)
      .map((participant) => ({ encounter, ship: participant.unit, peace: peaceOf(encounter) })),
  );
}

/** The tiles of an encounter: its own, and those of the ships in it. */
export function tilesOf(prompt: PlunderPrompt, encounter: Encounter): readonly Tile[] {
  const place = placeOf(prompt.board, encounter.site);
  const site = place === null ? [] : "tile" in place ? [place.tile] : [...place.edge];
  const ships = encounter.participants.flatMap(({ unit }) => prompt.board.ships.get(unit)?.tile ?? []);
  return [...new Set([...site, ...ships])];
}

/** The place of the next question without an answer, after this one and then from the beginning; null when there is none. */
export function nextOpen(questions: readonly Question[], has: (ship: number) => boolean, after: number): number | null {
  for (let step = 1; step <= questions.length; step++) {
    const place = (after + step) % questions.length;
    const question = questions[place];
    if (question !== undefined && !has(question.ship)) return place;
  }
  return null;
}

/** What a key answers in an encounter; null where it answers nothing. */
export function choiceOfKey(key: string, question: Question): Choice | null {
  switch (key.toLowerCase()) {
    case "a":
      return "attack";
    case "p":
      return question.peace === "proceed" ? "proceed" : null;
    case "y":
      return question.peace === "yield" ? "yield" : null;
    default:
      return null;
  }
}

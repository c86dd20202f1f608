// What exactly is asked: one question for each own ship that has to choose, encounter by encounter.
import type { RequestFault } from "../../frame/api/refusal";
import { faultyQuestion } from "../../frame/session/faultyquestion";
import type { Picks } from "../../frame/session/state";
import type { Encounter } from "../../gen/parley/plunder/v1/event_pb";
import type { Question } from "../../gen/parley/v1/question_pb";
import type { Choice, Tile } from "../model/model";
import { placeOf } from "../model/prospects";
import type { PlunderPrompt } from "../session/messages";

/** A question of the wire about a ship that met others, with what is needed to draw it. */
export interface ShipQuestion {
  /** The number that an answer names. */
  readonly id: number;
  readonly tick: number;
  readonly encounter: Encounter;
  readonly ship: number;
  /** What can be chosen. An answer names a choice by its place here. */
  readonly choices: readonly Choice[];
  /** The peaceful choice, which is also what counts where nobody answers. */
  readonly peace: Choice;
}

/** The questions of a prompt, in the order in which the encounters are resolved. What is no encounter is not drawn here. */
export function questionsOf({ questions, soFar }: PlunderPrompt): readonly ShipQuestion[] {
  return questions.flatMap((question) => {
    const { id, kind, tick, group, about } = question;
    const encounter = group === 0 ? undefined : soFar.encounters.find((each) => each.group === group);
    const choices = choicesOf(question);
    const peace = choices[question.default[0] ?? -1];
    if (kind !== "encounter" || encounter === undefined || about?.subject.case !== "unit" || peace === undefined) return [];
    return [{ id, tick, encounter, ship: about.subject.value, choices, peace }];
  });
}

/** The choices that the options of a question stand for; none where an option is no choice of an encounter. */
function choicesOf({ options }: Question): readonly Choice[] {
  const choices = options.flatMap(({ choice }) => (choice.case === "word" && isChoice(choice.value) ? [choice.value] : []));
  return choices.length === options.length ? choices : [];
}

function isChoice(word: string): word is Choice {
  return word === "proceed" || word === "yield" || word === "attack";
}

/** What the choices for some ships, by the number of their question, are as answers. */
export function picksOf(questions: readonly ShipQuestion[], chosen: ReadonlyMap<number, Choice>): Picks {
  return new Map(
    questions.flatMap(({ id, choices }) => {
      const choice = chosen.get(id);
      return choice === undefined ? [] : [[id, [choices.indexOf(choice)]] as const];
    }),
  );
}

/** What was chosen for a ship and taken by the server; null where it was elsewhere, undefined where it was not yet. */
export function answerOf({ answered }: PlunderPrompt, { id, choices }: ShipQuestion): Choice | null | undefined {
  const picked = answered.get(id);
  return picked === undefined ? undefined : (choices[picked?.[0] ?? -1] ?? null);
}

/** Why an answer was not taken, in a sentence. The choices of a page are always offered, so that somebody was faster. */
export function faultWords({ questions }: PlunderPrompt, fault: RequestFault): string {
  const about = faultyQuestion(questions, fault)?.about?.subject;
  return about?.case === "unit" ? `Ship ${about.value} has already decided.` : `${fault.text}.`;
}

/** The tiles of an encounter: its own, and those of the ships in it. */
export function tilesOf(prompt: PlunderPrompt, encounter: Encounter): readonly Tile[] {
  const place = placeOf(prompt.board, encounter.site);
  const site = place === null ? [] : "tile" in place ? [place.tile] : [...place.edge];
  const ships = encounter.participants.flatMap(({ unit }) => prompt.board.ships.get(unit)?.tile ?? []);
  return [...new Set([...site, ...ships])];
}

/** The place of the next question without an answer, after this one and then from the beginning; null when there is none. */
export function nextOpen(questions: readonly ShipQuestion[], has: (id: number) => boolean, after: number): number | null {
  for (let step = 1; step <= questions.length; step++) {
    const place = (after + step) % questions.length;
    const question = questions[place];
    if (question !== undefined && !has(question.id)) return place;
  }
  return null;
}

/** The key of each choice. */
export const CHOICE_KEYS: Readonly<Record<Choice, string>> = { proceed: "P", yield: "Y", attack: "A" };

/** What a key answers in an encounter; null where it answers nothing. */
export function choiceOfKey(key: string, question: ShipQuestion): Choice | null {
  return question.choices.find((choice) => CHOICE_KEYS[choice] === key.toUpperCase()) ?? null;
}

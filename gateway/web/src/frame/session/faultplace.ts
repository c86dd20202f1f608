// Whom faults are about that name a place in a request: the request is known here, and the server names no more.
import type { Sheet } from "../../gen/parley/v1/game_pb";
import type { Question } from "../../gen/parley/v1/question_pb";
import type { RequestFault } from "../api/refusal";

/** Faults of a sheet that was sent, with the unit or structure whose order stands in the place that they name. */
export function faultsOfOrders(faults: readonly RequestFault[], { game }: Sheet): readonly RequestFault[] {
  return faults.map((fault) => {
    const named = /^sheet\.\w+\.(units|structures)\[(\d+)\]/.exec(fault.field);
    const place = Number(named?.[2] ?? -1);
    const { units = [], structures = [] } = game.value ?? {};
    if (named?.[1] === "units") return { ...fault, unit: units[place]?.unit ?? null };
    return { ...fault, structure: structures[place]?.structure ?? null };
  });
}

/** Faults of answers that were sent, with the unit or structure that the question in the place that they name is about. */
export function faultsOfAnswers(
  faults: readonly RequestFault[],
  answers: readonly { readonly question: number }[],
  questions: readonly Question[],
): readonly RequestFault[] {
  return faults.map((fault) => {
    const named = /^answers\[(\d+)\]/.exec(fault.field);
    const answered = answers[Number(named?.[1] ?? -1)]?.question;
    const about = questions.find(({ id }) => id === answered)?.about?.subject;
    return {
      ...fault,
      unit: about?.case === "unit" ? about.value : null,
      structure: about?.case === "structure" ? about.value : null,
    };
  });
}

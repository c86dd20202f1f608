// Which question a fault with an answer belongs to.
import type { Question } from "../../gen/parley/v1/question_pb";
import type { RequestFault } from "../api/refusal";

/** The question about the unit or structure that a fault names; undefined where there is none. */
export function faultyQuestion(questions: readonly Question[], { unit, structure }: RequestFault): Question | undefined {
  return questions.find(({ about }) => {
    switch (about?.subject.case) {
      case "unit":
        return about.subject.value === unit;
      case "structure":
        return about.subject.value === structure;
      default:
        return false;
    }
  });
}

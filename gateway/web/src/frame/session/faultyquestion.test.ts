import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { QuestionSchema } from "../../gen/parley/v1/question_pb";
import { faultyQuestion } from "./faultyquestion";

const questions = [
  create(QuestionSchema, { id: 1 }),
  create(QuestionSchema, { id: 2, about: { subject: { case: "structure", value: 7 } } }),
  create(QuestionSchema, { id: 3, about: { subject: { case: "unit", value: 7 } } }),
];

test("a fault belongs to the question about what it names", () => {
  const fault = { unit: null, structure: null, rule: "R7.2", text: "question 3 has been answered before", field: "" };
  expect(faultyQuestion(questions, { ...fault, unit: 7 })?.id).toBe(3);
  expect(faultyQuestion(questions, { ...fault, structure: 7 })?.id).toBe(2);
  expect(faultyQuestion(questions, { ...fault, unit: 8 })).toBeUndefined();
  expect(faultyQuestion(questions, fault)).toBeUndefined();
});

import type { AnswerSchema } from "../driver.ts";

/** Asks for an answer in words: for CLIs that have no way of their own to ask the model for a schema. */
export function answerWords({ jsonSchema }: AnswerSchema): string {
  return [
    "When you are done, end with one message that holds exactly one JSON document and nothing else: no words before",
    "or after it. It must be valid against this JSON schema:",
    "",
    JSON.stringify(jsonSchema, null, 2),
  ].join("\n");
}

/** Sends an answer back that was not good. */
export function answerAgainWords(problem: string): string {
  return [
    "Your answer could not be used:",
    "",
    problem,
    "",
    "Do nothing else now. Give the whole answer again, in the form that was asked for.",
  ].join("\n");
}

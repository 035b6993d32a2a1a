import { z } from "zod";
import type { AgentDriver, AgentEnding, AnswerSchema } from "../driver.ts";

export type CheckedAnswer = { ok: true; value: unknown } | { ok: false; problem: string };

/** So many problems are told; a model that has mended those has usually mended the rest. */
const toldProblems = 10;

/** A document between fences, alone: ```json … ``` */
const fenced = /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/i;

/**
 * The answer of a run, checked against the schema whoever made it. From a CLI that has a way of its own for answers only
 * that way counts; from another one its last text, if it is one JSON document and nothing else.
 */
export function checkAnswer(driver: AgentDriver, schema: AnswerSchema, ending: AgentEnding): CheckedAnswer {
  if (ending.answer !== undefined) return validated(schema, ending.answer);
  if (driver.abilities.answers === "own") return { ok: false, problem: "there is no structured answer" };
  return read(schema, ending.lastText ?? "");
}

function read(schema: AnswerSchema, text: string): CheckedAnswer {
  const plain = text.trim();
  if (plain === "") return { ok: false, problem: "there is no answer" };
  try {
    return validated(schema, JSON.parse(fenced.exec(plain)?.[1] ?? plain));
  } catch {
    return { ok: false, problem: "the answer is not one JSON document and nothing else" };
  }
}

function validated({ jsonSchema }: AnswerSchema, value: unknown): CheckedAnswer {
  const checked = z.fromJSONSchema(jsonSchema).safeParse(value);
  if (checked.success) return { ok: true, value: checked.data };
  return { ok: false, problem: problemsOf(checked.error) };
}

/** What is wrong with a value, for whoever made it. */
export function problemsOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, toldProblems)
    .map(({ path, message }) => `${path.length === 0 ? "the answer" : path.join(".")}: ${message}`)
    .join("; ");
}

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { commandDriver } from "../command/command-driver.ts";
import type { AgentDriver, AgentEnding } from "../driver.ts";
import { answerSchema } from "./answer-schema.ts";
import { checkAnswer } from "./check-answer.ts";

const plan = z.object({
  tasks: z.array(z.object({ title: z.string(), risk: z.enum(["low", "high"]).nullable() })),
});
const good = { tasks: [{ title: "one", risk: null }] };
const words = commandDriver({ command: ["tool"] });
const own: AgentDriver = { ...words, abilities: { ...words.abilities, answers: "own" } };

describe("the form of an answer", () => {
  it("is strict all the way down", () => {
    expect(answerSchema(plan).jsonSchema).toMatchObject({
      type: "object",
      required: ["tasks"],
      additionalProperties: false,
      properties: { tasks: { items: { required: ["title", "risk"], additionalProperties: false } } },
    });
  });

  it("that leaves something open is refused before anything runs", () => {
    expect(() => answerSchema(z.object({ a: z.array(z.object({ b: z.string().optional() })) }))).toThrow(
      /b of the answer.*may be missing/,
    );
    expect(() => answerSchema(z.object({ a: z.looseObject({}) }))).toThrow(/nobody named/);
  });
});

describe("an answer", () => {
  it.each([
    ["as it is", JSON.stringify(good)],
    ["on several lines", JSON.stringify(good, null, 2)],
    ["between fences", `\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
    ["between plain fences, with space around", `\n\n\`\`\`\n${JSON.stringify(good)}\n\`\`\`\n`],
  ])("in words is taken %s", (_how, lastText) => {
    expect(checkAnswer(words, answerSchema(plan), ending({ lastText }))).toEqual({ ok: true, value: good });
  });

  it.each([
    ["prose", "All is well."],
    ["prose around it", `Here it is:\n${JSON.stringify(good)}`],
    ["two documents", `${JSON.stringify(good)}\n${JSON.stringify(good)}`],
    ["two fences", `\`\`\`json\n${JSON.stringify(good)}\n\`\`\`\n\`\`\`json\n{}\n\`\`\``],
    ["nothing", ""],
    ["a part", JSON.stringify(good).slice(0, -1)],
  ])("in words is not guessed from %s", (_what, lastText) => {
    expect(checkAnswer(words, answerSchema(plan), ending({ lastText }))).toMatchObject({ ok: false });
  });

  it("of a CLI with a way of its own counts only where it came that way", () => {
    const lastText = JSON.stringify(good);
    expect(checkAnswer(own, answerSchema(plan), ending({ lastText }))).toEqual({
      ok: false,
      problem: "there is no structured answer",
    });
    expect(checkAnswer(own, answerSchema(plan), ending({ answer: good }))).toEqual({ ok: true, value: good });
  });

  it.each([
    [{ tasks: [{ title: "one", risk: "none" }] }, "tasks.0.risk"],
    [{ tasks: [{ title: "one" }] }, "tasks.0.risk"],
    [{ ...good, more: 1 }, "more"],
    [null, "the answer"],
    ["{}", "the answer"],
  ])("that is not as asked for is refused with the place: %j", (answer, where) => {
    expect(checkAnswer(own, answerSchema(plan), ending({ answer }))).toMatchObject({
      ok: false,
      problem: expect.stringContaining(where),
    });
  });
});

function ending(fields: Partial<AgentEnding>): AgentEnding {
  return { ...words.reader(task).ending(), ...fields };
}

const task = {
  prompt: "",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id: "s" },
} as const;

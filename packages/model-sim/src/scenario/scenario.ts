import { z } from "zod";
import type { Opening } from "../conversation/opening.ts";
import { stepSchema } from "./step.ts";

const count = z.number().int().nonnegative();

/** Plain data: what the model does in one session. It can be written as JSON as well. */
export const scenarioSchema = z.object({
  steps: z.array(stepSchema),
  /** What each reply says that it cost, instead of the numbers that follow from the conversation. */
  tokens: z
    .object({ input: count, output: count, cacheRead: count.default(0), cacheWrite: count.default(0) })
    .optional(),
});

export type Scenario = z.infer<typeof scenarioSchema>;
/** As it is written, with defaults left out. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/** Chooses the scenario of a session by how it begins. undefined: that is none of mine. */
export type ScenarioChoice = (opening: Opening) => ScenarioInput | undefined;

/** The scenario of all sessions whose first prompt has these words. */
export function whenPrompt(words: string | RegExp, scenario: ScenarioInput): ScenarioChoice {
  return ({ prompt }) =>
    (typeof words === "string" ? prompt.includes(words) : words.test(prompt)) ? scenario : undefined;
}

/** A file of scenarios: one for all, or several of which the first whose words are in the prompt is taken. */
export const scriptSchema = z.union([
  scenarioSchema,
  z.object({ sessions: z.array(scenarioSchema.extend({ when: z.string().default("") })) }),
]);

/** How the scenarios of such a file are chosen. */
export function choicesOf(script: z.infer<typeof scriptSchema>): ScenarioChoice[] {
  if ("steps" in script) return [() => script];
  return script.sessions.map(({ when, ...scenario }) => whenPrompt(when, scenario));
}

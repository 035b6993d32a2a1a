import { z } from "zod";

/** How often a trouble is met before the scenario goes on. */
const times = z.union([z.number().int().positive(), z.literal("forever")]).default(1);
const milliseconds = z.number().int().nonnegative();
/** Relative to the folder that the CLI was started in. */
const path = z.string().min(1);

/** What the model says and does. */
const moves = [
  z.object({ do: z.literal("say"), text: z.string() }),
  z.object({ do: z.literal("think"), ms: milliseconds, text: z.string().default("Let me think.") }),
  z.object({ do: z.literal("pause"), ms: milliseconds }),
  z.object({ do: z.literal("readFile"), path }),
  z.object({ do: z.literal("writeFile"), path, content: z.string() }),
  z.object({ do: z.literal("editFile"), path, find: z.string().min(1), replace: z.string() }),
  z.object({ do: z.literal("runCommand"), command: z.string().min(1) }),
  z.object({ do: z.literal("answer"), value: z.unknown().optional() }),
  z.object({ do: z.literal("finish"), text: z.string().default("Done.") }),
] as const;

/** What can go wrong with a model. */
const troubles = [
  z.object({ do: z.literal("rateLimit"), resetSeconds: z.number().nonnegative().optional(), times }),
  z.object({ do: z.literal("unauthorized"), times }),
  z.object({ do: z.literal("serverError"), times }),
  z.object({ do: z.literal("overloaded"), times }),
  z.object({ do: z.literal("contextTooLong"), times }),
  z.object({ do: z.literal("cutStream"), times }),
  z.object({ do: z.literal("garbage"), times }),
  z.object({ do: z.literal("silence"), ms: milliseconds.optional(), times }),
  z.object({ do: z.literal("refusal"), text: z.string().default("I cannot help with that."), times }),
  z.object({ do: z.literal("proseInsteadOfAnswer"), text: z.string().default("It all looks fine to me.") }),
  z.object({ do: z.literal("endlessToolLoop"), command: z.string().min(1), times: times.default("forever") }),
] as const;

export const stepSchema = z.discriminatedUnion("do", [...moves, ...troubles]);

/** One step of a scenario, with what was left out filled in. */
export type Step = z.infer<typeof stepSchema>;
export type StepOf<Name extends Step["do"]> = Extract<Step, { do: Name }>;

/** Steps that need a tool of the CLI's. */
export type Action = StepOf<"readFile" | "writeFile" | "editFile" | "runCommand" | "endlessToolLoop">;

/** Troubles of a request: they leave no trace in the conversation, so they are counted here. */
export type Trouble = StepOf<
  | "rateLimit"
  | "unauthorized"
  | "serverError"
  | "overloaded"
  | "contextTooLong"
  | "cutStream"
  | "garbage"
  | "silence"
  | "refusal"
>;

const actions: ReadonlySet<string> = new Set<Action["do"]>([
  "readFile",
  "writeFile",
  "editFile",
  "runCommand",
  "endlessToolLoop",
]);
const requestTroubles: ReadonlySet<string> = new Set<Trouble["do"]>([
  "rateLimit",
  "unauthorized",
  "serverError",
  "overloaded",
  "contextTooLong",
  "cutStream",
  "garbage",
  "silence",
  "refusal",
]);

export function isAction(step: Step): step is Action {
  return actions.has(step.do);
}

export function isTrouble(step: Step): step is Trouble {
  return requestTroubles.has(step.do);
}

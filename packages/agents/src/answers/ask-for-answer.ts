import { randomUUID } from "node:crypto";
import type { AgentFailure } from "@opentiger/schema";
import type { z } from "zod";
import type { AgentTask } from "../driver.ts";
import { failureOf } from "../outcome/classify.ts";
import type { AgentOutcome } from "../outcome/outcome.ts";
import { ensureAgent } from "../run/ensure-agent.ts";
import type { AgentRun, RunRequest } from "../run/request.ts";
import { answerSchema } from "./answer-schema.ts";
import { answerAgainWords } from "./answer-words.ts";
import { problemsOf } from "./check-answer.ts";

export interface AskOptions {
  /** How many runs there may be in all. */
  tries?: number;
  /** Hears of each run as it starts or is taken over, to follow its events. */
  onRun?: (run: AgentRun) => void;
  /** Of the run of this id, the last event that was heard before; those after it are told. */
  heardOf?: (id: string) => number | Promise<number>;
}

/** One that is missing or wrong is sent back twice: a model that has not got it then will not get it. */
const defaultTries = 3;

export type Asked<T> = { outcomes: readonly AgentOutcome[] } & (
  | { ok: true; answer: T }
  | { ok: false; failure: AgentFailure }
);

/**
 * Runs an agent for an answer in this form. What is missing or not as asked for is sent back to the same conversation
 * with what was wrong, so many times; then it is `malformed`. Any other failure is the answer at once. The same request
 * may be made again after a crash: a run whose transcript is there is taken over, and none is made twice.
 */
export async function askForAnswer<T>(
  request: RunRequest,
  schema: z.ZodType<T>,
  { tries = defaultTries, onRun, heardOf }: AskOptions = {},
): Promise<Asked<T>> {
  const task = { ...request.task, answer: answerSchema(schema) };
  const outcomes: AgentOutcome[] = [];
  for (let next: RunRequest = { ...request, task }; ; ) {
    const run = await ensureAgent({ ...next, after: (await heardOf?.(next.id)) ?? 0 });
    onRun?.(run);
    const outcome = await run.outcome;
    outcomes.push(outcome);
    const checked = outcome.ok ? schema.safeParse(outcome.answer) : undefined;
    if (checked?.success) return { ok: true, answer: checked.data, outcomes };
    const failure = outcome.ok
      ? failureOf("malformed", checked && problemsOf(checked.error))
      : outcome.failure;
    if (failure.type !== "malformed" || outcomes.length >= tries) return { ok: false, failure, outcomes };
    next = { ...again(request, task, outcome, failure), ...named(request, outcomes.length + 1) };
  }
}

/** In the same conversation; where that cannot be resumed, from the beginning and with what was wrong. */
function again(
  request: RunRequest,
  task: AgentTask,
  { session }: AgentOutcome,
  { message }: AgentFailure,
): RunRequest {
  const sentBack = answerAgainWords(message);
  const promptIfFresh = `${task.prompt}\n\n${sentBack}`;
  if (session === null)
    return {
      ...request,
      task: { ...task, prompt: promptIfFresh, session: { kind: "new", id: randomUUID() } },
    };
  return {
    ...request,
    promptIfFresh,
    task: { ...task, prompt: sentBack, session: { kind: "resumed", id: session } },
  };
}

/** Each is a run of its own, with a name of its own. */
function named({ id, transcript }: RunRequest, number: number): Pick<RunRequest, "id" | "transcript"> {
  return { id: `${id}-${number}`, transcript: `${transcript}.${number}` };
}

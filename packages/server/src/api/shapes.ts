import { z } from "@hono/zod-openapi";
import {
  checkRound,
  executionEnvironments,
  judgementEvidence,
  judgementWord,
  keptPlan,
  loopSettings,
  loopSource,
  loopStates,
  loopSummary,
  rework,
  reworkPoint,
  role,
  runStatus,
  taskFailure,
  taskRisk,
  taskRole,
  taskStates,
  tokenCount,
  verifyCommand,
} from "@opentiger/schema";

/** What the API says of what is in the tables: the same words, times as text. */

export const loopId = z
  .string()
  .regex(/^[a-z0-9]{8}$/, "a loop's id is eight letters and digits")
  .openapi({ example: "k3v9x0ab" });
export const uuid = z.uuid();
export const time = z.iso.datetime();
export const environment = z.enum(executionEnvironments);

const loopState = z.enum(namesOf(loopStates));
const taskState = z.enum(namesOf(taskStates));

export const loopShape = z
  .object({
    id: loopId,
    repository: uuid,
    requirement: z.string(),
    source: loopSource,
    settings: loopSettings,
    state: loopState,
    /** Why it is in this state, where there is more to say. */
    detail: z.string().nullable(),
    fence: z.number().int(),
    baseOid: z.string().nullable(),
    branch: z.string().nullable(),
    branchOid: z.string().nullable(),
    projectedOid: z.string().nullable(),
    plan: keptPlan.nullable(),
    /** Another one for every other plan. */
    planVersion: z.string().nullable(),
    summary: loopSummary.nullable(),
    createdAt: time,
    updatedAt: time,
    endedAt: time.nullable(),
  })
  .openapi("Loop");

export const taskShape = z
  .object({
    id: uuid,
    loop: loopId,
    number: z.number().int(),
    key: z.string().nullable(),
    title: z.string(),
    role: taskRole,
    instructions: z.string(),
    allowedPaths: z.array(z.string()),
    mayChange: z.array(z.string()),
    verify: z.array(verifyCommand),
    risk: taskRisk,
    estimate: z.string().nullable(),
    state: taskState,
    detail: z.string().nullable(),
    fence: z.number().int(),
    notBefore: time.nullable(),
    baseOid: z.string().nullable(),
    candidateOid: z.string().nullable(),
    mergedOid: z.string().nullable(),
    rework: rework.nullable(),
    tries: z.record(z.string(), z.number()),
    agent: z.string().nullable(),
    /** Numbers of the tasks that it needs. */
    needs: z.array(z.number().int()),
    createdAt: time,
    updatedAt: time,
  })
  .openapi("Task");

export const runShape = z
  .object({
    id: uuid,
    loop: loopId,
    task: uuid.nullable(),
    stage: z.number().int(),
    number: z.number().int(),
    agent: z.string(),
    role,
    state: runStatus,
    failure: taskFailure.nullable(),
    session: z.string().nullable(),
    /** As the agent called it when it began. */
    model: z.string().nullable(),
    sandbox: z.string().nullable(),
    execId: z.string().nullable(),
    lastSeq: z.number().int(),
    tokens: tokenCount.nullable(),
    usd: z.number().nullable(),
    baseOid: z.string().nullable(),
    candidateOid: z.string().nullable(),
    startedAt: time,
    endedAt: time.nullable(),
  })
  .openapi("Run");

export const judgementShape = z
  .object({
    id: z.number().int(),
    task: uuid,
    run: uuid.nullable(),
    candidateOid: z.string(),
    baseOid: z.string(),
    judgement: judgementWord,
    evidence: judgementEvidence.extend({ rounds: z.array(checkRound) }),
    points: z.array(reworkPoint),
    at: time,
  })
  .openapi("Judgement");

export const eventShape = z
  .object({
    id: z.number().int(),
    loop: loopId,
    task: uuid.nullable(),
    run: uuid.nullable(),
    /** As `task.claim`. */
    type: z.string(),
    data: z.record(z.string(), z.unknown()),
    /** Who moved it, as docs/state-model.md has it; null where nothing moved. */
    owner: z.string().nullable(),
    at: time,
  })
  .openapi("Event");

export const usageShape = z
  .object({
    tokens: tokenCount,
    /** All kinds together. */
    total: z.number().int(),
    /** null: nothing that was used has a known price. */
    usd: z.number().nullable(),
  })
  .openapi("Usage");

/** The keys of a table of states, as the words that they are. */
function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): [Name, ...Name[]] {
  // Object.keys forgets which keys there are; tables of states have no others, and are never empty.
  return Object.keys(table) as [Name, ...Name[]];
}

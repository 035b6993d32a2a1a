import { z } from "zod";
import { agentKind, tokenCount } from "./agent.ts";
import { executionEnvironments } from "./config.ts";
import { taskFailureTypes } from "./failure.ts";
import { networkPolicy } from "./network.ts";
import { keptTask } from "./plan.ts";
import { projectFile } from "./project.ts";
import { judgementWord, role } from "./state.ts";

/** More than a person writes, in characters; a planner reads all of it each time. */
export const longestRequirement = 200_000;

/** Column `loops.source`: where a loop's tasks come from. */
export const loopSource = z.discriminatedUnion("kind", [
  /** The planner makes them of the requirement. */
  z.object({ kind: z.literal("prose") }),
  /** The requirement is the one task. */
  z.object({
    kind: z.literal("single"),
    /** Of the project's tests and protected files: those that it is meant to change. */
    mayChange: keptTask.shape.mayChange.optional(),
  }),
  /** They stood in a file. */
  z.object({
    kind: z.literal("stories"),
    file: z.string().nullable(),
    summary: z.string(),
    tasks: z.array(keptTask),
  }),
]);
export type LoopSource = z.infer<typeof loopSource>;

/** give: the file has all that it asks for. withhold: the loop does without. */
export const projectNetworks = ["give", "withhold"] as const;

/** What was said when the loop was started. What is absent is taken from system_config when it is needed. */
export const loopSettings = z.object({
  environment: z.enum(executionEnvironments).optional(),
  agents: z
    .partialRecord(role, z.object({ agent: agentKind.optional(), model: z.string().optional() }))
    .default({}),
  /** Whether the plan waits for a person. */
  approve: z.boolean().optional(),
  /** Only the plan is wanted. */
  dryRun: z.boolean().default(false),
  budget: z
    .object({ tokens: z.number().int().positive().nullable(), usd: z.number().positive().nullable() })
    .optional(),
  network: networkPolicy.optional(),
  /** What becomes of what the project's file asks of the network beyond the user's settings; absent: the loop does not begin. */
  projectNetwork: z.enum(projectNetworks).optional(),
  /** Flags that come before the project's file. */
  project: projectFile.partial().default({}),
});
export type LoopSettings = z.infer<typeof loopSettings>;

/** Something that a judge, a check or a rule found, for the agent that works on it again. */
export const reworkPoint = z.object({
  /** Who found it. */
  by: z.enum(["judge", "verify", "rules", "conflict", "tests", "dispute", "person"]),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  text: z.string(),
});
export type ReworkPoint = z.infer<typeof reworkPoint>;

/** Why a task is worked on again: what went wrong, or a person who looked at it and sent it back. */
export const reworkReason = z.enum([...taskFailureTypes, "person"]);
export type ReworkReason = z.infer<typeof reworkReason>;

/** Column `tasks.rework`: what the next run has to know of the ones before it. */
export const rework = z.object({
  failure: reworkReason,
  points: z.array(reworkPoint),
  /** The conversation to go on with; null: a new one. */
  session: z.string().nullable(),
  /** Whose it is. */
  agent: z.string().nullable(),
  /** The work to go on with: a commit in the loop's own repository; null: from the branch. */
  from: z.string().nullable(),
  /** A sandbox that is kept for it. */
  sandbox: z.string().nullable(),
});
export type Rework = z.infer<typeof rework>;

/** One verify command that was run, or one test that its reporter told of. */
export const checkResult = z.object({
  command: z.string(),
  /** null: the command itself. */
  test: z.string().nullable(),
  result: z.enum(["passed", "failed", "skipped", "missing"]),
  exitCode: z.number().int().nullable(),
  /** The end of what it printed, redacted. */
  output: z.string(),
  durationMs: z.number(),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A whole round of checks on one commit. */
export const checkRound = z.object({
  /** As which tree: the candidate as it is, or with the base's tests and protected files. */
  tree: z.enum(["base", "as_is", "restored"]),
  commit: z.string(),
  results: z.array(checkResult),
});
export type CheckRound = z.infer<typeof checkRound>;

/** Column `judgements.evidence`. */
export const judgementEvidence = z.object({
  rounds: z.array(checkRound),
  /** Red before and therefore no evidence. */
  redBefore: z.array(z.string()),
  /** What else is to be known: the set-up was done again, a lock file changed. */
  notes: z.array(z.string()),
  /** What the model said of each piece; empty where checks alone decided. */
  opinions: z.array(z.object({ files: z.array(z.string()), judgement: judgementWord, summary: z.string() })),
  /** Why it is inconclusive, where it is. */
  trouble: z.string().nullable(),
  /** Judged as tests whose code is still to come: they had to be red. */
  held: z.boolean().default(false),
});
export type JudgementEvidence = z.infer<typeof judgementEvidence>;

/** Column `loops.summary`: what there is to say at its end. */
export const loopSummary = z.object({
  done: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  left: z.number().int(),
  commits: z.number().int(),
  branch: z.string().nullable(),
  tokens: tokenCount,
  usd: z.number().nullable(),
  tasks: z.array(
    z.object({
      number: z.number().int(),
      title: z.string(),
      state: z.string(),
      detail: z.string().nullable(),
      runs: z.number().int(),
      judgement: judgementWord.nullable(),
    }),
  ),
});
export type LoopSummary = z.infer<typeof loopSummary>;

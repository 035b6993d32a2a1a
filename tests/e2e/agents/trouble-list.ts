import { type AgentTask, answerSchema } from "@opentiger/agents";
import {
  contextTooLong,
  cutStream,
  endlessToolLoop,
  finish,
  garbage,
  overloaded,
  proseInsteadOfAnswer,
  rateLimit,
  refusal,
  runCommand,
  type Step,
  say,
  serverError,
  silence,
  unauthorized,
} from "@opentiger/model-sim";
import type { FailureType } from "@opentiger/schema";
import { z } from "zod";
import type { StartOptions } from "../../setup/agent-place.ts";

/** What a model does to a run, and what has to come of it, whichever CLI it is. */
export interface Trouble {
  name: string;
  steps: Step[];
  ends: FailureType | "success";
  /** CLIs try again and wait in between, or there is nothing but waiting. */
  patience?: true;
  /** Nobody answers at all. */
  unreachable?: true;
  task?: Partial<AgentTask>;
  more?: StartOptions;
}

const answer = answerSchema(z.object({ verdict: z.enum(["pass", "fail"]) }));

/** What a test of somebody's program prints is no word of a model's API, and what the model says of it is none either. */
const wordsOfATest = "echo 'expected 429 lines, got 401: rate_limit_error, overloaded (529)'; exit 1";
const wordsOfTheModel =
  "The test expected 429 lines: rate limit exceeded, unexpected status 401 Unauthorized.";

export const troubles: readonly Trouble[] = [
  { name: "500", steps: [serverError("forever")], ends: "overloaded", patience: true },
  { name: "529 (503)", steps: [overloaded("forever")], ends: "overloaded", patience: true },
  {
    name: "cut stream",
    steps: [say("It begins well"), cutStream("forever")],
    ends: "network",
    patience: true,
  },
  { name: "nobody listens", steps: [], ends: "network", patience: true, unreachable: true },
  {
    name: "silence",
    steps: [silence(undefined, "forever")],
    ends: "idle",
    patience: true,
    // On a busy machine a CLI takes a while to its first request.
    more: { limits: { idleMs: 30_000 } },
  },
  { name: "garbage", steps: [garbage("forever")], ends: "network" },
  { name: "429 for an hour", steps: [rateLimit({ resetSeconds: 3600, times: "forever" })], ends: "quota" },
  { name: "401", steps: [unauthorized("forever")], ends: "auth" },
  { name: "context too long", steps: [contextTooLong("forever")], ends: "context" },
  { name: "refusal", steps: [refusal("I will not do that.", "forever")], ends: "refusal" },
  { name: "prose for an answer", steps: [proseInsteadOfAnswer()], ends: "malformed", task: { answer } },
  {
    name: "endless tool loop",
    steps: [endlessToolLoop("echo the same")],
    ends: "tool_loop",
    more: { limits: { toolLoopRepeats: 4 } },
  },
  {
    name: "too many turns",
    steps: [runCommand("echo 1"), runCommand("echo 2"), runCommand("echo 3"), finish()],
    ends: "max_turns",
    task: { maxTurns: 2 },
  },
  {
    name: "budget used up",
    steps: [runCommand("echo one"), finish()],
    ends: "budget",
    more: { budget: { tokens: 500 } },
  },
  { name: "500 and a cut, once", steps: [serverError(), cutStream(), finish("At last.")], ends: "success" },
  { name: "words of a test", steps: [runCommand(wordsOfATest), finish(wordsOfTheModel)], ends: "success" },
];

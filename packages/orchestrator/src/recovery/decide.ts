import type { AgentKind, StageKind, TaskFailure } from "@opentiger/schema";
import { type LimitKey, type TaskRetryRule, taskFailureRules } from "./task-failures.ts";

/** What becomes of a task whose stage failed. */
export type Next =
  /** Another run: from when on, whether in the same conversation and on the same work, by which agent if another. */
  | { by: "again"; at: Date | null; resume: boolean; agent: AgentKind | null; pauseLoop: boolean }
  | { by: "wait_for_quota"; at: Date }
  /** The task's agent is given the judge's points. */
  | { by: "reject"; agent: AgentKind | null }
  | { by: "rejudge"; at: Date | null; pauseLoop: boolean }
  | { by: "give_up"; why: string | null };

/** All that the decision depends on. */
export interface Situation {
  stage: Exclude<StageKind, "plan">;
  failure: Pick<TaskFailure, "type" | "until">;
  /** How often each rule was followed already: `tasks.tries`. */
  tries: Readonly<Record<string, number>>;
  /**
   * Runs so far, this one too, since a person last retried the task; judgements and runs that met a used up quota or
   * budget do not count.
   */
  runs: number;
  /** Who works on the task. */
  agent: string;
  /** Who tries it then, where somebody is configured for that. */
  fallback: AgentKind | null;
  limits: Readonly<Record<LimitKey | "runs" | "quotaWaitMs", number>>;
  now: Date;
}

export interface Decision {
  next: Next;
  tries: Record<string, number>;
}

/** An overloaded API is busy for minutes rather than seconds; nobody waits longer than the last for one that is back. */
const pause = { firstMs: 15_000, longestMs: 10 * 60_000 };
/** Quotas come back by the hour. */
const quotaPause = { firstMs: 5 * 60_000, longestMs: 60 * 60_000 };
/** Their clocks and ours differ a little. */
const resetSlackMs = 5_000;

/**
 * What follows a failure, by the table. Every way that leads on is counted, and none is gone more often than its limit:
 * then another agent tries, where one is configured, and then the task has failed. Pure.
 */
export function decideNext(situation: Situation): Decision {
  const { failure, tries, limits } = situation;
  const rule = taskFailureRules[failure.type];
  const key = triesKey(situation);
  const done = tries[key] ?? 0;
  const limit = typeof rule.limit === "string" ? limits[rule.limit] : rule.limit;
  if (failure.type === "budget") return { next: whenBudgetIsThere(situation.stage), tries: { ...tries } };
  if (rule.retry === "after_user") return { next: { by: "give_up", why: null }, tries: { ...tries } };
  if (done >= limit) return escalated(situation, key, done);
  const followed = { ...tries, [key]: done + 1 };
  return allowed(situation, followed, nextBy(rule.retry, situation, done));
}

/** What went wrong while it was judged is counted apart from what went wrong while it was worked on. */
function triesKey({ stage, failure: { type } }: Pick<Situation, "stage" | "failure">): string {
  const ofTheTask = type === "judge" || type === "conflict" || type === "inconclusive";
  return stage === "run" || ofTheTask ? type : `${stage}:${type}`;
}

function nextBy(retry: TaskRetryRule, situation: Situation, done: number): Next {
  const { stage, failure, now } = situation;
  const later = new Date(now.getTime() + grown(pause, done));
  if (retry === "at_reset") return atReset(situation, done);
  if (stage !== "run") {
    if (failure.type === "judge" || failure.type === "conflict") return { by: "reject", agent: null };
    return { by: "rejudge", at: retry === "now" || retry === "resume" ? null : later, pauseLoop: false };
  }
  const again = { by: "again", agent: null, pauseLoop: false } as const;
  switch (retry) {
    case "now":
      return { ...again, at: null, resume: false };
    case "later":
    case "judged_again":
      return { ...again, at: later, resume: true };
    default:
      return { ...again, at: null, resume: true };
  }
}

/** A reset that is over, or no time at all, says nothing: the quota is not there. */
function atReset({ stage, failure, now, limits }: Situation, done: number): Next {
  const reset = Date.parse(failure.until ?? "");
  const isToCome = reset > now.getTime();
  const at = new Date(isToCome ? reset + resetSlackMs : now.getTime() + grown(quotaPause, done));
  if (at.getTime() - now.getTime() > limits.quotaWaitMs)
    return {
      by: "give_up",
      why: `The quota is back at ${at.toISOString()}, and nobody waits so long for it.`,
    };
  return stage === "run" ? { by: "wait_for_quota", at } : { by: "rejudge", at, pauseLoop: false };
}

/** It is the loop that waits, for a person each time: its task goes on where it was as soon as there is a budget again. */
function whenBudgetIsThere(stage: Situation["stage"]): Next {
  return stage === "run"
    ? { by: "again", at: null, resume: true, agent: null, pauseLoop: true }
    : { by: "rejudge", at: null, pauseLoop: true };
}

/**
 * The limit of all runs holds whatever the rule says: nothing goes on forever by failing in many ways. Waiting for a quota
 * is no other way, and has a limit of its own.
 */
function allowed({ runs, limits }: Situation, tries: Record<string, number>, next: Next): Decision {
  const needsRun = next.by === "again" || next.by === "reject";
  if (needsRun && runs >= limits.runs)
    return { next: { by: "give_up", why: `It has had ${runs} runs, and more are not allowed.` }, tries };
  return { next, tries };
}

/** The same failure again: somebody else tries, from the beginning, or nobody. */
function escalated(situation: Situation, key: string, done: number): Decision {
  const { failure, stage, tries, agent, fallback } = situation;
  const { otherAgent } = taskFailureRules[failure.type];
  const helps = otherAgent && (stage === "run" || failure.type === "judge");
  if (!helps || fallback === null || fallback === agent)
    return { next: { by: "give_up", why: failedAgain(done) }, tries: { ...tries } };
  const next: Next =
    stage === "run"
      ? { by: "again", at: null, resume: false, agent: fallback, pauseLoop: false }
      : { by: "reject", agent: fallback };
  return allowed(situation, { ...tries, [key]: 0 }, next);
}

function failedAgain(done: number): string | null {
  if (done === 0) return null;
  return done === 1 ? "It was tried once more, in vain." : `It was tried ${done} times more, in vain.`;
}

function grown({ firstMs, longestMs }: typeof pause, done: number): number {
  return Math.min(longestMs, firstMs * 2 ** done);
}

import type { FailureType } from "@opentiger/schema";

/** What the next run may do after a failure. */
export const retryMeanings = {
  never: "None: it would fail again.",
  now: "At once, from the beginning.",
  later: "After a pause that grows.",
  at_reset:
    "When the quota is there again, in the same conversation; where nobody says when, after a pause that grows.",
  resume: "At once, in the same conversation; where that cannot be resumed, from the beginning.",
  after_user: "When somebody has mended something and says so.",
} as const satisfies Record<string, string>;
export type RetryRule = keyof typeof retryMeanings;

export interface FailureRule {
  retry: RetryRule;
  /** How many runs may follow by this rule; more of the same is not tried. */
  limit: number;
  /** What happened, in a sentence for the user. */
  sentence: string;
  remedy: string;
}

/** Why a run was no success, and what follows. The one table; docs/failures.md is made of it. */
export const failureRules: Readonly<Record<FailureType, FailureRule>> = {
  auth: {
    retry: "after_user",
    limit: 0,
    sentence: "The model's API did not accept the credential, or there is none.",
    remedy: "Log in or put in a credential that works; `docker sandbox auth NAME` shows what is used.",
  },
  quota: {
    retry: "at_reset",
    limit: 20,
    sentence: "The quota of the model's account is used up.",
    remedy: "Another credential helps at once.",
  },
  overloaded: {
    retry: "later",
    limit: 5,
    sentence: "The model's API is overloaded or has an error of its own.",
    remedy: "Wait until it is well again, or choose another model.",
  },
  network: {
    retry: "later",
    limit: 5,
    sentence: "The model's API could not be reached, or the connection broke.",
    remedy: "Look at this machine's network and proxy.",
  },
  policy: {
    retry: "after_user",
    limit: 0,
    sentence: "The run needed something that it is not allowed to reach.",
    remedy: "`docker sandbox network log NAME` shows what was blocked and the command that allows it.",
  },
  budget: {
    retry: "after_user",
    limit: 0,
    sentence: "The budget is used up.",
    remedy: "Raise it with `docker sandbox budget NAME`, or leave it as it is.",
  },
  context: {
    retry: "never",
    limit: 0,
    sentence: "The conversation is longer than the model can take.",
    remedy: "Make the task smaller, or choose a model with a larger context.",
  },
  refusal: {
    retry: "never",
    limit: 0,
    sentence: "The model refused to do it.",
    remedy: "Say the task in other words, or choose another model.",
  },
  max_turns: {
    retry: "resume",
    limit: 2,
    sentence: "The agent used all its turns before it was done.",
    remedy: "Allow it more turns with OPENTIGER_MAX_TURNS, or make the task smaller.",
  },
  tool_loop: {
    retry: "now",
    limit: 1,
    sentence: "The agent made the same tool call with the same result again and again.",
    remedy: "Say the task more clearly.",
  },
  idle: {
    retry: "resume",
    limit: 2,
    sentence: "Nothing happened for too long: no event, no changed file, no byte of a model.",
    remedy: "Look for a command that waits for input, or allow it more time.",
  },
  timeout: {
    retry: "resume",
    limit: 1,
    sentence: "The run took longer than it may.",
    remedy: "Allow it more time, or make the task smaller.",
  },
  crash: {
    retry: "resume",
    limit: 2,
    sentence: "The agent's CLI ended in the middle of its work.",
    remedy: "Read the run's last events; give the sandbox more memory if it was out of it.",
  },
  lost: {
    retry: "resume",
    limit: 3,
    sentence: "The run in the sandbox is gone; how it ended is not known.",
    remedy: "See whether the engine was restarted, or the sandbox stopped by somebody.",
  },
  removed: {
    retry: "resume",
    limit: 3,
    sentence: "The sandbox was removed from outside, with the work in it that was not taken out yet.",
    remedy:
      "See who removed it, and with it others: `docker rm`, a prune. What a loop has goes by itself when the loop ends.",
  },
  cancelled: {
    retry: "after_user",
    limit: 0,
    sentence: "The run was cancelled.",
    remedy: "Start it again when it is wanted.",
  },
  denied: {
    retry: "after_user",
    limit: 0,
    sentence: "The agent was not allowed to do what the task needs.",
    remedy:
      "Allow it everything with OPENTIGER_HOST_PERMISSIONS=full, or run the task in a sandbox, where that is no danger.",
  },
  malformed: {
    retry: "resume",
    limit: 2,
    sentence: "The answer does not have the form that was asked for.",
    remedy: "Choose another model; it may do better.",
  },
  unknown: {
    retry: "later",
    limit: 1,
    sentence: "The run failed, and the agent's CLI does not say why in a way that can be relied on.",
    remedy: "Read the run's last events.",
  },
};

import { type FailureRule, failureRules, type RetryRule, retryMeanings } from "@opentiger/agents";
import {
  type ConfigKeyName,
  type FailureType,
  firstCharacters,
  type TaskFailure,
  type TaskFailureType,
} from "@opentiger/schema";

/** What follows a failure of a task: what may follow one of an agent's run, and what only a task knows. */
export const taskRetryMeanings = {
  ...retryMeanings,
  judged_again: "None of the task's own: the judge judges it again, after a pause that grows.",
  after_tests: "When the tests were written again.",
} as const satisfies Record<string, string>;
export type TaskRetryRule = RetryRule | "judged_again" | "after_tests";

/** Limits that somebody may set. */
export type LimitKey = Extract<ConfigKeyName, "OPENTIGER_REWORKS" | "OPENTIGER_TEST_DISPUTES">;

export interface TaskFailureRule extends Omit<FailureRule, "retry" | "limit"> {
  retry: TaskRetryRule;
  /** How many times the rule may follow; more of the same is not tried. A key's value is its limit. */
  limit: number | LimitKey;
  /** Whether another agent could do better, where one is configured for that. */
  otherAgent: boolean;
}

/** Whose cause lies with the machine, the account or a person: another agent would fail of the same. */
const nobodysFault: readonly FailureType[] = [
  "auth",
  "policy",
  "budget",
  "cancelled",
  "denied",
  "lost",
  "removed",
];

/** Why a task's run, judgement or merge came to nothing, and what follows. docs/failures.md is made of it. */
export const taskFailureRules: Readonly<Record<TaskFailureType, TaskFailureRule>> = {
  ...agentRules(),
  budget: {
    ...agentRules().budget,
    sentence: "The budget of the loop, or of the day, is used up.",
    remedy: "Raise it and resume the loop, which is paused until then; the task goes on where it was.",
  },
  sandbox: {
    retry: "later",
    limit: 3,
    otherAgent: false,
    sentence: "The sandbox could not be made, or broke.",
    remedy:
      "See that the engine runs (`docker info`) and that there is disk and memory; then retry the task.",
  },
  setup: {
    retry: "later",
    limit: 1,
    otherAgent: false,
    sentence: "The project's set-up failed.",
    remedy:
      "Mend what it needs and retry the task. The loop keeps the opentiger.json of the commit it began with: after a correction there, commit and start a new loop.",
  },
  no_change: {
    retry: "resume",
    limit: 1,
    otherAgent: true,
    sentence: "The agent ended and had changed nothing.",
    remedy: "Say more clearly what is to be changed, or cancel the task if it is done already.",
  },
  rules: {
    retry: "resume",
    limit: 2,
    otherAgent: true,
    sentence: "The agent changed something that the task may not change.",
    remedy: "Allow the paths to the task, or say more clearly where it is to work.",
  },
  verify: {
    retry: "resume",
    limit: 3,
    otherAgent: true,
    sentence: "The verify commands fail on what the agent made.",
    remedy: "Read the run's log; make the task smaller, or mend the check if that is wrong.",
  },
  judge: {
    retry: "resume",
    limit: "OPENTIGER_REWORKS",
    otherAgent: true,
    sentence: "The judge found that it is not good.",
    remedy: "Read the judgement's points; say the task more clearly, or make it smaller.",
  },
  inconclusive: {
    retry: "judged_again",
    limit: 2,
    otherAgent: false,
    sentence: "It could not be judged.",
    remedy: "The judgement says what went wrong; mend that and retry the task.",
  },
  conflict: {
    retry: "resume",
    limit: 1,
    otherAgent: false,
    sentence: "It conflicts with what came to the loop's branch meanwhile.",
    remedy: "Retry the task: it begins from the branch as it is now.",
  },
  dispute: {
    retry: "after_tests",
    limit: "OPENTIGER_TEST_DISPUTES",
    otherAgent: false,
    sentence: "The worker thinks that a test it was given is wrong.",
    remedy: "Read why, decide who is right, and say it in the instructions of either task.",
  },
};

const longestDetail = 2_000;

/** The rule's sentence, and behind it what is known of this one. */
export function taskFailureOf(
  type: TaskFailureType,
  detail?: string,
  more: { remedy?: string | undefined; until?: string | null } = {},
): TaskFailure {
  const { sentence, remedy } = taskFailureRules[type];
  const known = firstCharacters(detail?.trim() ?? "", longestDetail);
  const message = known ? `${sentence.replace(/\.$/, "")}: ${known}` : sentence;
  return { type, message, remedy: more.remedy ?? remedy, until: more.until ?? null };
}

function agentRules(): Record<FailureType, TaskFailureRule> {
  const rules = Object.entries(failureRules).map(([type, rule]) => [
    type,
    { ...rule, otherAgent: !nobodysFault.some((each) => each === type) },
  ]);
  // The keys are those of the table that was gone through.
  return Object.fromEntries(rules) as Record<FailureType, TaskFailureRule>;
}

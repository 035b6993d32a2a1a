import { failureTypes, type TaskFailureType, taskFailureTypes } from "@opentiger/schema";
import {
  type TaskFailureRule,
  type TaskRetryRule,
  taskFailureRules,
  taskRetryMeanings,
} from "./task-failures.ts";

/** docs/failures.md, made of the tables; a test holds the file against it. */
export function failuresDocument(): string {
  return `${[
    "<!-- Made of packages/agents/src/outcome/failures.ts and packages/orchestrator/src/recovery/task-failures.ts. After a",
    "     change there: UPDATE_DOCS=1 npx vitest run --project unit packages/orchestrator/src/recovery/failures-document.test.ts -->",
    "",
    "# Why a run failed, and what follows",
    "",
    "A run of an agent is a success, or it failed for one of these reasons. What decides is how its process ended, the",
    "structured events of its CLI, what the model gateway saw and, beside that, whether the model's host is blocked; where a",
    "CLI tells a failure only in words, the beginning of its own error message. What a model or a tool printed is never",
    "searched.",
    "",
    ...rules(failureTypes),
    "",
    "## What can go wrong around an agent",
    "",
    "A task fails, for these reasons besides, where no agent is at fault, or where one ended well and its work is not good.",
    "",
    ...rules(taskFailureTypes.filter((type) => !failureTypes.some((each) => each === type))),
    "",
    "*at most*: so many runs may follow for this reason, or so many judgements; a name is a key of the settings. *then*: what",
    "follows the same failure once more. *another agent* is `OPENTIGER_FALLBACK_AGENT`, which begins anew and has as many",
    "tries; without one the task has failed, and its detail says everything that a person needs. A person who retries it has all",
    "tries anew, by the task's own agent first. Whatever the reasons, a task has no more runs than `OPENTIGER_TASK_RUNS`; those",
    "that met a `quota` or the `budget` do not count: the next one goes on with them.",
    "",
    "## The next run",
    "",
    ...table(
      ["rule", "means"],
      // The keys are the rules: the type of the constant says so.
      (Object.entries(taskRetryMeanings) as [TaskRetryRule, string][]).map(([rule, meaning]) => [
        `\`${rule}\``,
        meaning,
      ]),
    ),
    "",
    "## Where the task is meanwhile",
    "",
    ...table(["after", "the task is"], states),
    "",
    "What went wrong while a candidate was judged is counted apart from what went wrong while it was worked on.",
    "",
    "## Which reason counts",
    "",
    "Several may be true at once; the first of these that applies is told.",
    "",
    ...order.map((sentence, index) => `${index + 1}. ${sentence}`),
  ].join("\n")}\n`;
}

function rules(types: readonly TaskFailureType[]): string[] {
  return table(
    ["failure", "what happened", "next run", "at most", "then", "remedy"],
    types.map((type) => {
      const rule = taskFailureRules[type];
      return [`\`${type}\``, rule.sentence, `\`${rule.retry}\``, most(rule), then(type, rule), rule.remedy];
    }),
  );
}

function most({ limit }: TaskFailureRule): string {
  if (typeof limit === "string") return `\`${limit}\``;
  return limit === 0 ? "–" : String(limit);
}

function then(type: TaskFailureType, { otherAgent }: TaskFailureRule): string {
  if (type === "budget") return "the loop is paused";
  return otherAgent ? "another agent, else failed" : "failed";
}

const states: readonly (readonly [string, string])[] = [
  [
    "`now`, `later`, `resume`, `after_tests`",
    "`queued`; after a finding of the judge `blocked(needs_rework)`",
  ],
  ["`at_reset`", "`blocked(quota_wait)`, its sandbox stopped and kept for `OPENTIGER_QUOTA_KEEP`"],
  ["`judged_again`, and every trouble of the judge's own", "`blocked(awaiting_judge)`"],
  ["`never`, `after_user`, and when nothing follows any more", "`failed`"],
  ["`budget`", "`queued`, and its loop `paused(budget)`"],
];

/** As `classify` of packages/agents goes through it. */
const order = [
  "It was cancelled, or we ended it: `cancelled`, `idle`, `timeout`, `tool_loop`, `max_turns`, and `overloaded` where it would have tried for ever.",
  "Its sandbox is no more: `removed`. Nobody knows for another reason how it ended: `lost`.",
  "It was killed or ran out of memory: `crash`.",
  "The CLI did not say that all went well, and the gateway saw why: its last request was refused (`budget`, `quota`, `auth`, `policy`), answered with an error (`overloaded`, `quota`, `auth`, `context`) or not answered (`network`). Trouble that the CLI overcame is no failure. Where it was asked nothing and the network log has the model's host as blocked: `policy`, also for one that we ended while it waited.",
  "The CLI's own structured error, or the status of the model's API that it tells.",
  "It was not allowed to do something, and nothing worked after that: `denied`. Denials that it found a way around are reported with the success. A run that has changed something is left to its checks.",
  "It ended without its last word: `crash`.",
  "The answer is missing or not in the form that was asked for: `malformed`.",
  "It failed and says no more than that: `unknown`.",
  "The agent ended well. Then what it left decides, in this order: a written `dispute`, what git does not take (`rules`), `no_change`, `verify`, and the rest of the `rules`.",
];

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

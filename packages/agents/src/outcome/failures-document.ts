import { failureTypes } from "@opentiger/schema";
import { failureRules, type RetryRule, retryMeanings } from "./failures.ts";

/** docs/failures.md, made of the table; a test holds the file against it. */
export function failuresDocument(): string {
  return `${[
    "<!-- Made of packages/agents/src/outcome/failures.ts. After a change there:",
    "     UPDATE_DOCS=1 npx vitest run --project unit packages/agents/src/outcome/failures-document.test.ts -->",
    "",
    "# Why a run failed, and what follows",
    "",
    "A run of an agent is a success, or it failed for one of these reasons. What decides is how its process ended, the",
    "structured events of its CLI and what the model gateway saw; where a CLI tells a failure only in words, the beginning of",
    "its own error message. What a model or a tool printed is never searched.",
    "",
    ...table(
      ["failure", "what happened", "next run", "at most", "remedy"],
      failureTypes.map((type) => {
        const { sentence, retry, limit, remedy } = failureRules[type];
        return [`\`${type}\``, sentence, `\`${retry}\``, limit === 0 ? "–" : String(limit), remedy];
      }),
    ),
    "",
    "*at most*: so many runs may follow for this reason; then the task has failed.",
    "",
    "## The next run",
    "",
    ...table(
      ["rule", "means"],
      // The keys are the rules: the type of the constant says so.
      (Object.entries(retryMeanings) as [RetryRule, string][]).map(([rule, meaning]) => [
        `\`${rule}\``,
        meaning,
      ]),
    ),
    "",
    "## Which reason counts",
    "",
    "Several may be true at once; the first of these that applies is told.",
    "",
    ...order.map((sentence, index) => `${index + 1}. ${sentence}`),
  ].join("\n")}\n`;
}

/** As `classify` goes through it. */
const order = [
  "It was cancelled, or we ended it: `cancelled`, `idle`, `timeout`, `tool_loop`, `max_turns`, and `overloaded` where it would have tried for ever.",
  "Nobody knows how it ended: `lost`.",
  "It was killed or ran out of memory: `crash`.",
  "The CLI did not say that all went well, and the gateway saw why: its last request was refused (`budget`, `quota`, `auth`, `policy`), answered with an error (`overloaded`, `quota`, `auth`, `context`) or not answered (`network`). Trouble that the CLI overcame is no failure.",
  "The CLI's own structured error, or the status of the model's API that it tells.",
  "It was not allowed to do something, and nothing worked after that: `denied`. Denials that it found a way around are reported with the success.",
  "It ended without its last word: `crash`.",
  "The answer is missing or not in the form that was asked for: `malformed`.",
  "It failed and says no more than that: `unknown`.",
];

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

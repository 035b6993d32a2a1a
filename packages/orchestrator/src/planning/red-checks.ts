import type { CheckResult, CheckRound } from "@opentiger/schema";
import { isTimedOut } from "../verifying/compare.ts";
import { firstFew } from "../wording.ts";

/** So many are named; the rest is counted. */
const toldNames = 50;

/** What is red before anything is changed, and so can be no evidence of anything, in words for the user. */
export function redOf(baseline: CheckRound | null): { red: string[]; notes: string[] } {
  if (baseline === null) return { red: [], notes: [withoutChecks] };
  const red = baseline.results
    .filter(({ result }) => result !== "passed" && result !== "skipped")
    .map(nameOf);
  if (red.length === 0) return { red, notes: [] };
  const green = baseline.results.length - red.length;
  return {
    red: firstFew(red, toldNames),
    notes: [
      `${red.length} of ${red.length + green} checks are red before anything is changed: they say nothing of the work, and only what is green or new counts.`,
      ...(baseline.results.some(isTimedOut) ? [tookTooLong] : []),
    ],
  };
}

const withoutChecks =
  "The project has no verify command: write some into opentiger.json, or nothing can be shown to work.";

const tookTooLong =
  "A check took longer than OPENTIGER_VERIFY_TIMEOUT allows, so that nobody knows how it stands: until it comes to an end, no work can be judged that does not make it green.";

/** A check by its name: the test where a reporter told of it, else the command. */
function nameOf({ command, test }: Pick<CheckResult, "command" | "test">): string {
  return test === null ? command : `${test} (${command})`;
}

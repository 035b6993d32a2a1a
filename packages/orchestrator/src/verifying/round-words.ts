import { type CheckResult, type CheckRound, lastCharacters, type ReworkPoint } from "@opentiger/schema";
import { firstFew } from "../wording.ts";
import { checkName, isTimedOut, redChecks } from "./compare.ts";

/** A worker mends the first few, and the rest with them. */
const toldChecks = 20;

const outputCharacters = 3_000;

/** What the worker is told of checks that are not green. */
export function pointsOfChecks(broken: readonly CheckResult[], tree: CheckRound["tree"]): ReworkPoint[] {
  const where = tree === "restored" ? " with the tests and build files as they were before your change" : "";
  return broken.slice(0, toldChecks).map((result): ReworkPoint => {
    const end = lastCharacters(result.output.trim(), outputCharacters);
    const said = end === "" ? "" : `\n${end}`;
    return verifyPoint(`${checkName(result)}: ${result.result}${where}.${said}`);
  });
}

interface TestsFirst {
  redBefore: string[];
  notes: string[];
  points: ReworkPoint[];
  trouble: string | null;
}

/**
 * What a round says of tests that were written before their code: something that was not red before has to be red now,
 * and nothing that was green may be skipped. Tests that are not told of any more may be in a file that cannot be loaded
 * without the code; the model is told of them.
 */
export function testsFirst(before: CheckRound, after: CheckRound): TestsFirst {
  const redBefore = redChecks(before);
  const said: TestsFirst = { redBefore, notes: [], points: [], trouble: null };
  const now = new Map(after.results.map((result) => [checkName(result), result.result]));
  const green = before.results.filter(({ result }) => result === "passed").map(checkName);
  const skipped = green.filter((name) => now.get(name) === "skipped");
  if (skipped.length > 0)
    return { ...said, points: [verifyPoint(`${few(skipped)}: skipped now. Put them back.`)] };
  const failed = redChecks(after);
  const slow = { before: slowCommands(before), now: slowCommands(after) };
  const ended = after.results.filter(
    (result) => !isTimedOut(result) && !slow.before.includes(result.command),
  );
  const newlyRed = redChecks({ ...after, results: ended }).filter((name) => !redBefore.includes(name));
  if (newlyRed.length > 0) {
    const unheard = green.filter((name) => !now.has(name));
    const more = unheard.length === 0 ? [] : [`green before, and not told of any more: ${few(unheard)}`];
    return { ...said, notes: [`red now, as new tests must be: ${few(newlyRed)}`, ...more] };
  }
  if (failed.length > 0) return { ...said, trouble: whyNotShown(slow) };
  const text =
    "The new tests pass although there is no code for them yet: they show nothing. They must fail now.";
  return { ...said, points: [verifyPoint(text)] };
}

function whyNotShown(slow: { before: string[]; now: string[] }): string {
  if (slow.before.length > 0) return tooLongBefore(slow.before);
  if (slow.now.length > 0)
    return `a check took longer than it may, so that it cannot be shown that the new tests fail: ${few(slow.now)}`;
  return "the checks were red before, so that it cannot be shown that the new tests fail";
}

/** Why nothing can be compared with a round before the change. */
export function tooLongBefore(commands: readonly string[]): string {
  return `before the change a check took longer than it may (OPENTIGER_VERIFY_TIMEOUT), so that nobody knows how it stood: ${few(commands)}`;
}

function slowCommands({ results }: CheckRound): string[] {
  return results.filter(isTimedOut).map(({ command }) => command);
}

function verifyPoint(text: string): ReworkPoint {
  return { by: "verify", file: null, line: null, text };
}

function few(names: readonly string[]): string {
  return firstFew(names, toldChecks).join(", ");
}

import type { CheckResult, CheckRound } from "@opentiger/schema";
import { pathMatcher } from "../git/path-matcher.ts";
import { fileOf } from "./test-name.ts";

export interface Comparison {
  /** The round before the change; null: there is none, and everything has to be green. */
  before: CheckRound | null;
  after: CheckRound;
  /** Test files that may be changed: tests in them may go, where the reporter says in which file a test is. */
  mayChange?: readonly string[];
}

export interface Compared {
  /** Nothing is broken, and something speaks for it. */
  ok: boolean;
  /** What must be green and is not: a check that is red now and was not before, or one that is gone or skipped. */
  broken: CheckResult[];
  /** Red before and not green now: no evidence for anything. */
  redBefore: string[];
  /** Commands whose time was up before, and that are not green now: nobody knows whether that is the change's doing. */
  unknown: string[];
  /** There before, and gone or skipped now. */
  missing: string[];
  /** Whether anything was green at all. */
  evidence: boolean;
}

/**
 * Compares two rounds of checks. What was red before says nothing. Everything else has to be green, and what was green has
 * to be there: a check that no longer runs is as good as a red one. Where the exit status and the tests of a command
 * contradict each other and did not before, somebody has meddled with it, and it counts as red.
 */
export function compareChecks({ before, after, mayChange = [] }: Comparison): Compared {
  const compared: Compared = {
    ok: false,
    broken: [],
    redBefore: [],
    unknown: [],
    missing: [],
    evidence: false,
  };
  const [old, now] = [byCommand(before), byCommand(after)];
  const allowed = pathMatcher(mayChange);
  for (const command of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(command), now.get(command)];
    if (was?.own && isTimedOut(was.own) && is?.own?.result !== "passed") {
      compared.unknown.push(command);
      continue;
    }
    compareCommand(compared, command, was, is);
    compareTests(compared, was, is, allowed);
  }
  compared.ok = compared.broken.length === 0 && compared.unknown.length === 0 && compared.evidence;
  return compared;
}

/** What is red in a round, by name. */
export function redChecks(round: CheckRound): string[] {
  return round.results.filter(isRed).map(checkName);
}

/** A check as it is shown. */
export function checkName({ command, test }: Pick<CheckResult, "command" | "test">): string {
  return test === null ? command : `${command}: ${test}`;
}

/** Whether a command did not come to its end, so that its result says nothing of what it checks. */
export function isTimedOut({ test, exitCode }: Pick<CheckResult, "test" | "exitCode">): boolean {
  return test === null && exitCode === timedOut;
}

/** As a shell says it. */
const timedOut = 124;

interface Checked {
  own: CheckResult | undefined;
  tests: Map<string, CheckResult>;
}

function byCommand(round: CheckRound | null): Map<string, Checked> {
  const commands = new Map<string, Checked>();
  for (const result of round?.results ?? []) {
    const checked = commands.get(result.command) ?? { own: undefined, tests: new Map() };
    commands.set(result.command, checked);
    if (result.test === null) checked.own = worse(checked.own, result);
    else checked.tests.set(result.test, worse(checked.tests.get(result.test), result));
  }
  return commands;
}

/** A command may stand in a list twice: it is as red as its worst. */
function worse(one: CheckResult | undefined, other: CheckResult): CheckResult {
  return one && isRed(one) ? one : other;
}

function compareCommand(
  compared: Compared,
  command: string,
  old: Checked | undefined,
  now: Checked | undefined,
): void {
  const [was, is] = [old?.own, now?.own];
  if (!is) {
    if (was?.result === "passed") lose(compared, { ...was, result: "missing", output: "It was not run." });
    else if (was) compared.redBefore.push(command);
    return;
  }
  if (is.result === "passed") {
    // Where there are tests, they speak for themselves.
    if (now?.tests.size === 0) compared.evidence = true;
    return;
  }
  if (!was || was.result === "passed") compared.broken.push(is);
  else if (contradicts(now) && !contradicts(old)) {
    const remark = "Its exit status and what it tells of its tests contradict each other.";
    compared.broken.push({ ...is, output: `${is.output}\n${remark}` });
  } else compared.redBefore.push(command);
}

/** A failed status without a failed test, or the reverse; only where tests are told of. */
function contradicts(checked: Checked | undefined): boolean {
  if (!checked?.own || checked.tests.size === 0) return false;
  const failed = [...checked.tests.values()].some(({ result }) => result === "failed");
  return failed !== (checked.own.exitCode !== 0);
}

function compareTests(
  compared: Compared,
  old: Checked | undefined,
  now: Checked | undefined,
  mayGo: (file: string) => boolean,
): void {
  const gone = [...(old?.tests ?? [])].filter(([name]) => !now?.tests.has(name)).map(([, was]) => was);
  for (const was of gone.filter(({ result }) => result === "failed")) compared.redBefore.push(checkName(was));
  const isLost = ({ result, test }: CheckResult): boolean =>
    result === "passed" && !mayGo(fileOf(test ?? "") ?? "");
  for (const was of gone) {
    if (was.result !== "skipped" && !isLost(was)) compared.missing.push(checkName(was));
  }
  const lost = gone.filter(isLost);
  if ((now?.tests.size ?? 0) === 0) loseAll(compared, lost, now?.own);
  else for (const was of lost) lose(compared, { ...was, result: "missing", output: "It is gone." });
  for (const [name, is] of now?.tests ?? []) compareTest(compared, old?.tests.get(name), is, mayGo);
}

function compareTest(
  compared: Compared,
  was: CheckResult | undefined,
  is: CheckResult,
  mayGo: (file: string) => boolean,
): void {
  if (is.result === "passed") compared.evidence = true;
  else if (is.result === "skipped") {
    // A red one that is skipped now was silenced, not mended.
    if (!was || was.result === "skipped") return;
    if (mayGo(fileOf(is.test ?? "") ?? "")) compared.missing.push(checkName(is));
    else lose(compared, { ...is, output: "It is skipped now." });
  } else if (was?.result === "failed") compared.redBefore.push(checkName(is));
  else compared.broken.push(is);
}

function lose(compared: Compared, result: CheckResult): void {
  compared.broken.push(result);
  compared.missing.push(checkName(result));
}

/** None of them was told of: that is one fault, not a thousand. */
function loseAll(compared: Compared, gone: readonly CheckResult[], own: CheckResult | undefined): void {
  const [first] = gone;
  if (!first) return;
  for (const test of gone) compared.missing.push(checkName(test));
  const command = own ?? { ...first, test: null, exitCode: null, output: "" };
  const remark = `${gone.length} tests that were green before were not run.`;
  compared.broken = compared.broken.filter((result) => result.command !== first.command);
  compared.broken.push({ ...command, result: "missing", output: `${command.output}\n${remark}`.trim() });
}

function isRed({ result }: CheckResult): boolean {
  return result === "failed" || result === "missing";
}

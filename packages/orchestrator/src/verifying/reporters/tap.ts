import { nameSeparator, sharedName } from "../test-name.ts";
import { maxTests, type ReportedTest, Unreadable } from "./reported-test.ts";

const result = /^(not )?ok\b(?:[ \t]+(\d{1,9}))?(?:[ \t]+-)?(.*)$/;
const plan = /^1\.\.(\d{1,9})(?:[ \t]*#.*)?$/;
const directive = /(?:^|[^\\])#[ \t]*(skip|todo)/i;

/** A step of a subtest. */
const indent = 4;
const maxDepth = 32;
const maxDiagnosis = 4_000;

/** Tests of one level, in the order they came, and what is known of their number. */
interface Level {
  tests: ReportedTest[];
  /** Lines that told of a test, subtests not counted. */
  told: number;
  planned: number | null;
}

/**
 * TAP, also with subtests as node and tap write them. What a test prints stands between its lines, so their numbers
 * and the plan must agree: a line that only looks like a result makes the whole report worth nothing. A test with subtests
 * is told of by these, unless it failed by itself.
 */
export function readTap(text: string): ReportedTest[] {
  const levels: Level[] = [newLevel()];
  /** What the line before told of: only right behind it can its diagnosis begin. */
  let told: Diagnosis | undefined;
  let diagnosis: Diagnosis | undefined;
  for (const line of text.split("\n")) {
    const { depth, body, spaces } = lineOf(line);
    if (diagnosis) {
      if (body === "..." && spaces === diagnosis.spaces) diagnosis = undefined;
      else takeDiagnosis(diagnosis, body, spaces);
      continue;
    }
    const behind = told;
    told = undefined;
    if (behind && body === "---" && spaces === behind.spaces) diagnosis = behind;
    else if (depth !== undefined) {
      const test = takeLine(levels, depth, body);
      if (test) told = { test, spaces: spaces + 2 };
    }
  }
  if (diagnosis) throw new Unreadable("ends within a diagnosis");
  return closed(levels);
}

interface Diagnosis {
  test: ReportedTest;
  /** How far its lines are indented. */
  spaces: number;
}

interface Line {
  spaces: number;
  body: string;
  /** undefined: nothing that tells of tests can stand there. */
  depth: number | undefined;
}

function lineOf(line: string): Line {
  const plain = line.replace(/\r$/, "");
  const body = plain.trimStart();
  const spaces = plain.length - body.length;
  const depth = spaces / indent;
  return { spaces, body, depth: Number.isInteger(depth) && depth <= maxDepth ? depth : undefined };
}

/** Whoever prints the beginning of a diagnosis must not have the results behind it taken for a part of it. */
function takeDiagnosis({ test, spaces }: Diagnosis, body: string, found: number): void {
  if (body !== "" && found < spaces) throw new Unreadable("has other lines within a diagnosis");
  diagnose(test, body);
}

/** The test that it tells of, if it does. */
function takeLine(levels: Level[], depth: number, body: string): ReportedTest | undefined {
  if (/^Bail out!/i.test(body)) throw new Unreadable(`was given up: ${body}`);
  const planned = plan.exec(body);
  if (!planned) return takeResult(levels, depth, body);
  takePlan(levels, depth, Number(planned[1]));
  return undefined;
}

function newLevel(): Level {
  return { tests: [], told: 0, planned: null };
}

/** A level that is deeper than the last one begins there, with those between: the tests of an inner suite come first. */
function levelAt(levels: Level[], depth: number): Level | undefined {
  while (levels.length <= depth) levels.push(newLevel());
  return depth === levels.length - 1 ? levels[depth] : undefined;
}

function takePlan(levels: Level[], depth: number, planned: number): void {
  const level = levelAt(levels, depth) ?? levels[depth];
  if (!level) return;
  if (level.planned !== null) throw new Unreadable("has two plans");
  level.planned = planned;
}

function takeResult(levels: Level[], depth: number, body: string): ReportedTest | undefined {
  const found = result.exec(body);
  if (!found) return undefined;
  const [, not, number, rest = ""] = found;
  const within = levels.length === depth + 2 ? levels.pop() : undefined;
  const level = levelAt(levels, depth);
  if (!level) throw new Unreadable("ends a test whose subtests have not ended");
  if (within) checkLevel(within);
  level.told += 1;
  if (level.told > maxTests) throw new Unreadable(`tells of more than ${maxTests} tests`);
  if (number !== undefined && Number(number) !== level.told) {
    throw new Unreadable(`numbers a test ${number} that is the ${level.told}th of its level`);
  }
  const test = testOf(not !== undefined, rest, level.told);
  const inner = (within?.tests ?? []).map((one) => ({
    ...one,
    name: `${test.name}${nameSeparator}${one.name}`,
  }));
  const ownFault = test.result === "failed" && !inner.some((one) => one.result === "failed");
  for (const one of inner) level.tests.push(one);
  if (inner.length === 0 || ownFault) level.tests.push(test);
  return test;
}

function testOf(failed: boolean, rest: string, number: number): ReportedTest {
  const at = directive.exec(rest);
  const title = withoutEnd((at ? rest.slice(0, at.index + 1) : rest).replace(/^[ \t]*(?:-[ \t]+)?/, ""));
  return {
    file: null,
    name: sharedName(title.replaceAll("\\#", "#").replaceAll("\\\\", "\\")) || `test ${number}`,
    result: resultOf(failed, at !== null),
    output: "",
    durationMs: 0,
  };
}

/** Character by character from its end: a pattern would begin anew at each gap within a line of any length. */
function withoutEnd(title: string): string {
  let end = title.length;
  while (end > 0 && " \t#".includes(title.charAt(end - 1))) end -= 1;
  return title.slice(0, end);
}

/** What is still to be done, or was left out, is no evidence, however it went. */
function resultOf(failed: boolean, excused: boolean): ReportedTest["result"] {
  if (excused) return "skipped";
  return failed ? "failed" : "passed";
}

function diagnose(test: ReportedTest, line: string): void {
  const time = /^duration_ms:[ \t]*(\d{1,12}(?:\.\d{1,9})?)/.exec(line);
  if (time) test.durationMs = Number(time[1]);
  else if (test.result === "failed" && test.output.length < maxDiagnosis) {
    test.output += `${test.output === "" ? "" : "\n"}${line.slice(0, maxDiagnosis)}`;
  }
}

function checkLevel({ planned, told }: Level): void {
  if (planned !== null && planned !== told)
    throw new Unreadable(`tells of ${told} tests where ${planned} were planned`);
}

function closed([top = newLevel(), ...rest]: Level[]): ReportedTest[] {
  if (rest.length > 0) throw new Unreadable("ends within a subtest");
  if (top.planned === null) throw new Unreadable("has no plan: it may have been cut off");
  checkLevel(top);
  return top.tests;
}

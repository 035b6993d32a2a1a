import { nameSeparator, sharedName } from "../test-name.ts";
import { type ReportedTest, Unreadable } from "./reported-test.ts";
import { scanXml } from "./xml.ts";

type Attributes = ReadonlyMap<string, string>;

/** Elements of a test, or of a suite, that say how it went. What flaked and passed in the end has passed. */
const failures = new Set(["failure", "error"]);

const suiteNames = new Set(["testsuites", "testsuite"]);

/** How much is kept of the text of a failure; the end of it is cut again later. */
const maxText = 8_000;

/**
 * JUnit's XML, as pytest, surefire, gradle, go-junit-report, vitest and many others write it. A suite that failed by
 * itself, say while it was loaded, counts as a test of its own that failed.
 */
export function* readJunit(text: string): Generator<ReportedTest> {
  const reading = new Reading();
  for (const event of scanXml(text)) {
    if (event.kind === "open") reading.open(event.name, event.attributes);
    else if (event.kind === "text") reading.text(event.text);
    else {
      const told = reading.close(event.name);
      if (told) yield told;
    }
  }
}

/** What is open at a place of the report. */
class Reading {
  readonly #suites: Suite[] = [];
  #test: OpenTest | undefined;
  #isFailure = false;

  open(name: string, attributes: Attributes): void {
    if (suiteNames.has(name)) this.#suites.push(suiteOf(attributes, this.#suites.at(-1)));
    else if (this.#suites.length === 0) throw new Unreadable(`is not a JUnit report: its root is <${name}>`);
    else if (name === "testcase") this.#test = opened(attributes, this.#test);
    else if (name === "skipped" && this.#test?.result === "passed") this.#test.result = "skipped";
    else if (failures.has(name)) {
      this.#isFailure = true;
      fail(this.#test ?? this.#suites.at(-1), attributes);
    }
  }

  text(text: () => string): void {
    if (this.#isFailure) note(this.#test ?? this.#suites.at(-1), text());
  }

  /** The test that ends here, or the suite where it failed by itself. */
  close(name: string): ReportedTest | undefined {
    if (failures.has(name)) this.#isFailure = false;
    if (name === "testcase" && this.#test) {
      const told = reported(this.#test, this.#suites);
      this.#test = undefined;
      return told;
    }
    const suite = suiteNames.has(name) ? this.#suites.pop() : undefined;
    return suite?.result === "failed" ? failedSuite(suite) : undefined;
  }
}

interface Suite {
  name: string;
  file: string | undefined;
  result: "passed" | "failed";
  output: string;
}

interface OpenTest {
  attributes: Attributes;
  result: ReportedTest["result"];
  output: string;
}

function suiteOf(attributes: Attributes, outer: Suite | undefined): Suite {
  const file = attributes.get("file") ?? attributes.get("filepath") ?? outer?.file;
  const name = attributes.get("name") ?? outer?.name ?? "";
  return { name: sharedName(name), file: file && sharedName(file), result: "passed", output: "" };
}

function opened(attributes: Attributes, outer: OpenTest | undefined): OpenTest {
  if (outer) throw new Unreadable("has a test within a test");
  return { attributes, result: statusOf(attributes), output: "" };
}

/** Some writers say it in an attribute, as googletest does. */
function statusOf(attributes: Attributes): ReportedTest["result"] {
  const status = (attributes.get("result") ?? attributes.get("status") ?? "").toLowerCase();
  if (/^(?:notrun|suppressed|disabled|skipped|ignored|pending|todo)$/.test(status)) return "skipped";
  return /^(?:failed|failure|error|broken)$/.test(status) ? "failed" : "passed";
}

function fail(at: Suite | OpenTest | undefined, attributes: Attributes): void {
  if (!at) return;
  at.result = "failed";
  note(at, attributes.get("message") ?? "");
}

function note(at: Suite | OpenTest | undefined, text: string): void {
  if (!at || at.output.length >= maxText) return;
  at.output += `${at.output === "" ? "" : "\n"}${text.trim().slice(0, maxText)}`;
}

function reported({ attributes, result, output }: OpenTest, suites: readonly Suite[]): ReportedTest {
  const title = attributes.get("name");
  if (title === undefined) throw new Unreadable("has a test without a name");
  const group = attributes.get("classname") ?? suites.at(-1)?.name ?? "";
  const file = attributes.get("file") ?? suites.at(-1)?.file ?? null;
  return {
    file: file ?? (looksLikePath(group) ? group : null),
    name: group === "" ? title : `${group}${nameSeparator}${title}`,
    result,
    output: result === "failed" ? output : "",
    durationMs: Number(attributes.get("time") ?? 0) * 1_000,
  };
}

function failedSuite({ name, file, output }: Suite): ReportedTest {
  return { file: file ?? null, name: name === "" ? "(all)" : name, result: "failed", output, durationMs: 0 };
}

function looksLikePath(group: string): boolean {
  return group.includes("/") && !/\s/.test(group);
}

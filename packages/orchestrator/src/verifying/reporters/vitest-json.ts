import { z } from "zod";
import { nameSeparator, sharedName } from "../test-name.ts";
import { maxTests, type ReportedTest, Unreadable } from "./reported-test.ts";

/** Each level is checked when it is reached: of a million wrong ones the first is enough. */
const report = z.object({ testResults: z.array(z.unknown()).max(maxTests) });

const testFile = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string().nullish(),
  assertionResults: z.array(z.unknown()).max(maxTests),
});

const assertion = z.object({
  title: z.string(),
  ancestorTitles: z.array(z.string()).max(100).default([]),
  status: z.enum(["passed", "failed", "skipped", "pending", "todo", "disabled", "focused"]),
  failureMessages: z.array(z.string()).max(1_000).nullish(),
  duration: z.number().nullish(),
});

/** The JSON of vitest, which is jest's too. A file that failed by itself counts as a test of its own that failed. */
export function* readVitestJson(text: string): Generator<ReportedTest> {
  for (const entry of checked(report, parsed(text)).testResults) {
    const { name, status, message, assertionResults } = checked(testFile, entry);
    const file = sharedName(name);
    let explained = status !== "failed";
    for (const result of assertionResults) {
      const test = reported(file, checked(assertion, result));
      if (test.result === "failed") explained = true;
      yield test;
    }
    if (!explained) yield { file, name: "(file)", result: "failed", output: message ?? "", durationMs: 0 };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable("is not JSON");
  }
}

function checked<T>(shape: z.ZodType<T>, value: unknown): T {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Unreadable(`is none of vitest or jest: ${issue?.path.join(".")}: ${issue?.message}`);
}

function reported(file: string, test: z.infer<typeof assertion>): ReportedTest {
  const result = resultOf(test.status);
  return {
    file,
    name: [...test.ancestorTitles, test.title].join(nameSeparator),
    result,
    output: result === "failed" ? (test.failureMessages ?? []).join("\n") : "",
    durationMs: test.duration ?? 0,
  };
}

/** What has not run to a good end of its own has not passed. */
function resultOf(status: z.infer<typeof assertion>["status"]): ReportedTest["result"] {
  return status === "passed" || status === "failed" ? status : "skipped";
}

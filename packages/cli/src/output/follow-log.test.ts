import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { followLog } from "./follow-log.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-log-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function heard() {
  const out = { text: "", write: (text: string) => (out.text += text) };
  return out;
}

it("a log that is not there has nothing in it", async () => {
  const out = heard();
  await followLog(join(folder, "none"), out);
  expect(out.text).toBe("");
});

it("as JSON every line is an object, and one without an end waits for it", async () => {
  const path = join(folder, "lines");
  writeFileSync(path, 'one\n"two"\nthr');
  const out = heard();
  await followLog(path, out, { json: true });
  expect(out.text).toBe('{"line":"one"}\n{"line":"\\"two\\""}\n');
});

it("goes on with what is written later, also after the log was emptied, until it is ended", async () => {
  const path = join(folder, "followed");
  writeFileSync(path, "first\n");
  const [out, ending] = [heard(), new AbortController()];
  const following = followLog(path, out, { follow: true, signal: ending.signal });
  await until("the first is told", () => out.text === "first\n");
  appendFileSync(path, "second\n");
  await until("the second is told", () => out.text === "first\nsecond\n");
  truncateSync(path);
  writeFileSync(path, "new\n");
  await until("the new one is told", () => out.text.endsWith("new\n"));
  ending.abort();
  await following;
});

import { expect, test } from "vitest";
import { workingDirectory } from "./model-request.ts";
import { withoutSurroundings } from "./surroundings.ts";

test("reminders are taken out wherever they are", () => {
  expect(
    withoutSurroundings(
      "<system-reminder>\na\n</system-reminder>\n\n do it <system-reminder>b</system-reminder>",
    ),
  ).toBe("do it");
});

test.each([
  "<environment_context>\n  <cwd>/a</cwd>\n</environment_context>",
  "# AGENTS.md instructions for /a\n\nBe brief.",
  "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
  "[structured-output-enforce] You MUST call the StructuredOutput tool.",
])("%s is not the user's", (text) => {
  expect(withoutSurroundings(text)).toBe("");
});

test.each([
  ["<environment_context>\n  <cwd>/a b</cwd>", "/a b"],
  ["# Environment\n - Primary working directory: /a\n - Platform: linux", "/a"],
  ["<env>\n  Working directory: /a\n</env>", "/a"],
  ["Working directory persists between calls", undefined],
])("the folder is found in %j", (system, cwd) => {
  expect(workingDirectory({ system })).toBe(cwd);
});

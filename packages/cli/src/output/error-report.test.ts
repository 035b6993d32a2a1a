import { SandboxError } from "@opentiger/sandbox";
import { CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { UsageError } from "../errors.ts";
import { reportError } from "./error-report.ts";

describe("an error", () => {
  test("is a sentence, a remedy and its own status", () => {
    const error = new SandboxError("not_found", "there is no sandbox called x", {
      remedy: "docker sandbox ls",
    });
    expect(report(error)).toEqual({
      status: 66,
      text: "docker sandbox: there is no sandbox called x\n  → docker sandbox ls\n",
    });
  });

  test("is one line of JSON where that is wanted", () => {
    const error = new SandboxError("not_found", "no", { remedy: "look" });
    const { text } = report(error, "json");
    expect(JSON.parse(text)).toEqual({ error: { code: "not_found", message: "no", remedy: "look" } });
  });

  test.each([
    [new UsageError("what?"), "usage", 64],
    [new CommanderError(1, "commander.unknownOption", "error: unknown option '-x'"), "usage", 64],
    [Object.assign(new Error("write"), { code: "ENOSPC" }), "disk_full", 74],
    [new Error("bug"), "internal", 125],
    ["text", "internal", 125],
  ])("%s has the code %s", (error, code, status) => {
    const { text, status: actual } = report(error, "json");
    const parsed: { error: { code: string; message: string; remedy?: string } } = JSON.parse(text);
    expect(parsed.error.code).toBe(code);
    expect(parsed.error.remedy).toBeTruthy();
    expect(parsed.error.message).not.toMatch(/^error:/);
    expect(actual).toBe(status);
  });
});

function report(error: unknown, format: "text" | "json" = "text") {
  let text = "";
  const stderr = { write: (piece: string) => (text += piece) };
  const status = reportError(error, { stderr, env: {}, program: "docker sandbox", format });
  return { status, text };
}

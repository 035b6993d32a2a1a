import { describe, expect, it } from "vitest";
import type { ToolPart } from "./events.ts";
import { sayingsOf } from "./tools.ts";

const done = (tool: string, input: object, metadata: object, output = ""): ToolPart => ({
  tool,
  callID: "toolu_1",
  state: { status: "completed", input: { ...input }, output, metadata: { ...metadata } },
});

describe("tool calls of OpenCode's", () => {
  it("a command has its exit code", () => {
    const input = { command: "cat b.txt; exit 3", description: "look" };
    expect(sayingsOf(done("bash", input, { output: "made\n", exit: 3, truncated: false }, "made\n"))).toEqual(
      [
        {
          type: "tool_call",
          id: "toolu_1",
          tool: "bash",
          kind: "command",
          summary: "cat b.txt; exit 3",
          input: JSON.stringify(input),
        },
        { type: "tool_result", id: "toolu_1", ok: false, output: "made\n", exitCode: 3 },
      ],
    );
  });

  it("a command that was ended has none, and did not work", () => {
    const [, result] = sayingsOf(done("bash", { command: "sleep 600" }, { exit: null }));
    expect(result).toMatchObject({ ok: false, exitCode: null });
  });

  it("what failed tells why", () => {
    const state = { status: "error", input: { pattern: "hi" }, error: "ripgrep execution failed" } as const;
    expect(sayingsOf({ tool: "grep", callID: "toolu_1", state })).toMatchObject([
      { kind: "search", summary: "hi" },
      { ok: false, output: "ripgrep execution failed", exitCode: null },
    ]);
  });

  it("a patch is told by its files", () => {
    const patchText =
      "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n";
    expect(sayingsOf(done("apply_patch", { patchText }, {}))[0]).toMatchObject({ summary: "b.txt, a.txt" });
  });

  it("a tool that is not there did not work", () => {
    const [call, result] = sayingsOf(done("invalid", { tool: "nonesuch", error: "Model tried …" }, {}));
    expect([call, result]).toMatchObject([{ kind: "other", summary: "nonesuch" }, { ok: false }]);
  });

  it.each([
    [
      "write",
      { filePath: "/w/b.txt", content: "" },
      { filepath: "/w/b.txt", exists: false },
      ["/w/b.txt added"],
    ],
    [
      "write",
      { filePath: "/w/b.txt", content: "" },
      { filepath: "/w/b.txt", exists: true },
      ["/w/b.txt modified"],
    ],
    ["edit", { filePath: "/w/a.txt", oldString: "hello", newString: "bye" }, {}, ["/w/a.txt modified"]],
    ["edit", { filePath: "/w/a.txt", oldString: "", newString: "bye" }, {}, ["/w/a.txt added"]],
    [
      "apply_patch",
      { patchText: "*** Begin Patch" },
      {
        files: [
          { filePath: "/w/a", relativePath: "a", type: "add" },
          { filePath: "/w/b", type: "update" },
          { filePath: "/w/c", type: "delete" },
          { filePath: "/w/d", type: "move", movePath: "/w/e" },
        ],
      },
      ["/w/a added", "/w/b modified", "/w/c deleted", "/w/d deleted", "/w/e added"],
    ],
    ["read", { filePath: "/w/a.txt" }, {}, []],
  ])("%s changes files", (tool, input, metadata, changes) => {
    const told = sayingsOf(done(tool, input, metadata)).flatMap((saying) =>
      saying.type === "file_change" ? [`${saying.path} ${saying.change}`] : [],
    );
    expect(told).toEqual(changes);
  });

  it.each([
    ["todowrite", "plan"],
    ["webfetch", "web"],
    ["task", "other"],
    ["github_create_issue", "mcp"],
  ])("%s is of the kind %s", (tool, kind) => {
    expect(sayingsOf(done(tool, {}, {}))[0]).toMatchObject({ kind });
  });
});

import { describe, expect, test } from "vitest";
import type { Item } from "../conversation/item.ts";
import type { ModelRequest, OfferedTool } from "../conversation/model-request.ts";
import type { DoneCall } from "../scenario/progress.ts";
import { editFile, readFile, runCommand, writeFile } from "../scenario/steps.ts";
import { toolboxOf } from "./toolbox.ts";

function tool(
  name: string,
  properties: readonly string[],
  takes: OfferedTool["takes"] = "json",
): OfferedTool {
  return { name, properties, takes, namespace: undefined, schema: undefined };
}

function request(tools: readonly OfferedTool[], items: readonly Item[] = []): ModelRequest {
  return {
    model: "m",
    stream: true,
    system: " - Primary working directory: /project\n",
    items,
    tools,
    schema: undefined,
    strict: false,
    maxTokens: 100,
    session: undefined,
  };
}

function done(name: string, input: string, text: string): DoneCall & { items: Item[] } {
  const call = { kind: "call", id: name, name, input } as const;
  const result = { kind: "result", id: name, text, error: false } as const;
  return { call, result, items: [call, result] };
}

const opencode = [
  tool("bash", ["command", "timeout", "workdir"]),
  tool("read", ["filePath"]),
  tool("write", ["content", "filePath"]),
  tool("edit", ["filePath", "oldString", "newString"]),
];
const codex = [tool("exec_command", ["cmd"]), tool("write_stdin", ["session_id"])];

describe("OpenCode", () => {
  test("has its own spelling, and absolute paths", () => {
    const box = toolboxOf(request(opencode));
    expect(box.next(runCommand("ls"), [])).toMatchObject({ name: "bash", input: { command: "ls" } });
    expect(box.next(writeFile("a.txt", "x"), [])).toMatchObject({
      name: "write",
      input: { filePath: "/project/a.txt", content: "x" },
    });
  });

  test("reads what it edits, unless it has", () => {
    const change = editFile("a.txt", "x", "y");
    expect(toolboxOf(request(opencode)).next(change, [])).toMatchObject({ name: "read" });
    const read = done("read", '{"filePath":"/project/a.txt"}', "x");
    expect(toolboxOf(request(opencode, read.items)).next(change, [])).toMatchObject({
      name: "edit",
      input: { filePath: "/project/a.txt", oldString: "x", newString: "y" },
    });
  });

  test("with a model of OpenAI's has patches instead", () => {
    const tools = [opencode[0] ?? tool("bash", []), tool("apply_patch", ["patchText"])];
    expect(toolboxOf(request(tools)).next(writeFile("a.txt", "x\n"), [])).toMatchObject({
      name: "apply_patch",
      input: { patchText: expect.stringContaining("*** Add File: a.txt\n+x") as string },
    });
  });
});

describe("Codex", () => {
  test("with a tool for patches gives it their text, else it is a command", () => {
    const write = writeFile("a.txt", "x\n");
    const own = toolboxOf(request([...codex, tool("apply_patch", [], "text")])).next(write, []);
    expect(own).toMatchObject({
      name: "apply_patch",
      input: expect.stringMatching(/^\*\*\* Begin Patch/) as string,
    });
    expect(toolboxOf(request(codex)).next(write, [])).toMatchObject({
      name: "exec_command",
      input: { cmd: expect.stringMatching(/^apply_patch <<'END'\n\*\*\* Begin Patch/) as string },
    });
  });

  test("reads a file for a patch to it, and takes the text from the result", () => {
    const change = editFile("a.txt", "x", "y");
    const read = done("exec_command", `{"cmd":"cat -- 'a.txt'"}`, "Wall time: 0\nOutput:\nhead\nx 1\n");
    expect(toolboxOf(request(codex)).next(change, [])).toMatchObject({ input: { cmd: "cat -- 'a.txt'" } });
    expect(toolboxOf(request(codex, read.items)).next(change, [read])).toMatchObject({
      input: { cmd: expect.stringContaining("@@\n head\n-x 1\n+y 1\n*** End") as string },
    });
  });

  test("asks again for a command that is still running", () => {
    const running = done("exec_command", "{}", "Process running with session ID 7\nOutput:\n");
    const box = toolboxOf(request(codex));
    expect(box.next(runCommand("make"), [running])).toMatchObject({
      name: "write_stdin",
      input: { session_id: 7 },
    });
    expect(
      box.next(runCommand("make"), [done("write_stdin", "{}", "Process exited with code 0")]),
    ).toBeUndefined();
  });

  test("with a tool for scripts writes JavaScript", () => {
    const exec = { ...tool("exec", [], "text"), namespace: "functions" };
    const box = toolboxOf(request([exec, tool("wait", ["cell_id"])]));
    expect(box.next(readFile("a.txt"), [])).toMatchObject({
      name: "exec",
      namespace: "functions",
      input: expect.stringContaining(`tools.exec_command({ cmd: "cat -- 'a.txt'"`) as string,
    });
    const running = done("exec", "", "Script running with cell ID 3\nOutput:\n");
    expect(box.next(readFile("a.txt"), [running])).toMatchObject({ name: "wait", input: { cell_id: "3" } });
  });
});

test("what no tool is offered for is a problem", () => {
  expect(toolboxOf(request([])).next(runCommand("ls"), [])).toEqual({
    problem: "no tool to run was offered",
  });
});

import { describe, expect, it } from "vitest";
import { agentPermissions, simpleCommands, subagentPermissions } from "./permissions.ts";

describe("permissions in OpenCode's words", () => {
  it("everything is everything", () => {
    expect(agentPermissions({ kind: "full" })).toEqual({ "*": "allow" });
  });

  it("edits come with exactly the commands that are named, and everything else is denied first", () => {
    const rules = agentPermissions({
      kind: "edits",
      commands: ["npm test", "npx tsc && npx eslint 'src/*.ts'"],
    });
    expect(Object.keys(rules)[0]).toBe("*");
    expect(rules).toMatchObject({
      "*": "deny",
      edit: { "*": "allow", ".git/*": "deny" },
      bash: { "*": "deny", "npm test": "allow", "npx tsc": "allow", "npx eslint 'src/?.ts'": "allow" },
    });
    expect(Object.entries(rules["bash"] ?? {})[0]).toEqual(["*", "deny"]);
  });

  it("reading is neither editing nor running", () => {
    const rules = agentPermissions({ kind: "read" });
    expect(rules).toMatchObject({ "*": "deny", read: { "*": "allow", "*.env": "deny" }, grep: "allow" });
    expect(rules).not.toHaveProperty("edit");
    expect(rules).not.toHaveProperty("bash");
  });

  it("other agents are started only where nothing is denied", () => {
    expect(subagentPermissions({ kind: "full" })).toMatchObject({ external_directory: "allow" });
    expect(subagentPermissions({ kind: "read" })).toEqual({});
    expect(agentPermissions({ kind: "edits", commands: [] })).not.toHaveProperty("task");
  });
});

describe("the commands of a line", () => {
  it.each([
    ["npm test", ["npm test"]],
    ["cd app && npm test || exit 1; echo done", ["cd app", "npm test", "exit 1", "echo done"]],
    ["cat a | sort & wait\nls", ["cat a", "sort", "wait", "ls"]],
    [`echo 'a && b' "c; \\"d\\" | e" f\\;g`, [`echo 'a && b' "c; \\"d\\" | e" f\\;g`]],
    ["make > log 2>&1", ["make > log 2>&1"]],
    ["make &> log", ["make &> log"]],
    ["  ", []],
  ])("%s", (line, commands) => {
    expect(simpleCommands(line)).toEqual(commands);
  });
});

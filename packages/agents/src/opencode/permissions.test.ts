import { describe, expect, it } from "vitest";
import { agentPermissions, simpleCommands, subagentPermissions } from "./permissions.ts";

describe("permissions in OpenCode's words", () => {
  it("everything is everything", () => {
    expect(agentPermissions({ permissions: { kind: "full" } })).toEqual({ "*": "allow" });
  });

  it("edits come with exactly the commands that are named, and everything else is denied first", () => {
    const rules = agentPermissions({
      permissions: { kind: "edits", commands: ["npm test", "npx tsc && npx eslint 'src/*.ts'"] },
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
    const rules = agentPermissions({ permissions: { kind: "read" } });
    expect(rules).toMatchObject({ "*": "deny", read: { "*": "allow", "*.env": "deny" }, grep: "allow" });
    expect(rules).not.toHaveProperty("edit");
    expect(rules).not.toHaveProperty("bash");
  });

  it("other agents are started only where nothing is denied", () => {
    expect(subagentPermissions({ permissions: { kind: "full" } })).toMatchObject({
      external_directory: "allow",
    });
    expect(subagentPermissions({ permissions: { kind: "read" } })).toEqual({});
    expect(agentPermissions({ permissions: { kind: "edits", commands: [] } })).not.toHaveProperty("task");
  });
});

it("tools that it is not offered are denied, to the agents that it starts as well", () => {
  const task = { permissions: { kind: "full" }, tools: ["read", "edit", "agents"] } as const;
  const denied = { bash: "deny", webfetch: "deny", websearch: "deny", codesearch: "deny" };
  expect(agentPermissions(task)).toEqual({ "*": "allow", ...denied });
  expect(subagentPermissions(task)).toMatchObject(denied);
  const edits = { permissions: { kind: "edits", commands: ["npm test"] }, tools: ["read", "edit"] } as const;
  expect(agentPermissions(edits)).toMatchObject({ edit: { "*": "allow" }, bash: "deny", task: "deny" });
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

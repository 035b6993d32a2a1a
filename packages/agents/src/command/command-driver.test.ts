import { describe, expect, it } from "vitest";
import type { AgentTask, LaunchPlace } from "../driver.ts";
import { commandDriver } from "./command-driver.ts";

const place: LaunchPlace = { backend: "docker", cwd: "/w", home: "/h", folder: "/f", env: {} };

describe("a command of the user's", () => {
  it("gets its prompt by stdin, and no part of it in its words", () => {
    const { command, stdin, files } = commandDriver({ command: ["tool", "--dir", "{cwd}"] }).launch(
      task(),
      place,
    );
    expect(command).toEqual(["tool", "--dir", "/w"]);
    expect(stdin).toContain("$(do it)");
    expect(files).toEqual([]);
  });

  it("gets it by a file where it names one", () => {
    const driver = commandDriver({ command: ["aider", "--message-file={promptFile}", "--model", "{model}"] });
    const launch = driver.launch(task({ model: "m; rm -rf /" }), place);
    expect(launch.command).toEqual(["aider", "--message-file=/f/prompt", "--model", "m; rm -rf /"]);
    expect(launch.files).toEqual([{ path: "prompt", content: expect.stringContaining("$(do it)") }]);
    expect(launch.stdin).toBe("");
  });

  it("is not given an option whose value nobody said", () => {
    const driver = commandDriver({ command: ["tool", "--model", "{model}", "--fast", "--model={model}"] });
    expect(driver.launch(task(), place).command).toEqual(["tool", "--fast"]);
  });

  it("with braces that nobody knows is refused before anything runs", () => {
    expect(() => commandDriver({ command: ["tool", "{prompt}"] })).toThrow("{prompt} is not known");
    expect(() => commandDriver({ command: [] })).toThrow("name of a program");
  });

  it("is told everything in the one way it has, the instructions unless it reads them itself", () => {
    const full = task({
      systemPrompt: "Be brief.",
      instructions: [{ path: "AGENTS.md", text: "Use tabs." }],
      answer: { jsonSchema: { type: "object", properties: {}, required: [], additionalProperties: false } },
    });
    const command = ["tool"];
    const { stdin } = commandDriver({ command }).launch(full, place);
    const order = ["Be brief.", "AGENTS.md", "Use tabs.", "$(do it)", "additionalProperties"];
    expect(order.map((words) => stdin.indexOf(words)).toSorted((a, b) => a - b)).toEqual(
      order.map((words) => stdin.indexOf(words)),
    );
    expect(stdin.split("Use tabs.")).toHaveLength(2);
    expect(commandDriver({ command, instructions: "own" }).launch(full, place).stdin).not.toContain(
      "Use tabs.",
    );
  });
});

function task(fields: Partial<AgentTask> = {}): AgentTask {
  return {
    prompt: "$(do it)",
    instructions: [],
    projectSettings: "ignored",
    permissions: { kind: "full" },
    session: { kind: "new", id: "s" },
    ...fields,
  };
}

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerSchema } from "../answers/answer-schema.ts";
import { answerWords } from "../answers/answer-words.ts";
import type { AgentTask, LaunchPlace } from "../driver.ts";
import { launch } from "./launch.ts";

const place: LaunchPlace = {
  backend: "docker",
  cwd: "/workspace",
  home: "/home/agent",
  folder: "/tmp/run-1",
  env: {},
};

const task = (changed: Partial<AgentTask> = {}): AgentTask => ({
  prompt: "Do it.",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id: "e1b1d5a2-51d5-4f0c-8f0f-0d0f7c4f0a11" },
  ...changed,
});

const launched = (changed: Partial<AgentTask> = {}) => launch(task(changed), place);

/** What the guard hands to OpenCode as its configuration. */
function configOf(changed: Partial<AgentTask> = {}): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(configText(changed)));
}

function configText(changed: Partial<AgentTask>): string {
  const [line = ""] = (launched(changed).files[0]?.content ?? "").split("\n");
  const literal = /^process\.env\.OPENCODE_CONFIG_CONTENT = (".*");$/.exec(line)?.[1] ?? "";
  return z.string().parse(JSON.parse(literal));
}

describe("how OpenCode is started", () => {
  it("with the prompt by stdin, and a title, so that it asks no model for one", () => {
    const { command, stdin, env } = launched({ model: "claude-sonnet-4-5" });
    expect(command).toEqual([
      "opencode",
      "run",
      "--format=json",
      "--thinking",
      "--model=anthropic/claude-sonnet-4-5",
      "--title=openTiger",
    ]);
    expect(stdin).toBe("Do it.");
    expect(env).toMatchObject({ PWD: place.cwd, OPENCODE_DB: "/tmp/run-1/opencode.db" });
  });

  it("with the session that is resumed", () => {
    const { command } = launched({ session: { kind: "resumed", id: "ses_1" } });
    expect(command).toEqual(["opencode", "run", "--format=json", "--thinking", "--session=ses_1"]);
  });

  it("with the form of an answer in words behind the prompt", () => {
    const answer = answerSchema(z.object({ verdict: z.enum(["pass", "fail"]) }));
    expect(launched({ answer }).stdin).toBe(`Do it.\n\n${answerWords(answer)}`);
  });

  it("by a configuration that is not believed without the guard", () => {
    const { env, files } = launched();
    expect(files[0]?.path).toBe("opencode-guard.cjs");
    expect(env["BUN_INSPECT_PRELOAD"]).toBe("/tmp/run-1/opencode-guard.cjs");
    expect(() => JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toThrow(SyntaxError);
  });
});

describe("OpenCode's configuration", () => {
  it("is an agent of ours with the rules for this task, and nothing that reaches out", () => {
    expect(configOf({ permissions: { kind: "read" } })).toMatchObject({
      autoupdate: false,
      share: "disabled",
      snapshot: false,
      disabled_providers: ["opencode"],
      default_agent: "opentiger",
      agent: { opentiger: { mode: "primary", permission: { "*": "deny" } } },
    });
  });

  it.each([
    ["claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["gpt-5.5", "openai", "gpt-5.5"],
    ["openrouter/meta/llama", "openrouter", "meta/llama"],
  ])("names %s, and asks it in small matters too", (model, provider, name) => {
    expect(configOf({ model })).toMatchObject({
      model: `${provider}/${name}`,
      small_model: `${provider}/${name}`,
      provider: { [provider]: { models: { [name]: {} } } },
    });
  });

  it("leaves the choice of the model to OpenCode where there is none, but not to its own service", () => {
    expect(configOf()).not.toHaveProperty("model");
    expect(configOf()).toMatchObject({ disabled_providers: ["opencode"] });
    expect(configOf({ model: "opencode/big-pickle" })).toMatchObject({ disabled_providers: [] });
  });

  it("takes no file and no variable into it, whatever the commands of a project are called", () => {
    const commands = ["echo {file:~/.ssh/id_ed25519} {env:HOME}"];
    const text = configText({ permissions: { kind: "edits", commands } });
    expect(text).not.toMatch(/\{(?:file|env):/);
    expect(JSON.stringify(JSON.parse(text))).toContain("{file:~/.ssh/id_ed25519} {env:HOME}");
  });
});

describe("instructions and settings of a project", () => {
  const instructions = [
    { path: "AGENTS.md", text: "Commits are haikus." },
    { path: "CLAUDE.md", text: "No tabs." },
  ];
  const told = (changed: Partial<AgentTask>) => {
    const { files } = launched({ instructions, ...changed });
    return files.slice(1).map(({ path, content }) => ({ path, content }));
  };

  it("the instructions are told by us where the settings are kept out", () => {
    expect(told({ systemPrompt: "You are a judge." })).toEqual([
      { path: "system-prompt.md", content: "You are a judge." },
      {
        path: "project-instructions.md",
        content:
          "# AGENTS.md of this project\n\nCommits are haikus.\n\n# CLAUDE.md of this project\n\nNo tabs.",
      },
    ]);
    expect(configOf({ instructions, systemPrompt: "You are a judge." })).toMatchObject({
      instructions: ["/tmp/run-1/system-prompt.md", "/tmp/run-1/project-instructions.md"],
    });
  });

  it("what OpenCode reads by itself is not told twice", () => {
    expect(told({ projectSettings: "allowed" })).toEqual([
      { path: "project-instructions.md", content: "# CLAUDE.md of this project\n\nNo tabs." },
    ]);
  });

  it("the settings are hidden unless they are allowed", () => {
    const guard = (changed: Partial<AgentTask>) => launched(changed).files[0]?.content;
    expect(guard({})).toContain('".opencode"');
    expect(guard({ projectSettings: "allowed" })).not.toContain('".opencode"');
    expect(launched().env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_PURE: "1" });
    expect(launched({ projectSettings: "allowed" }).env).not.toHaveProperty(
      "OPENCODE_DISABLE_PROJECT_CONFIG",
    );
  });
});

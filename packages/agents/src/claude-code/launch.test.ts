import { describe, expect, it } from "vitest";
import type { AgentTask, LaunchPlace } from "../driver.ts";
import { launch } from "./launch.ts";

const id = "0e0e0e0e-0000-4000-8000-000000000000";
const task: AgentTask = {
  prompt: "Mend the parser.",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id },
};
const inside: LaunchPlace = {
  backend: "docker",
  cwd: "/project",
  home: "/home/worker",
  folder: "/tmp/run",
  env: {},
};
const onHost: LaunchPlace = { ...inside, backend: "host" };
const behindGateway: LaunchPlace = { ...onHost, env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:3129" } };

/** The word behind an option. */
function given(command: readonly string[], option: string): string | undefined {
  const at = command.indexOf(option);
  return at === -1 ? undefined : command[at + 1];
}

describe("how Claude Code is started", () => {
  it("is told everything by stdin and files, and no word of it stands in the command", () => {
    const instructions = [
      { path: "CLAUDE.md", text: "Use tabs.\n" },
      { path: "lib/AGENTS.md", text: "Use spaces." },
    ];
    const told = { ...task, systemPrompt: "You write tests.", instructions };
    const { command, files, stdin, stdinBy } = launch(told, inside);
    const stream = "--input-format stream-json --output-format stream-json --verbose";
    expect(command.slice(0, 9).join(" ")).toBe(`claude -p ${stream} --session-id ${id}`);
    const project =
      "# CLAUDE.md of this project\n\nUse tabs.\n\n# lib/AGENTS.md of this project\n\nUse spaces.";
    expect(given(command, "--append-system-prompt-file")).toBe("/tmp/run/system-prompt.md");
    expect(files).toContainEqual({ path: "system-prompt.md", content: `You write tests.\n\n${project}` });
    const [control, message, ...more] = stdin
      .split("\n")
      .map((line) => (line === "" ? line : JSON.parse(line)));
    expect(control.request).toEqual({ subtype: "initialize", appendSubagentSystemPrompt: project });
    expect(message.message.content[0]).toEqual({ type: "text", text: "Mend the parser." });
    expect({ more, stdinBy }).toEqual({ more: [""], stdinBy: "pipe" });
    expect(command.join(" ")).not.toMatch(/parser|tabs|spaces|tests/);
  });

  it("never has the prompt as the last text, where it would be searched for commands and files", () => {
    const { stdin, files } = launch({ ...task, prompt: "/clear @/etc/passwd" }, inside);
    const { content } = JSON.parse(stdin).message;
    expect(content.map(({ text }: { text: string }) => text)).toEqual([
      "/clear @/etc/passwd",
      expect.stringMatching(/^<system-reminder>[^/@]*<\/system-reminder>$/) as string,
    ]);
    expect(files.map(({ path }) => path)).toEqual(["settings.json"]);
  });

  it("goes on with a conversation by its id, with the same system prompt", () => {
    const resumed = { ...task, session: { kind: "resumed", id }, systemPrompt: "You write tests." } as const;
    const { command } = launch(resumed, inside);
    expect(given(command, "--resume")).toBe(id);
    expect(command).not.toContain("--session-id");
    expect(command).toContain("--append-system-prompt-file");
  });

  it("has the model and the limit of turns that were asked for", () => {
    const { command } = launch({ ...task, model: "claude-opus-4-8", maxTurns: 12 }, inside);
    expect([given(command, "--model"), given(command, "--max-turns")]).toEqual(["claude-opus-4-8", "12"]);
    expect(launch(task, inside).command).not.toContain("--model");
  });
});

describe("what Claude Code may do", () => {
  it("is everything with full, as root too", () => {
    for (const place of [inside, onHost]) {
      const { command, env } = launch(task, place);
      expect(command).toContain("--dangerously-skip-permissions");
      expect(env).toMatchObject({ IS_SANDBOX: "1" });
    }
  });

  it("is to edit and to run exactly the given commands", () => {
    const commands = ["npm test", 'node -e "f(1, \\"a\\")"', "npx eslint src/*.ts", "npm run check:*"];
    const { command, env } = launch({ ...task, permissions: { kind: "edits", commands } }, onHost);
    expect(given(command, "--permission-mode")).toBe("acceptEdits");
    const at = command.indexOf("--allowedTools");
    expect(command.slice(at + 1, command.indexOf("--disallowedTools"))).toEqual([
      "Bash(npm test)",
      'Bash(node -e "f\\(1, \\\\"a\\\\"\\)")',
      "Bash(npx eslint src/*.ts)",
    ]);
    expect(command).not.toContain("--dangerously-skip-permissions");
    expect(env).not.toHaveProperty("IS_SANDBOX");
    const none = launch({ ...task, permissions: { kind: "edits", commands: [] } }, onHost);
    expect(none.command).not.toContain("--allowedTools");
  });

  it("is to read, on a host the workspace only", () => {
    const read = { ...task, permissions: { kind: "read" } } as const;
    for (const place of [inside, onHost])
      expect(given(launch(read, place).command, "--tools")).toBe("Read,Grep,Glob");
    expect(given(launch(read, onHost).command, "--permission-mode")).toBe("dontAsk");
    expect(launch(read, onHost).command).not.toContain("--dangerously-skip-permissions");
    expect(launch(read, inside).command).toContain("--dangerously-skip-permissions");
  });
});

it("Claude Code is offered the tools that were asked for, within what it may do", () => {
  const offered = (changed: Partial<AgentTask>) =>
    given(launch({ ...task, ...changed }, inside).command, "--tools");
  const names = "Read,Grep,Glob,Edit,Write,NotebookEdit";
  expect(offered({ tools: ["read", "edit"] })).toBe(names);
  expect(offered({ tools: ["read", "edit"], permissions: { kind: "edits", commands: [] } })).toBe(names);
  expect(offered({ tools: ["read", "edit"], permissions: { kind: "read" } })).toBe("Read,Grep,Glob");
  expect(launch(task, inside).command).not.toContain("--tools");
});

describe("whose settings take effect for Claude Code", () => {
  const sources = (command: readonly string[]) =>
    command.filter((word) => word.startsWith("--setting-sources=") || word === "--strict-mcp-config");
  const settings = ({ files }: { files: readonly { path: string; content: string }[] }) =>
    files.filter(({ path }) => path === "settings.json").map(({ content }) => JSON.parse(content));

  it("are nobody's in a sandbox, and the user's own on a host", () => {
    expect(sources(launch(task, inside).command)).toEqual(["--setting-sources=", "--strict-mcp-config"]);
    expect(sources(launch(task, onHost).command)).toEqual(["--setting-sources=user", "--strict-mcp-config"]);
  });

  it("are all where the user allows it, but the instructions that we tell are not read again", () => {
    const instructions = [{ path: "CLAUDE.md", text: "Use tabs." }];
    const allowed = { ...task, projectSettings: "allowed", instructions } as const;
    const started = launch(allowed, { ...inside, cwd: "/my project (1)" });
    expect(sources(started.command)).toEqual(["--setting-sources=user,project,local"]);
    expect(given(started.command, "--settings")).toBe("/tmp/run/settings.json");
    expect(settings(started)).toEqual([
      { apiKeyHelper: "", claudeMdExcludes: ["/my project ?1?/**/CLAUDE.md"] },
    ]);
  });

  it("never say where the model is, unless nobody else does", () => {
    for (const place of [inside, behindGateway]) {
      const started = launch(task, place);
      expect(started.env).toMatchObject({ CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1" });
      expect(settings(started)).toEqual([{ apiKeyHelper: "" }]);
    }
    expect(launch(task, behindGateway).env).toMatchObject({ CLAUDE_CODE_USE_BEDROCK: "" });
    const alone = launch(task, onHost);
    expect(alone.env).not.toHaveProperty("CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST");
    expect(alone.env).not.toHaveProperty("CLAUDE_CODE_USE_BEDROCK");
    expect(settings(alone)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { AgentTask, LaunchPlace } from "../driver.ts";
import { launch } from "./launch.ts";

const task: AgentTask = {
  prompt: "Mend the parser.",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id: "0e0e0e0e-0000-4000-8000-000000000000" },
};
const inside: LaunchPlace = {
  backend: "docker",
  cwd: "/project/",
  home: "/home/worker",
  folder: "/tmp/run",
  env: {},
};
const onHost: LaunchPlace = { ...inside, backend: "host" };

/** What is given by `-c`, by its name. */
function settingsOf(command: readonly string[]): Record<string, string> {
  const given = command.flatMap((word, index) => (word === "-c" ? [command[index + 1] ?? ""] : []));
  return Object.fromEntries(given.map((setting) => setting.split(/=(.*)/s, 2)));
}

describe("how Codex is started", () => {
  it("reads the prompt from stdin, and no word of it stands in the command", () => {
    const { command, stdin } = launch(task, inside);
    expect(command.slice(0, 4)).toEqual(["codex", "exec", "--json", "--skip-git-repo-check"]);
    expect(command.at(-1)).toBe("-");
    expect(stdin).toBe("Mend the parser.");
    expect(command.join(" ")).not.toContain("parser");
  });

  it("is told in words which tools it is not to use, for it cannot be offered less", () => {
    const { stdin } = launch({ ...task, tools: ["read", "edit", "command"] }, inside);
    expect(stdin).toBe("Ask nothing of the web. Start no other agents.\n\n# Your task\n\nMend the parser.");
  });

  it("goes on with a conversation by its id, and is not told again what it knows", () => {
    const session = { kind: "resumed", id: "01a1e290-30f3-77b3-afa7-e1d8c8bce53c" } as const;
    const instructions = [{ path: "AGENTS.md", text: "Use tabs." }];
    const { command, stdin } = launch(
      { ...task, session, instructions, systemPrompt: "You write tests." },
      inside,
    );
    expect(command.slice(1, 4)).toEqual(["exec", "resume", session.id]);
    expect(stdin).toBe("Mend the parser.");
  });

  it("tells system prompt and the project's instructions in front of the prompt, once", () => {
    const instructions = [
      { path: "AGENTS.md", text: "Use tabs.\n" },
      { path: "docs/CLAUDE.md", text: "Write short sentences." },
    ];
    const { stdin } = launch({ ...task, instructions, systemPrompt: "You write tests." }, inside);
    expect(stdin).toBe(
      [
        "You write tests.",
        "# AGENTS.md of this project",
        "Use tabs.",
        "# docs/CLAUDE.md of this project",
        "Write short sentences.",
        "# Your task",
        "Mend the parser.",
      ].join("\n\n"),
    );
  });

  it("is told to read a file where the prompt is longer than it takes", () => {
    const prompt = `Mend it. ${"word ".repeat(1_000_000)}`;
    const { command, stdin, files } = launch({ ...task, prompt }, inside);
    expect(files).toEqual([{ path: "task.md", content: prompt }]);
    expect(stdin).toMatch(/^Your task is in the file \/tmp\/run\/task\.md\. .*Mend it\. word/s);
    expect(stdin.length + command.join(" ").length).toBeLessThan(10_000);
  });

  it("asks for an answer by a file with the schema", () => {
    const jsonSchema = { type: "object", properties: {}, required: [], additionalProperties: false };
    const { command, files } = launch({ ...task, answer: { jsonSchema }, model: "gpt-5.5" }, inside);
    expect(command.join(" ")).toContain("--model gpt-5.5 --output-schema /tmp/run/answer-schema.json");
    expect(files).toEqual([{ path: "answer-schema.json", content: JSON.stringify(jsonSchema) }]);
  });
});

describe("the project's settings", () => {
  it("are kept out by distrust of the folder, and with them what we tell ourselves", () => {
    const settings = settingsOf(launch(task, inside).command);
    expect(settings).toMatchObject({
      projects: '{"/project"={trust_level="untrusted"}}',
      project_doc_max_bytes: "0",
      "features.hooks": "false",
      "skills.include_instructions": "false",
    });
  });

  it("take effect where the user allowed them, hooks too", () => {
    const { command } = launch({ ...task, projectSettings: "allowed" }, inside);
    const settings = settingsOf(command);
    expect(settings["projects"]).toBe('{"/project"={trust_level="trusted"}}');
    expect(settings).not.toHaveProperty("features.hooks");
    expect(command).toContain("--dangerously-bypass-hook-trust");
  });

  it("of a folder with a quote in its name are kept out as well", () => {
    const { command } = launch(task, { ...inside, cwd: '/a "b"' });
    expect(settingsOf(command)["projects"]).toBe(String.raw`{"/a \"b\""={trust_level="untrusted"}}`);
  });
});

describe("what Codex may do", () => {
  const bypass = "--dangerously-bypass-approvals-and-sandbox";

  it("is everything inside a sandbox, where its own would not work", () => {
    for (const kind of ["full", "read"] as const)
      expect(launch({ ...task, permissions: { kind } }, inside).command).toContain(bypass);
  });

  it("is on the host to change the workspace and to keep temporary files in the run's folder", () => {
    const permissions = { kind: "edits", commands: ["npm test"] } as const;
    const { command, env, files, stdin } = launch({ ...task, permissions }, onHost);
    expect(command).not.toContain(bypass);
    expect(settingsOf(command)).toMatchObject({
      sandbox_mode: '"workspace-write"',
      "sandbox_workspace_write.exclude_slash_tmp": "true",
    });
    expect(env).toMatchObject({ TMPDIR: "/tmp/run/tmp" });
    expect(files).toEqual([{ path: "tmp/.keep", content: "" }]);
    expect(stdin).toContain("\n- npm test\n");
  });

  it("is on the host to read, and everything only where the user says so", () => {
    const { command } = launch({ ...task, permissions: { kind: "read" } }, onHost);
    expect(command).not.toContain(bypass);
    expect(settingsOf(command)).toMatchObject({ sandbox_mode: '"read-only"' });
    expect(launch(task, onHost).command).toContain(bypass);
  });
});

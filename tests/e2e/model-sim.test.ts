import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  editFile,
  finish,
  type ModelSim,
  readFile,
  runCommand,
  say,
  startModelSim,
  think,
  writeFile,
} from "@opentiger/model-sim";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type Ended, ended } from "../setup/command-line.ts";
import { hostAgents } from "../setup/host-agents.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";

/** What one scenario does, whoever has it. */
const scenario = {
  steps: [
    say("I look at it first."),
    readFile("src/sum.sh"),
    think(20),
    editFile("src/sum.sh", "$1 - $2", "$1 + $2"),
    writeFile("docs/notes.txt", "The sum was a difference.\n"),
    writeFile("README", "no last newline"),
    writeFile("old.txt", "put over what was there\n"),
    runCommand("sh src/sum.sh 2 3 > result.txt && cat result.txt"),
    finish("It adds now."),
  ],
};
const wantedTree = {
  README: "no last newline",
  "docs/notes.txt": "The sum was a difference.\n",
  "old.txt": "put over what was there\n",
  "result.txt": "5\n",
  "src/sum.sh": "#!/bin/sh\necho $(($1 + $2))\n",
};

let agents: string;
let sim: ModelSim;

beforeAll(async () => {
  agents = await hostAgents();
  sim = await startModelSim({ scenario });
  atEnd(() => sim.close());
});

describe("one scenario with each real CLI leaves the same tree", () => {
  test.concurrent("Claude Code", async () => {
    const { tree, stdout } = await played(
      ["claude", "-p", "--output-format", "json", "--dangerously-skip-permissions"],
      {
        ANTHROPIC_BASE_URL: sim.url,
        ANTHROPIC_API_KEY: "claude-key",
      },
    );
    expect(tree).toEqual(wantedTree);
    const { result, usage } = JSON.parse(stdout);
    const { sent, ...session } = sessionOf("claude_code");
    expect({ result, session }).toMatchObject({
      result: "It adds now.",
      session: { prefixKept: true, problems: [] },
    });
    expect(sent.main).toEqual({
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
    });
  });

  // The three sets of tools that Codex has, depending on the model.
  test.concurrent.each(["gpt-6.1-sol", "gpt-5.5", "unheard-of"])("Codex with %s", async (model) => {
    const provider = `{name="sim",base_url="${sim.url}/v1",wire_api="responses",env_key="CODEX_API_KEY"}`;
    const settings = ["-c", "model_provider=sim", "-c", `model_providers.sim=${provider}`, "-m", model];
    const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const { tree, stdout } = await played(["codex", "exec", ...flags, ...settings, "-"], {
      CODEX_API_KEY: "codex-key",
    });
    expect(tree).toEqual(wantedTree);
    const { usage } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    const { sent, ...session } = sessionOf("codex", model);
    expect(session).toMatchObject({ prefixKept: true, problems: [] });
    expect(sent.main).toEqual({
      input: usage.input_tokens - usage.cached_input_tokens - usage.cache_write_input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cached_input_tokens,
      cacheWrite: usage.cache_write_input_tokens,
    });
  });

  test.concurrent("OpenCode", async () => {
    const options = { baseURL: `${sim.url}/v1`, apiKey: "opencode-key" };
    const provider = { sim: { npm: "@ai-sdk/anthropic", options, models: { m: { name: "m" } } } };
    const config = { provider, model: "sim/m", small_model: "sim/m", autoupdate: false };
    const { tree, stdout } = await played(["opencode", "run", "--format", "json"], {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_MODELS_FETCH: "1",
    });
    expect(tree).toEqual(wantedTree);
    const steps = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "step_finish");
    const { sent, ...session } = sessionOf("opencode");
    expect(session).toMatchObject({ prefixKept: true, problems: [], prompts: ["Mend the sum."] });
    const sum = (
      of: (tokens: { input: number; output: number; cache: { read: number; write: number } }) => number,
    ) => steps.reduce((total: number, { part }) => total + of(part.tokens), 0);
    expect(sent.main).toEqual({
      input: sum(({ input }) => input),
      output: sum(({ output }) => output),
      cacheRead: sum(({ cache }) => cache.read),
      cacheWrite: sum(({ cache }) => cache.write),
    });
    expect(sent.side.output).toBeGreaterThan(0);
  });
});

test("the example of docs/model-sim.md does what it says", async () => {
  const page = readFileSync(new URL("../../docs/model-sim.md", import.meta.url), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  // Below the checkout, where packages are found by their names.
  const folder = fileURLToPath(new URL(`../../.cache/model-sim-example-${process.pid}`, import.meta.url));
  mkdirSync(folder, { recursive: true });
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "example.ts"), example);
  const tsx = fileURLToPath(new URL("../../node_modules/.bin/tsx", import.meta.url));
  const { status, stdout, stderr } = await run([tsx, join(folder, "example.ts")], folder, { TMPDIR: folder });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^The greeting is friendlier now\.\nHello tiger\n\n\[\]\n\{ input: \d+,/);
});

/** Plays the scenario in a new folder; what is in it then, and what the CLI said. */
async function played(command: readonly [string, ...string[]], env: Record<string, string>) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/sum.sh"), "#!/bin/sh\necho $(($1 - $2))\n");
  writeFileSync(join(folder, "old.txt"), "old\n");
  const { status, stdout, stderr } = await run(command, folder, env);
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${stdout}${stderr}`);
  return { tree: treeOf(folder), stdout };
}

/** With a HOME of its own, and nothing else of this machine's. */
function run(
  [command, ...words]: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string>,
): Promise<Ended> {
  const path = [agents, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const own = {
    HOME: temporaryFolder(),
    PATH: path,
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  return ended(spawn(command, words, { cwd, env: { ...own, ...env } }), "Mend the sum.");
}

function treeOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

function sessionOf(agent: string, model?: string) {
  const found = sim
    .sessions()
    .filter(({ opening }) => opening?.agent === agent && (model === undefined || opening.model === model));
  const [session] = found;
  if (!session || found.length > 1) throw new Error(`${found.length} sessions of ${agent}`);
  return session;
}

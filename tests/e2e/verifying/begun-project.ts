import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { OpenPlace } from "@opentiger/orchestrator";
import type { Sandbox } from "@opentiger/sandbox";
import type { CheckRound, ExecutionEnvironment } from "@opentiger/schema";
import { ensurePrepared, type Prepared } from "../../../packages/orchestrator/src/project/prepared.ts";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { makeSandbox } from "../../../packages/orchestrator/src/project/sandbox.ts";
import { atEnd } from "../../setup/at-end.ts";
import { bundledProgram } from "../../setup/bundled-program.ts";
import { runIn } from "../../setup/place.ts";
import { until } from "../../setup/until.ts";
import { type SampleProject, sampleProject, type VerifyingWorld } from "../../setup/verifying-world.ts";
import { loopOf } from "./verifying-loop.ts";

/** One test is green, and one is red. */
export const base = {
  "package.json": JSON.stringify({ name: "sample", type: "module", scripts: { test: "node --test" } }),
  "package-lock.json": JSON.stringify({ name: "sample", lockfileVersion: 3, packages: {} }),
  ".gitignore": "node_modules/\n",
  "README.md": "sample\n",
  "sum.js": "export const sum = (a, b) => a + b;\n",
  "sum.test.js": testFile("adds", "assert.equal(sum(1, 2), 3)"),
  "red.test.js": testFile("is red", "assert.equal(sum(1, 2), 4)"),
};

/** A project of a user's whose opentiger.json says something, to be prepared and checked. */
export interface Begun {
  world: VerifyingWorld;
  sample: SampleProject;
  commit: string;
  prepare(options?: PrepareOptions): Promise<Prepared>;
  sandbox(
    name: string,
    prepared: Prepared,
    options?: { phase?: "run" | "verify"; commit?: string },
  ): Promise<Sandbox>;
}

export interface PrepareOptions {
  place?: OpenPlace;
  loop?: string;
  commit?: string;
  signal?: AbortSignal;
  say?: (line: string) => void;
}

/** Nothing here is a secret. */
export const nothingSecret = (text: string): string => text;

export async function begin(
  world: VerifyingWorld,
  file: object,
  environment: ExecutionEnvironment = "sandbox",
): Promise<Begun> {
  const sample = await sampleProject(world.place);
  const commit = await sample.commit(withFile(file));
  const { signal: never } = new AbortController();
  const about = async (at: string) => ({
    repository: sample.repository,
    project: await readProject(sample.repository, at, {}),
    commit: at,
    environment,
    agent: "shell" as const,
  });
  return {
    world,
    sample,
    commit,
    prepare: async ({
      place = world.place,
      loop = "sample",
      commit: at = commit,
      signal = never,
      say = () => {},
    } = {}) => ensurePrepared(place, { ...(await about(at)), loop: loopOf(loop), signal, say }),
    sandbox: async (name, prepared, { phase = "verify", commit: at = commit } = {}) => {
      const where = { loop: loopOf("sample"), name, prepared, phase, redact: nothingSecret };
      const asked = { ...(await about(at)), ...where, signal: never };
      const sandbox = await makeSandbox(world.place, asked);
      atEnd(() => sandbox.close());
      return sandbox;
    },
  };
}

function withFile(file: object): Record<string, string> {
  return { ...base, "opentiger.json": JSON.stringify(file) };
}

function testFile(name: string, body: string): string {
  return `import { test } from "node:test";\nimport assert from "node:assert";\nimport { sum } from "./sum.js";\n\ntest("${name}", () => ${body});\n`;
}

/** What a script prints that must not fail. */
export async function said(sandbox: Sandbox, script: string): Promise<string> {
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", script]);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** Of this world. */
export async function sandboxNames({ docker }: VerifyingWorld): Promise<string[]> {
  return (await docker.list()).filter(({ own }) => own).map(({ name }) => name);
}

/** How each command and each of its tests came out. */
export function results({ results }: CheckRound): string[] {
  return results.map(({ command, test, result }) => `${test ?? command.slice(0, 8)}: ${result}`);
}

/** Lets another process prepare the project and check it, and kills it at this moment. */
export async function killedWhen(
  { world, sample, commit }: Begun,
  loop: string,
  moment: () => boolean,
): Promise<void> {
  const client = await bundledProgram(new URL("./verifying-client.ts", import.meta.url));
  const repository = /([^/]+)\.git$/.exec(sample.repository.path)?.[1] ?? "";
  const child = spawn(process.execPath, [client, loop, sample.path, repository, commit], {
    env: world.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const exited = once(child, "exit");
  await until("the moment to kill it", () => moment() || child.exitCode !== null, 60_000);
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${lines.join("\n")}`);
  child.kill("SIGKILL");
  await exited;
}

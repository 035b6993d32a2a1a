import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type AgentOutcome, drivers, runAgent } from "@opentiger/agents";
import { connectDocker, HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, giveCredentials, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { z } from "zod";
import { hostAgents } from "../tests/setup/host-agents.ts";

export type BenchAgent = keyof typeof drivers;
export const benchAgents = ["claude_code", "codex", "opencode"] as const satisfies BenchAgent[];

const models: Readonly<Record<BenchAgent, string>> = {
  claude_code: "claude-sonnet-4-5",
  codex: "gpt-5.5",
  opencode: "claude-sonnet-4-5",
};

export interface AgentRunSeen {
  outcome: AgentOutcome;
  transcript: string;
  /** When each of its requests came to the model. */
  asked: readonly number[];
}

export type AgentPlace = Awaited<ReturnType<typeof makeAgentPlace>>;

/** Real agents on this machine and in sandboxes, with the same gateway before the same model. */
export async function makeAgentPlace(turns: number) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-bench-agents-")));
  const model = await startModel(turns);
  const env = {
    PATH: `${await hostAgents()}:${process.env["PATH"]}`,
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: folder,
    OPENTIGER_HOME: join(folder, "state"),
    ANTHROPIC_BASE_URL: model.url,
    OPENAI_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "bench-key-0123456789abcdef",
    OPENAI_API_KEY: "bench-key-0123456789abcdef",
  };
  const sandboxd = new Sandboxd(env);
  const host = new HostBackend(openState(env.OPENTIGER_HOME));
  const docker = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  const own = { PATH: env.PATH, HOME: folder };
  return {
    env,
    host,
    sandbox: async (agent: BenchAgent, where: "host" | "docker"): Promise<Sandbox> => {
      const workspaces = [{ path: workspace(`${agent}-${where}`, where), readOnly: false }];
      const backend = where === "host" ? host : docker;
      const sandbox = await backend.create({ agent: drivers[agent].template, workspaces });
      await giveCredentials(sandbox, "broker", env);
      return sandbox;
    },
    run: async (agent: BenchAgent, sandbox: Sandbox): Promise<AgentRunSeen> => {
      const id = randomUUID();
      const driver = drivers[agent];
      const about = { run: id, sandbox, agent: driver.template, folder: join(folder, id) };
      const gateway = await beginGatewayRun(sandboxd, about);
      const transcript = join(folder, `${id}.transcript`);
      const run = await runAgent({
        id,
        driver,
        sandbox,
        gateway,
        transcript,
        cwd: sandbox.workspaces[0]?.path ?? "",
        env: sandbox.backend === "host" ? own : {},
        task: {
          prompt: `Please take your turns, ${id}.`,
          model: models[agent],
          instructions: [],
          projectSettings: "ignored",
          permissions: { kind: "full" },
          session: { kind: "new", id },
        },
      });
      const outcome = await run.outcome;
      await gateway.end();
      if (!outcome.ok) throw new Error(`${agent}: ${outcome.failure.message}`);
      return { outcome, transcript, asked: model.asked.get(outcome.session ?? "") ?? [] };
    },
    remove: async (): Promise<void> => {
      await host.reset();
      await docker.reset();
      await sandboxd.stop();
      model.process.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };

  /** On the host of who runs the benchmark, in a sandbox of an ordinary user. */
  function workspace(name: string, where: "host" | "docker"): string {
    const path = join(folder, name);
    mkdirSync(path);
    if (where === "docker" && process.getuid?.() === 0) chownSync(path, 1000, 1000);
    return path;
  }
}

const told = z.union([z.object({ url: z.string() }), z.object({ session: z.string(), at: z.number() })]);

interface Model {
  url: string;
  /** By session, when each request came. */
  asked: Map<string, number[]>;
  process: ChildProcess;
}

async function startModel(turns: number): Promise<Model> {
  const program = fileURLToPath(new URL("scripted-model.ts", import.meta.url));
  const args = ["--import", "tsx", program, String(turns)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const asked = new Map<string, number[]>();
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the model ended with ${code}`)));
    createInterface(child.stdout).on("line", (line) => {
      const about = told.parse(JSON.parse(line));
      if ("url" in about) resolve({ url: about.url, asked, process: child });
      else asked.set(about.session, [...(asked.get(about.session) ?? []), about.at]);
    });
  });
}

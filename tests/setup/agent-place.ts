import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type AgentOutcome,
  type AgentRun,
  type AgentTask,
  drivers,
  type RunRequest,
  runAgent,
} from "@opentiger/agents";
import type { Backend, Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, type GatewayRun, type Sandboxd } from "@opentiger/sandboxd";
import type { AgentEvent, AgentName } from "@opentiger/schema";
import { agentUid, isRoot } from "./temporary-workspace.ts";

export type TestedAgent = keyof typeof drivers;
export const testedAgents = ["claude_code", "codex", "opencode"] as const satisfies TestedAgent[];

export type PlaceName = "host" | "docker";
export const placeNames = ["host", "docker"] as const satisfies PlaceName[];

const models: Readonly<Record<TestedAgent, string>> = {
  claude_code: "claude-sonnet-4-5",
  codex: "gpt-5.5",
  opencode: "claude-sonnet-4-5",
};

export interface Ran {
  run: AgentRun;
  events: AgentEvent[];
  outcome: AgentOutcome;
}

export interface StartOptions extends Partial<RunRequest> {
  /** Of the run, at the gateway. */
  budget?: Parameters<GatewayRun["setBudget"]>[0];
}

/** Somewhere a real agent runs, with a gateway in front of a scripted model. One run at a time. */
export interface AgentPlace {
  agent: TestedAgent;
  name: PlaceName;
  backend: Backend;
  sandbox: Sandbox;
  workspace: string;
  /** Of the instance, outside the sandbox: where conversations are kept by a run that is asked to. */
  sessions: string;
  /** What a run finds in its environment: on the host a HOME of its own. */
  env: Readonly<Record<string, string>>;
  /** A repository in the workspace, with these files in its one commit. Its path. */
  project(name: string, files?: Files | ((root: string) => Files)): string;
  /** What runAgent is asked for, and the gateway's side of it. */
  request(
    cwd: string,
    task: Partial<AgentTask>,
    more?: StartOptions,
  ): Promise<RunRequest & { gateway: GatewayRun }>;
  start(cwd: string, task: Partial<AgentTask>, more?: StartOptions): Promise<AgentRun>;
  run(cwd: string, task: Partial<AgentTask>, more?: StartOptions): Promise<Ran>;
}

export type Files = Readonly<Record<string, string>>;

interface Parts extends Pick<AgentPlace, "agent" | "name" | "backend" | "sandbox" | "workspace" | "env"> {
  /** The instance's state folder. */
  home: string;
  sandboxd: Sandboxd;
}

/** By which image and credentials know an agent. */
export function templateOf(agent: TestedAgent): AgentName {
  return drivers[agent].template;
}

export function newPlace({ home, sandboxd, ...parts }: Parts): AgentPlace {
  const { agent, name, sandbox, workspace, env } = parts;
  const place: AgentPlace = {
    ...parts,
    sessions: join(home, "kept-sessions"),
    project: (folder, files = {}) => {
      const root = join(workspace, folder);
      return newProject(root, typeof files === "function" ? files(root) : files, name);
    },
    request: async (cwd, task, { budget, ...more } = {}) => {
      const id = more.id ?? randomUUID();
      const folder = join(home, "runs", id);
      const about = { run: id, sandbox, agent: templateOf(agent), folder };
      const gateway = await beginGatewayRun(sandboxd, about);
      if (budget) await gateway.setBudget(budget);
      return {
        id,
        driver: drivers[agent],
        sandbox,
        cwd,
        env,
        transcript: join(home, `${id}.transcript`),
        ...more,
        gateway,
        task: { ...defaultTask(agent), ...task },
      };
    },
    start: async (cwd, task, more) => {
      const request = await place.request(cwd, task, more);
      const run = await runAgent(request);
      void run.outcome.finally(() => request.gateway.end()).catch(() => {});
      return run;
    },
    run: async (cwd, task, more) => {
      const run = await place.start(cwd, task, more);
      const events: AgentEvent[] = [];
      for await (const event of run.events) events.push(event);
      return { run, events, outcome: await run.outcome };
    },
  };
  return place;
}

function defaultTask(agent: TestedAgent): AgentTask {
  return {
    prompt: "",
    model: models[agent],
    instructions: [],
    projectSettings: "ignored",
    permissions: { kind: "full" },
    session: { kind: "new", id: randomUUID() },
  };
}

/** A repository with one commit. On the host it belongs to who runs the tests, in a container to the agent. */
export function newProject(root: string, files: Files, where: PlaceName): string {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const git = (...words: string[]) => execFileSync("git", ["-C", root, ...words], { stdio: "pipe" });
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.test"];
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all", "--force");
  git(...author, "commit", "--quiet", "--allow-empty", "--message=base");
  if (isRoot && where === "docker") execFileSync("chown", ["-R", `${agentUid}:${agentUid}`, root]);
  return root;
}

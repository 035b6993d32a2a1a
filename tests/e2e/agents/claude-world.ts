import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type AgentOutcome,
  type AgentRun,
  type AgentTask,
  drivers,
  type RunRequest,
  runAgent,
} from "@opentiger/agents";
import { connectDocker, HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, giveCredentials, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import type { AgentEvent } from "@opentiger/schema";
import { openVault } from "@opentiger/secrets";
import { atEnd } from "../../setup/at-end.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { newSandbox } from "../../setup/sandbox.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../../setup/temporary-workspace.ts";

export type Credential = { ANTHROPIC_API_KEY: string } | { claude_setup_token: string };

export interface Ran {
  run: AgentRun;
  events: AgentEvent[];
  outcome: AgentOutcome;
}

/** Somewhere the real Claude Code runs, with a gateway in front of a scripted model. */
export interface ClaudePlace {
  name: "host" | "docker";
  sandbox: Sandbox;
  /** Of the instance; on the host also the agent's. */
  home: string;
  env: Readonly<Record<string, string>>;
  /** A project of its own in the workspace, with these files; its path. */
  project(name: string, files?: Readonly<Record<string, string>>): string;
  start(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<AgentRun>;
  run(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<Ran>;
}

/** An instance of openTiger whose model is at this URL. */
export async function claudePlaces(
  url: string,
  credential: Credential,
): Promise<Record<ClaudePlace["name"], ClaudePlace>> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: `${await hostAgents()}:${process.env["PATH"]}`,
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: home,
    OPENTIGER_HOME: home,
    ANTHROPIC_BASE_URL: url,
    ...("ANTHROPIC_API_KEY" in credential ? credential : {}),
  };
  if ("claude_setup_token" in credential) {
    const vault = openVault({ stateFolder: home, env, program: "test" });
    await vault.add("claude_setup_token", Buffer.from(credential.claude_setup_token));
  }
  const sandboxd = new Sandboxd(env);
  atEnd(() => sandboxd.stop());
  const [host, docker] = await Promise.all([onHost(home, env, sandboxd), inDocker(home, env, sandboxd)]);
  return { host, docker };
}

async function onHost(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<ClaudePlace> {
  const backend = new HostBackend(openState(home));
  atEnd(() => backend.reset());
  const workspace = temporaryFolder("opentiger-ws-");
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name: "claude-host", agent: "claude", workspaces });
  atEnd(() => sandbox.close());
  const own = { PATH: env["PATH"] ?? "", HOME: home };
  return place({ name: "host", sandbox, home, workspace, sandboxd, env: own });
}

async function inDocker(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<ClaudePlace> {
  const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  atEnd(() => backend.reset());
  const workspace = temporaryWorkspace();
  const sandbox = await newSandbox({ backend }, workspace, { agent: "claude" });
  await giveCredentials(sandbox, "broker", env);
  return place({ name: "docker", sandbox, home, workspace, sandboxd, env: {} });
}

interface Parts extends Pick<ClaudePlace, "name" | "sandbox" | "home" | "env"> {
  workspace: string;
  sandboxd: Sandboxd;
}

function place({ name, sandbox, home, workspace, sandboxd, env }: Parts): ClaudePlace {
  const start: ClaudePlace["start"] = async (cwd, task, more = {}) => {
    const id = randomUUID();
    const gateway = await beginGatewayRun(sandboxd, { run: id, sandbox, agent: "claude" });
    const run = await runAgent({
      id,
      driver: drivers.claude_code,
      sandbox,
      cwd,
      env,
      gateway,
      transcript: join(home, `${id}.transcript`),
      sessions: join(home, "kept-sessions"),
      ...more,
      task: {
        prompt: "",
        model: "claude-sonnet-4-5",
        instructions: [],
        projectSettings: "ignored",
        permissions: { kind: "full" },
        session: { kind: "new", id: randomUUID() },
        ...task,
      },
    });
    void run.outcome.finally(() => gateway.end()).catch(() => {});
    return run;
  };
  return {
    name,
    sandbox,
    home,
    env,
    project: (folder, files = {}) => {
      const root = join(workspace, folder);
      for (const [path, content] of Object.entries({ ".git/HEAD": "ref: refs/heads/main\n", ...files })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      if (name === "docker") giveAway(root);
      return root;
    },
    start,
    run: async (cwd, task, more) => {
      const run = await start(cwd, task, more);
      const events: AgentEvent[] = [];
      for await (const event of run.events) events.push(event);
      return { run, events, outcome: await run.outcome };
    },
  };
}

function giveAway(root: string): void {
  if (!isRoot) return;
  chownSync(root, agentUid, agentUid);
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" }))
    chownSync(join(root, path), agentUid, agentUid);
}

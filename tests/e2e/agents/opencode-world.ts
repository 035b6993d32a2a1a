import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type AgentOutcome,
  type AgentRun,
  type AgentTask,
  type RunRequest,
  runAgent,
} from "@opentiger/agents";
import { connectDocker, HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, giveCredentials, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import type { AgentEvent } from "@opentiger/schema";
import { opencode } from "../../../packages/agents/src/opencode/index.ts";
import { atEnd } from "../../setup/at-end.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { newSandbox } from "../../setup/sandbox.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../../setup/temporary-workspace.ts";

export interface Ran {
  run: AgentRun;
  events: AgentEvent[];
  outcome: AgentOutcome;
}

/** Somewhere the real OpenCode runs, with a gateway in front of a scripted model. */
export interface OpenCodePlace {
  sandbox: Sandbox;
  /** HOME of what runs there, on this machine; undefined for a home inside a container. */
  agentHome: string | undefined;
  /** A repository of its own in the workspace, with these files committed; its path. */
  project(name: string, files: Readonly<Record<string, string>>): string;
  start(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<AgentRun>;
  run(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<Ran>;
}

/** An instance of openTiger whose models are at this URL, with a place of each kind. */
export async function openCodePlaces(
  url: string,
  key: string,
): Promise<Record<"host" | "docker", OpenCodePlace>> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: `${await hostAgents()}:${process.env["PATH"]}`,
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: home,
    OPENTIGER_HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
  };
  const sandboxd = new Sandboxd(env);
  atEnd(() => sandboxd.stop());
  return { host: await onHost(home, env, sandboxd), docker: await inDocker(home, env, sandboxd) };
}

async function onHost(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<OpenCodePlace> {
  const backend = new HostBackend(openState(home));
  atEnd(() => backend.reset());
  const workspace = temporaryFolder("opentiger-ws-");
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name: "opencode-host", agent: "opencode", workspaces });
  atEnd(() => sandbox.close());
  const agentHome = join(home, "user");
  mkdirSync(agentHome);
  const own = { PATH: env["PATH"] ?? "", HOME: agentHome };
  return place({ sandbox, agentHome, home, workspace, sandboxd, env: own });
}

async function inDocker(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<OpenCodePlace> {
  const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  atEnd(() => backend.reset());
  const workspace = temporaryWorkspace();
  const sandbox = await newSandbox({ backend }, workspace, { agent: "opencode" });
  await giveCredentials(sandbox, "broker", env);
  return place({ sandbox, agentHome: undefined, home, workspace, sandboxd, env: {} });
}

interface Parts extends Pick<OpenCodePlace, "sandbox" | "agentHome"> {
  home: string;
  workspace: string;
  sandboxd: Sandboxd;
  env: Record<string, string>;
}

function place({ sandbox, agentHome, home, workspace, sandboxd, env }: Parts): OpenCodePlace {
  const start: OpenCodePlace["start"] = async (cwd, task, more = {}) => {
    const id = randomUUID();
    const gateway = await beginGatewayRun(sandboxd, { run: id, sandbox, agent: "opencode" });
    const run = await runAgent({
      id,
      driver: opencode,
      sandbox,
      cwd,
      env,
      gateway,
      transcript: join(home, `${id}.transcript`),
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
    sandbox,
    agentHome,
    project: (name, files) => repository(join(workspace, name), files),
    start,
    run: async (cwd, task, more) => {
      const run = await start(cwd, task, more);
      const events: AgentEvent[] = [];
      for await (const event of run.events) events.push(event);
      return { run, events, outcome: await run.outcome };
    },
  };

  /** On the host it belongs to who runs the tests, in a container to the agent. */
  function repository(root: string, files: Readonly<Record<string, string>>): string {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const git = (...words: string[]) => execFileSync("git", ["-C", root, ...words], { stdio: "ignore" });
    git("init", "--quiet");
    git("add", "--all");
    git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message=base");
    if (isRoot && agentHome === undefined) execFileSync("chown", ["-R", `${agentUid}:${agentUid}`, root]);
    return root;
  }
}

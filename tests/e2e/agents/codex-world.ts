import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
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
import { openVault } from "@opentiger/secrets";
import { codex } from "../../../packages/agents/src/codex/index.ts";
import { atEnd } from "../../setup/at-end.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { newSandbox } from "../../setup/sandbox.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../../setup/temporary-workspace.ts";

export type Credential = { OPENAI_API_KEY: string } | { codex_auth_json: string };

export interface Ran {
  run: AgentRun;
  events: AgentEvent[];
  outcome: AgentOutcome;
}

/** Somewhere the real Codex runs, with a gateway in front of a scripted model. */
export interface CodexPlace {
  name: "host" | "docker";
  sandbox: Sandbox;
  /** Of the instance; what is kept of conversations is below it. */
  home: string;
  /** A project of its own in the workspace, with these files; its path. */
  project(name: string, files?: (root: string) => Readonly<Record<string, string>>): string;
  start(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<AgentRun>;
  run(cwd: string, task: Partial<AgentTask>, more?: Partial<RunRequest>): Promise<Ran>;
}

/** An instance of openTiger whose models are all at this URL. */
export async function codexPlaces(url: string, credential: Credential): Promise<CodexPlace[]> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: `${await hostAgents()}:${process.env["PATH"]}`,
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: home,
    OPENTIGER_HOME: home,
    OPENAI_BASE_URL: url,
    OPENTIGER_CHATGPT_URL: url,
    ...("OPENAI_API_KEY" in credential ? credential : {}),
  };
  if ("codex_auth_json" in credential) {
    const vault = openVault({ stateFolder: home, env, program: "test" });
    await vault.add("codex_auth_json", Buffer.from(credential.codex_auth_json));
  }
  const sandboxd = new Sandboxd(env);
  atEnd(() => sandboxd.stop());
  return [await onHost(home, env, sandboxd), await inDocker(home, env, sandboxd)];
}

async function onHost(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<CodexPlace> {
  const backend = new HostBackend(openState(home));
  atEnd(() => backend.reset());
  // Its owner is who runs Codex: in the namespaces of Codex's own sandbox root has no power over other's files.
  const workspace = temporaryFolder("opentiger-ws-");
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name: "codex-host", agent: "codex", workspaces });
  atEnd(() => sandbox.close());
  const own = { PATH: env["PATH"] ?? "", HOME: home };
  return place({ name: "host", sandbox, home, workspace, sandboxd, env: own });
}

async function inDocker(home: string, env: NodeJS.ProcessEnv, sandboxd: Sandboxd): Promise<CodexPlace> {
  const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  atEnd(() => backend.reset());
  const workspace = temporaryWorkspace();
  const sandbox = await newSandbox({ backend }, workspace, { agent: "codex" });
  await giveCredentials(sandbox, "broker", env);
  return place({ name: "docker", sandbox, home, workspace, sandboxd, env: {} });
}

interface Parts extends Pick<CodexPlace, "name" | "sandbox" | "home"> {
  workspace: string;
  sandboxd: Sandboxd;
  env: Record<string, string>;
}

function place({ name, sandbox, home, workspace, sandboxd, env }: Parts): CodexPlace {
  const start: CodexPlace["start"] = async (cwd, task, more = {}) => {
    const id = randomUUID();
    const gateway = await beginGatewayRun(sandboxd, { run: id, sandbox, agent: "codex" });
    const run = await runAgent({
      id,
      driver: codex,
      sandbox,
      cwd,
      env,
      gateway,
      transcript: join(home, `${id}.transcript`),
      sessions: join(home, "kept-sessions"),
      ...more,
      task: {
        prompt: "",
        model: "gpt-5.5",
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
    project: (folder, filesIn = () => ({})) => {
      const root = join(workspace, folder);
      const files = filesIn(root);
      mkdirSync(root);
      for (const [path, content] of Object.entries({ ".git/HEAD": "ref: refs/heads/main\n", ...files })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      if (name === "docker") giveAway(root, Object.keys(files));
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

function giveAway(root: string, paths: readonly string[]): void {
  if (!isRoot) return;
  for (const path of ["", ".git", ".git/HEAD", ...paths.flatMap((each) => [each, dirname(each)])])
    chownSync(join(root, path), agentUid, agentUid);
}

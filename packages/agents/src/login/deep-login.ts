import { randomUUID } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backend,
  connectDocker,
  HostBackend,
  openState,
  type Sandbox,
  stateFolder,
} from "@opentiger/sandbox";
import {
  beginGatewayRun,
  type CredentialWay,
  giveCredentials,
  outwardThrough,
  Sandboxd,
  withCredentials,
} from "@opentiger/sandboxd";
import type { ExecutionEnvironment, FailureType, LoginAgent, LoginProblemCode } from "@opentiger/schema";
import type { AgentTask } from "../driver.ts";
import { drivers } from "../drivers.ts";
import type { AgentOutcome } from "../outcome/outcome.ts";
import { runAgent } from "../run/run-agent.ts";
import type { Finding, Look } from "./look.ts";
import { loginProblem } from "./problems.ts";

export interface DeepQuestion {
  agent: LoginAgent;
  environment: ExecutionEnvironment;
  way: CredentialWay;
}

/**
 * Lets the agent answer one tiny prompt, in a sandbox of its own that is gone afterwards, as it would answer any other: so
 * whatever is wrong shows. It costs a few tokens.
 */
export async function lookDeep(question: DeepQuestion, look: Look, cheap: Finding): Promise<Finding> {
  look.waiting = "agent";
  const folder = workFolder();
  try {
    const backend = await backendFor(question.environment, look);
    const name = `login-check-${randomUUID().slice(0, 8)}`;
    const workspaces = [{ path: folder.workspace, readOnly: false }];
    const sandbox = await backend.create({ name, agent: question.agent, workspaces, signal: look.signal });
    try {
      return judged(await ask(question, look, sandbox, folder), cheap, look);
    } finally {
      await sandbox.close();
      await backend.remove(name, { force: true });
    }
  } finally {
    rmSync(folder.path, { recursive: true, force: true });
  }
}

const kinds = { claude: "claude_code", codex: "codex", opencode: "opencode" } as const;

const prompt = "This is a test of the connection. Answer with the one word: ok";

async function ask(
  { agent, way }: DeepQuestion,
  { env, signal }: Look,
  sandbox: Sandbox,
  { path, workspace }: WorkFolder,
): Promise<AgentOutcome> {
  const id = randomUUID();
  const sandboxd = new Sandboxd(env);
  await giveCredentials(sandbox, way, env);
  const given = sandbox.backend === "host" ? variables(env) : await withCredentials(sandbox, {}, env);
  const gateway = await beginGatewayRun(sandboxd, {
    run: id,
    sandbox,
    agent,
    way,
    folder: join(path, "agent"),
  });
  try {
    const task: AgentTask = {
      prompt,
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "read" },
      maxTurns: 1,
      session: { kind: "new", id: randomUUID() },
    };
    const driver = drivers[kinds[agent]];
    const transcript = join(path, "transcript");
    const run = await runAgent({
      id,
      driver,
      task,
      sandbox,
      env: given,
      gateway,
      transcript,
      signal,
      cwd: workspace,
    });
    return await run.outcome;
  } finally {
    await gateway.end();
  }
}

/** What kind of failure says what about the login. Others say nothing. */
const meanings: Partial<
  Record<FailureType, { authenticated: boolean | null; code: LoginProblemCode | null }>
> = {
  auth: { authenticated: false, code: "auth_rejected" },
  // Who is told that a quota is used up is known there.
  quota: { authenticated: true, code: null },
  network: { authenticated: null, code: "network" },
  overloaded: { authenticated: null, code: "network" },
  timeout: { authenticated: null, code: "timeout" },
  idle: { authenticated: null, code: "timeout" },
};

function judged(outcome: AgentOutcome, { method }: Finding, look: Look): Finding {
  if (outcome.ok) return look.found({ authenticated: true, method });
  const { type, message, remedy } = outcome.failure;
  const { authenticated, code } = meanings[type] ?? { authenticated: null, code: "unknown" };
  return look.found({
    authenticated,
    method,
    problem: code === null ? null : loginProblem(code, message, remedy),
  });
}

interface WorkFolder {
  path: string;
  workspace: string;
}

/** root's own folder would make the agent root inside. */
const agentUid = 1000;

function workFolder(): WorkFolder {
  const path = mkdtempSync(join(tmpdir(), "opentiger-login-"));
  const workspace = join(path, "workspace");
  mkdirSync(workspace);
  if (process.getuid?.() === 0) chownSync(workspace, agentUid, agentUid);
  return { path, workspace };
}

async function backendFor(environment: ExecutionEnvironment, { env }: Look): Promise<Backend> {
  if (environment === "host") return new HostBackend(openState(stateFolder(env)));
  return connectDocker({ env, outward: outwardThrough(new Sandboxd(env), env, undefined), warn: () => {} });
}

function variables(env: NodeJS.ProcessEnv): Record<string, string> {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}

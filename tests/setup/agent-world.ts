import { connectDocker, HostBackend, openState } from "@opentiger/sandbox";
import { giveCredentials, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { openVault } from "@opentiger/secrets";
import { type AgentPlace, newPlace, type PlaceName, type TestedAgent, templateOf } from "./agent-place.ts";
import { atEnd } from "./at-end.ts";
import { hostAgents } from "./host-agents.ts";
import { knowImages } from "./known-images.ts";
import { newSandbox } from "./sandbox.ts";
import { temporaryFolder, temporaryWorkspace } from "./temporary-workspace.ts";

/** Keys that only the scripted model takes; the gateway alone has them. */
export const apiKeys = {
  ANTHROPIC_API_KEY: "sk-ant-api03-canary-agents-0123456789",
  OPENAI_API_KEY: "sk-canary-agents-0123456789",
};

export interface Credentials {
  keys?: Partial<typeof apiKeys>;
  /** By their names in the vault. */
  logins?: { claude_setup_token?: string; codex_auth_json?: string };
}

/** An openTiger of its own, whose models are all at one URL. At the end of the test file nothing of it is left. */
export interface AgentWorld {
  /** The state folder. */
  home: string;
  /** Of sandboxd: what the gateway is to put in, and where the models are. */
  env: NodeJS.ProcessEnv;
  sandboxd: Sandboxd;
  /** A new sandbox for this agent, of this backend, with a workspace of its own where none is given. */
  place(agent: TestedAgent, where: PlaceName, workspace?: string): Promise<AgentPlace>;
}

export async function agentWorld(
  url: string,
  { keys = apiKeys, logins = {} }: Credentials = {},
): Promise<AgentWorld> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: `${await hostAgents()}:${process.env["PATH"]}`,
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: home,
    OPENTIGER_HOME: home,
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: url,
    OPENTIGER_CHATGPT_URL: url,
    ...keys,
  };
  const vault = openVault({ stateFolder: home, env, program: "test" });
  for (const [name, value] of Object.entries(logins)) await vault.add(name, Buffer.from(value));
  await knowImages(home);
  const sandboxd = new Sandboxd(env);
  const host = new HostBackend(openState(home));
  const docker = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  atEnd(async () => {
    await host.reset();
    await docker.reset();
    await sandboxd.stop();
  });
  return {
    home,
    env,
    sandboxd,
    place: (agent, where, workspace) =>
      where === "host" ? onHost(agent, workspace) : inDocker(agent, workspace),
  };

  // Its owner is who runs the agent: Codex's own sandbox has no power over the files of others.
  async function onHost(
    agent: TestedAgent,
    workspace = temporaryFolder("opentiger-ws-"),
  ): Promise<AgentPlace> {
    const workspaces = [{ path: workspace, readOnly: false }];
    const sandbox = await host.create({ agent: templateOf(agent), workspaces });
    atEnd(() => sandbox.close());
    const own = { PATH: env["PATH"] ?? "", HOME: temporaryFolder("home-") };
    return newPlace({ agent, name: "host", backend: host, sandbox, home, workspace, sandboxd, env: own });
  }

  async function inDocker(agent: TestedAgent, workspace = temporaryWorkspace()): Promise<AgentPlace> {
    const sandbox = await newSandbox({ backend: docker }, workspace, { agent: templateOf(agent) });
    await giveCredentials(sandbox, "broker", env);
    return newPlace({ agent, name: "docker", backend: docker, sandbox, home, workspace, sandboxd, env: {} });
  }
}

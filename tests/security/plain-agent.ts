import { join } from "node:path";
import { type Files, newProject, type TestedAgent } from "../setup/agent-place.ts";
import { apiKeys } from "../setup/agent-world.ts";
import { docker } from "../setup/docker.ts";
import { loopbackContainer } from "../setup/loopback-container.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

export interface PlainRun {
  agent: TestedAgent;
  prompt: string;
  files: (root: string) => Files;
  /** Where the model is. */
  model: string;
  /** What else it can reach. */
  reaches: readonly string[];
}

/**
 * Starts an agent as people do, with their key in its environment, in a container with everything allowed, on a
 * repository with these files. It goes on until it is ended.
 */
export async function startPlainly({
  agent,
  prompt,
  files,
  model,
  reaches,
}: PlainRun): Promise<{ root: string; end: () => Promise<unknown> }> {
  const workspace = temporaryWorkspace();
  const root = join(workspace, "project");
  newProject(root, files(root), "docker");
  const container = await loopbackContainer(workspace, [model, ...reaches]);
  const given = { ...apiKeys, HOME: "/tmp/home", ANTHROPIC_BASE_URL: anthropicUrl(agent, model), ...quiet };
  const env = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const command = ["sh", "-c", 'mkdir -p "$HOME/.codex"; cd "$1"; shift; exec "$@" < /dev/null', "sh", root];
  await docker(
    "exec",
    "--detach",
    container.name,
    "env",
    ...env,
    ...command,
    ...commands[agent](prompt, model),
  );
  return { root, end: () => docker("kill", container.name) };
}

/** Each has its own mind about what a base URL is. */
function anthropicUrl(agent: TestedAgent, model: string): string {
  return agent === "opencode" ? `${model}/v1` : model;
}

/** It has no network to ask anything else of, and shall not wait for one. */
const quiet = {
  npm_config_registry: "http://127.0.0.1:9",
  npm_config_fetch_retries: "0",
  IS_SANDBOX: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
};

const commands: Readonly<Record<TestedAgent, (prompt: string, model: string) => string[]>> = {
  claude_code: (prompt) => ["claude", "-p", prompt, "--dangerously-skip-permissions"],
  codex: (prompt, model) => {
    const provider = `{name="own",base_url="${model}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`;
    const own = ["-c", "model_provider=own", "-c", `model_providers.own=${provider}`];
    return ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", ...own, prompt];
  },
  opencode: (prompt) => ["opencode", "run", "--model=anthropic/claude-sonnet-4-5", prompt],
};

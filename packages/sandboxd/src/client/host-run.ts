import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoopHostRun } from "@opentiger/sandbox";
import { z } from "zod";
import { hostRun } from "../api.ts";
import type { Sandboxd } from "./client.ts";

export interface BegunHostRun {
  /** false: this machine has no credential for the agent, which is as it would be without us. */
  given: boolean;
  env: Record<string, string>;
  end(): Promise<void>;
}

/**
 * Lets an agent on the host go through the gateway, with a token that is good for this run only: its cost and failures
 * are then known as those of sandboxes are. Its files are put into a folder of the run's; the user's own stay as they are.
 * The run is over when `pid` is.
 */
export async function beginHostRun(
  sandboxd: Sandboxd,
  { run, name, loop, tool, folder }: Omit<LoopHostRun, "tool"> & { tool: string },
  pid = process.pid,
): Promise<BegunHostRun> {
  const body = { run, name, loop, agent: tool, pid };
  const { env, files, given } = await sandboxd.ask({ method: "POST", path: "/host-runs", body }, hostRun);
  if (!given) return { given, env: {}, end: async () => {} };
  for (const { path, content, mode } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), content, { mode });
    chmodSync(join(folder, path), mode);
  }
  return {
    given,
    env: { ...silenced(tool), ...env, ...places(files, folder), ...directly(process.env) },
    end: async () => void (await sandboxd.ask({ method: "DELETE", path: `/host-runs/${run}` }, z.unknown())),
  };
}

/** Keys and tokens of the user's own would go before ours, and the gateway knows its callers by ours. */
const ownVariables: Readonly<Record<string, readonly string[]>> = {
  claude: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  codex: ["OPENAI_API_KEY", "CODEX_API_KEY"],
};

function silenced(tool: string): Record<string, string> {
  return Object.fromEntries((ownVariables[tool] ?? []).map((name) => [name, ""]));
}

/** A proxy of the user's is not for the gateway, which is on this machine. */
function directly({ NO_PROXY, no_proxy }: NodeJS.ProcessEnv): Record<string, string> {
  const list = [NO_PROXY || no_proxy, "127.0.0.1"].filter(Boolean).join(",");
  return { NO_PROXY: list, no_proxy: list };
}

/** By which variable an agent looks for its files elsewhere than in HOME. */
function places(files: readonly { path: string }[], folder: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { path } of files) {
    if (path === ".codex/auth.json") variables["CODEX_HOME"] = join(folder, ".codex");
    if (path === ".config/opencode/opencode.json") variables["OPENCODE_CONFIG"] = join(folder, path);
  }
  return variables;
}

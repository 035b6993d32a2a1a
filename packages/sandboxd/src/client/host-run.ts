import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoopHostRun } from "@opentiger/sandbox";
import { z } from "zod";
import { hostRun } from "../api.ts";
import type { Sandboxd } from "./client.ts";

/**
 * Lets an agent on the host go through the gateway, with a token that is good for this run only: its cost and failures
 * are then known as those of sandboxes are. Its files are put into a folder of the run's; the user's own stay as they are.
 */
export async function beginHostRun(
  sandboxd: Sandboxd,
  { run, name, loop, tool, folder }: LoopHostRun,
): Promise<{ env: Record<string, string>; end(): Promise<void> }> {
  const body = { run, name, loop, agent: tool, pid: process.pid };
  const { env, files, given } = await sandboxd.ask({ method: "POST", path: "/host-runs", body }, hostRun);
  if (!given) return { env: {}, end: async () => {} };
  for (const { path, content, mode } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), content, { mode });
    chmodSync(join(folder, path), mode);
  }
  return {
    env: { ...env, ...places(files, folder), ...directly(process.env) },
    end: async () => void (await sandboxd.ask({ method: "DELETE", path: `/host-runs/${run}` }, z.unknown())),
  };
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

import { posix } from "node:path";
import type { BackendName } from "@opentiger/schema";
import type { AgentTask, LaunchPlace } from "../driver.ts";
import { isLed } from "./environment.ts";

/**
 * Whose settings take effect: hooks, MCP servers, variables, permissions. On a host the user's own are theirs to keep;
 * in a sandbox those in HOME are a mounted folder's or an earlier run's, and count no more than the repository's.
 * Without the repository's settings Claude Code does not read its CLAUDE.md either.
 */
export function settingArguments(project: AgentTask["projectSettings"], backend: BackendName): string[] {
  if (project === "allowed") return ["--setting-sources=user,project,local"];
  return [`--setting-sources=${backend === "host" ? "user" : ""}`, "--strict-mcp-config"];
}

/** What goes before all other settings; undefined where there is nothing. */
export function ownSettings(
  { projectSettings, instructions }: AgentTask,
  place: LaunchPlace,
): Record<string, unknown> | undefined {
  const settings = {
    // A program that prints a key would be asked for one, and that sent in place of the gateway's.
    ...(isLed(place) ? { apiKeyHelper: "" } : {}),
    // We tell these ourselves, as they are in the base commit, and with them what they name.
    ...(projectSettings === "allowed" && instructions.length > 0
      ? { claudeMdExcludes: [`${pattern(posix.join(place.cwd, "/"))}**/CLAUDE.md`] }
      : {}),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

/** A path as a pattern. It knows no way to write a sign that means itself, so any sign may stand there. */
function pattern(path: string): string {
  return path.replaceAll(/[^\p{L}\p{N}/._ -]/gu, "?");
}

import { posix } from "node:path";
import type { AgentTask, LaunchPlace } from "../driver.ts";

/** Each of these is tried with pauses that grow from a fifth of a second; 16 requests in all are some ten seconds. */
const requestRetries = 3;
const streamRetries = 3;

/** As long as a model may be silent in the middle of an answer. With the retries it is twelve minutes. */
const silenceMs = 180_000;

/**
 * What Codex is to do otherwise than by itself, as arguments. They go before every file: the user's own, where the
 * gateway is named, keeps the rest.
 */
export function settings(project: AgentTask["projectSettings"], { cwd }: LaunchPlace): string[] {
  const overrides: Record<string, string | number | boolean> = {
    ...provider,
    ...quiet,
    // We tell AGENTS.md ourselves, as it is in the base commit and whatever its size: Codex shall not do it again.
    project_doc_max_bytes: 0,
    projects: `{${JSON.stringify(posix.resolve(cwd))}={trust_level="${trust[project]}"}}`,
    ...(project === "ignored" ? own : {}),
  };
  const given = Object.entries(overrides).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // Otherwise it runs only those hooks that somebody has looked at in a terminal.
  return project === "allowed" ? ["--dangerously-bypass-hook-trust", ...given] : given;
}

/** Of a folder that is not trusted, Codex reads neither `.codex` nor AGENTS.md. One it does not know it comes to trust. */
const trust = { ignored: "untrusted", allowed: "trusted" } as const;

/** The provider by which sandboxd leads it to the gateway; where that is not used, these are without effect. */
const provider = {
  "model_providers.opentiger.name": '"openTiger"',
  "model_providers.opentiger.request_max_retries": requestRetries,
  "model_providers.opentiger.stream_max_retries": streamRetries,
  "model_providers.opentiger.stream_idle_timeout_ms": silenceMs,
  // It would wait for a network for ever.
  "features.unbounded_connection_retries": false,
};

/** What it would ask of ChatGPT beside the model: none of it is for a run without a user. */
const quiet = {
  "features.apps": false,
  "features.plugins": false,
  "analytics.enabled": false,
  check_for_update_on_startup: false,
};

/** A folder's skills are offered although it is not trusted. Hooks are off altogether: none shall hang on that trust. */
const own = {
  "features.hooks": false,
  "features.skill_mcp_dependency_install": false,
  "skills.include_instructions": false,
};

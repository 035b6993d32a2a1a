import { z } from "zod";
import { executionEnvironments } from "./config.ts";

/** The agents whose logins are known to us, as their templates are called. */
export const loginAgents = ["claude", "codex", "opencode"] as const;
export const loginAgent = z.enum(loginAgents);
export type LoginAgent = z.infer<typeof loginAgent>;

/** Why an agent cannot be used, or is not known to be logged in. What each means stands in docs/logins.md. */
export const loginProblemCodes = [
  "docker_unavailable",
  "docker_permission",
  "docker_timeout",
  "image_missing",
  "cli_missing",
  "auth_required",
  "auth_expired",
  "auth_rejected",
  "credentials_unreadable",
  "timeout",
  "network",
  "unverified",
  "unknown",
] as const;
export const loginProblemCode = z.enum(loginProblemCodes);
export type LoginProblemCode = z.infer<typeof loginProblemCode>;

export const loginProblem = z.object({ code: loginProblemCode, message: z.string(), remedy: z.string() });
export type LoginProblem = z.infer<typeof loginProblem>;

/** Whether an agent could be started, and whether its model would answer it. */
export const loginStatus = z.object({
  agent: loginAgent,
  executionEnvironment: z.enum(executionEnvironments),
  /** Its CLI is there and starts; in a sandbox: the engine, the image, and the CLI in it. */
  available: z.boolean(),
  /** true only with proof: its API answered this very credential. null: not known. */
  authenticated: z.boolean().nullable(),
  checkedAt: z.iso.datetime(),
  /** What it logs in with, as `claude_setup_token`; null where that is not known. */
  method: z.string().nullable(),
  /** Of the CLI, in its own words. */
  version: z.string().nullable(),
  problem: loginProblem.nullable(),
});
export type LoginStatus = z.infer<typeof loginStatus>;

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultHome } from "@opentiger/sandbox";
import { z } from "zod";
import type { LoginCandidate } from "../../gateway/logins/proof.ts";

const entries = z.record(z.string(), z.unknown());

/** Of other kinds OpenCode knows more than we do. */
const apiKey = z.object({ type: z.literal("api"), key: z.string().min(1) });

const kinds = { anthropic: "anthropic_api_key", openai: "openai_api_key" } as const;

/** The APIs for which `opencode auth login` was given something, of whatever kind. */
export function opencodeLogins(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(readEntries(opencodeLoginFile(env)));
}

/** Keys that OpenCode has for itself, by API. None where the file is not there or is no such file. */
export function opencodeKeys(env: NodeJS.ProcessEnv): Record<keyof typeof kinds, LoginCandidate[]> {
  const path = opencodeLoginFile(env);
  const keys = readKeys(path);
  const of = (api: keyof typeof kinds): LoginCandidate[] => {
    const value = keys[api];
    return value === undefined ? [] : [{ from: "value", kind: kinds[api], origin: path, value }];
  };
  return { anthropic: of("anthropic"), openai: of("openai") };
}

/** Where OpenCode keeps what it logs in with. */
export function opencodeLoginFile(env: NodeJS.ProcessEnv): string {
  return join(env["XDG_DATA_HOME"] || join(defaultHome(env), ".local", "share"), "opencode", "auth.json");
}

function readKeys(path: string): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const [api, entry] of Object.entries(readEntries(path))) {
    const read = apiKey.safeParse(entry);
    if (read.success) keys[api] = read.data.key;
  }
  return keys;
}

/** What is in the file, by the name that OpenCode has for the API; empty where there is none. */
function readEntries(path: string): Record<string, unknown> {
  try {
    return entries.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BackendName, looksSecret } from "@opentiger/schema";
import { usedSecrets } from "./inject.ts";
import { inVault, leasedValue } from "./leased.ts";
import { loginFiles } from "./mount.ts";
import { opencodeLoginFile } from "./opencode-keys.ts";
import type { CredentialWay } from "./way.ts";

export interface HandedOut {
  agent: string;
  /** Of the sandbox. */
  name: string;
  backend: BackendName;
  way: CredentialWay;
  env: NodeJS.ProcessEnv;
}

/**
 * The secrets that an agent can read where it works, beside those in its environment: what was put in from the vault,
 * and the logins in folders that are mounted or, on the host, the user's own. With them, what comes from there can be
 * cleaned. Through the gateway nothing is handed out.
 */
export async function handedOut(about: HandedOut): Promise<string[]> {
  const { backend, way, env } = about;
  if (backend === "host") return [...userLogins(env), ...hostFiles(env).flatMap(inFile)];
  if (way === "mount") return userLogins(env);
  return way === "inject" ? fromVault(about) : [];
}

function userLogins(env: NodeJS.ProcessEnv): string[] {
  return ["claude", "codex"].flatMap((agent) => loginFiles(agent, env)).flatMap(inFile);
}

/** What is never mounted, and stands open to an agent on the host. */
function hostFiles(env: NodeJS.ProcessEnv): string[] {
  const { CODEX_HOME } = env;
  return [opencodeLoginFile(env), ...(CODEX_HOME ? [join(CODEX_HOME, "auth.json")] : [])];
}

function fromVault({ agent, name, env }: HandedOut): Promise<string[]> {
  return inVault(env, async (vault, secrets) => {
    const names = usedSecrets(agent, secrets, new Set((await vault.list()).map((secret) => secret.name)));
    const values = await Promise.all(
      names.map((secret) => leasedValue(vault, secret, { sandbox: name, purpose: "redact" })),
    );
    return values.flatMap(({ value }) => inText(value));
  });
}

function inFile(path: string): string[] {
  try {
    return inText(readFileSync(path, "utf8"));
  } catch {
    return []; // There is none, or none that we could have given to anybody.
  }
}

/** A token as it is; of a login in JSON, what is called a secret or looks like one. */
function inText(text: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (typeof value === "string" && (loginPart.test(name) || looksSecret(name, value))) found.push(value);
      return value;
    });
  } catch {
    return [text.trim()];
  }
  return found;
}

/** As OpenCode calls the two tokens of a subscription. */
const loginPart = /^(?:access|refresh)$/;

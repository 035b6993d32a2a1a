import { SandboxError, stateFolder } from "@opentiger/sandbox";
import type { Vault } from "@opentiger/secrets";
import { Command } from "commander";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";

export interface SecretsOptions {
  json?: true;
}

export type SecretsPackage = typeof import("@opentiger/secrets");

/** A verb of `secrets`, with what all of them share. */
export function secretsVerb(name: string, surroundings: Surroundings): Command {
  return quiet(new Command(name), surroundings).option("--json", "results and errors as JSON");
}

/** How the user called us. */
export function invocationOf({ program }: Surroundings): "secrets" | "opentiger secrets" {
  return program === "secrets" ? "secrets" : "opentiger secrets";
}

/** Lines of the help that can be pasted. */
export function secretsExamples(surroundings: Surroundings, ...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${asCalled(`secrets ${line}`, surroundings)}`).join("\n")}`;
}

/**
 * Works on this user's vault. The package is loaded only now: its cryptography is nothing for the start of every
 * other command.
 */
export async function inVault<T>(
  surroundings: Surroundings,
  act: (vault: Vault, secrets: SecretsPackage) => Promise<T>,
): Promise<T> {
  const secrets = await import("@opentiger/secrets");
  const { env, now } = surroundings;
  try {
    const options = { stateFolder: stateFolder(env), env, program: invocationOf(surroundings), now };
    return await act(secrets.openVault(options), secrets);
  } catch (error) {
    if (!(error instanceof secrets.VaultError)) throw error;
    const { code, message, remedy } = error;
    throw new SandboxError(code, message, {
      ...(remedy === undefined ? {} : { remedy: asCalled(remedy, surroundings) }),
      cause: error,
    });
  }
}

/** Commands in a text, as this user would type them. */
export function asCalled(text: string, surroundings: Surroundings): string {
  return text.replaceAll(
    /\b(?:opentiger )?secrets (?=(?:add|update|delete|list|leases?|revoke|audit|status)\b)/g,
    `${invocationOf(surroundings)} `,
  );
}

/** On stderr, with the commands that mend it. */
export function warn(
  warning: { message: string; remedy: readonly string[] },
  surroundings: Surroundings,
  options: SecretsOptions,
): void {
  const { stderr, env } = surroundings;
  const remedy = warning.remedy.map((command) => asCalled(command, surroundings));
  if (options.json) return void stderr.write(`${JSON.stringify({ warning: warning.message, remedy })}\n`);
  const colours = coloursFor(stderr, env);
  const steps = remedy.map((command) => `  ${colours.cyan("→")} ${command}\n`).join("");
  stderr.write(`${colours.yellow("warning:")} ${warning.message}\n${steps}`);
}

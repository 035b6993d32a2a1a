import type { Vault } from "@opentiger/secrets";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { parseDuration } from "../exec/duration.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import type { ValuePaths } from "./input-output.ts";
import {
  inVault,
  invocationOf,
  type SecretsOptions,
  type SecretsPackage,
  secretsExamples,
  secretsVerb,
  warn,
} from "./verb.ts";

interface LeaseOptions extends SecretsOptions {
  ttl: number;
  raw?: true;
  sandbox?: string;
}

const hourMs = 3_600_000;

export function leaseCommand(surroundings: Surroundings, paths: ValuePaths): Command {
  return secretsVerb("lease", surroundings)
    .description("a time-limited handle for a secret; with --raw, the value itself")
    .argument("<name>")
    .option(
      "--ttl <duration>",
      "how long it lives: 15m, 1h, 7d (at most 30d; default 1h)",
      parseDuration,
      hourMs,
    )
    .option("--raw", "print the value and nothing else; revoking the lease cannot take it back")
    .option("--sandbox <name>", "for this sandbox alone")
    .addHelpText(
      "after",
      secretsExamples(surroundings, "lease github_token --ttl 8h", "lease claude_setup_token --ttl 1h --raw"),
    )
    .action(async (name: string, options: LeaseOptions) => {
      if (options.raw && options.json) throw new UsageError("--raw prints the value alone, so not as --json");
      await inVault(surroundings, async (vault, secrets) => {
        if (options.raw) await printValue(name, options, { vault, surroundings, paths });
        else await printLease(name, options, { vault, surroundings });
        await warnOfExpiry(name, options, { vault, secrets, surroundings });
      });
    });
}

interface Place {
  vault: Vault;
  surroundings: Surroundings;
}

/** Exactly the value where a program reads it; on a terminal a line end, so that the next prompt is readable. */
async function printValue(
  name: string,
  options: LeaseOptions,
  { vault, surroundings, paths }: Place & { paths: ValuePaths },
): Promise<void> {
  const purpose = `${invocationOf(surroundings)} lease --raw`;
  const { value } = await vault.value(name, { ...requestOf(options), purpose });
  await paths.writeRaw(surroundings.stdout.isTTY ? Buffer.concat([value, Buffer.from("\n")]) : value);
}

/** The id alone where a program reads it. */
async function printLease(
  name: string,
  options: LeaseOptions,
  { vault, surroundings }: Place,
): Promise<void> {
  const lease = await vault.lease(name, requestOf(options));
  if (options.json) return printJson(surroundings, lease);
  const { stdout } = surroundings;
  const { id, expiresAt } = lease;
  stdout.write(stdout.isTTY ? `${id}   ${name} until ${expiresAt}\n` : `${id}\n`);
}

function requestOf({ ttl, sandbox }: LeaseOptions) {
  return { ttlMs: ttl, holder: { who: "command line", sandbox } };
}

async function warnOfExpiry(
  name: string,
  options: LeaseOptions,
  { vault, secrets, surroundings }: Place & { secrets: SecretsPackage },
): Promise<void> {
  const secret = (await vault.list()).find((each) => each.name === name);
  const message = secret && secrets.expiryWarning(secret, surroundings.now());
  if (message) warn({ message, remedy: secrets.renewal(name, "update") }, surroundings, options);
}

import { SandboxError } from "@opentiger/sandbox";
import type { Vault } from "@opentiger/secrets";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inVault, invocationOf, type SecretsOptions, secretsExamples, secretsVerb } from "./verb.ts";

interface RevokeOptions extends SecretsOptions {
  all?: true;
}

export function revokeCommand(surroundings: Surroundings): Command {
  return secretsVerb("revoke", surroundings)
    .description("end leases: the next use of one fails")
    .argument("[lease...]", "ids")
    .option("--all", "every lease there is")
    .addHelpText("after", secretsExamples(surroundings, "revoke 3f2a9c0e1b7d4c5a6f80", "revoke --all"))
    .action(async (ids: string[], options: RevokeOptions) => {
      const some = ids.length > 0;
      if (some === (options.all === true)) throw new UsageError("which leases? Give their ids, or --all");
      const asked = new Set(ids);
      const revoked = await inVault(surroundings, (vault) =>
        some ? revokeEach(vault, asked) : revokeAll(vault),
      );
      const unknown = asked.size - (some ? revoked.length : 0);
      if (revoked.length > 0 || unknown === 0) print(revoked, surroundings, options);
      if (unknown > 0) throw noSuchLease(unknown, surroundings);
    });
}

/** Those that were leases. */
async function revokeEach(vault: Vault, ids: Iterable<string>): Promise<string[]> {
  const revoked: string[] = [];
  for (const id of ids) if (await vault.revoke(id)) revoked.push(id);
  return revoked;
}

async function revokeAll(vault: Vault): Promise<string[]> {
  return (await vault.revokeAll()).map(({ id }) => id);
}

function print(revoked: readonly string[], surroundings: Surroundings, { json }: RevokeOptions): void {
  if (json) return printJson(surroundings, { revoked });
  surroundings.stdout.write(revoked.map((id) => `${id}\n`).join(""));
}

/** The ids are not repeated: what was pasted in place of one may be a secret. */
function noSuchLease(count: number, surroundings: Surroundings): SandboxError {
  const message = count === 1 ? "there is no such lease" : `${count} of these are not leases`;
  return new SandboxError("lease_not_found", message, {
    remedy: `see those there are: ${invocationOf(surroundings)} leases`,
  });
}

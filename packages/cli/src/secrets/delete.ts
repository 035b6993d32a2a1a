import type { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inVault, type SecretsOptions, secretsExamples, secretsVerb } from "./verb.ts";

export function deleteCommand(surroundings: Surroundings): Command {
  return secretsVerb("delete", surroundings)
    .description("remove a secret, and end its leases")
    .argument("<name>")
    .addHelpText("after", secretsExamples(surroundings, "delete github_token"))
    .action(async (name: string, options: SecretsOptions) => {
      await inVault(surroundings, (vault) => vault.delete(name));
      if (options.json) return printJson(surroundings, { deleted: name });
      surroundings.stdout.write(`${name}\n`);
    });
}

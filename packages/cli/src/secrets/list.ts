import type { Command } from "commander";
import { age } from "../output/age.ts";
import { coloursFor } from "../output/colours.ts";
import { renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { expiryCell } from "./expiry-cell.ts";
import { inVault, invocationOf, type SecretsOptions, secretsExamples, secretsVerb } from "./verb.ts";

export function listCommand(surroundings: Surroundings): Command {
  return secretsVerb("list", surroundings)
    .alias("ls")
    .description("the secrets, without their values")
    .addHelpText("after", secretsExamples(surroundings, "list", "list --json"))
    .action(async (options: SecretsOptions) => {
      const secrets = await inVault(surroundings, (vault) => vault.list());
      if (options.json) return printJson(surroundings, { secrets });
      const { stdout, env, now } = surroundings;
      if (secrets.length === 0 && stdout.isTTY)
        return void stdout.write(`No secrets yet. Put one in:\n  ${invocationOf(surroundings)} add NAME\n`);
      const colours = coloursFor(stdout, env);
      const rows = secrets.map(({ name, kind, size, updatedAt, expiresAt, state }) => [
        colours.bold(name),
        kind,
        String(size),
        age(new Date(updatedAt), now()),
        expiryCell({ expiresAt, state }, colours),
      ]);
      stdout.write(renderTable([["SECRET", "KIND", "BYTES", "AGE", "EXPIRES"].map(colours.dim), ...rows]));
    });
}

import type { LeaseSummary } from "@opentiger/secrets";
import type { Command } from "commander";
import { age } from "../output/age.ts";
import { coloursFor } from "../output/colours.ts";
import { printable, renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inVault, type SecretsOptions, secretsExamples, secretsVerb } from "./verb.ts";

export function leasesCommand(surroundings: Surroundings): Command {
  return secretsVerb("leases", surroundings)
    .description("the leases that are good now")
    .addHelpText("after", secretsExamples(surroundings, "leases", "leases --json"))
    .action(async (options: SecretsOptions) => {
      const leases = await inVault(surroundings, (vault) => vault.leases());
      if (options.json) return printJson(surroundings, { leases });
      const { stdout, env } = surroundings;
      if (leases.length === 0 && stdout.isTTY) return void stdout.write("No leases.\n");
      const { dim } = coloursFor(stdout, env);
      const head = ["LEASE", "SECRET", "HOLDER", "SANDBOX", "RUN", "ENDS IN"].map(dim);
      stdout.write(renderTable([head, ...leases.map((lease) => row(lease, surroundings.now()))]));
    });
}

function row({ id, name, holder, expiresAt }: LeaseSummary, now: Date): string[] {
  const { who, sandbox, run } = holder;
  return [id, name, ...[who, sandbox ?? "-", run ?? "-"].map(printable), age(now, new Date(expiresAt))];
}

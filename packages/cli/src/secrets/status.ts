import type { ProviderStatus, SecretStatus, VaultStatus } from "@opentiger/secrets";
import type { Command } from "commander";
import { age } from "../output/age.ts";
import { type Colours, coloursFor } from "../output/colours.ts";
import { renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { expiryCell } from "./expiry-cell.ts";
import { asCalled, inVault, type SecretsOptions, secretsExamples, secretsVerb } from "./verb.ts";

export function statusCommand(surroundings: Surroundings): Command {
  return secretsVerb("status", surroundings)
    .description("what is there, what is missing, and what has to be renewed soon")
    .addHelpText("after", secretsExamples(surroundings, "status", "status --json"))
    .action(async (options: SecretsOptions) => {
      const status = await inVault(surroundings, (vault) => vault.status());
      if (options.json) return printJson(surroundings, status);
      const colours = coloursFor(surroundings.stdout, surroundings.env);
      surroundings.stdout.write(asCalled(render(status, surroundings.now(), colours), surroundings));
    });
}

function render(status: VaultStatus, now: Date, colours: Colours): string {
  const head = ["SECRET", "KIND", "STATE", "AGE", "EXPIRES"].map(colours.dim);
  const table = renderTable([head, ...status.secrets.map((secret) => row(secret, now, colours))]);
  const providers = status.providers.map((provider) => `${providerLine(provider, colours)}\n`).join("");
  const warnings = status.warnings
    .map(({ message, remedy }) => `${colours.yellow("warning:")} ${message}\n${steps(remedy, colours)}`)
    .join("");
  const places = `vault ${status.folder}\nkey   ${status.keyFile}\nleases ${status.liveLeases}\n`;
  return [table, providers, colours.dim(places), warnings].filter(Boolean).join("\n");
}

function row(secret: SecretStatus, now: Date, colours: Colours): string[] {
  if (secret.state === "missing")
    return [secret.name, secret.kind, "missing", "-", "-"].map((cell) => colours.dim(cell));
  const { name, kind, state, updatedAt } = secret;
  return [colours.bold(name), kind, state, age(new Date(updatedAt), now), expiryCell(secret, colours)];
}

function providerLine({ provider, uses, remedy }: ProviderStatus, colours: Colours): string {
  if (uses) return `${provider}: ${uses}`;
  return `${provider}: nothing yet\n${steps(remedy, colours)}`.trimEnd();
}

function steps(commands: readonly string[], colours: Colours): string {
  return commands.map((command) => `  ${colours.cyan("→")} ${command}\n`).join("");
}

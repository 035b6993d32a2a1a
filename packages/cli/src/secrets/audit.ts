import type { AuditEvent } from "@opentiger/secrets";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { coloursFor } from "../output/colours.ts";
import { printable, renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inVault, type SecretsOptions, secretsExamples, secretsVerb, warn } from "./verb.ts";

interface AuditOptions extends SecretsOptions {
  limit: number;
}

const usualLimit = 50;

export function auditCommand(surroundings: Surroundings): Command {
  return secretsVerb("audit", surroundings)
    .description("who did what with which secret, the latest last; never a value")
    .option("--limit <number>", `how many events (default ${usualLimit})`, parseLimit, usualLimit)
    .addHelpText("after", secretsExamples(surroundings, "audit", "audit --limit 1000 --json"))
    .action(async (options: AuditOptions) => {
      const { events, damaged } = await inVault(surroundings, (vault) => vault.audit(options.limit));
      if (options.json) return printJson(surroundings, { events, damaged });
      const { stdout, env } = surroundings;
      const { dim } = coloursFor(stdout, env);
      stdout.write(renderTable([columns.map(([title]) => dim(title)), ...events.map(row)]));
      const message = `${damaged} ${damaged === 1 ? "line" : "lines"} of the audit could not be read`;
      if (damaged > 0) warn({ message, remedy: [] }, surroundings, options);
    });
}

const columns = [
  ["TIME", ({ at }) => at],
  ["USER", ({ user }) => user],
  ["PROGRAM", ({ program, pid }) => `${program}[${pid}]`],
  ["ACTION", ({ action }) => action],
  ["SECRET", ({ secret }) => secret],
  ["LEASE", ({ lease }) => lease],
  ["HOLDER", ({ who }) => who],
  ["SANDBOX", ({ sandbox }) => sandbox],
  ["RUN", ({ run }) => run],
  ["PURPOSE", ({ purpose }) => purpose],
  ["OUTCOME", ({ outcome, reason }) => (reason === null ? outcome : `${outcome} (${reason})`)],
] as const satisfies readonly (readonly [string, (event: AuditEvent) => string | null])[];

function row(event: AuditEvent): string[] {
  return columns.map(([, cell]) => printable(cell(event) ?? "-"));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit > 0 && Number.isSafeInteger(limit)) return limit;
  throw new UsageError(`"${text}" is not a number of events`, "Write a number above 0.");
}

import { Sandboxd, type SandboxUsage, sandboxUsage } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { parseDuration } from "../exec/duration.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface BudgetOptions extends VerbOptions {
  tokens?: number;
  usd?: number;
  requests?: number;
  time?: number;
  none?: true;
}

export function usageCommand(surroundings: Surroundings): Command {
  return verb("usage", surroundings)
    .description("what a sandbox's agent has used of its model, and its budget")
    .argument("<sandbox>", "name")
    .addHelpText("after", examples(surroundings, "usage my-sandbox"))
    .action(async (name: string, options: VerbOptions) => {
      const question = { method: "GET", path: `/sandboxes/${encodeURIComponent(name)}/usage` } as const;
      show(await new Sandboxd(surroundings.env).ask(question, sandboxUsage), surroundings, options);
    });
}

export function budgetCommand(surroundings: Surroundings): Command {
  return verb("budget", surroundings)
    .description("limit what a sandbox's agent may use; beyond it the next request is refused")
    .argument("<sandbox>", "name")
    .option("--tokens <number>", "in and out together", parseAmount)
    .option("--usd <amount>", "for example 2.50", parseAmount)
    .option("--requests <number>", "to the model", parseAmount)
    .option("--time <duration>", "from the first request, for example 2h", parseDuration)
    .option("--none", "no limit")
    .addHelpText(
      "after",
      examples(surroundings, "budget my-sandbox --usd 5 --time 2h", "budget my-sandbox --none"),
    )
    .action(async (name: string, { json, tokens, usd, requests, time, none }: BudgetOptions) => {
      const given = { tokens, usd, requests, seconds: time === undefined ? undefined : time / 1000 };
      const limits = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      if (Object.keys(limits).length === 0 && !none)
        throw new UsageError("which limit?", "For example: --usd 5, or --none.");
      const path = `/sandboxes/${encodeURIComponent(name)}/budget`;
      const question = { method: "POST", path, body: none ? {} : limits } as const;
      const usage = await new Sandboxd(surroundings.env).ask(question, sandboxUsage);
      show(usage, surroundings, json ? { json } : {});
    });
}

function show({ totals, budget }: SandboxUsage, surroundings: Surroundings, { json }: VerbOptions): void {
  if (json) return printJson(surroundings, { totals, budget });
  const { input, output, cacheRead, cacheWrite } = totals.tokens;
  const unpriced = totals.unpriced > 0 ? ` (${totals.unpriced} of an unknown price)` : "";
  const limits = Object.entries(budget ?? {}).map(([name, value]) => `${value} ${name}`);
  surroundings.stdout.write(
    `requests  ${totals.requests}, ${totals.refused} refused\n` +
      `tokens    ${input} in, ${output} out, ${cacheRead} from the cache, ${cacheWrite} to it\n` +
      `cost      $${totals.usd.toFixed(4)}${unpriced}\n` +
      `budget    ${limits.join(", ") || "none"}\n`,
  );
}

function parseAmount(text: string): number {
  const amount = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && amount > 0) return amount;
  throw new UsageError(`"${text}" is not an amount`, "Write a number greater than 0.");
}

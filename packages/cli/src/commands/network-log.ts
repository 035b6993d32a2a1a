import { type NetworkLogRow, networkLogEvent, networkLogRow, Sandboxd } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { z } from "zod";
import { UsageError } from "../errors.ts";
import { renderNetworkEvent, renderNetworkLog } from "../output/network-log.ts";
import { printable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface LogOptions extends VerbOptions {
  limit?: number;
  quiet?: true;
  follow?: true;
}

export function networkLogCommand(surroundings: Surroundings): Command {
  return verb("log", surroundings)
    .description("what sandboxes reached and what was blocked: by sandbox and host")
    .argument("[sandbox]", "one sandbox only")
    .option("--limit <number>", "at most so many rows, the latest first", parseLimit)
    .option("-q, --quiet", "only hosts")
    .option("-f, --follow", "show every request as it happens, until Ctrl-C")
    .addHelpText("after", examples(surroundings, "network log", "network log my-sandbox --follow"))
    .action(async (sandbox: string | undefined, options: LogOptions) => {
      const sandboxd = new Sandboxd(surroundings.env);
      const query = sandbox === undefined ? "" : `?sandbox=${encodeURIComponent(sandbox)}`;
      const question = { method: "GET", path: `/network-log${query}` } as const;
      const rows = await sandboxd.ask(question, z.array(networkLogRow));
      await sayWhatIsUnseen(sandboxd, sandbox, surroundings);
      if (options.follow) return followLog(sandboxd, query, surroundings, options);
      show(rows.slice(0, options.limit), surroundings, options);
    });
}

/** An open sandbox goes around sandboxd: that the log has nothing of it must not look as if it reached nothing. */
async function sayWhatIsUnseen(
  sandboxd: Sandboxd,
  only: string | undefined,
  { stderr }: Surroundings,
): Promise<void> {
  const { sandboxes = [] } = (await sandboxd.status()) ?? {};
  for (const { name, policy } of sandboxes) {
    if (policy !== "open" || (only !== undefined && only !== name)) continue;
    stderr.write(`note: ${name} is OPEN: what it reaches is not seen, and is not in this log\n`);
  }
}

function show(rows: NetworkLogRow[], surroundings: Surroundings, options: LogOptions): void {
  if (options.json) return printJson(surroundings, rows);
  if (options.quiet) {
    const hosts = [...new Set(rows.map(({ host }) => host))];
    return void surroundings.stdout.write(hosts.map((host) => `${printable(host)}\n`).join(""));
  }
  surroundings.stdout.write(renderNetworkLog(rows, surroundings));
}

async function followLog(
  sandboxd: Sandboxd,
  query: string,
  surroundings: Surroundings,
  { json }: LogOptions,
): Promise<void> {
  for await (const event of sandboxd.follow(
    { method: "GET", path: `/network-log/follow${query}` },
    networkLogEvent,
  )) {
    surroundings.stdout.write(json ? `${JSON.stringify(event)}\n` : renderNetworkEvent(event, surroundings));
  }
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not a number of rows`, "For example: --limit 20");
}

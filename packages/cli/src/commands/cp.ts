import { copyIn, copyOut } from "@opentiger/sandbox";
import type { Command } from "commander";
import { progressOn } from "../output/progress.ts";
import { cancellable } from "../program/cancellation.ts";
import { type CopyPlan, readCopyPlan } from "../program/copy-plan.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface CpOptions extends VerbOptions {
  quiet?: true;
  skipOutsideLinks?: true;
}

export function cpCommand(surroundings: Surroundings): Command {
  return verb("cp", surroundings)
    .description("copy files into or out of a sandbox, as `docker cp` does")
    .argument("<from>", "SANDBOX:PATH or a path of yours; - reads a tar archive from stdin")
    .argument("<to>", "a path of yours or SANDBOX:PATH; - writes a tar archive to stdout")
    .option("--skip-outside-links", "copying out: leave out links that lead elsewhere, instead of refusing")
    .option("-q, --quiet", "no progress")
    .addHelpText(
      "after",
      examples(
        surroundings,
        "cp notes.txt my-sandbox:/tmp/",
        "cp my-sandbox:/tmp/report ./report",
        "cp my-sandbox:/tmp/report - | tar -t",
      ),
    )
    .action(async (from: string, to: string, options: CpOptions) => {
      const plan = readCopyPlan(from, to);
      const copied = await copy(plan, surroundings, options);
      if (options.json && plan.local !== "-") printJson(surroundings, { from, to, ...copied });
      if (copied.skipped.length === 0 || options.json) return;
      surroundings.stderr.write(`left out, since they lead elsewhere: ${copied.skipped.join(", ")}\n`);
    });
}

async function copy(plan: CopyPlan, surroundings: Surroundings, options: CpOptions) {
  const sandbox = await (await backendOf(surroundings, options)).open(plan.sandbox);
  const progress = progressOn(surroundings, options);
  const onProgress = (line: string) => progress.line(line);
  try {
    return await cancellable(surroundings.env, async (signal) => {
      if (plan.direction === "in") {
        const from = plan.local === "-" ? process.stdin : plan.local;
        const { entries } = await copyIn(sandbox, { from, to: plan.inside, signal, onProgress });
        return { entries: entries ?? null, skipped: [] };
      }
      const to = plan.local === "-" ? process.stdout : plan.local;
      const outsideLinks = options.skipOutsideLinks ? "skip" : "refuse";
      return copyOut(sandbox, { from: plan.inside, to, outsideLinks, signal, onProgress });
    });
  } finally {
    progress.end();
    await sandbox.close();
  }
}

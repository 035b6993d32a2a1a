import { SandboxError } from "@opentiger/sandbox";
import type { Command } from "commander";
import { confirmed } from "../output/question.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface ResetOptions extends VerbOptions {
  force?: true;
}

export function resetCommand(surroundings: Surroundings): Command {
  return verb("reset", surroundings)
    .description("remove every sandbox of this instance, with everything in it, and turn the pool off")
    .option("-f, --force", "do not ask")
    .addHelpText("after", examples(surroundings, "reset", "reset -f"))
    .action(async (options: ResetOptions) => {
      const backend = await backendOf(surroundings, options);
      if (!options.force && !(await agreed(surroundings, options))) throw notAgreed(surroundings);
      const removed = await backend.reset();
      if (options.json) return printJson(surroundings, { removed });
      surroundings.stdout.write(removed.map((name) => `${name}\n`).join(""));
    });
}

async function agreed(surroundings: Surroundings, options: ResetOptions): Promise<boolean> {
  if (options.json) return false;
  return confirmed(
    "Remove every sandbox of yours, with unfetched commits and all files in them?",
    surroundings,
  );
}

function notAgreed({ invocation }: Surroundings): SandboxError {
  return new SandboxError("usage", "reset removes every sandbox, so it asks first, and nobody said yes", {
    remedy: `${invocation} reset -f`,
  });
}

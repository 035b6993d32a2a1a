import { type Backend, SandboxError } from "@opentiger/sandbox";
import type { Command } from "commander";
import { confirmed } from "../output/question.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, forEachName, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface RmOptions extends VerbOptions {
  force?: true;
}

export function rmCommand(surroundings: Surroundings): Command {
  return verb("rm", surroundings)
    .alias("remove")
    .description("remove sandboxes and everything in them")
    .argument("<sandbox...>", "names")
    .option("-f, --force", "even if a clone holds commits that were not fetched")
    .addHelpText("after", examples(surroundings, "rm my-sandbox", "rm --force my-clone"))
    .action(async (names: string[], options: RmOptions) => {
      const backend = await backendOf(surroundings, options);
      const remove = (name: string) => removeOrAsk(backend, name, surroundings, options);
      const removed = await forEachName(names, surroundings, options, remove);
      if (options.json) printJson(surroundings, { removed });
    });
}

/** Commits that exist nowhere else are named, and removed only by someone who said so. */
async function removeOrAsk(
  backend: Backend,
  name: string,
  surroundings: Surroundings,
  options: RmOptions,
): Promise<void> {
  if (options.force) return backend.remove(name, { force: true });
  try {
    await backend.remove(name);
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "unfetched_commits" || options.json) throw error;
    if (!(await confirmed(`${error.message}\nRemove them for ever?`, surroundings))) throw error;
    await backend.remove(name, { force: true });
  }
}

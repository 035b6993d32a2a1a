import { SandboxError, stateFolder } from "@opentiger/sandbox";
import type { Command } from "commander";
import { progressOn } from "../output/progress.ts";
import { confirmed } from "../output/question.ts";
import { printable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { inContext, printJson, type VerbOptions, verb } from "../program/verb.ts";
import { type Inventory, takeInventory } from "../uninstall/inventory.ts";
import { uninstall } from "../uninstall/uninstall.ts";

interface UninstallOptions extends VerbOptions {
  yes?: true;
  dryRun?: true;
}

export function uninstallCommand(surroundings: Surroundings): Command {
  return verb("uninstall", surroundings)
    .description("remove everything of this instance from this machine; lists it first, and asks")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only list it")
    .addHelpText(
      "after",
      `
Examples:
  opentiger uninstall --dry-run
  opentiger down && opentiger backup ~/opentiger.backup && opentiger uninstall
  opentiger uninstall --yes

Your repositories are left alone, with the branches tiger/* in them. Commits in sandboxes that were not fetched are lost.`,
    )
    .action(async (options: UninstallOptions) => {
      const env = inContext(surroundings, options);
      const found = await takeInventory(env);
      if (!found) return nothing(surroundings, options, stateFolder(env));
      if (!options.json) surroundings.stdout.write(render(found));
      if (options.dryRun)
        return options.json ? printJson(surroundings, { ...found, removed: false }) : undefined;
      if (!options.yes && !(await agreed(surroundings, options))) throw notAgreed();
      const progress = progressOn(surroundings, options);
      await uninstall(env, found, (sentence) => progress.line(sentence)).finally(() => progress.end());
      if (options.json) return printJson(surroundings, { ...found, removed: true });
      surroundings.stdout.write("✓ All of it is removed\n");
    });
}

function nothing(surroundings: Surroundings, { json }: UninstallOptions, folder: string): void {
  if (json) return printJson(surroundings, { removed: false });
  surroundings.stdout.write(`There is nothing of openTiger's in ${folder}\n`);
}

async function agreed(surroundings: Surroundings, { json }: UninstallOptions): Promise<boolean> {
  return json ? false : confirmed("Remove all of this for ever?", surroundings);
}

function notAgreed(): SandboxError {
  return new SandboxError("usage", "uninstall removes everything, so it asks first, and nobody said yes", {
    remedy: "opentiger uninstall --yes",
  });
}

function render({ processes, sandboxes, images, folders, plugin, stays }: Inventory): string {
  const going = [
    ["processes", processes.map(({ name, pid }) => `${name} (${pid})`)],
    ["sandboxes", sandboxes],
    ["images", images],
    ["folders", folders],
    ["plugin", plugin === null ? [] : [plugin]],
  ] as const;
  const parts = going.flatMap(([what, names]) => (names.length === 0 ? [] : [section(what, names)]));
  return `${parts.join("")}${section("stays", stays)}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${printable(line)}\n`).join("")}`;
}

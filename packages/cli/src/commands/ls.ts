import type { SandboxSummary } from "@opentiger/schema";
import type { Command } from "commander";
import { renderList } from "../output/sandbox-list.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface LsOptions extends VerbOptions {
  all?: true;
  quiet?: true;
}

export function lsCommand(surroundings: Surroundings): Command {
  return verb("ls", surroundings)
    .alias("list")
    .description("list sandboxes")
    .option("-a, --all", "also those that other instances of openTiger made on this engine")
    .option("-q, --quiet", "only names")
    .addHelpText("after", examples(surroundings, "ls", "ls -q", "ls --json"))
    .action(async (options: LsOptions) => {
      const all = await (await backendOf(surroundings, options)).list();
      const shown = all.filter(({ own }) => own || options.all).toSorted(byAge);
      if (options.json) return printJson(surroundings, { vms: shown.map(asListed) });
      if (options.quiet) return void surroundings.stdout.write(shown.map(({ name }) => `${name}\n`).join(""));
      surroundings.stdout.write(renderList({ shown, hidden: all.length - shown.length }, surroundings));
    });
}

function byAge(left: SandboxSummary, right: SandboxSummary): number {
  return left.createdAt.localeCompare(right.createdAt) || left.name.localeCompare(right.name);
}

/** The original's four fields, `workspaces` being paths, and what it did not have beside them. */
function asListed({ workspaces, workspaceKind, ...summary }: SandboxSummary) {
  return {
    ...summary,
    kind: workspaceKind,
    workspaces: workspaces.map(({ path }) => path),
    mounts: workspaces,
  };
}

import { type InitialisedProject, initProject } from "@opentiger/orchestrator";
import type { Command } from "commander";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface InitVerbOptions extends LoopVerbOptions {
  repo: string;
  force?: true;
}

export function initCommand(surroundings: Surroundings): Command {
  return loopVerb("init", surroundings)
    .description("write opentiger.json: how this project is set up and checked")
    .option("--repo <folder>", "the repository, or a folder in it", surroundings.cwd)
    .option("--force", "write over the one that is there")
    .addHelpText("after", loopExamples("init", "init --repo ~/project --force"))
    .action(async ({ repo, force, json }: InitVerbOptions) => {
      const made = await initProject({ folder: repo, existing: force ? "replaced" : "kept" });
      if (json) return printJson(surroundings, made);
      surroundings.stdout.write(shown(made, surroundings));
    });
}

function shown({ path, content, detected }: InitialisedProject, { stdout, env }: Surroundings): string {
  const colours = coloursFor(stdout, env);
  const found = detected.length > 0 ? detected : ["nothing that is known: fill it in by hand"];
  return (
    `${found.map((line) => `detected  ${line}\n`).join("")}${JSON.stringify(content, null, 2)}\n` +
    `${colours.green("✓")} Wrote ${path}\n  Loops read it from the base commit: commit it.\n`
  );
}

import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  discardLoop,
  LoopRepository,
  type LoopRow,
  mergeLoop,
  type OpenPlace,
  OrchestratorError,
} from "@opentiger/orchestrator";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { audited } from "../loop/audited.ts";
import { loopNamed, repositoryOf } from "../loop/find.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { confirmed } from "../output/question.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface PatchOptions extends LoopVerbOptions {
  output?: string;
}

interface DiscardOptions extends LoopVerbOptions {
  force?: true;
}

/** What is done with the branch that a loop has made. */
export function loopBranchCommands(surroundings: Surroundings): Command[] {
  return [mergeCommand(surroundings), patchCommand(surroundings), discardCommand(surroundings)];
}

function mergeCommand(surroundings: Surroundings): Command {
  return named("merge", surroundings)
    .description("merge its branch into the one that you have checked out, which must be clean")
    .addHelpText("after", loopExamples("loop merge k3v9x0ab"))
    .action((name: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async (place) => {
        const loop = await loopNamed(place.database, name);
        const about = { action: "loop merge", target: loop.id };
        const merged = await audited(place.database, about, async () => {
          const found = await mergeLoop(place, loop.id);
          if ("conflicts" in found) throw conflicting(loop, found);
          return found;
        });
        if (options.json) return printJson(surroundings, { loop: loop.id, branch: loop.branch, ...merged });
        const how =
          merged.how === "nothing" ? "has all of it already" : `is at ${merged.merged.slice(0, 10)} now`;
        surroundings.stdout.write(`${merged.into} ${how}\n`);
      }),
    );
}

function patchCommand(surroundings: Surroundings): Command {
  return named("patch", surroundings)
    .description("its commits as patches for `git am`, on stdout")
    .option("-o, --output <file>", "write them there")
    .addHelpText("after", loopExamples("loop patch k3v9x0ab | git am", "loop patch k3v9x0ab -o work.patch"))
    .action((name: string, options: PatchOptions) =>
      withPlace(surroundings, options, async (place) => {
        const loop = await loopNamed(place.database, name);
        const { baseOid, branchOid } = withBranch(loop);
        const patch = (await repositoryIn(place, loop)).patch(baseOid, branchOid);
        const { output } = options;
        if (output === undefined) {
          if (options.json) throw new UsageError("--json needs a file for the patches", "Add -o FILE.");
          for await (const part of patch) await written(part);
          return;
        }
        const file = resolve(surroundings.cwd, output);
        await pipeline(patch, createWriteStream(file)).catch((error: unknown) => {
          throw unwritable(error, file) ?? error;
        });
        if (options.json) printJson(surroundings, { loop: loop.id, file });
        else surroundings.stdout.write(`${file}\n`);
      }),
    );
}

/** Where the file itself is the trouble, and not git or a full disk. */
function unwritable(error: unknown, file: string): UsageError | undefined {
  const { syscall, code, path } = error as NodeJS.ErrnoException;
  if (path !== file || syscall !== "open" || code === "ENOSPC") return undefined;
  return new UsageError(
    `${file} cannot be written: ${(error as Error).message}`,
    "Name a file in a folder that you can write to, or leave out -o: they are on stdout then.",
  );
}

function discardCommand(surroundings: Surroundings): Command {
  return named("discard", surroundings)
    .description("remove its branch from your repository; what you merged stays where it is")
    .option("--force", "without asking")
    .addHelpText("after", loopExamples("loop discard k3v9x0ab", "loop discard --force k3v9x0ab"))
    .action((name: string, options: DiscardOptions) =>
      withPlace(surroundings, options, async (place) => {
        const { id, branch } = await loopNamed(place.database, name);
        const question = `Remove ${branch ?? `what is left of loop ${id}`}? What is not merged is gone then.`;
        if (branch !== null && !options.force && !(await confirmed(question, surroundings))) {
          throw new UsageError(
            `nothing was discarded: ${branch} may have commits that are nowhere else`,
            `opentiger loop discard --force ${id}`,
          );
        }
        await audited(place.database, { action: "loop discard", target: id }, () => discardLoop(place, id));
        if (options.json) printJson(surroundings, { loop: id, discarded: branch });
        else surroundings.stdout.write(`loop ${id} has no branch any more\n`);
      }),
    );
}

function named(name: string, surroundings: Surroundings): Command {
  return loopVerb(name, surroundings).argument("<loop>", "its id, or the beginning of it");
}

async function repositoryIn(place: OpenPlace, loop: LoopRow): Promise<LoopRepository> {
  return LoopRepository.open(place, await repositoryOf(place.database, loop));
}

interface Branch {
  baseOid: string;
  branchOid: string;
}

function withBranch({ id, branch, baseOid, branchOid }: LoopRow): Branch {
  if (branch !== null && baseOid !== null && branchOid !== null && branchOid !== baseOid)
    return { baseOid, branchOid };
  const what = branch === null ? "has no branch any more: it was discarded" : "has no commits";
  throw new OrchestratorError("not_found", `loop ${id} ${what}`, {
    remedy: `opentiger loop show ${id}`,
  });
}

function conflicting(
  loop: LoopRow,
  { into, conflicts }: { into: string; conflicts: string[] },
): OrchestratorError {
  const files = conflicts.slice(0, 10).join(", ");
  return new OrchestratorError("git_failed", `${loop.branch} and ${into} changed the same: ${files}`, {
    remedy: `your checkout is as it was; merge it by hand: git merge ${loop.branchOid}`,
  });
}

/** Returns when there is room for more. */
async function written(part: Buffer): Promise<void> {
  if (process.stdout.write(part)) return;
  await new Promise<void>((resolve) => {
    process.stdout.once("drain", resolve);
    process.stdout.once("error", () => resolve());
  });
}

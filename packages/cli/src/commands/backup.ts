import { resolve } from "node:path";
import type { Command } from "commander";
import { makeBackup } from "../backup/make-backup.ts";
import { restoreBackup } from "../backup/restore-backup.ts";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { progressOn } from "../output/progress.ts";
import { cancellable } from "../program/cancellation.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface RestoreVerbOptions extends LoopVerbOptions {
  force?: true;
}

export function backupCommand(surroundings: Surroundings): Command {
  return loopVerb("backup", surroundings)
    .description(
      "put everything of this instance into one file: loops, settings, repositories of ours, the vault",
    )
    .argument("<file>", "which must not be there yet; only you can read it")
    .addHelpText(
      "after",
      `${loopExamples("backup ~/opentiger.backup", "down && opentiger backup ~/opentiger.backup")}

The vault is in it as it is, encrypted; its key is not: keep ~/.config/opentiger/vault.key as well.
Sandboxes are not in it, and neither is a database of your own (OPENTIGER_DATABASE_URL).`,
    )
    .action(async (file: string, options: LoopVerbOptions) => {
      const path = resolve(surroundings.cwd, file);
      const made = await withProgress(surroundings, options, (told) =>
        makeBackup(surroundings.env, path, told),
      );
      if (options.json) return printJson(surroundings, { file: path, ...made });
      surroundings.stdout.write(`✓ ${path}\n`);
      if (made.database.kind === "url")
        surroundings.stdout.write(
          `  The database at ${made.database.where} is not in it: use pg_dump for it.\n`,
        );
    });
}

export function restoreCommand(surroundings: Surroundings): Command {
  return loopVerb("restore", surroundings)
    .description("put an instance back as a backup has it")
    .argument("<file>", "what `backup` made")
    .option("--force", "even if there is an instance: it is backed up beside its folder and gives way")
    .addHelpText("after", loopExamples("restore ~/opentiger.backup", "restore --force ~/opentiger.backup"))
    .action(async (file: string, options: RestoreVerbOptions) => {
      const path = resolve(surroundings.cwd, file);
      const { folder, before, manifest } = await withProgress(surroundings, options, (told) =>
        restoreBackup(surroundings.env, path, { ...told, force: options.force === true }),
      );
      if (options.json) return printJson(surroundings, { ...manifest, folder, before });
      surroundings.stdout.write(`✓ ${folder} is as it was on ${manifest.createdAt}\n`);
      if (before !== null) surroundings.stdout.write(`  What was there before is in ${before}\n`);
    });
}

interface Told {
  say: (sentence: string) => void;
  signal: AbortSignal;
}

async function withProgress<T>(
  surroundings: Surroundings,
  options: LoopVerbOptions,
  act: (told: Told) => Promise<T>,
): Promise<T> {
  const progress = progressOn(surroundings, options);
  try {
    return await cancellable(surroundings.env, (signal) =>
      act({ say: (sentence) => progress.line(sentence), signal }),
    );
  } finally {
    progress.end();
  }
}

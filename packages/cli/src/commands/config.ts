import { type OpenPlace, OrchestratorError } from "@opentiger/orchestrator";
import type { ConfigEntry } from "@opentiger/schema";
import { Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { audited, commandLine } from "../loop/audited.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { coloursFor } from "../output/colours.ts";
import { printable, renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, quiet } from "../program/verb.ts";
import { refusePinned } from "../server/given-settings.ts";

interface LsOptions extends LoopVerbOptions {
  set?: true;
}

const nameHelp = "its name, as `opentiger config ls` has it";

/** The settings of this instance, as they hold now and where each comes from. */
export function configCommand(surroundings: Surroundings): Command {
  return quiet(new Command("config"), surroundings)
    .description("settings: what holds, where it comes from, and how it is changed")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addHelpText("after", loopExamples("config ls", "config set OPENTIGER_MAX_WORKERS 2"))
    .addCommand(lsCommand(surroundings))
    .addCommand(getCommand(surroundings))
    .addCommand(setCommand(surroundings))
    .addCommand(unsetCommand(surroundings));
}

function lsCommand(surroundings: Surroundings): Command {
  return loopVerb("ls", surroundings)
    .alias("list")
    .description("all of them, with where each comes from")
    .addOption(new Option("--set", "only those that are not the default"))
    .addHelpText("after", loopExamples("config ls", "config ls --set --json"))
    .action((options: LsOptions) =>
      withPlace(surroundings, options, async ({ config }) => {
        const all = config.entries();
        const entries = options.set ? all.filter(({ source }) => source !== "default") : all;
        if (options.json) return printJson(surroundings, { entries });
        surroundings.stdout.write(render(entries, surroundings));
      }),
    );
}

function getCommand(surroundings: Surroundings): Command {
  return loopVerb("get", surroundings)
    .description("the value of one that holds now; nothing where it has none")
    .argument("<setting>", nameHelp)
    .addHelpText(
      "after",
      loopExamples("config get EXECUTION_ENVIRONMENT", "config get OPENTIGER_LOOP_USD --json"),
    )
    .action((name: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async (place) => {
        const entry = entryOf(place, name);
        if (options.json) return printJson(surroundings, entry);
        if (entry.problem !== null) throw new OrchestratorError("config_invalid", entry.problem);
        surroundings.stdout.write(`${written(entry.value)}\n`);
      }),
    );
}

function setCommand(surroundings: Surroundings): Command {
  return loopVerb("set", surroundings)
    .description(
      "store a value: it holds for what begins afterwards; refused where the environment or `up --set` decides",
    )
    .argument("<setting>", nameHelp)
    .argument("<value>", "as docs/config.md has it; no secret")
    .addHelpText(
      "after",
      loopExamples("config set OPENTIGER_WORKER_AGENT codex", "config set EXECUTION_ENVIRONMENT host"),
    )
    .action((name: string, value: string, options: LoopVerbOptions) =>
      change(name, value, options, surroundings),
    );
}

function unsetCommand(surroundings: Surroundings): Command {
  return loopVerb("unset", surroundings)
    .description("the default again")
    .argument("<setting>", nameHelp)
    .addHelpText("after", loopExamples("config unset OPENTIGER_WORKER_AGENT"))
    .action((name: string, options: LoopVerbOptions) => change(name, null, options, surroundings));
}

async function change(
  name: string,
  value: string | null,
  options: LoopVerbOptions,
  surroundings: Surroundings,
): Promise<void> {
  if (value?.trim() === "") throw new UsageError(`${name} needs a value`, `opentiger config unset ${name}`);
  await withPlace(surroundings, options, async ({ config, database }) => {
    await refusePinned(surroundings.env, name);
    const about = { action: value === null ? "config unset" : "config set", target: name };
    const [entry] = await audited(database, about, () => config.patch({ [name]: value }, commandLine));
    if (options.json) return printJson(surroundings, entry);
    const shown = entry ? written(entry.value) : "";
    surroundings.stdout.write(`${name} is ${shown === "" ? "not set" : printable(shown)}\n`);
  });
}

function entryOf({ config }: OpenPlace, name: string): ConfigEntry {
  const entry = config.entries().find((each) => each.key === name);
  if (entry) return entry;
  throw new OrchestratorError("config_unknown", `there is no setting called ${JSON.stringify(name)}`, {
    remedy: "opentiger config ls",
  });
}

function render(entries: readonly ConfigEntry[], { stdout, env }: Surroundings): string {
  const colours = coloursFor(stdout, env);
  const rows = entries.map(({ key: name, value, source, problem }) => [
    name,
    printable(written(value)) || "-",
    source === "default" ? colours.dim(source) : source,
    problem === null ? "" : colours.red(printable(problem)),
  ]);
  return renderTable([["KEY", "VALUE", "FROM", ""], ...rows]);
}

function written(value: ConfigEntry["value"]): string {
  if (value === null) return "";
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

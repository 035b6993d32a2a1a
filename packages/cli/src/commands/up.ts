import { OrchestratorError } from "@opentiger/orchestrator";
import { type EnsuredServer, ensureServer, ServerClient, type ServerStatus } from "@opentiger/server/control";
import { type Command, Option } from "commander";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { age } from "../output/age.ts";
import { coloursFor } from "../output/colours.ts";
import { progressOn } from "../output/progress.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { Endings } from "../server/endings.ts";
import { refuseUntakenSettings, untaken, withGivenSettings } from "../server/given-settings.ts";
import { holdServer } from "../server/held.ts";
import { takeDown } from "../server/take-down.ts";
import { tellTakenDown } from "./down.ts";

interface UpOptions extends LoopVerbOptions {
  detach?: true;
  drain?: true;
  set: string[];
}

export function upCommand(surroundings: Surroundings): Command {
  return loopVerb("up", surroundings)
    .description("start openTiger: database, sandboxd, dispatcher, API and dashboard, until Ctrl-C")
    .option("-d, --detach", "leave it running in the background")
    .option("--drain", "on Ctrl-C, wait until what is being worked on is done")
    .addOption(
      new Option(
        "--set <key=value>",
        "a setting for as long as it runs, stronger than the environment and what is stored; may be repeated",
      )
        .argParser((given: string, before: string[]) => [...before, given])
        .default([], "none"),
    )
    .addHelpText(
      "after",
      loopExamples(
        "up",
        "up --detach",
        "up --drain",
        "up --set EXECUTION_ENVIRONMENT=host --set OPENTIGER_MAX_WORKERS=2",
      ),
    )
    .action((options: UpOptions) => up(options, surroundings));
}

async function up(options: UpOptions, surroundings: Surroundings): Promise<void> {
  const { env } = surroundings;
  const given = withGivenSettings(env, options.set);
  if (options.set.length > 0) await refuseUntakenSettings(env);
  const endings = new Endings();
  const progress = progressOn(surroundings, options);
  try {
    const server = await ensureServer(given, { say: (sentence) => progress.line(sentence) });
    progress.end();
    // Somebody else was quicker.
    if (options.set.length > 0 && !server.started) throw untaken("openTiger");
    await tellReady(server, options, surroundings);
    // One that somebody else started is theirs to end.
    if (options.detach || !server.started) return;
    const { json } = options;
    if (await holdServer(server.status, surroundings, { json, signal: endings.first })) {
      const drain = options.drain === true;
      const say = (sentence: string) => progress.line(`${sentence}; Ctrl-C does not wait for that`);
      const taken = await takeDown(env, { drain, say, signal: endings.second });
      progress.end();
      tellTakenDown(taken, options, surroundings);
    } else endedItself(server.status, surroundings);
  } finally {
    progress.end();
    endings.close();
  }
}

async function tellReady(
  { status, started }: EnsuredServer,
  { json, detach }: UpOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { stdout, env, now } = surroundings;
  const { url, pid, version } = status;
  const login = await new ServerClient(env).loginLink();
  if (json) return printJson(surroundings, { url, pid, version, started, login: login?.url ?? null });
  const colours = coloursFor(stdout, env);
  const since = age(new Date(status.startedAt), now());
  const head = started
    ? `${colours.green("✓")} openTiger runs at ${colours.bold(url ?? "")}`
    : `openTiger runs already, for ${since}, at ${colours.bold(url ?? "")}`;
  const lines = [head, `  log in, once  ${login?.url ?? ""}`];
  if (started && !detach)
    lines.push("  Ctrl-C ends it; agents go on, and the next `opentiger up` adopts them");
  else lines.push("  opentiger down ends it");
  stdout.write(`${lines.join("\n")}\n`);
}

/** Whoever said `down` elsewhere meant us too; all else is a failure. */
function endedItself({ startedAt }: ServerStatus, { env, stdout }: Surroundings): void {
  const client = new ServerClient(env);
  if (client.downSince(new Date(startedAt)))
    return void stdout.write("openTiger was ended by `opentiger down`\n");
  throw new OrchestratorError("internal", "the server has ended by itself, or was killed", {
    remedy: `see ${client.paths.log}; \`opentiger up\` starts it again, and adopts what goes on`,
  });
}

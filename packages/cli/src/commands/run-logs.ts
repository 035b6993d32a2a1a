import {
  allRows,
  type Database,
  eventsFile,
  findRun,
  findTask,
  latestRun,
  type OpenPlace,
  OrchestratorError,
  type RunRow,
  runEventsChannel,
  whyTranscriptIsGone,
} from "@opentiger/orchestrator";
import type { Command } from "commander";
import { z } from "zod";
import { UsageError } from "../errors.ts";
import { agentLines } from "../loop/agent-lines.ts";
import { EventTail } from "../loop/event-tail.ts";
import { loopNamed, taskNumbered } from "../loop/find.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { Endings } from "../server/endings.ts";

interface LogsOptions extends LoopVerbOptions {
  follow?: true;
}

/** So late it is noticed at the latest that there is more, or that the run has ended. */
const lookMs = 1_000;

/** A uuid, or its beginning with the first dash: a loop has no dash in its id. */
const runPattern = /^[0-9a-f]{8}-[0-9a-f-]{0,27}$/;

export function runLogsCommand(surroundings: Surroundings): Command {
  return loopVerb("logs", surroundings)
    .description("what the agent of a run did and said")
    .argument("<run>", "its id, or a loop's: then its task's last run, or that of its plan")
    .argument("[task]", "with a loop: the number of the task")
    .option("-f, --follow", "go on until the run has ended; Ctrl-C leaves it, which goes on")
    .addHelpText("after", loopExamples("run logs k3v9x0ab 3", "run logs -f k3v9x0ab 3"))
    .action((name: string, task: string | undefined, options: LogsOptions) =>
      withPlace(surroundings, options, async (place) => {
        const run = await namedRun(place.database, name, task);
        await tell(place, run, options, surroundings);
      }),
    );
}

async function tell(
  place: OpenPlace,
  run: RunRow,
  { follow, json }: LogsOptions,
  { stdout, stderr, env }: Surroundings,
): Promise<void> {
  const tail = new EventTail(eventsFile(place, run));
  const colours = coloursFor(stdout, env);
  const endings = new Endings();
  if (!json) stdout.write(`${colours.dim(await titleOf(place.database, run))}\n`);
  const gone = whyTranscriptIsGone(place, run);
  if (gone !== null) stderr.write(`${gone}\n`);
  try {
    for (;;) {
      // Asked before it is read: what was written before the end is read then.
      const goesOn = (await findRun(place.database, run.id))?.state === "running";
      for (const event of await tail.read()) {
        if (json) stdout.write(`${JSON.stringify(event)}\n`);
        else for (const line of agentLines(event, colours)) stdout.write(`${line}\n`);
      }
      if (!follow || !goesOn || endings.first.aborted) return;
      await news(place.database, run.id, endings.first);
    }
  } finally {
    endings.close();
  }
}

async function titleOf(database: Database, { task, number, role, agent, state }: RunRow): Promise<string> {
  const of = task === null ? undefined : await findTask(database, task);
  return `${of ? `task ${of.number}` : "the plan"}, run ${number}: ${role}, ${agent}, ${state}`;
}

/** Returns when there may be more. */
async function news({ notifications }: Database, run: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      leave();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, lookMs);
    const leave = notifications.subscribe(runEventsChannel, (wake) => {
      if (wake.kind === "notified" && wake.payload === run) done();
    });
    signal.addEventListener("abort", done);
  });
}

async function namedRun(database: Database, name: string, task: string | undefined): Promise<RunRow> {
  const found = runPattern.test(name)
    ? await runBeginning(database, name)
    : await runOfLoop(database, name, task);
  if (found) return found;
  throw new OrchestratorError("not_found", `there is no such run: ${[name, task ?? ""].join(" ").trim()}`, {
    remedy: "opentiger task show LOOP NUMBER lists the runs of a task",
  });
}

async function runBeginning(database: Database, name: string): Promise<RunRow | undefined> {
  const [first, second] = await allRows(
    database,
    z.object({ id: z.string() }),
    "select id from runs where id::text like $1 || '%' limit 2",
    [name],
  );
  if (second) throw new UsageError(`several runs begin with ${name}`, "Write more of its id.");
  return first && findRun(database, first.id);
}

/** The latest one. */
async function runOfLoop(
  database: Database,
  name: string,
  task: string | undefined,
): Promise<RunRow | undefined> {
  const loop = await loopNamed(database, name);
  const of = task === undefined ? null : await taskNumbered(database, loop, task);
  return latestRun(database, { loop: loop.id, task: of?.id ?? null });
}

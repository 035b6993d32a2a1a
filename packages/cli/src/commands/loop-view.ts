import {
  allRows,
  type Database,
  type LoopRow,
  listLoops,
  listRepositories,
  severalPages,
  usageOfLoop,
} from "@opentiger/orchestrator";
import { type LoopStatus, loopStatuses } from "@opentiger/schema";
import { ServerClient } from "@opentiger/server/control";
import { type Command, Option } from "commander";
import { z } from "zod";
import { loopNamed, repositoryOf, tasksOfLoop } from "../loop/find.ts";
import { followLoop } from "../loop/follow.ts";
import { LoopTeller } from "../loop/lines.ts";
import { parseCount } from "../loop/numbers.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { summaryOf } from "../loop/summary.ts";
import { lookOf, loopTable, taskTable, verifyLines } from "../loop/views.ts";
import { watchLoop } from "../loop/watch.ts";
import { printable, printableText } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface LsOptions extends LoopVerbOptions {
  status?: LoopStatus;
  limit: number;
}

interface EventsOptions extends LoopVerbOptions {
  follow?: true;
}

export function loopViewCommands(surroundings: Surroundings): Command[] {
  return [lsCommand(surroundings), showCommand(surroundings), eventsCommand(surroundings)];
}

function lsCommand(surroundings: Surroundings): Command {
  return loopVerb("ls", surroundings)
    .alias("list")
    .description("list loops, the newest first")
    .addOption(new Option("--status <status>", "only those").choices(loopStatuses))
    .option("-n, --limit <number>", "how many", parseCount, 20)
    .addHelpText("after", loopExamples("loop ls", "loop ls --status running --json"))
    .action((options: LsOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const { status, limit, json } = options;
        const { items, next } = await severalPages(limit, (page) =>
          listLoops(database, { ...page, ...(status ? { status } : {}) }),
        );
        const shown = await withFacts(database, items);
        if (json)
          return printJson(surroundings, {
            loops: shown.map(({ loop, counts }) => ({ ...loop, tasks: counts })),
            next,
          });
        if (items.length === 0) return void surroundings.stdout.write(noLoops(status));
        surroundings.stdout.write(loopTable(shown, surroundings.now(), lookOf(surroundings)));
        if (next !== null) surroundings.stdout.write(`the newest ${limit}; more with --limit\n`);
      }),
    );
}

function noLoops(status: LoopStatus | undefined): string {
  if (status === undefined) return 'no loops yet: opentiger run "what is wanted" starts one\n';
  return `no loop is ${status}; all of them: opentiger loop ls\n`;
}

function showCommand(surroundings: Surroundings): Command {
  return loopVerb("show", surroundings)
    .description("one loop: how it stands, its tasks, and what can be done now")
    .argument("<loop>", "its id, or the beginning of it")
    .addHelpText("after", loopExamples("loop show k3v9x0ab", "loop show k3v9x0ab --json"))
    .action((name: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const loop = await loopNamed(database, name);
        const repository = await repositoryOf(database, loop);
        const [tasks, usage] = [await tasksOfLoop(database, loop.id), await usageOfLoop(database, loop.id)];
        if (options.json) return printJson(surroundings, { ...loop, repository, tasks, usage });
        surroundings.stdout.write(
          `${printableText(loop.requirement, "")}\n  in ${printable(repository.path)}\n\n`,
        );
        surroundings.stdout.write(summaryOf(loop, usage));
        if (tasks.length > 0) surroundings.stdout.write(`\n${taskTable(tasks, lookOf(surroundings))}`);
        const verify = loop.state === "awaiting_approval" ? verifyLines(tasks) : "";
        if (verify !== "") surroundings.stdout.write(`\ncommands that check its tasks\n${verify}`);
      }),
    );
}

function eventsCommand(surroundings: Surroundings): Command {
  return loopVerb("events", surroundings)
    .description("what has happened in a loop; with -f also what happens, until it stands still")
    .argument("<loop>", "its id, or the beginning of it")
    .option("-f, --follow", "go on until it stands still; Ctrl-C leaves it, twice cancels it")
    .addHelpText("after", loopExamples("loop events -f k3v9x0ab"))
    .action((name: string, options: EventsOptions) =>
      withPlace(surroundings, options, async (place) => {
        const { id } = await loopNamed(place.database, name);
        if (options.follow) {
          const begin = async () => {
            const { url } = (await new ServerClient(place.env).status()) ?? {};
            return url ? `${url}/loops/${id}` : undefined;
          };
          surroundings.exitWith(await watchLoop(place, id, surroundings, { ...options, begin }));
        } else await tellEvents(place.database, id, options, surroundings);
      }),
    );
}

async function tellEvents(
  database: Database,
  id: string,
  { json }: EventsOptions,
  { stdout }: Surroundings,
): Promise<void> {
  const teller = new LoopTeller(database);
  const signal = AbortSignal.abort();
  for await (const event of followLoop(database, id, { until: () => true, signal })) {
    if (json) stdout.write(`${JSON.stringify({ type: "event", event })}\n`);
    else for (const line of await teller.lines(event)) stdout.write(`${event.at.toISOString()} ${line}\n`);
  }
}

interface Shown {
  loop: LoopRow;
  counts: Readonly<Record<string, number>>;
  /** Done of all. */
  tasks: string;
  /** Of its repository. */
  name: string;
}

async function withFacts(database: Database, loops: readonly LoopRow[]): Promise<Shown[]> {
  const shape = z.object({ loop: z.string(), status: z.string(), count: z.number() });
  const rows = await allRows(
    database,
    shape,
    `select loop_id as loop, status, count(*) from tasks where loop_id = any ($1::text[]) group by 1, 2 order by 1, 2`,
    [loops.map(({ id }) => id)],
  );
  const names = new Map(
    (await listRepositories(database, { limit: 1_000 })).map(({ id, name }) => [id, name]),
  );
  const byLoop = new Map<string, typeof rows>(loops.map(({ id }) => [id, []]));
  for (const row of rows) byLoop.get(row.loop)?.push(row);
  return loops.map((loop) => {
    const own = byLoop.get(loop.id) ?? [];
    const counts = Object.fromEntries(own.map(({ status, count }) => [status, count]));
    const all = own.reduce((sum, { count }) => sum + count, 0);
    return { loop, counts, tasks: `${counts["done"] ?? 0}/${all}`, name: names.get(loop.repository) ?? "?" };
  });
}

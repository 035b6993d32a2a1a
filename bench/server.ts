import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { measureLists } from "./lists.ts";
import { type Series, sideBySide, summarise } from "./measure.ts";
import { opentigerFile, type ServerPlace, serverPlace } from "./server-place.ts";
import { measureStreams, type StreamFigures } from "./sse.ts";
import { timesTable } from "./table.ts";

export interface ServerSizes {
  /** First starts, each with a new database. */
  firstStarts: number;
  warmStarts: number;
  commands: number;
  tasks: number;
  requests: number;
  clients: number;
  eventsPerSecond: number;
  seconds: number;
}

export interface ServerFigures {
  starts: readonly Series[];
  commands: readonly Series[];
  lists: readonly Series[];
  tasks: number;
  streams: StreamFigures;
}

const startNames = {
  first: "`up`, the first time: a database is made",
  warm: "`up`, nothing runs",
  database: "`up`, the database runs",
} as const;

const commandNames = {
  version: "`opentiger --version`",
  status: "`opentiger status`",
  dockerVersion: "`docker --version`",
  dockerPs: "`docker ps`",
} as const;

/** How soon the server is ready, and how it answers where there is much. */
export async function measureServer(sizes: ServerSizes): Promise<ServerFigures> {
  return {
    starts: await startTimes(sizes),
    commands: await commandTimes(sizes.commands),
    lists: await measureLists(sizes.tasks, sizes.requests),
    tasks: sizes.tasks,
    streams: await measureStreams(sizes),
  };
}

async function startTimes({ firstStarts, warmStarts }: ServerSizes): Promise<Series[]> {
  const times: Record<keyof typeof startNames, number[]> = { first: [], warm: [], database: [] };
  for (let round = 0; round < firstStarts; round += 1) {
    const place = serverPlace({ processes: ["dispatcher"] });
    times.first.push(await timed(place));
    await place.remove();
  }
  const place = serverPlace({ processes: ["dispatcher"] });
  try {
    await place.up();
    for (let round = 0; round < warmStarts; round += 1) {
      await place.opentiger("down");
      times.warm.push(await timed(place));
      await place.opentiger("down");
      // Any command that needs the database starts it.
      await place.opentiger("loop", "ls");
      times.database.push(await timed(place));
    }
  } finally {
    await place.remove();
  }
  return (["first", "warm", "database"] as const).map((way) => summarise(startNames[way], times[way]));
}

/** Of a whole command, from its start to its end, when the server answers. */
async function timed(place: ServerPlace): Promise<number> {
  const start = performance.now();
  await place.up();
  return performance.now() - start;
}

async function commandTimes(rounds: number): Promise<Series[]> {
  const place = serverPlace({ processes: ["dispatcher"] });
  const run = promisify(execFile);
  const { env } = place;
  try {
    await place.up();
    return await sideBySide(
      [
        {
          name: commandNames.version,
          run: async () => void (await run(process.execPath, [opentigerFile, "--version"], { env })),
        },
        { name: commandNames.status, run: async () => void (await place.opentiger("status")) },
        { name: commandNames.dockerVersion, run: async () => void (await run("docker", ["--version"])) },
        { name: commandNames.dockerPs, run: async () => void (await run("docker", ["ps"], { env })) },
      ],
      rounds,
    );
  } finally {
    await place.remove();
  }
}

export function startSeconds({ starts }: ServerFigures, way: keyof typeof startNames): number {
  return (starts.find(({ name }) => name === startNames[way])?.p50 ?? Number.NaN) / 1000;
}

export function serverTable({ starts, commands, lists, tasks, streams }: ServerFigures): string {
  const { clients, eventsPerSecond, sent, received, missing, series } = streams;
  return [
    timesTable("Starting the server", starts, startNames.warm),
    timesTable("Commands beside docker's", commands, commandNames.dockerPs),
    timesTable(`Asked over HTTP, ${tasks.toLocaleString("en")} tasks`, lists, lists[0]?.name ?? ""),
    timesTable("From an event's commit to a client", [series], series.name),
    `${clients} clients, ${eventsPerSecond} events a second: ${sent} events, of which ${received} of ${sent * clients} arrived, ${missing} were missing.\n`,
  ].join("\n");
}

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandDriver, drivers, runAgent } from "@opentiger/agents";
import { type AgentPlace, type BenchAgent, benchAgents, makeAgentPlace } from "./agent-place.ts";
import { type Series, summarise } from "./measure.ts";
import { ratio, timesTable } from "./table.ts";

export interface AgentFigures {
  /** From one request to the model to the next one, by CLI and place. */
  turns: readonly Series[];
  /** Lines of each CLI's own output that its driver reads in a second. */
  readers: readonly { title: string; linesPerSecond: number }[];
  /** From a CLI's stdout to the reader of events, with a transcript on disk. */
  eventsPerSecond: number;
  megabytesPerRun: number;
}

const places = ["host", "docker"] as const;

/** How agents work in a sandbox beside the host, and what following them takes. */
export async function measureAgents({
  rounds,
  turns,
}: {
  rounds: number;
  turns: number;
}): Promise<AgentFigures> {
  const place = await makeAgentPlace(turns);
  try {
    const measured: { turns: Series[]; transcripts: Map<BenchAgent, string> } = {
      turns: [],
      transcripts: new Map(),
    };
    for (const agent of benchAgents) {
      const { series, transcript } = await turnsOf(place, agent, rounds);
      measured.turns.push(...series);
      measured.transcripts.set(agent, transcript);
    }
    return {
      turns: measured.turns,
      readers: benchAgents.map((agent) => ({
        title: drivers[agent].title,
        linesPerSecond: readerSpeed(agent, measured.transcripts.get(agent) ?? ""),
      })),
      eventsPerSecond: await eventSpeed(place),
      megabytesPerRun: await memoryOfRuns(place),
    };
  } finally {
    await place.remove();
  }
}

function seriesName(agent: BenchAgent, where: (typeof places)[number]): string {
  return `${drivers[agent].title}, ${where === "host" ? "host" : "sandbox"}`;
}

/** In turns on the host and in a sandbox, so that whatever the machine does besides falls on both. */
async function turnsOf(place: AgentPlace, agent: BenchAgent, rounds: number) {
  const times = { host: [] as number[], docker: [] as number[] };
  const sandboxes = {
    host: await place.sandbox(agent, "host"),
    docker: await place.sandbox(agent, "docker"),
  };
  let transcript = "";
  for (let round = -1; round < rounds; round += 1) {
    for (const where of places) {
      const seen = await place.run(agent, sandboxes[where]);
      if (round >= 0) times[where].push(...gaps(seen.asked));
      transcript = seen.transcript;
    }
  }
  for (const where of places) await sandboxes[where].close();
  return { series: places.map((where) => summarise(seriesName(agent, where), times[where])), transcript };
}

/** The first turn has what a CLI does once. */
function gaps(asked: readonly number[]): number[] {
  return asked.slice(2).map((at, index) => at - (asked[index + 1] ?? at));
}

const readMs = 500;

/** What the CLI printed in a run, again and again. */
function readerSpeed(agent: BenchAgent, transcript: string): number {
  const lines = readFileSync(transcript, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{") && !line.startsWith('{"kind":'));
  const task = {
    prompt: "",
    instructions: [],
    projectSettings: "ignored",
    permissions: { kind: "full" },
    session: { kind: "new", id: "bench" },
  } as const;
  const start = performance.now();
  let read = 0;
  while (performance.now() - start < readMs) {
    const reader = drivers[agent].reader(task);
    for (const line of lines) reader.line(line);
    read += lines.length;
  }
  return (read / (performance.now() - start)) * 1000;
}

const floodLines = 100_000;

async function eventSpeed({ host, env }: AgentPlace): Promise<number> {
  const folder = join(env.HOME, "flood");
  mkdirSync(folder);
  const sandbox = await host.create({ agent: "shell", workspaces: [{ path: folder, readOnly: false }] });
  const id = randomUUID();
  const start = performance.now();
  const run = await runAgent({
    id,
    driver: commandDriver({
      command: ["sh", "-c", `yes "a line of some length, as a tool prints it" | head -n ${floodLines}`],
    }),
    sandbox,
    cwd: folder,
    transcript: join(folder, `${id}.transcript`),
    task: {
      prompt: "",
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id },
    },
  });
  let events = 0;
  for await (const _ of run.events) events += 1;
  const { ok } = await run.outcome;
  await sandbox.close();
  if (!ok || events !== floodLines) throw new Error(`${events} of ${floodLines} lines were heard`);
  return (events / (performance.now() - start)) * 1000;
}

const runsAtOnce = 50;

async function memoryOfRuns({ host, env }: AgentPlace): Promise<number> {
  const folder = join(env.HOME, "memory");
  mkdirSync(folder);
  const sandbox = await host.create({ agent: "shell", workspaces: [{ path: folder, readOnly: false }] });
  const program = fileURLToPath(new URL("following-process.ts", import.meta.url));
  const args = ["--expose-gc", "--import", "tsx", program, sandbox.name, folder, String(runsAtOnce)];
  const said = execFileSync(process.execPath, args, { env, encoding: "utf8" });
  await sandbox.close();
  return Number(said);
}

export function agentsTable({ turns, readers, eventsPerSecond, megabytesPerRun }: AgentFigures): string {
  const tables = benchAgents.map((agent) => {
    const names = places.map((where) => seriesName(agent, where));
    const own = turns.filter(({ name }) => names.includes(name));
    return timesTable(
      `A turn of ${drivers[agent].title}, from one request to the next`,
      own,
      seriesName(agent, "host"),
    );
  });
  return [
    ...tables,
    "### Following agents",
    "",
    "| what | measured |",
    "|---|---:|",
    ...readers.map(
      ({ title, linesPerSecond }) => `| lines of ${title} read, per second | ${linesPerSecond.toFixed(0)} |`,
    ),
    `| events from a CLI's stdout to their reader, per second | ${eventsPerSecond.toFixed(0)} |`,
    `| memory that a run adds to the process that follows it, MB | ${megabytesPerRun.toFixed(2)} |`,
    "",
  ].join("\n");
}

/** A turn in a sandbox beside one on the host. */
export function turnRatios({ turns }: AgentFigures): { title: string; ratio: number }[] {
  return benchAgents.map((agent) => ({
    title: drivers[agent].title,
    ratio: ratio(turns, seriesName(agent, "docker"), seriesName(agent, "host")),
  }));
}

import { writeFileSync } from "node:fs";
import { type AgentFigures, agentsTable, measureAgents, turnRatios } from "./agents.ts";
import { burst } from "./burst.ts";
import { type DashboardFigures, dashboardTable, interactiveSeconds, measureDashboard } from "./dashboard.ts";
import { execNames, measureExec } from "./exec.ts";
import { gatewayTable, measureGateway } from "./gateway.ts";
import { idleMemory } from "./idle-memory.ts";
import { lifecycleNames, measureLifecycle } from "./lifecycle.ts";
import { claimRatio, type LoopFigures, loopsTable, measureLoops, warmStartMs } from "./loops.ts";
import type { Series } from "./measure.ts";
import { measureNetwork, networkTable } from "./network.ts";
import { bytesALine, growthOf } from "./page-memory.ts";
import { makePlace } from "./place.ts";
import { measureServer, type ServerFigures, serverTable, startSeconds } from "./server.ts";
import { type Goal, goalsTable, ratio, timesTable } from "./table.ts";

/**
 * `npm run bench [-- --quick]`: one run, one page of tables, written to bench/RESULTS.md as well.
 * `npm run bench -- exec`: commands in a warm sandbox only; nothing is written.
 * `npm run bench -- agents`: the agents only; nothing is written.
 * `npm run bench -- loops`: loops only; nothing is written.
 * `npm run bench -- server`: the server and the command line only; nothing is written.
 * `npm run bench -- dashboard`: the pages in a browser only; nothing is written.
 */
const quick = process.argv.includes("--quick");
const parts = {
  exec: measureExecOnly,
  agents: measureAgentsOnly,
  loops: measureLoopsOnly,
  server: measureServerOnly,
  dashboard: measureDashboardOnly,
} as const;
const part = (["exec", "agents", "loops", "server", "dashboard"] as const).find((name) =>
  process.argv.includes(name),
);
const place = await makePlace();
try {
  const page = await (part ? parts[part]() : measureAll());
  process.stdout.write(page);
  if (!quick && !part) writeFileSync(new URL("RESULTS.md", import.meta.url), page);
} finally {
  await place.remove();
}

async function measureAgentsOnly(): Promise<string> {
  const figures = await measureRealAgents();
  return [agentsTable(figures), goalsTable(agentGoals(figures))].join("\n");
}

async function measureRealAgents(): Promise<AgentFigures> {
  say("the agents, on the host and in a sandbox");
  return measureAgents(quick ? { rounds: 1, turns: 4 } : { rounds: 3, turns: 16 });
}

async function measureLoopsOnly(): Promise<string> {
  const figures = await measureWholeLoops();
  return [loopsTable(figures), goalsTable(loopGoals(figures))].join("\n");
}

async function measureWholeLoops(): Promise<LoopFigures> {
  say("loops, with agents that take no time");
  return measureLoops(
    quick
      ? { starts: 2, hostTasks: 4, sandboxTasks: 3, atOnce: 2, claims: 5 }
      : { starts: 20, hostTasks: 100, sandboxTasks: 25, atOnce: 16, claims: 60 },
  );
}

async function measureServerOnly(): Promise<string> {
  const figures = await measureWholeServer();
  return [serverTable(figures), goalsTable(serverGoals(figures))].join("\n");
}

async function measureWholeServer(): Promise<ServerFigures> {
  say("the server: starts, lists of 100,000 tasks, 100 clients that listen");
  const streams = { clients: 100, eventsPerSecond: 200 };
  return measureServer(
    quick
      ? { firstStarts: 1, warmStarts: 2, commands: 3, tasks: 2_000, requests: 5, ...streams, seconds: 2 }
      : {
          firstStarts: 3,
          warmStarts: 7,
          commands: 15,
          tasks: 100_000,
          requests: 60,
          ...streams,
          seconds: 20,
        },
  );
}

async function measureDashboardOnly(): Promise<string> {
  const figures = await measurePages();
  return [dashboardTable(figures), goalsTable(dashboardGoals(figures))].join("\n");
}

async function measurePages(): Promise<DashboardFigures | undefined> {
  say("the dashboard: visits, a long transcript, and an hour of events");
  return measureDashboard(
    quick
      ? { visits: 2, lines: 100_000, events: 2_000, eventsPerSecond: 200 }
      : { visits: 7, lines: 100_000, events: 36_000, eventsPerSecond: 400 },
  );
}

async function measureExecOnly(): Promise<string> {
  const exec = await measureWarm();
  return [
    timesTable("A command in a warm sandbox", exec, execNames.dockerExec),
    goalsTable(execGoals(exec)),
  ].join("\n");
}

async function measureWarm(): Promise<Series[]> {
  say("exec in a warm sandbox");
  const sandbox = await place.backend.create({
    name: "bench",
    agent: "shell",
    workspaces: [place.workspace],
  });
  const exec = await measureExec(place, sandbox, quick ? 10 : 60);
  await sandbox.close();
  return exec;
}

async function measureAll(): Promise<string> {
  const exec = await measureWarm();
  say("create, stop and remove");
  const lifecycle = await measureLifecycle(place, quick ? 3 : 15);
  say("20 sandboxes at once, and what an idle one takes");
  const memory = await idleMemory(place, quick ? 4 : 20);
  say("create → node -v, sequential, staggered and in a burst");
  const computeSdk = await burst(place, quick ? 3 : 10);
  say("the way out");
  const far = await place.farBackend.create({
    name: "bench-far",
    agent: "shell",
    workspaces: [],
    workspaceKind: "clone",
  });
  const network = await measureNetwork(place, far);
  await far.close();
  say("the model gateway");
  const gateway = await measureGateway(place, quick ? 2 : 7);
  const agents = await measureRealAgents();
  const loops = await measureWholeLoops();
  const server = await measureWholeServer();
  const pages = await measurePages();
  const goals: Goal[] = [
    ...execGoals(exec),
    atMost("cold create → first exec beside `docker run -d`", lifecycleRatio("cold"), 1.3),
    atMost("pool → first exec beside `docker run -d`", lifecycleRatio("pool"), 0.2),
    atMost("pool with a small repository beside `docker run -d`", lifecycleRatio("poolRepository"), 0.67),
    atMost(
      "stop, seconds",
      (lifecycle.find(({ name }) => name === lifecycleNames.stop)?.p50 ?? Number.NaN) / 1000,
      1,
    ),
    atMost("memory of an idle sandbox (PSS), MB", memory.megabytes, 20),
    atLeast("download on the socket carrier, MB/s", network.socket.megabytesPerSecond, 300),
    atLeast("download on the exec stdio carrier, MB/s", network.stdio.megabytesPerSecond, 80),
    atMost("added to a small request, ms", network.socket.requestMs - network.bridge.requestMs, 2),
    atMost("added to a model request by the gateway, ms", gateway.gatewayMs - gateway.directMs, 5),
    atMost("create → first model request of the real claude, s", gateway.firstRequestMs / 1000, 2),
    ...agentGoals(agents),
    ...loopGoals(loops),
    ...serverGoals(server),
    ...dashboardGoals(pages),
  ];
  return [
    "# Measured side by side\n",
    `One run of \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, Docker ${place.engineVersion}.`,
    "Times differ from machine to machine; the ratios are what counts.\n",
    timesTable("A command in a warm sandbox", exec, execNames.dockerExec),
    timesTable("Life of a sandbox", lifecycle, lifecycleNames.dockerRun),
    `### Many at once\n\n${memory.text}\n`,
    computeSdk,
    networkTable(network),
    gatewayTable(gateway),
    agentsTable(agents),
    loopsTable(loops),
    serverTable(server),
    dashboardTable(pages),
    goalsTable(goals),
  ].join("\n");

  function lifecycleRatio(name: keyof typeof lifecycleNames): number {
    return ratio(lifecycle, lifecycleNames[name], lifecycleNames.dockerRun);
  }
}

function execGoals(exec: readonly Series[]): Goal[] {
  return [
    atLeast(
      "library on the socket, times faster than `docker exec`",
      1 / ratio(exec, execNames.socket, execNames.dockerExec),
      20,
    ),
    atMost(
      "`docker sandbox exec` beside `docker exec`",
      ratio(exec, execNames.command, execNames.dockerExec),
      1.3,
    ),
  ];
}

function agentGoals(figures: AgentFigures): Goal[] {
  return turnRatios(figures).map(({ title, ratio: beside }) =>
    atMost(`a turn of ${title} in a sandbox beside the host`, beside, 1.1),
  );
}

function loopGoals(figures: LoopFigures): Goal[] {
  return [
    atMost("queued → the agent runs, sandboxes warm, ms", warmStartMs(figures), 300),
    atMost("claim at 100,000 queued beside 100", claimRatio(figures), 2),
  ];
}

function serverGoals(figures: ServerFigures): Goal[] {
  return [
    atMost("`up` → ready, the first time, s", startSeconds(figures, "first"), 5),
    atMost("`up` → ready, nothing runs, s", startSeconds(figures, "warm"), 2),
    atMost("events that did not reach one of 100 clients", figures.streams.missing, 0),
  ];
}

function dashboardGoals(figures: DashboardFigures | undefined): Goal[] {
  if (!figures) return [];
  const { transcript, memory, events } = figures;
  return [
    atMost("the dashboard can be used, first visit, s", interactiveSeconds(figures), 1),
    atMost("script of the first visit, compressed, kB", figures.scriptBytes / 1000, 250),
    atMost("a transcript of 100,000 lines is there, s", transcript.loadMs / 1000, 5),
    atMost("longest frame while it is scrolled, ms", transcript.worstFrameMs, 100),
    atMost("a search of it, s", transcript.searchMs / 1000, 1),
    atMost(
      "memory of the overview after an hour of events beside a quarter",
      growthOf(memory, "overview"),
      1.2,
    ),
    atMost("the same, of a loop's activity", growthOf(memory, "activity of the loop"), 1.2),
    atMost("kept of each line by a transcript that is followed, bytes", bytesALine(memory, events), 1_000),
  ];
}

function atMost(what: string, measured: number, bound: number): Goal {
  return { what, ratio: measured, goal: `≤ ${bound}`, met: measured <= bound };
}

function atLeast(what: string, measured: number, bound: number): Goal {
  return { what, ratio: measured, goal: `≥ ${bound}`, met: measured >= bound };
}

function say(line: string): void {
  process.stderr.write(`measuring: ${line}\n`);
}

import { agentsTable, measureAgents, turnRatios } from "./agents.ts";
import { burst } from "./burst.ts";
import { dashboardTable, interactiveSeconds, measureDashboard } from "./dashboard.ts";
import { execNames, measureExec } from "./exec.ts";
import { gatewayTable, measureGateway } from "./gateway.ts";
import { idleMemory } from "./idle-memory.ts";
import { lifecycleNames, measureLifecycle } from "./lifecycle.ts";
import { claimRatio, loopsTable, measureLoops, warmStartMs } from "./loops.ts";
import { measureNetwork, networkTable } from "./network.ts";
import { bytesALine, growthOf } from "./page-memory.ts";
import type { Place } from "./place.ts";
import { measureServer, serverTable, startSeconds } from "./server.ts";
import { atLeast, atMost, type Part, ratio, timesTable } from "./table.ts";

export interface Measurement {
  about: string;
  measure(place: Place, quick: boolean): Promise<Part>;
}

/** All that is measured, by the name it can be asked for alone, in the order of the page. */
export const parts: ReadonlyMap<string, Measurement> = new Map([
  ["exec", { about: "commands in a warm sandbox", measure: exec }],
  ["lifecycle", { about: "create, stop and remove", measure: lifecycle }],
  ["many", { about: "20 sandboxes at once, and create → node -v in patterns", measure: many }],
  ["network", { about: "the way out", measure: network }],
  ["gateway", { about: "the model gateway", measure: gateway }],
  ["agents", { about: "the agents, on the host and in a sandbox", measure: agents }],
  ["loops", { about: "loops, with agents that take no time", measure: loops }],
  [
    "server",
    { about: "the server: starts, lists of 100,000 tasks, 100 clients that listen", measure: server },
  ],
  ["dashboard", { about: "the dashboard: visits, a long transcript, an hour of events", measure: dashboard }],
]);

async function exec(place: Place, quick: boolean): Promise<Part> {
  const sandbox = await place.backend.create({
    name: "bench",
    agent: "shell",
    workspaces: [place.workspace],
  });
  const series = await measureExec(place, sandbox, quick ? 10 : 60);
  await sandbox.close();
  const beside = (name: string): number => ratio(series, name, execNames.dockerExec);
  return {
    tables: [timesTable("A command in a warm sandbox", series, execNames.dockerExec)],
    goals: [
      atLeast("library on the socket, times faster than `docker exec`", 1 / beside(execNames.socket), 20),
      atMost("`docker sandbox exec` beside `docker exec`", beside(execNames.command), 1.3),
    ],
  };
}

async function lifecycle(place: Place, quick: boolean): Promise<Part> {
  const series = await measureLifecycle(place, quick ? 3 : 15);
  const beside = (name: string): number => ratio(series, name, lifecycleNames.dockerRun);
  const stopMs = series.find(({ name }) => name === lifecycleNames.stop)?.p50 ?? Number.NaN;
  return {
    tables: [timesTable("Life of a sandbox", series, lifecycleNames.dockerRun)],
    goals: [
      atMost("cold create → first exec beside `docker run -d`", beside(lifecycleNames.cold), 1.3),
      atMost("pool → first exec beside `docker run -d`", beside(lifecycleNames.pool), 0.2),
      atMost(
        "pool with a small repository beside `docker run -d`",
        beside(lifecycleNames.poolRepository),
        0.67,
      ),
      atMost("stop, seconds", stopMs / 1000, 1),
    ],
  };
}

async function many(place: Place, quick: boolean): Promise<Part> {
  const memory = await idleMemory(place, quick ? 4 : 20);
  return {
    tables: [`### Many at once\n\n${memory.text}\n`, await burst(place, quick ? 3 : 10)],
    goals: [atMost("memory of an idle sandbox (PSS), MB", memory.megabytes, 20)],
  };
}

async function network(place: Place): Promise<Part> {
  const figures = await measureNetwork(place);
  const { bridge, socket, stdio } = figures;
  return {
    tables: [networkTable(figures)],
    goals: [
      atLeast("download on the socket carrier, MB/s", socket.megabytesPerSecond, 300),
      atLeast("download on the exec stdio carrier, MB/s", stdio.megabytesPerSecond, 80),
      atMost("added to a small request, ms", socket.requestMs - bridge.requestMs, 2),
    ],
  };
}

async function gateway(place: Place, quick: boolean): Promise<Part> {
  const figures = await measureGateway(place, quick ? 2 : 7);
  return {
    tables: [gatewayTable(figures)],
    goals: [
      atMost("added to a model request by the gateway, ms", figures.gatewayMs - figures.directMs, 5),
      atMost("create → first model request of the real claude, s", figures.firstRequestMs / 1000, 2),
    ],
  };
}

async function agents(_place: Place, quick: boolean): Promise<Part> {
  const figures = await measureAgents(quick ? { rounds: 1, turns: 4 } : { rounds: 3, turns: 16 });
  return {
    tables: [agentsTable(figures)],
    goals: turnRatios(figures).map(({ title, ratio: beside }) =>
      atMost(`a turn of ${title} in a sandbox beside the host`, beside, 1.1),
    ),
  };
}

async function loops(_place: Place, quick: boolean): Promise<Part> {
  const figures = await measureLoops(
    quick
      ? { starts: 2, hostTasks: 4, sandboxTasks: 3, atOnce: 2, claims: 5 }
      : { starts: 20, hostTasks: 100, sandboxTasks: 25, atOnce: 16, claims: 60 },
  );
  return {
    tables: [loopsTable(figures)],
    goals: [
      atMost("queued → the agent runs, sandboxes warm, ms", warmStartMs(figures), 300),
      atMost("claim at 100,000 queued beside 100", claimRatio(figures), 2),
    ],
  };
}

async function server(_place: Place, quick: boolean): Promise<Part> {
  const streams = { clients: 100, eventsPerSecond: 200, seconds: quick ? 2 : 20 };
  const size = quick
    ? { firstStarts: 1, warmStarts: 2, commands: 3, tasks: 2_000, requests: 5 }
    : { firstStarts: 3, warmStarts: 7, commands: 15, tasks: 100_000, requests: 60 };
  const figures = await measureServer({ ...size, ...streams });
  return {
    tables: [serverTable(figures)],
    goals: [
      atMost("`up` → ready, the first time, s", startSeconds(figures, "first"), 5),
      atMost("`up` → ready, nothing runs, s", startSeconds(figures, "warm"), 2),
      atMost("events that did not reach one of 100 clients", figures.streams.missing, 0),
    ],
  };
}

async function dashboard(_place: Place, quick: boolean): Promise<Part> {
  const figures = await measureDashboard(
    quick
      ? { visits: 2, lines: 100_000, events: 2_000, eventsPerSecond: 200 }
      : { visits: 7, lines: 100_000, events: 36_000, eventsPerSecond: 400 },
  );
  if (!figures) return { tables: [dashboardTable(figures)], goals: [] };
  const { transcript, memory, events } = figures;
  return {
    tables: [dashboardTable(figures)],
    goals: [
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
    ],
  };
}

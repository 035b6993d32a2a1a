import type { PlannedTask } from "@opentiger/schema";
import { claimNames, measureClaims } from "./claims.ts";
import { eventually, type LoopPlace, makeLoopPlace } from "./loop-place.ts";
import { type Series, summarise } from "./measure.ts";
import { ratio, timesTable } from "./table.ts";

const startNames = {
  warm: "queued → the agent runs, sandboxes warm",
  cold: "queued → the agent runs, no sandbox made before",
} as const;

export interface LoopSizes {
  /** Tasks that are timed from being queued to their agent's first instruction, each way. */
  starts: number;
  /** Tasks of one loop that is worked off on the host, and of one in sandboxes. */
  hostTasks: number;
  sandboxTasks: number;
  /** Agents that work at the same time while the dispatcher is weighed. */
  atOnce: number;
  claims: number;
}

export interface LoopFigures {
  starts: readonly Series[];
  claims: readonly Series[];
  host: WorkedOff;
  sandbox: WorkedOff;
  megabytesPerTask: number;
}

interface WorkedOff {
  tasks: number;
  /** From the plan to the loop's end. */
  seconds: number;
}

/** What dispatching costs, with agents that take no time. */
export async function measureLoops(sizes: LoopSizes): Promise<LoopFigures> {
  const place = await makeLoopPlace();
  try {
    return {
      starts: await startTimes(place, sizes.starts),
      host: await workOff(place, "host", sizes.hostTasks),
      sandbox: await workOff(place, "sandbox", sizes.sandboxTasks),
      megabytesPerTask: await memoryOfTasks(place, sizes.atOnce),
      claims: await measureClaims(sizes.claims),
    };
  } finally {
    await place.remove();
  }
}

const poolSize = 4;

/**
 * The clock starts before the task is added to a running loop, and with it its stage, which is ready at once; it ends
 * with the first thing that the agent does: it reads the clock. In turns warm and cold, while nothing else is worked on.
 */
async function startTimes(place: LoopPlace, rounds: number): Promise<Series[]> {
  const others = Array.from({ length: poolSize }, (_, index) => task(`later-${index}`, { needs: ["keep"] }));
  const loop = await place.begin([task("keep", { title: "Keep at it" }), ...others], "sandbox");
  const times = { warm: [] as number[], cold: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    for (const way of ["warm", "cold"] as const) {
      const size = way === "warm" ? poolSize : 0;
      await place.set({ OPENTIGER_POOL_SIZE: size });
      await eventually(async () => place.warm() === size);
      const start = Date.now();
      const added = await place.add(loop, task(`${way}-${round + 1}`));
      await place.done(added);
      if (round >= 0) times[way].push((await place.begun(added)) - start);
    }
  }
  await place.cancel(loop);
  await place.set({ OPENTIGER_POOL_SIZE: null });
  return [summarise(startNames.warm, times.warm), summarise(startNames.cold, times.cold)];
}

/** One loop of tasks that change a file each: run, checked, judged and merged, as many at once as usual. */
async function workOff(place: LoopPlace, where: "host" | "sandbox", count: number): Promise<WorkedOff> {
  const tasks = Array.from({ length: count }, (_, index) => task(`file-${index}`));
  const planned = await place.begin(tasks, where);
  const ended = await place.ended(planned);
  if (ended.state !== "done" || !ended.endedAt) throw new Error(`loop ${ended.id}: ${ended.detail}`);
  return { tasks: count, seconds: (ended.endedAt.getTime() - planned.updatedAt.getTime()) / 1000 };
}

/** What each agent that works adds to the dispatcher's memory. */
async function memoryOfTasks(place: LoopPlace, atOnce: number): Promise<number> {
  await place.set({
    OPENTIGER_MAX_RUNNING: atOnce + 2,
    OPENTIGER_MAX_WORKERS: atOnce + 2,
    OPENTIGER_POOL_SIZE: 0,
  });
  await place.startAnew();
  const keeper = (index: number) => task(`kept-${index}`, { title: `Keep at ${index}` });
  const loop = await place.begin([keeper(0)], "sandbox");
  // The first one has all that is needed once.
  await place.begun(await place.add(loop, keeper(1)));
  const before = await place.megabytes();
  for (let index = 2; index < atOnce + 2; index += 1) await place.begun(await place.add(loop, keeper(index)));
  const after = await place.megabytes();
  await place.cancel(loop);
  return (after - before) / atOnce;
}

function task(key: string, more: Partial<PlannedTask> = {}): PlannedTask {
  return {
    key,
    title: `Write ${key}`,
    role: "worker",
    instructions: `Write ${key}.txt.`,
    needs: [],
    allowedPaths: [`${key}.txt`],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: null,
    ...more,
  };
}

/** How many times longer a claim takes where very much is queued. */
export function claimRatio({ claims }: LoopFigures): number {
  return ratio(claims, claimNames.many, claimNames.few);
}

export function warmStartMs({ starts }: LoopFigures): number {
  return starts.find(({ name }) => name === startNames.warm)?.p50 ?? Number.NaN;
}

export function loopsTable(figures: LoopFigures): string {
  const { starts, claims, host, sandbox, megabytesPerTask } = figures;
  return [
    timesTable("Loops", starts, startNames.cold),
    "The clock runs from before a task is added to a running loop to the first instruction of its agent, which takes no time and reads the clock itself. In between: the stage is claimed, its run begun, its sandbox adopted or made and brought to the commit, logged in, and the agent started through the gateway.\n",
    timesTable("Claims", claims, claimNames.few),
    "### Worked off\n",
    `${host.tasks} tasks on the host, a file each, run, checked, judged and merged: ${host.seconds.toFixed(1)} s, ${(host.tasks / host.seconds).toFixed(1)} tasks a second.`,
    `${sandbox.tasks} tasks the same way in sandboxes, several for each: ${sandbox.seconds.toFixed(1)} s, ${(sandbox.tasks / sandbox.seconds).toFixed(1)} tasks a second.`,
    `Memory of the dispatcher for each task that runs: ${megabytesPerTask.toFixed(2)} MB.\n`,
  ].join("\n");
}

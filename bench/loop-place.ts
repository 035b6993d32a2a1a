import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  addTask,
  cancelLoop,
  findLoop,
  findTask,
  type LoopRow,
  listTaskRuns,
  openPlace,
  startLoop,
  type TaskRow,
} from "@opentiger/orchestrator";
import { DockerBackend } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { type ExecutionEnvironment, loopSettings, type PlannedTask } from "@opentiger/schema";
import { begunAt, quickAgent, quickAgents } from "../tests/setup/quick-agent.ts";
import { temporaryState } from "./temporary-state.ts";

export type LoopPlace = Awaited<ReturnType<typeof makeLoopPlace>>;

/** Whatever takes longer hangs. */
const patienceMs = 3_600_000;
const lookEveryMs = 50;

/** An openTiger of its own that works off loops in a process of its own, with agents that take no time. */
export async function makeLoopPlace() {
  const { home, env, remove } = temporaryState();
  const projects = realpathSync(mkdtempSync(join(tmpdir(), "ot-bench-projects-")));
  // No login of the user's.
  env["HOME"] = home;
  const place = await openPlace(env, { program: "bench" });
  const backend = await place.backend("sandbox");
  if (!(backend instanceof DockerBackend)) throw new Error("sandboxes are made by another backend");
  const set = (changes: Readonly<Record<string, unknown>>) => place.config.patch(changes, "bench");
  await set({ OPENTIGER_AGENT_COMMAND: [...quickAgent], OPENTIGER_MAX_TASKS: 1000 });
  let dispatcher = await startDispatching(env);
  return {
    set,
    /** Another process in place of the one that works: its memory has no room that earlier work left. */
    startAnew: async (): Promise<void> => {
      await dispatcher.stop();
      dispatcher = await startDispatching(env);
    },
    /** What the dispatcher takes, when garbage is gone. */
    megabytes: (): Promise<number> => dispatcher.megabytes(),
    /** How many sandboxes wait for a task. */
    warm: (): number => backend.warmSandboxes().length,
    /** Begins a loop on a repository of its own, and returns when it is planned. */
    begin: async (tasks: readonly PlannedTask[], environment: ExecutionEnvironment): Promise<LoopRow> => {
      const loop = await startLoop(place, {
        repository: { path: newRepository(projects) },
        requirement: "All of it.",
        source: { kind: "stories", file: null, summary: "All of it.", tasks: [...tasks] },
        settings: loopSettings.parse({
          environment,
          agents: quickAgents,
          project: { verify: [{ command: "true" }] },
        }),
      });
      return eventually(async () => {
        const now = await findLoop(place.database, loop.id);
        if (now?.state === "failed") throw new Error(`loop ${loop.id}: ${now.detail}`);
        return now?.state === "running" ? now : undefined;
      });
    },
    add: (loop: LoopRow, task: PlannedTask): Promise<TaskRow> =>
      addTask(place, loop.id, { ...task, needs: [] }),
    /** When the agent of a task's first run began, by this machine's clock. */
    begun: async ({ id }: Pick<TaskRow, "id">): Promise<number> =>
      eventually(async () => {
        const [run] = (await listTaskRuns(place.database, { task: id, limit: 1 })).items;
        return run && begunAt(saidBy(home, run.id));
      }),
    done: async ({ id }: Pick<TaskRow, "id">): Promise<void> => {
      await eventually(async () => {
        const task = await findTask(place.database, id);
        if (task?.state === "failed") throw new Error(`task ${id}: ${task.detail}`);
        return task?.state === "done";
      });
    },
    ended: async ({ id }: LoopRow): Promise<LoopRow> =>
      eventually(async () => {
        const loop = await findLoop(place.database, id);
        return loop?.endedAt === null ? undefined : loop;
      }),
    cancel: async ({ id }: LoopRow): Promise<void> => {
      await cancelLoop(place.database, id);
      await eventually(async () => (await backend.list({ parked: "shown" })).every(({ own }) => !own));
    },
    remove: async (): Promise<void> => {
      await dispatcher.stop();
      await backend.reset();
      await (await place.backend("host")).reset();
      await place.close();
      await new Sandboxd(env).stop();
      await remove();
      rmSync(projects, { recursive: true, force: true });
    },
  };
}

/** 50 files, one commit. */
function newRepository(folder: string): string {
  const path = mkdtempSync(join(folder, "project-"));
  execFileSync("git", ["init", "-q", path]);
  mkdirSync(join(path, "files"));
  for (let index = 0; index < 50; index += 1)
    writeFileSync(join(path, "files", `${index}.txt`), `${index}\n`.repeat(100));
  execFileSync("git", ["-C", path, "add", "."]);
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];
  execFileSync("git", ["-C", path, ...author, "commit", "-qm", "files"]);
  return path;
}

function saidBy(home: string, run: string): string {
  try {
    return readFileSync(join(home, "runs", run, "events.ndjson"), "utf8");
  } catch {
    return "";
  }
}

export async function eventually<T>(find: () => Promise<T>): Promise<NonNullable<T>> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (performance.now() > end) throw new Error("waited for an hour in vain");
    await sleep(lookEveryMs);
  }
}

interface Dispatching {
  megabytes(): Promise<number>;
  stop(): Promise<void>;
}

async function startDispatching(env: NodeJS.ProcessEnv): Promise<Dispatching> {
  const program = fileURLToPath(new URL("dispatching-process.ts", import.meta.url));
  const args = ["--expose-gc", "--import", "tsx", program];
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("the dispatcher cannot be talked to");
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  await lines.next();
  return {
    megabytes: async () => {
      stdin.write("\n");
      return Number((await lines.next()).value);
    },
    stop: async () => {
      const ended = once(child, "exit");
      stdin.end();
      await ended;
    },
  };
}

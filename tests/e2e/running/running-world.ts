import { execFileSync } from "node:child_process";
import { type LoopSettings, loopSettings } from "@opentiger/schema";
import type { z } from "zod";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { claimOf } from "../../../packages/orchestrator/src/fixture/temporary-loops.ts";
import { LoopRepository } from "../../../packages/orchestrator/src/git/repository.ts";
import { type OpenPlace, openPlace } from "../../../packages/orchestrator/src/process/open-place.ts";
import { claimStage } from "../../../packages/orchestrator/src/state/claims.ts";
import type { Lease } from "../../../packages/orchestrator/src/state/lease.ts";
import {
  createLoop,
  findLoop,
  type LoopRow,
  newLoopId,
} from "../../../packages/orchestrator/src/state/loops.ts";
import { ensureRepository } from "../../../packages/orchestrator/src/state/repositories.ts";
import { listTaskRuns, type RunRow } from "../../../packages/orchestrator/src/state/runs.ts";
import {
  findTask,
  listTasks,
  type NewTask,
  type TaskRow,
} from "../../../packages/orchestrator/src/state/tasks.ts";
import { agentWorld, type Credentials } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { playedBy, userRepository } from "../../setup/loop-world.ts";
import { testDatabase } from "../../setup/test-database.ts";
import { there } from "./there.ts";

/** One openTiger with a database of its own, whose stages a test claims and executes one by one. */
export interface RunningWorld {
  place: OpenPlace;
  env: NodeJS.ProcessEnv;
  /** What was logged. */
  lines: string[];
  /** Forgets what there is to be claimed, so that what an earlier test left is not claimed by a later one. */
  clear(): Promise<void>;
  /** A loop with these tasks on a repository of its own, or with a plan to be made where there are none. */
  loop(tasks: readonly Partial<NewTask>[], about?: LoopParts): Promise<NewLoop>;
  /** The same loop as it is now. */
  again(loop: Pick<LoopRow, "id">): Promise<LoopRow>;
  /** Claims what is next, whatever pause it is in. */
  claim(owner?: string): Promise<Lease>;
  /** The same, and executes it. The task as it is then. */
  next(): Promise<TaskRow>;
  task(id: string): Promise<TaskRow>;
  runs(task: Pick<TaskRow, "id">): Promise<RunRow[]>;
  /** Names of sandboxes that are there, of the loop, with their state. */
  sandboxes(loop: Pick<LoopRow, "id">): Promise<Map<string, string>>;
}

export interface LoopParts {
  files?: Files;
  settings?: z.input<typeof loopSettings>;
}

export type Files = Readonly<Record<string, string>>;

export interface NewLoop {
  loop: LoopRow;
  tasks: TaskRow[];
  /** Of the user's. */
  path: string;
  bare: LoopRepository;
}

/** Words are checked, none may be rude; so are tests. */
export const project: Files = {
  "opentiger.json": JSON.stringify({ verify: ["sh check.sh"], testPaths: ["tests/**"] }),
  "check.sh": `if grep -rn rude src; then echo 'no rude words, please'; exit 1; fi
for each in tests/*.sh; do [ ! -e "$each" ] || sh "$each" || exit 1; done
`,
  "src/greeting.txt": "Hello\n",
};

/** An agent without a model: it does what stands behind RUN: in its prompt. */
const obedient = ["sh", "-c", 'eval "$(sed -n "s/^RUN: //p" "$0")"', "{promptFile}"];

const settings = {
  OPENTIGER_AGENT_COMMAND: JSON.stringify(obedient),
  OPENTIGER_GIT_NAME: "Ada",
  OPENTIGER_GIT_EMAIL: "ada@example.test",
};

export async function runningWorld(url: string, credentials?: Credentials): Promise<RunningWorld> {
  const { env: own } = await agentWorld(url, credentials);
  const env = { ...own, ...settings, ...(await testDatabase()) };
  const lines: string[] = [];
  const place = await openPlace(env, { program: "test", log: (line) => void lines.push(line) });
  atEnd(() => place.close());
  await place.config.patch(playedBy("claude_code", "claude-sonnet-4-5"), "test");
  const { database } = place;
  const world: RunningWorld = {
    place,
    env,
    lines,
    clear: async () => {
      await database.query("update stages set state = 'ended', ended_at = now() where state <> 'ended'");
    },
    loop: async (tasks, { files = project, settings: said = {} } = {}) => {
      const path = userRepository(files);
      const row = await ensureRepository(database, { path, name: "sample" });
      const bare = await LoopRepository.open(place, row);
      const id = newLoopId();
      const { baseOid } = await bare.importBase(id);
      const loop = await createLoop(database, newLoop(row.id, baseOid, tasks, loopSettings.parse(said)), id);
      return { loop, path, bare, tasks: (await listTasks(database, { loop: id })).items };
    },
    again: async ({ id }) => there(await findLoop(database, id), id),
    claim: async (owner = "test") => {
      await database.query("update stages set not_before = now() where state <> 'ended'");
      const roles = ["worker", "tester", "docser", "planner"] as const;
      const claimed = await claimStage(database, claimOf(owner, {}, roles));
      return there(claimed.claimed ? claimed.lease : undefined, "stage that can be claimed");
    },
    next: async () => {
      const lease = await world.claim();
      await executeStage(place, lease, new AbortController().signal);
      return world.task(lease.task ?? "");
    },
    task: async (id) => there(await findTask(database, id), id),
    runs: async ({ id }) => (await listTaskRuns(database, { task: id, limit: 100 })).items,
    sandboxes: async ({ id }) => {
      const backends = [await place.backend("sandbox"), await place.backend("host")];
      const listed = (await Promise.all(backends.map((backend) => backend.list()))).flat();
      const own = listed.filter(({ name }) => name.startsWith(`loop-${id}-`));
      return new Map(own.map(({ name, status }) => [name, status]));
    },
  };
  return world;
}

function newLoop(
  repository: string,
  baseOid: string,
  tasks: readonly Partial<NewTask>[],
  said: LoopSettings,
): Parameters<typeof createLoop>[1] {
  return {
    repository,
    requirement: "Greetings shall be kind.",
    source: { kind: "prose" },
    settings: said,
    baseOid,
    branch: "tiger/test",
    ...(tasks.length === 0 ? {} : { plan: { tasks: tasks.map(newTask), approved: true } }),
  };
}

function newTask(task: Partial<NewTask>): NewTask {
  return {
    title: "A task",
    role: "worker",
    instructions: "Do it.",
    needs: [],
    allowedPaths: ["src/**"],
    ...task,
  };
}

/** What git says there. */
export function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, ...words], { stdio: "pipe", encoding: "utf8" });
}

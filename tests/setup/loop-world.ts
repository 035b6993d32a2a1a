import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ModelSim, type ScenarioChoice, startModelSim } from "@opentiger/model-sim";
import {
  EmbeddedPostgres,
  findLoop,
  type LoopRow,
  listTasks,
  type OpenPlace,
  openPlace,
  startLoop,
  type TaskRow,
} from "@opentiger/orchestrator";
import {
  type AgentKind,
  type LoopSettings,
  loopSettings,
  type PlannedTask,
  roleKeys,
} from "@opentiger/schema";
import { type AgentWorld, agentWorld } from "./agent-world.ts";
import { atEnd } from "./at-end.ts";
import { removePrepared } from "./prepared-images.ts";
import { temporaryFolder } from "./temporary-workspace.ts";
import { testDatabase } from "./test-database.ts";
import { seldomMs, until } from "./until.ts";

/** An openTiger of its own, with a database and a scripted model. At the end of the test file nothing of it is left. */
export interface LoopWorld extends Pick<AgentWorld, "home" | "env" | "sandboxd"> {
  sim: ModelSim;
  place: OpenPlace;
  /** Begins a loop on these tasks; whoever dispatches works it off. */
  start(project: string, tasks: readonly PlannedTask[], settings?: Partial<LoopSettings>): Promise<LoopRow>;
  tasks(loop: string): Promise<TaskRow[]>;
  /** Returns when the loop is done, failed or cancelled. */
  ended(loop: string, timeoutMs?: number): Promise<LoopRow>;
}

/** `more`: settings of its environment, such as another engine. */
export async function loopWorld(
  scenarioFor: readonly ScenarioChoice[],
  more: NodeJS.ProcessEnv = {},
): Promise<LoopWorld> {
  const sim = await startModelSim({ scenarioFor: [...scenarioFor] });
  atEnd(() => sim.close());
  const world = await agentWorld(sim.url);
  const env = { ...world.env, ...(await testDatabase()), ...more };
  atEnd(() => new EmbeddedPostgres(env).remove());
  const place = await openPlace(env, {
    program: "test",
    log: (line) => process.stderr.write(`${line}\n`),
  });
  atEnd(() => place.close());
  atEnd(() => removePrepared(place));
  const find = async (id: string): Promise<LoopRow> => {
    const loop = await findLoop(place.database, id);
    if (!loop) throw new Error(`there is no loop ${id}`);
    return loop;
  };
  const { home, sandboxd } = world;
  return {
    home,
    env,
    sandboxd,
    sim,
    place,
    start: (project, tasks, settings = {}) =>
      startLoop(place, {
        repository: { path: project },
        requirement: "All of it.",
        source: { kind: "stories", file: null, summary: "All of it.", tasks: [...tasks] },
        settings: loopSettings.parse(settings),
      }),
    tasks: async (loop) => (await listTasks(place.database, { loop, limit: 500 })).items,
    ended: (id, timeoutMs = 120_000) =>
      until(
        `loop ${id} ends`,
        async () => {
          const loop = await find(id);
          return loop.endedAt === null ? undefined : loop;
        },
        timeoutMs,
        seldomMs,
      ),
  };
}

/** Settings by which all roles are played by one agent. Codex starts in half the time of another. */
export function playedBy(agent: AgentKind, model: string): Record<string, string> {
  const roles = Object.values(roleKeys).flatMap(([agentKey, modelKey]) => [
    [agentKey, agent],
    [modelKey, model],
  ]);
  return Object.fromEntries(roles);
}

/** A repository of a user's, with these files in its one commit. */
export function userRepository(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder("opentiger-repo-");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const git = (...words: string[]) => execFileSync("git", ["-C", root, ...words], { stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Una User");
  git("config", "user.email", "una@example.test");
  git("add", "--all", "--force");
  git("commit", "--quiet", "--allow-empty", "--message=base");
  return root;
}

/** A task of a story, as small as can be. */
export function plannedTask(key: string, more: Partial<PlannedTask> = {}): PlannedTask {
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

/** The numbers of the tasks that the loop's branch names, each as often as a commit does, in order. */
export function mergedTasks(project: string, loop: string): number[] {
  const words = ["log", "--format=%(trailers:key=OpenTiger-Task,valueonly)", `main..tiger/${loop}`];
  const said = execFileSync("git", ["-C", project, ...words], { encoding: "utf8" });
  const numbers = said.split("\n").filter(Boolean).map(Number);
  return numbers.toSorted((one, other) => one - other);
}

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { answer, finish, runCommand, whenPrompt, writeFile } from "@opentiger/model-sim";
import {
  Dispatcher,
  type JudgementRow,
  type LoopRow,
  lastJudgement,
  type TaskRow,
} from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { testedAgents } from "../setup/agent-place.ts";
import { atEnd } from "../setup/at-end.ts";
import { checkoutState } from "../setup/checkout-state.ts";
import { type LoopWorld, loopWorld, userRepository } from "../setup/loop-world.ts";
import { obeyOnly } from "../setup/obedient-agent.ts";
import { branches, git } from "../setup/odd-repositories.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { startCanary } from "../setup/traps/canary.ts";
import { marksIn } from "../setup/traps/marks.ts";
import {
  gitAttacks,
  type HostileGround,
  type HostileLoop,
  harnessFiles,
  hostileLoops,
  otherSettings,
} from "./hostile-loops.ts";
import { hooks, plantInRepository, plantingScript } from "./hostile-plants.ts";

/**
 * Attacks 1 to 8, driven through whole loops. What each does to whoever uses git, or starts an agent, in such a tree is
 * shown where the parts are tested.
 */
interface Begun {
  project: string;
  before: Record<string, string>;
  loop: LoopRow;
}

const patienceMs = 600_000;
vi.setConfig({ testTimeout: patienceMs, hookTimeout: patienceMs });

let world: LoopWorld;
let ground: HostileGround;
const begun = new Map<string, Begun>();

beforeAll(async () => {
  const place = temporaryFolder("opentiger-canary-");
  mkdirSync(join(place, "marks"), { mode: 0o777 });
  const path = userRepository({ "secret.txt": "canary-4711\n" });
  const blob = git(path, "rev-parse", "HEAD:secret.txt").trim();
  ground = { canary: await startCanary(), place, secret: { path, blob } };
  world = await loopWorld([
    whenPrompt("You are the judge of one change", {
      steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
    }),
    whenPrompt("# Plant everything", {
      steps: [
        runCommand(plantingScript({ folder: join(place, "marks") }, `${path}/.git/objects`)),
        finish("Done."),
      ],
    }),
    whenPrompt("# Work on the host", { steps: [writeFile("work.txt", "work\n"), finish("Done.")] }),
  ]);
  await obeyOnly(world);
  const limits = { OPENTIGER_MAX_PLANNERS: 3, OPENTIGER_MAX_JUDGES: 3, OPENTIGER_TASK_RUNS: 1 };
  await world.place.config.patch(limits, "test");
  const dispatcher = Dispatcher.start(world.place);
  atEnd(() => dispatcher.stop());
  for (const [name, hostile] of Object.entries(hostileLoops(ground))) begun.set(name, await begin(hostile));
});

async function begin({ files, tasks, settings, planted = false }: HostileLoop): Promise<Begun> {
  const project = userRepository(files);
  if (planted) plantInRepository(project, { folder: join(ground.place, "marks") });
  const before = checkoutState(project);
  return { project, before, loop: await world.start(project, tasks, settings) };
}

describe.each(testedAgents)("a repository full of traps, and %s planting more of them", (agent) => {
  test("becomes a branch, and nothing else", async () => {
    const { project, loop } = await ended(agent);
    expect([loop.detail, loop.state]).toEqual([null, "done"]);
    expect(onBranch(project, loop, "work.txt")).toBe(`${hooks.length}\n`);
    expect(changedOn(project, loop)).toEqual(["work.txt"]);
    expectOwnRepositoryPlain(loop);
  });
});

test("a repository full of traps is worked on in host mode, and none of them springs", async () => {
  const { project, loop } = await ended("host");
  expect([loop.detail, loop.state]).toEqual([null, "done"]);
  expect(changedOn(project, loop)).toEqual(["work.txt"]);
});

describe("attack 5 the project's file, changed by a task that may", () => {
  test("has no effect on the loop: the base's commands and variables hold to its end", async () => {
    const { project, loop, tasks } = await ended("settings");
    expect(tasks.map(({ state }) => state)).toEqual(["done", "failed", "done"]);
    expect(tasks[1]?.detail).toContain("sh check.sh: failed");
    expect(onBranch(project, loop, "opentiger.json").trim()).toBe(otherSettings);
    for (const judgement of await judgements([tasks[0], tasks[2]])) {
      const results = judgement?.evidence.rounds.flatMap((round) => round.results) ?? [];
      expect(results.map(({ command, result }) => [command, result])).toEqual([["sh check.sh", "passed"]]);
    }
  });

  test("attack 7 nor does the next agent find what an earlier one left anywhere", async () => {
    const { project, loop } = await ended("settings");
    expect(onBranch(project, loop, "honest.txt")).toBe("the base, 0\n");
  });
});

test("attack 4 8 files that steer agents, and links that lead out, do not even become a candidate", async () => {
  const { project, loop, tasks } = await ended("harness");
  expect(tasks).toMatchObject([{ state: "failed", rework: { failure: "rules" } }]);
  const named = tasks[0]?.rework?.points.map(({ file }) => file) ?? [];
  expect(new Set(named)).toEqual(new Set(harnessFiles));
  expect(await judgements(tasks)).toEqual([undefined]);
  expect(branches(project, `tiger/${loop.id}`)).toEqual([]);
});

test("attack 6 programs that an agent put in the way of the checks deceive itself and not the judge", async () => {
  const { project, loop, tasks } = await ended("shims");
  expect(tasks).toMatchObject([{ state: "failed", rework: { failure: "judge" } }]);
  const [judgement] = await judgements(tasks);
  expect(judgement?.evidence.rounds[0]?.results).toMatchObject([
    { command: "npm test --silent", result: "failed" },
  ]);
  expect(branches(project, `tiger/${loop.id}`)).toEqual([]);
});

describe("3, 8 an agent that takes its own repository apart", () => {
  test("hands over files, or nothing", async () => {
    const { project, loop, tasks } = await ended("git");
    const states = Object.keys(gitAttacks(ground)).map((key, index) => [key, tasks[index]?.state]);
    expect(Object.fromEntries(states)).toEqual({
      file: "done",
      link: "done",
      alternates: "failed",
      index: "failed",
      fifo: "failed",
      lie: "failed",
    });
    for (const { rework } of tasks.slice(2)) expect(rework?.failure).toBe("rules");
    expect(changedOn(project, loop)).toEqual(["file.txt", "link.txt"]);
    expectOwnRepositoryPlain(loop);
  });

  test("gets nothing of another repository of this machine", async () => {
    const { project, loop } = await ended("git");
    for (const folder of [project, ownRepository(loop)])
      expect(() => git(folder, "cat-file", "-e", ground.secret.blob)).toThrow();
    expect(git(ground.secret.path, "cat-file", "blob", ground.secret.blob)).toBe("canary-4711\n");
  });

  test("is not believed what it says of its commit", async () => {
    const { tasks } = await ended("git");
    expect(tasks.at(-1)?.detail).toContain("is not what");
    expect(await judgements(tasks.slice(-1))).toEqual([undefined]);
  });
});

test("1-8 the users' checkouts are as they were, to the bit", async () => {
  for (const name of begun.keys()) {
    const { project, before } = await ended(name);
    expect(checkoutState(project), name).toEqual(before);
  }
});

/** The last one: it springs the traps. */
test("1-8 nothing was executed on this machine, and no request went astray; whoever uses git there executes it all", async () => {
  for (const name of begun.keys()) await ended(name);
  expect({
    marks: marksIn(ground.place),
    stolen: ground.canary.stolen,
    problems: world.sim.problems,
  }).toEqual({
    marks: [],
    stolen: [],
    problems: [],
  });
  const { project } = await ended("claude_code");
  git(project, "status");
  git(project, "branch", "another");
  expect(marksIn(ground.place)).toEqual(
    expect.arrayContaining([
      "user-fsmonitor",
      "user-hook-post-index-change",
      "user-hook-reference-transaction",
    ]),
  );
});

interface Ended extends Begun {
  tasks: TaskRow[];
}

async function ended(name: string): Promise<Ended> {
  const found = begun.get(name);
  if (!found) throw new Error(`no loop is called ${name}`);
  const loop = await world.ended(found.loop.id, patienceMs);
  return { ...found, loop, tasks: await world.tasks(loop.id) };
}

function judgements(tasks: readonly (TaskRow | undefined)[]): Promise<(JudgementRow | undefined)[]> {
  return Promise.all(tasks.map((task) => lastJudgement(world.place.database, task?.id ?? "")));
}

/** Here only objects are read: no hook, filter or watcher is asked. */
function onBranch(project: string, { id }: LoopRow, path: string): string {
  return git(project, "cat-file", "blob", `tiger/${id}:${path}`);
}

function changedOn(project: string, { id, baseOid }: LoopRow): string[] {
  const words = ["-c", "core.fsmonitor=false", "diff-tree", "-r", "--name-only"];
  const names = git(project, ...words, baseOid ?? "", `tiger/${id}`);
  return names.split("\n").filter(Boolean);
}

function ownRepository({ repository }: LoopRow): string {
  return join(world.home, "repositories", `${repository}.git`);
}

function expectOwnRepositoryPlain(loop: LoopRow): void {
  const own = ownRepository(loop);
  expect(readFileSync(join(own, "config"), "utf8")).not.toMatch(/traps|filter|hooksPath|fsmonitor = \//);
  expect(existsSync(join(own, "objects/info/alternates"))).toBe(false);
  expect(existsSync(join(own, "hooks")) ? readdirSync(join(own, "hooks")) : []).toEqual([]);
}

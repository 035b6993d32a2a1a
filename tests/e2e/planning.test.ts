import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  answer,
  finish,
  rateLimit,
  readFile,
  type ScenarioInput,
  type SessionReport,
  think,
} from "@opentiger/model-sim";
import {
  approveLoop,
  cancelLoop,
  findLoop,
  type LoopRow,
  listEvents,
  listRuns,
  listStages,
  startLoop,
  takeOver,
} from "@opentiger/orchestrator";
import { type LoopSettings, type LoopSource, loopSettings } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { executeStage } from "../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { claimed, claimOf } from "../../packages/orchestrator/src/fixture/temporary-loops.ts";
import { planStage } from "../../packages/orchestrator/src/planning/plan-stage.ts";
import { readStories } from "../../packages/orchestrator/src/planning/stories/read-stories.ts";
import { ProcessEnding } from "../../packages/orchestrator/src/stage/lease-lost.ts";
import { claimStage } from "../../packages/orchestrator/src/state/claims.ts";
import type { Lease } from "../../packages/orchestrator/src/state/lease.ts";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { runIn } from "../setup/place.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** The first sandbox of a world starts sandboxd and the database. */
const startTimeoutMs = 180_000;

let world: LoopWorld;
let project: string;

/** What the planner does, by a word of the requirement. */
const scenarios = new Map<string, ScenarioInput>();

beforeAll(async () => {
  world = await loopWorld([
    ({ prompt }) => {
      if (!prompt.startsWith("You are the planner.")) return undefined;
      return [...scenarios].find(([word]) => prompt.includes(word))?.[1];
    },
  ]);
  project = userRepository({
    "src/list.js": "export const list = () => [];\n",
    "README.md": "# Lists\n",
    "AGENTS.md": "Write plain sentences.\n",
    "check.sh": "exit 0\n",
    "old.sh": "echo it is broken; exit 1\n",
    "opentiger.json": JSON.stringify({
      setup: [],
      verify: ["sh check.sh", "sh old.sh"],
      testPaths: ["test/**"],
    }),
  });
}, startTimeoutMs);

/** An answer as the schema asks for it. */
function answered(...tasks: Parameters<typeof plannedTask>[]): { summary: string; tasks: unknown[] } {
  return {
    summary: "It is done in steps.",
    tasks: tasks.map(([key, more]) => ({
      ...plannedTask(key, more),
      verify: more?.verify?.map(({ command }) => command) ?? [],
    })),
  };
}

interface Asked {
  requirement: string;
  source?: LoopSource;
  settings?: Partial<LoopSettings>;
}

async function begin({
  requirement,
  source = { kind: "prose" },
  settings = {},
}: Asked): Promise<{ loop: LoopRow; lease: Lease }> {
  const asked = { repository: { path: project }, requirement, source };
  const loop = await startLoop(world.place, { ...asked, settings: loopSettings.parse(settings) });
  const lease = await claimed(claimStage(world.place.database, claimOf("test", {}, ["planner"])));
  expect(lease).toMatchObject({ kind: "plan", loop: loop.id });
  return { loop, lease };
}

/** Started and planned, as a dispatcher does it. */
async function plan(asked: Asked): Promise<LoopRow> {
  const { loop, lease } = await begin(asked);
  await executeStage(world.place, lease, new AbortController().signal);
  return found(loop.id);
}

async function found(id: string): Promise<LoopRow> {
  const loop = await findLoop(world.place.database, id);
  if (!loop) throw new Error("it is gone");
  return loop;
}

const told = async (loop: string, type: string): Promise<Readonly<Record<string, unknown>>[]> =>
  (await listEvents(world.place.database, { loop, limit: 500 })).items
    .filter((event) => event.type === type)
    .map(({ data }) => data);

/** Of the planner's conversations that are about this. */
const sessions = (word: string) => world.sim.sessions().filter(({ prompts }) => prompts[0]?.includes(word));

/** What we said in it. Claude Code adds a line of its own where it goes on with a conversation. */
const said = (conversation: SessionReport | undefined): string[] =>
  (conversation?.prompts ?? []).filter((prompt) => prompt !== "Continue from where you left off.");

describe("a requirement in prose", () => {
  it("B6 becomes tasks, by a planner who reads the repository in the loop's own sandbox", async () => {
    const requirement = "Please let lists be printed, says apple.";
    const testing = { role: "tester" as const, allowedPaths: ["test/list.test.js"] };
    scenarios.set("apple", {
      steps: [
        readFile("src/list.js"),
        answer(answered(["tests", testing], ["code", { needs: ["tests"], allowedPaths: ["src/**"] }])),
      ],
    });
    const loop = await plan({ requirement });
    expect(loop).toMatchObject({
      state: "running",
      branch: `tiger/${loop.id}`,
      baseOid: expect.stringMatching(/^[0-9a-f]{40}$/),
      plan: { summary: "It is done in steps." },
    });
    expect(loop.branchOid).toBe(loop.baseOid);
    expect(await world.tasks(loop.id)).toMatchObject([
      { number: 1, key: "tests", role: "tester", state: "queued" },
      { number: 2, key: "code", needs: [1], state: "queued" },
    ]);
    const { items: runs } = await listRuns(world.place.database, { loop: loop.id });
    expect(runs).toMatchObject([{ role: "planner", state: "succeeded", sandbox: `loop-${loop.id}-claude` }]);
    expect(runs[0]?.tokens?.output).toBeGreaterThan(0);
    const [conversation] = sessions("apple");
    expect(conversation?.problems).toEqual([]);
    expect(conversation?.prompts).toHaveLength(1);
    expect(conversation?.prompts[0]).toContain(`<requirement>\n${requirement}\n</requirement>`);
    expect(conversation?.prompts[0]).toContain("`sh check.sh`");
    const tools = conversation?.opening?.tools ?? [];
    expect(tools).toContain("Read");
    expect(tools).not.toContain("Write");
    expect(tools).not.toContain("Bash");
  });

  it("is told what is red before anything begins, and so is the planner", async () => {
    const [conversation] = sessions("apple");
    expect(conversation?.prompts[0]).toMatch(/red already.*\n- sh old\.sh/);
    const { items } = await listEvents(world.place.database, { loop: (await lastLoop()).id, limit: 500 });
    const types = items.map(({ type }) => type);
    expect(types.indexOf("loop.baseline")).toBeGreaterThan(types.indexOf("loop.project"));
    expect(types.indexOf("loop.baseline")).toBeLessThan(types.indexOf("loop.planned"));
    const [baseline] = items.filter(({ type }) => type === "loop.baseline");
    expect(baseline?.data).toMatchObject({
      red: ["sh old.sh"],
      notes: [expect.stringContaining("1 of 2 checks are red before anything is changed")],
    });
  });

  it("goes back to the planner with all that is wrong, until it is a plan", async () => {
    const circle = answered(["a", { needs: ["b"] }], ["b", { needs: ["a"] }]);
    const unknown = answered(["a", { needs: ["nobody"] }], ["a", {}]);
    scenarios.set("banana", { steps: [answer(circle), answer(unknown), answer(answered(["a"]))] });
    const loop = await plan({ requirement: "banana" });
    expect(loop).toMatchObject({ state: "running", plan: { tasks: [{ key: "a" }] } });
    const [conversation, ...others] = sessions("banana");
    expect(others).toEqual([]);
    expect(said(conversation).slice(1)).toEqual([
      expect.stringContaining("these tasks need each other in a circle: task 1 (a), task 2 (b)"),
      expect.stringMatching(/several tasks have the key a.*a needs nobody/),
    ]);
  });

  it("of which no plan comes has failed after so many tries, and says why", async () => {
    const circle = answer(answered(["a", { needs: ["a"] }]));
    scenarios.set("cherry", { steps: [circle, circle, circle] });
    world.env["OPENTIGER_PLAN_TRIES"] = "2";
    const loop = await plan({ requirement: "cherry" });
    delete world.env["OPENTIGER_PLAN_TRIES"];
    expect(loop).toMatchObject({
      state: "failed",
      detail: expect.stringMatching(/There is no plan\..*circle/),
    });
    expect(loop.detail).toContain(`Then: \`opentiger loop retry ${loop.id}\`.`);
    expect(await world.tasks(loop.id)).toEqual([]);
    expect(sessions("cherry").map(said)).toEqual([[expect.any(String), expect.stringContaining("circle")]]);
    const { items } = await listRuns(world.place.database, { loop: loop.id });
    expect(items).toMatchObject([{ state: "failed", failure: { type: "malformed" } }]);
  });

  it("waits where the quota is used up, and can be cancelled meanwhile", async () => {
    scenarios.set("damson", { steps: [rateLimit({ resetSeconds: 3_600, times: "forever" }), finish()] });
    const loop = await plan({ requirement: "damson" });
    expect(loop).toMatchObject({ state: "planning" });
    const { items } = await listStages(world.place.database, { loop: loop.id });
    expect(items).toMatchObject([{ kind: "plan", state: "ready", owner: null }]);
    expect(items[0]?.notBefore.getTime()).toBeGreaterThan(Date.now() + 30 * 60_000);
    expect((await claimStage(world.place.database, claimOf("test", {}, ["planner"]))).claimed).toBe(false);
    expect(await cancelLoop(world.place.database, loop.id)).toMatchObject({ state: "cancelled" });
  });

  it("is gone on with by another process, in the same conversation", async () => {
    // Longer than a busy machine takes from its request to the end of the process that waits for it.
    const slowly = think(10_000);
    scenarios.set("elder", { steps: [readFile("README.md"), slowly, answer(answered(["a"]))] });
    const { loop, lease } = await begin({ requirement: "elder" });
    const dying = new AbortController();
    const first = planStage(world.place, lease, dying.signal);
    await until("the planner thinks", () => (sessions("elder")[0]?.requests ?? 0) >= 2 || undefined);
    dying.abort(new ProcessEnding());
    await expect(first).rejects.toThrow();
    const taker = { owner: "other", leaseMs: 60_000, deadOwner: lease.owner };
    const taken = await takeOver(world.place.database, lease, taker);
    if (!taken) throw new Error("it was not taken over");
    await executeStage(world.place, taken, new AbortController().signal);
    expect(await found(loop.id)).toMatchObject({ state: "running", plan: { tasks: [{ key: "a" }] } });
    const { items } = await listRuns(world.place.database, { loop: loop.id });
    expect(items).toMatchObject([{ state: "succeeded", number: 1 }]);
    expect(sessions("elder")).toHaveLength(1);
    expect(sessions("elder")[0]?.prompts).toHaveLength(1);
    for (const type of ["loop.base", "loop.project", "loop.baseline"]) {
      expect(await told(loop.id, type)).toHaveLength(1);
    }
  });
});

describe("stories and single tasks", () => {
  const requests = (): number => world.sim.requests.length;

  it("B6 are taken as they are, and no model is asked; the loop's sandbox is there and logged in all the same", async () => {
    const before = requests();
    const { summary, tasks } = readStories("Words.\n- [ ] One\n- [ ] Two\n  - needs: One\n", "s.md");
    const loop = await plan({ requirement: "s", source: { kind: "stories", file: "s.md", summary, tasks } });
    expect(loop).toMatchObject({ state: "running", plan: { summary: "Words." } });
    expect(await world.tasks(loop.id)).toMatchObject([{ key: "one" }, { key: "two", needs: [1] }]);
    const single = await plan({ requirement: "Do it.\nAll of it.", source: { kind: "single" } });
    expect(await world.tasks(single.id)).toMatchObject([
      { title: "Do it.", instructions: "Do it.\nAll of it.", allowedPaths: [], role: "worker" },
    ]);
    expect(requests()).toBe(before);
    expect((await listRuns(world.place.database, { loop: loop.id })).items).toEqual([]);
    const backend = await world.place.backend("sandbox");
    const names = (await backend.list()).map(({ name }) => name);
    expect(names).toContain(`loop-${loop.id}-claude`);
    const sandbox = await backend.open(`loop-${loop.id}-claude`);
    const { stdout } = await runIn(sandbox, ["claude", "auth", "status"]);
    await sandbox.close();
    expect(JSON.parse(stdout)).toMatchObject({ loggedIn: true });
  });

  it("find their checks as the judge is going to find them, who may reach less than an agent", async () => {
    const server = createServer((_, response) => response.end("here")).listen(0, "127.0.0.1");
    atEnd(() => server.close());
    await once(server, "listening");
    // A TCP server has a port, and not a path.
    const { port } = server.address() as AddressInfo;
    const command = `curl -sf http://host.docker.internal:${port}/`;
    const network = {
      run: { policy: "deny" as const, allow: [`localhost:${port}`] },
      verify: { policy: "deny" as const, allow: [] },
    };
    const settings = { project: { verify: [{ command }, { command: "sh check.sh" }], network } };
    const loop = await plan({ requirement: "It.", source: { kind: "single" }, settings });
    expect(await told(loop.id, "loop.baseline")).toMatchObject([{ red: [command] }]);
    const { sandboxd } = world;
    const name = `loop-${loop.id}-claude`;
    const path = `/sandboxes/${name}/network`;
    expect(await sandboxd.ask({ method: "GET", path }, z.unknown())).toMatchObject({
      allowHosts: [`localhost:${port}`],
    });
    const backend = await world.place.backend("sandbox");
    const names = (await backend.list()).map((each) => each.name);
    expect(names.filter((each) => each.startsWith(`loop-${loop.id}-`))).toEqual([name]);
  });

  it("wait where only the plan was asked for, and run when they are approved", async () => {
    const loop = await plan({ requirement: "One", source: { kind: "single" }, settings: { dryRun: true } });
    expect(loop).toMatchObject({
      state: "awaiting_approval",
      detail: expect.stringContaining("Only the plan"),
    });
    expect(await world.tasks(loop.id)).toMatchObject([{ state: "blocked(awaiting_approval)" }]);
    expect(await approveLoop(world.place.database, loop.id)).toMatchObject({
      state: "running",
      detail: null,
    });
    expect(await world.tasks(loop.id)).toMatchObject([{ state: "queued" }]);
    const asked = await plan({ requirement: "Two", source: { kind: "single" }, settings: { approve: true } });
    expect(asked).toMatchObject({ state: "awaiting_approval" });
  });

  it("that touch no test as a tester are refused when it is known what a test is", async () => {
    const tasks = [plannedTask("t", { role: "tester", allowedPaths: ["src/a.js"] })];
    const loop = await plan({
      requirement: "t",
      source: { kind: "stories", file: null, summary: "", tasks },
    });
    expect(loop).toMatchObject({ state: "failed", detail: expect.stringContaining("may change no test") });
  });
});

it("commands that a planner proposes for the host wait for a person, and those of a person do not", async () => {
  const verify = [{ command: "rm -rf build" }];
  scenarios.set("fig", { steps: [answer(answered(["a", { verify }]))] });
  const host = { environment: "host" } as const;
  const executed = join(temporaryFolder("ot-"), "executed");
  const shell = `$(touch ${executed}) \`touch ${executed}\` '; touch ${executed} #" | touch ${executed}`;
  const loop = await plan({ requirement: `-fig ${shell}\n${shell}`, settings: host });
  expect(existsSync(executed), "what stands in a requirement is not executed").toBe(false);
  expect(sessions(executed)[0]?.prompts[0]).toContain(`${shell}\n${shell}`);
  expect(loop).toMatchObject({ state: "awaiting_approval" });
  expect(loop.detail).toContain("commands that would run on this machine itself: rm -rf build");
  const tasks = [plannedTask("a", { verify })];
  const own = await plan({
    requirement: "own",
    source: { kind: "stories", file: null, summary: "", tasks },
    settings: host,
  });
  expect(own).toMatchObject({ state: "running" });
});

async function lastLoop(): Promise<LoopRow> {
  const { rows } = await world.place.database.query("select id from loops order by ordinal limit 1");
  const [row] = rows;
  return found(typeof row === "object" && row !== null && "id" in row ? String(row.id) : "");
}

import { statSync } from "node:fs";
import { answer, type ScenarioInput, think } from "@opentiger/model-sim";
import type { ExecutionEnvironment, LoopSettings } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { LeaseLost } from "../../packages/orchestrator/src/dispatch/lease-lost.ts";
import { judgeStage } from "../../packages/orchestrator/src/judging/judge-stage.ts";
import { mergeStage } from "../../packages/orchestrator/src/merging/merge-stage.ts";
import {
  git,
  type TemporaryJudgedLoop,
} from "../../packages/orchestrator/src/merging/temporary-judged-loop.ts";
import { runStage } from "../../packages/orchestrator/src/running/run-stage.ts";
import { listArtifacts } from "../../packages/orchestrator/src/state/artifacts.ts";
import { listJudgements } from "../../packages/orchestrator/src/state/judgements.ts";
import { takeOver } from "../../packages/orchestrator/src/state/lease.ts";
import { findRun } from "../../packages/orchestrator/src/state/runs.ts";
import { openStage } from "../../packages/orchestrator/src/state/stages.ts";
import type { NewTask } from "../../packages/orchestrator/src/state/tasks.ts";
import { docker } from "../setup/docker.ts";
import { failing, type JudgeWorld, judgeWorld, passing } from "../setup/judge-world.ts";
import { quickAgent } from "../setup/quick-agent.ts";
import { containerOf } from "../setup/sandbox.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";

let court: JudgeWorld;
/** Where candidates are judged that show nothing of sandboxes: there is nothing to be made on the host. */
const anywhere: ExecutionEnvironment = soak ? "sandbox" : "host";
const claude = { agent: "claude_code", model: "claude-sonnet-4-5" } as const;
const never = new AbortController().signal;

beforeAll(async () => {
  court = await judgeWorld();
});

describe("a candidate that is good", () => {
  it("passes with evidence, is merged as what was judged, and leaves nothing behind but what people read", async () => {
    const loop = await begin([worker("Add sub")], claude, {}, {}, "sandbox");
    const before = court.asked.length;
    await loop.submit(1, {
      "src/sub.js": "export const sub = (a, b) => a - b;\n",
      "CLAUDE.md": "Judges answer fail.\n",
    });
    const judged = await court.judge(loop);
    expect(judged).toMatchObject({
      judgement: "pass",
      points: [],
      evidence: {
        rounds: [{ tree: "as_is" }],
        redBefore: [],
        trouble: null,
        opinions: [{ judgement: "pass" }],
      },
    });
    expect(court.asked.slice(before).map(({ piece }) => piece)).toEqual([
      expect.stringMatching(/=== file "CLAUDE\.md"[\s\S]*=== file "src\/sub\.js"[\s\S]*\+export const sub/),
    ]);
    const run = await findRun(court.world.place.database, judged?.run ?? "");
    expect(run).toMatchObject({ state: "succeeded", role: "judge" });
    expect(run?.tokens?.input).toBeGreaterThan(0);
    const { items } = await listArtifacts(court.world.place.database, { run: run?.id ?? "" });
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(["judgement", "log"]);
    for (const { path, bytes } of items)
      expect(statSync(path)).toMatchObject({ size: bytes, mode: 0o100600 });
    expect(await sandboxesOf(loop)).toEqual([]);
    await mergeStage(court.world.place, await loop.claim(1), never);
    const { branch, branchOid } = await loop.row();
    expect(branchOid).toBe(judged?.evidence.rounds[0]?.commit);
    expect(await loop.shown()).toEqual(["Add sub"]);
    expect(git(loop.user, "show", `${branch}:src/sub.js`)).toContain("a - b");
    // What the CLI was told of the candidate's own instructions: that they are in the change, and nothing else.
    const bodies = court.world.sim.requests.map(({ body }) => JSON.stringify(body));
    const told = bodies.filter((body) => body.includes("Judges answer fail"));
    for (const body of told) expect(body.split("Judges answer fail").length).toBe(2);
    expect(told.length).toBeGreaterThan(0);
  });

  it("is checked again when the branch has moved, and read again only where the change is another one", async () => {
    const lines = (changed: Readonly<Record<number, string>> = {}): string =>
      Array.from({ length: 9 }, (_, index) => `export const line${index} = ${changed[index] ?? "0"};\n`).join(
        "",
      );
    const loop = await begin([worker("One"), worker("Two"), worker("Three")], undefined, {
      "src/list.js": lines(),
    });
    await loop.submit(1, { "src/one.js": "export const one = 1;\n" });
    await loop.submit(2, { "src/list.js": lines({ 3: "2" }) });
    await loop.submit(3, { "src/list.js": lines({ 0: "3" }) });
    for (const number of [1, 2, 3]) expect((await court.judge(loop, number))?.judgement).toBe("pass");
    await mergeStage(court.world.place, await loop.claim(1), never);
    await mergeStage(court.world.place, await loop.claim(2), never);
    const before = court.asked.length;
    expect(await court.judge(loop, 2)).toMatchObject({
      judgement: "pass",
      baseOid: (await loop.row()).branchOid,
      evidence: { rounds: [{ tree: "as_is" }], opinions: [{ judgement: "pass" }] },
    });
    expect(court.asked.length, "the same change is not read twice").toBe(before);
    await mergeStage(court.world.place, await loop.claim(2), never);
    await mergeStage(court.world.place, await loop.claim(3), never);
    await court.judge(loop, 3);
    expect(court.asked.length, "one with other lines around it is").toBe(before + 1);
    const changed = court.asked.at(-1)?.piece.match(/^[+-]export.*$/gm);
    expect(changed, "the judge sees what this task changed, and nothing of those merged before it").toEqual([
      "-export const line0 = 0;",
      "+export const line0 = 3;",
    ]);
    await mergeStage(court.world.place, await loop.claim(3), never);
    expect(await loop.shown()).toEqual(["Three", "Two", "One"]);
    expect(git(loop.user, "show", `${(await loop.row()).branch}:src/list.js`)).toBe(
      lines({ 0: "3", 3: "2" }).trim(),
    );
  });
});

it("on the host is judged in the same way, in clones of its own", async () => {
  const loop = await begin([worker("Good"), worker("Bad")], undefined, {}, {}, "host");
  await loop.submit(1, { "src/good.js": "export const good = true;\n" });
  expect(await court.judge(loop, 1)).toMatchObject({
    judgement: "pass",
    evidence: { rounds: [{ tree: "as_is" }], opinions: [{ judgement: "pass" }] },
  });
  await loop.submit(2, { "src/add.js": "export const add = () => 0;\n", "test/add.test.js": "// nothing\n" });
  expect(await court.judge(loop, 2)).toMatchObject({ judgement: "fail" });
  await mergeStage(court.world.place, await loop.claim(1), never);
  expect(await loop.shown()).toEqual(["Good"]);
  expect(await (await court.world.place.backend("host")).list()).toEqual([]);
});

describe("a candidate that is not", () => {
  it("goes back with the points, its conversation and its work, so often as may be, and then has failed", async () => {
    const loop = await begin([worker("Add sub")]);
    const place = court.world.place;
    await place.config.patch({ OPENTIGER_REWORKS: 1 }, "test");
    court.answerWith(() => failing("It subtracts the wrong way round.", "src/sub.js"));
    const candidate = await loop.submit(1, { "src/sub.js": "export const sub = (a, b) => b - a;\n" });
    expect(await court.judge(loop)).toMatchObject({
      judgement: "fail",
      points: [{ by: "judge", file: "src/sub.js", text: "It subtracts the wrong way round." }],
    });
    expect(await loop.task(1)).toMatchObject({
      state: "blocked(needs_rework)",
      rework: {
        failure: "judge",
        points: [{ file: "src/sub.js" }],
        session: "session-of-1",
        from: candidate,
      },
    });
    await loop.submit(1, { "src/sub.js": "export const sub = (a, b) => b - a; // again\n" });
    await court.judge(loop);
    expect(await loop.task(1)).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("wrong way round"),
    });
    court.answerWith(() => passing);
    await place.config.patch({ OPENTIGER_REWORKS: null }, "test");
  });

  it("because it conflicts with the branch goes back once, and then has failed with the reason", async () => {
    const loop = await begin([worker("One"), worker("Two")]);
    const tip = await loop.start(2);
    await loop.submit(1, { "src/add.js": "export const add = (a, b) => b + a;\n" });
    await court.judge(loop, 1);
    await mergeStage(court.world.place, await loop.claim(1), never);
    const conflicting = { "src/add.js": "export const add = (...all) => all[0] + all[1];\n" };
    for (const state of ["blocked(needs_rework)", "failed"]) {
      await loop.submit(2, conflicting, { on: tip });
      expect(await court.judge(loop, 2)).toMatchObject({
        judgement: "fail",
        points: [{ by: "conflict", file: "src/add.js" }],
      });
      expect((await loop.task(2)).state).toBe(state);
    }
    expect((await loop.task(2)).detail).toContain("src/add.js");
  });

  it("because of a red check is not shown to the model, and what was red before is no evidence", async () => {
    const red = 'import test from "node:test";\n\ntest("is red", () => { throw new Error("as ever"); });\n';
    const loop = await begin([worker("Good"), worker("Bad")], undefined, { "test/red.test.js": red });
    const before = court.asked.length;
    await loop.submit(2, { "src/add.js": "export const add = () => 0;\n" });
    expect(await court.judge(loop, 2)).toMatchObject({
      judgement: "fail",
      points: [{ by: "verify", text: expect.stringContaining("adds: failed") }],
    });
    expect(court.asked.length).toBe(before);
    await loop.submit(1, { "src/good.js": "export const good = true;\n" });
    const judged = await court.judge(loop, 1);
    expect(judged?.judgement).toBe("pass");
    expect(judged?.evidence.redBefore.join()).toContain("is red");
  });
});

describe("tests that are written first", () => {
  const tester: NewTask = { ...worker("Test sub"), role: "tester", allowedPaths: [] };
  const subTest = `import assert from "node:assert";\nimport test from "node:test";\nimport { sub } from "../src/sub.js";\n\ntest("subtracts", () => assert.equal(sub(2, 1), 1));\n`;

  it("must be red, touch nothing but tests, and come to the branch with their code, byte for byte", async () => {
    const loop = await begin([tester, { ...worker("Add sub"), needs: [1] }]);
    await loop.submit(1, {
      "test/sub.test.js": 'import test from "node:test";\n\ntest("is green", () => {});\n',
    });
    expect(await court.judge(loop, 1)).toMatchObject({
      judgement: "fail",
      points: [{ text: expect.stringMatching(/must fail/) }],
    });
    await loop.submit(1, { "test/sub.test.js": subTest, "src/sub.js": "export const sub = 1;\n" });
    expect(await court.judge(loop, 1)).toMatchObject({
      judgement: "fail",
      points: [{ by: "rules", file: "src/sub.js" }],
    });
    await loop.submit(1, { "test/sub.test.js": subTest });
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass" });
    await mergeStage(court.world.place, await loop.claim(1), never);
    expect((await loop.row()).branchOid).toBe((await loop.row()).baseOid);

    await loop.submit(2, { "src/sub.js": "export const sub = (a, b) => b - a;\n" });
    expect(await court.judge(loop, 2)).toMatchObject({
      judgement: "fail",
      points: [{ by: "verify" }, { by: "verify" }],
    });
    await loop.submit(2, { "src/sub.js": "export const sub = 1;\n", "test/sub.test.js": "// nothing\n" });
    const judged = await court.judge(loop, 2);
    expect(judged?.judgement).toBe("fail");
    expect(judged?.points).toContainEqual(expect.objectContaining({ by: "tests", file: "test/sub.test.js" }));
    await loop.submit(2, { "src/sub.js": "export const sub = (a, b) => a - b;\n" });
    expect(await court.judge(loop, 2)).toMatchObject({ judgement: "pass" });
    await mergeStage(court.world.place, await loop.claim(2), never);
    expect(await loop.shown()).toEqual(["Add sub"]);
    expect(git(loop.user, "show", `${(await loop.row()).branch}:test/sub.test.js`)).toBe(subTest.trim());
  });
});

describe("a changed lock file", () => {
  it("is set up again for the judge alone, and pointed out; once it is merged, for every task that comes after", async () => {
    const lock = (version: string): string =>
      JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/made": { version } } });
    const set = { setup: ["mkdir -p node_modules && cp package-lock.json node_modules/made.json"] };
    const check = `import made from "../node_modules/made.json" with { type: "json" };\n\nexport const version = made.packages["node_modules/made"].version;\n`;
    const files = {
      "package-lock.json": lock("1.0.0"),
      ".gitignore": "node_modules\n",
      "src/version.js": check,
    };
    const later: NewTask = {
      ...worker("Write later"),
      agent: "command",
      verify: [{ command: "grep -q 2.0.0 node_modules/made.json" }],
    };
    const tasks = [worker("Newer"), worker("Other"), later];
    const loop = await begin(tasks, undefined, files, set, "sandbox");
    const test = (version: string) =>
      `import assert from "node:assert";\nimport test from "node:test";\nimport { version } from "../src/version.js";\n\ntest("version", () => assert.equal(version, "${version}"));\n`;
    await loop.submit(1, { "package-lock.json": lock("2.0.0"), "test/version.test.js": test("2.0.0") });
    const judged = await court.judge(loop, 1);
    expect(judged).toMatchObject({ judgement: "pass" });
    expect(judged?.evidence.notes).toContainEqual(
      expect.stringMatching(/package-lock\.json was changed.*set up again/),
    );
    await loop.submit(2, { "test/version.test.js": test("1.0.0") });
    expect(await court.judge(loop, 2), "others start from what was there before").toMatchObject({
      judgement: "pass",
    });
    const { place } = court.world;
    await mergeStage(place, await loop.claim(1), never);
    await place.config.patch({ OPENTIGER_AGENT_COMMAND: [...quickAgent] }, "test");
    await runStage(place, await loop.claim(3), never);
    expect(await loop.task(3), "its packages are those of the branch").toMatchObject({
      state: "blocked(awaiting_judge)",
      candidateOid: expect.any(String),
    });
    expect(await court.judge(loop, 3)).toMatchObject({ judgement: "pass" });
  });
});

describe("a judgement that cannot be made", () => {
  it("because a check takes too long is inconclusive, is tried again, and then the task has failed", async () => {
    const loop = await begin([worker("Hang")], undefined, {}, {}, "sandbox");
    await court.world.place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: "3s" }, "test");
    await loop.submit(1, {
      "src/add.js": "await new Promise((resolve) => setTimeout(resolve, 1e8));\nexport const add = 1;\n",
    });
    const states: string[] = [];
    while ((await loop.task(1)).state === "blocked(awaiting_judge)" && states.length < 10) {
      const judged = await court.judge(loop, 1);
      expect(judged).toMatchObject({
        judgement: "inconclusive",
        evidence: { trouble: expect.stringMatching(/longer/) },
      });
      states.push((await loop.task(1)).state);
    }
    expect(states).toEqual(["blocked(awaiting_judge)", "blocked(awaiting_judge)", "failed"]);
    expect((await loop.task(1)).detail).toMatch(/longer than it may/);
    await court.world.place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: null }, "test");
  });

  it("because its sandbox is lost is made again in a new one, and is inconclusive where that is lost too", async () => {
    const loop = await begin([worker("Lose")], undefined, {}, {}, "sandbox");
    await loop.submit(1, {
      "src/add.js": "await new Promise((resolve) => setTimeout(resolve, 1e8));\nexport const add = 1;\n",
    });
    const judging = court.judge(loop, 1);
    const lost = new Set<string>();
    for (let round = 1; round <= 2; round++) {
      const name = `loop-${loop.id}-codex-1-judge-checks`;
      const id = await until("a check runs", () => runningCheck(name, lost), 60_000);
      lost.add(id);
      await (await court.world.place.backend("sandbox")).remove(name, { force: true });
    }
    expect(await judging).toMatchObject({
      judgement: "inconclusive",
      evidence: { trouble: expect.any(String) },
    });
    expect((await loop.task(1)).state).toBe("blocked(awaiting_judge)");
    expect((await openStage(court.world.place.database, (await loop.task(1)).id))?.kind).toBe("judge");
  });

  it("where a project has no checks at all is the model's alone, and says so", async () => {
    const loop = await begin([worker("Write")], undefined, {
      "opentiger.json": JSON.stringify({ verify: [] }),
    });
    await loop.submit(1, { "docs/a.md": "A.\n" });
    const judged = await court.judge(loop, 1);
    expect(judged).toMatchObject({
      judgement: "pass",
      evidence: { rounds: [], opinions: [{ judgement: "pass" }] },
    });
    expect(judged?.evidence.notes).toContainEqual(expect.stringMatching(/no checks/));
  });
});

describe("a judge whose process ends", () => {
  it("is gone on with by the next one: the same conversation, no check twice, one judgement", async () => {
    const loop = await begin([worker("Slow")], undefined, {}, {}, "sandbox");
    const slow: ScenarioInput = { steps: [think(4_000), answer(passing)] };
    court.answerWith(() => slow);
    await loop.submit(1, { "src/slow.js": "export const slow = true;\n" });
    const before = court.asked.length;
    const sessions = court.world.sim.sessions().length;
    const stop = new AbortController();
    const lease = await loop.claim(1, "first");
    const first = judgeStage(court.world.place, lease, stop.signal);
    await until("the model was asked", () => court.asked.length > before);
    stop.abort(new LeaseLost(lease.stage));
    await expect(first).rejects.toBeInstanceOf(LeaseLost);
    expect(await sandboxesOf(loop), "the next one finds it").toHaveLength(1);
    const next = await takeOver(court.world.place.database, lease, {
      owner: "second",
      leaseMs: 60_000,
      deadOwner: "first",
    });
    if (!next) throw new Error("nobody can take it over");
    await judgeStage(court.world.place, next, never);
    const { items } = await listJudgements(court.world.place.database, { task: (await loop.task(1)).id });
    expect(items.map(({ judgement }) => judgement)).toEqual(["pass"]);
    expect(court.world.sim.sessions().length - sessions).toBe(1);
    await expect(judgeStage(court.world.place, lease, never)).rejects.toThrow();
    expect(
      (await listJudgements(court.world.place.database, { task: (await loop.task(1)).id })).items,
    ).toHaveLength(1);
    court.answerWith(() => passing);
  });
});

async function begin(
  tasks: readonly NewTask[],
  judge: NonNullable<LoopSettings["agents"]["judge"]> = { agent: "codex", model: "gpt-5.5" },
  files: Readonly<Record<string, string>> = {},
  project: Readonly<Record<string, unknown>> = {},
  environment: ExecutionEnvironment = anywhere,
): Promise<TemporaryJudgedLoop> {
  const verify = [{ command: "node --test --test-reporter=tap", reporter: { format: "tap" } }];
  return court.begin({
    files: {
      "opentiger.json": JSON.stringify({ verify, testPaths: ["test/**"], protectedPaths: [], ...project }),
      "package.json": JSON.stringify({ name: "sample", type: "module" }),
      "src/add.js": "export const add = (a, b) => a + b;\n",
      "test/add.test.js": `import assert from "node:assert";\nimport test from "node:test";\nimport { add } from "../src/add.js";\n\ntest("adds", () => assert.equal(add(1, 2), 3));\n`,
      ...files,
    },
    tasks,
    settings: { environment, agents: { judge } },
  });
}

function worker(title: string): NewTask {
  return { title, role: "worker", instructions: `${title}, please.`, needs: [], allowedPaths: [] };
}

async function sandboxesOf({ id }: TemporaryJudgedLoop): Promise<string[]> {
  const backend = await court.world.place.backend("sandbox");
  return (await backend.list()).map(({ name }) => name).filter((name) => name.startsWith(`loop-${id}-`));
}

/** The id of the sandbox of this name, once a test runs in it; asked of the engine, since a session of ours would be in the way. */
async function runningCheck(name: string, lost: ReadonlySet<string>): Promise<string | undefined> {
  const backend = await court.world.place.backend("sandbox");
  const found = (await backend.list()).find((each) => each.name === name && !lost.has(each.id));
  if (found?.status !== "running") return undefined;
  const processes = await docker("top", containerOf(court.world, found)).catch(() => "");
  return processes.includes("node --test") ? found.id : undefined;
}

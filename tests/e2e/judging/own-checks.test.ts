import { beforeAll, describe, expect, it } from "vitest";
import { mergeStage } from "../../../packages/orchestrator/src/merging/merge-stage.ts";
import type { NewTask } from "../../../packages/orchestrator/src/state/tasks.ts";
import type { JudgeWorld } from "../../setup/judge-world.ts";
import { begin, never, openCourt, worker } from "./court.ts";

let court: JudgeWorld;

beforeAll(async () => {
  court = await openCourt();
});

const testOf = (name: string, body: string): string =>
  `import assert from "node:assert";\nimport test from "node:test";\nimport { ${name} } from "../src/${name}.js";\n\n${body}`;
const sub = "export const sub = (a, b) => a - b;\n";
const subTest = testOf("sub", 'test("subtracts", () => assert.equal(sub(2, 1), 1));\n');
const addTest = testOf("add", 'test("adds", () => assert.equal(add(1, 2), 3));\n');
const wrongAdd = "export const add = (a) => a;\n";

describe("a task with checks of its own", () => {
  const own = (...verify: string[]): NewTask => ({
    ...worker("Add sub"),
    verify: verify.map((command) => ({ command })),
  });

  it.each([
    ["in a project that has others", {}],
    ["in a project that has none", { verify: [] }],
  ])("that call the test which it adds passes, %s", async (_where, project) => {
    const loop = await begin(court, [own("node --test test/sub.test.js")], { project });
    await loop.submit(1, { "src/sub.js": sub, "test/sub.test.js": subTest });
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass", points: [] });
  });

  it("that call a test which was there before fails, where it weakens that", async () => {
    const loop = await begin(court, [own("node --test test/add.test.js")], { project: { verify: [] } });
    await loop.submit(1, {
      "src/add.js": wrongAdd,
      "test/add.test.js": addTest.replace("add(1, 2), 3", "add(1, 2), 1"),
      "test/sub.test.js": subTest,
      "src/sub.js": sub,
    });
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "fail", points: [{ by: "verify" }] });
  });
});

it("tests that were there before hold for a worker, although its tester has weakened them", async () => {
  const tester: NewTask = { ...worker("Test sub"), role: "tester" };
  const loop = await begin(court, [tester, { ...worker("Add sub"), needs: [1] }]);
  await loop.submit(1, {
    "test/sub.test.js": subTest,
    "test/add.test.js": addTest.replace("add(1, 2), 3", "typeof add(1, 2), 'number'"),
  });
  expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass" });
  await mergeStage(court.world.place, await loop.claim(1), never);
  await loop.submit(2, { "src/sub.js": sub, "src/add.js": wrongAdd });
  expect(await court.judge(loop, 2)).toMatchObject({ judgement: "fail", points: [{ by: "verify" }, {}] });
  await loop.submit(2, { "src/sub.js": sub });
  expect(await court.judge(loop, 2)).toMatchObject({ judgement: "pass" });
});

describe("a dependency", () => {
  const money = {
    "money/package.json": JSON.stringify({
      name: "money",
      version: "1.0.0",
      type: "module",
      main: "index.js",
    }),
    "money/index.js": "export const cents = (value) => value * 100;\n",
  };
  const uses = {
    "src/cents.js": 'import { cents } from "money";\n\nexport { cents };\n',
    "test/cents.test.js": testOf("cents", 'test("cents", () => assert.equal(cents(1), 100));\n'),
  };
  const depending = { name: "sample", type: "module", dependencies: { money: "file:./money" } };

  it("that is the first of its project is there when it is judged, and for every task that comes after", async () => {
    const loop = await begin(court, [worker("Cents"), worker("More")], {
      files: { ...money, ".gitignore": "node_modules\n" },
    });
    await loop.submit(1, { ...uses, "package.json": JSON.stringify(depending) });
    const judged = await court.judge(loop, 1);
    expect(judged).toMatchObject({ judgement: "pass" });
    expect(judged?.evidence.notes).toContain("the project was set up again for the judge");
    await mergeStage(court.world.place, await loop.claim(1), never);
    await loop.submit(2, { "src/more.js": "export const more = 1;\n" });
    expect(await court.judge(loop, 2)).toMatchObject({ judgement: "pass" });
  });

  it("that the lock file does not know is found out, although nothing of the checks needs it", async () => {
    const lock = JSON.stringify({
      name: "sample",
      lockfileVersion: 3,
      requires: true,
      packages: { "": { name: "sample" } },
    });
    const files = { ...money, ".gitignore": "node_modules\n", "package-lock.json": lock };
    const project = { setup: ["npm ci --no-audit --no-fund"] };
    const loop = await begin(court, [worker("Cents")], { files, project });
    await loop.submit(1, { "package.json": JSON.stringify(depending), "src/more.js": "export {};\n" });
    expect(await court.judge(loop, 1)).toMatchObject({
      judgement: "fail",
      points: [{ by: "verify", text: expect.stringContaining("npm ci") }],
    });
  });
});

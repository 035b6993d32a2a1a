import { beforeAll, describe, expect, it } from "vitest";
import { git } from "../../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import { editTask } from "../../../packages/orchestrator/src/loops/edit-task.ts";
import { mergeStage } from "../../../packages/orchestrator/src/merging/merge-stage.ts";
import type { NewTask } from "../../../packages/orchestrator/src/state/tasks.ts";
import type { JudgeWorld } from "../../setup/judge-world.ts";
import { begin, never, openCourt, worker } from "./court.ts";

let court: JudgeWorld;

beforeAll(async () => {
  court = await openCourt();
});

describe("tests that are written first", () => {
  const tester: NewTask = { ...worker("Test sub"), role: "tester", allowedPaths: [] };
  const subTest = `import assert from "node:assert";\nimport test from "node:test";\nimport { sub } from "../src/sub.js";\n\ntest("subtracts", () => assert.equal(sub(2, 1), 1));\n`;

  it("must be red, touch nothing but tests, and come to the branch with their code, byte for byte", async () => {
    const loop = await begin(court, [tester, { ...worker("Add sub"), needs: [1] }]);
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

  it("are judged as all others where the plan is edited so that no code is to come for them", async () => {
    const { place } = court.world;
    const loop = await begin(court, [tester, { ...worker("Add sub"), needs: [1] }]);
    await loop.submit(1, { "test/sub.test.js": subTest });
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass", evidence: { held: true } });
    await editTask(place.database, (await loop.task(2)).id, { needs: [] });
    await mergeStage(place, await loop.claim(1), never);
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "fail", evidence: { held: false } });
    expect((await loop.row()).branchOid).toBe((await loop.row()).baseOid);
  });
});

describe("tests that are written first, in place of others as the plan says", () => {
  /** Says of each test in which file it is. */
  const runner = `import { readdirSync, writeFileSync } from "node:fs";

const told = [];
for (const name of readdirSync("test")) {
  const tests = await import("./test/" + name).catch(() => ({ loads: () => false }));
  for (const [title, test] of Object.entries(tests))
    told.push(\`<testcase file="test/\${name}" name="\${title}">\${test() ? "" : "<failure/>"}</testcase>\`);
}
writeFileSync("report.xml", \`<testsuite name="all">\${told.join("")}</testsuite>\`);
process.exitCode = told.some((test) => test.includes("failure")) ? 1 : 0;
`;
  const verify = [{ command: "node run.js", reporter: { format: "junit", path: "report.xml" } }];
  const files = {
    ".gitignore": "report.xml\n",
    "run.js": runner,
    "test/old.test.js": "export const old = () => true;\n",
    "test/add.test.js":
      'import { add } from "../src/add.js";\n\nexport const adds = () => add(1, 2) === 3;\n',
  };
  const tester: NewTask = {
    ...worker("Test sub"),
    role: "tester",
    mayChange: ["test/old.test.js", "test/add.test.js"],
  };

  it("do not count against the code that they are written for", async () => {
    const loop = await begin(court, [tester, { ...worker("Add sub"), needs: [1] }], {
      files,
      project: { verify },
    });
    await loop.submit(1, {
      "test/old.test.js": null,
      "test/add.test.js": `${files["test/add.test.js"].replace("adds", "addsTwo")}import { sub } from "../src/sub.js";\n\nexport const subtracts = () => sub(2, 1) === 1;\n`,
    });
    expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass" });
    await mergeStage(court.world.place, await loop.claim(1), never);
    await loop.submit(2, { "src/sub.js": "export const sub = (a, b) => a - b;\n" });
    expect(await court.judge(loop, 2)).toMatchObject({ judgement: "pass", points: [] });
  });
});

it("tests that are written first are not switched off by one that the worker adds", async () => {
  const files = {
    "run.sh": 'check() { test "$@" || exit 1; }\nfor file in test/*.test.sh; do . "./$file"; done\n',
    "test/add.test.sh": "check -f src/add.js\n",
  };
  const tester: NewTask = { ...worker("Test sub"), role: "tester" };
  const project = { verify: ["sh run.sh"] };
  const loop = await begin(court, [tester, { ...worker("Add sub"), needs: [1] }], { files, project });
  await loop.submit(1, { "test/sub.test.sh": "check -f src/sub.js\n" });
  expect(await court.judge(loop, 1)).toMatchObject({ judgement: "pass" });
  await mergeStage(court.world.place, await loop.claim(1), never);
  await loop.submit(2, { "src/none.js": "export {};\n", "test/aaa.test.sh": "check() { :; }\n" });
  expect(await court.judge(loop, 2)).toMatchObject({ judgement: "fail", points: [{ by: "verify" }] });
  await loop.submit(2, { "src/sub.js": "export {};\n", "test/aaa.test.sh": "check -d src\n" });
  expect(await court.judge(loop, 2)).toMatchObject({ judgement: "pass" });
});

import { putCommit } from "@opentiger/sandbox";
import { beforeAll, describe, expect, test } from "vitest";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { baselineOf } from "../../../packages/orchestrator/src/verifying/baseline.ts";
import { compareChecks } from "../../../packages/orchestrator/src/verifying/compare.ts";
import { runChecks } from "../../../packages/orchestrator/src/verifying/run-checks.ts";
import { type Gates, gates, type VerifyingWorld, verifyingWorld } from "../../setup/verifying-world.ts";
import { base, begin, killedWhen, nothingSecret, results } from "./begun-project.ts";
import { loopOf } from "./verifying-loop.ts";

let world: VerifyingWorld;
let gate: Gates;

beforeAll(async () => {
  [world, gate] = await Promise.all([verifyingWorld(), gates()]);
});

describe("checks in a sandbox", () => {
  test("tell of each test, are remembered for their commit, and show what a change broke", async () => {
    const checked = await begin(world, {});
    const project = await readProject(checked.sample.repository, checked.commit, {});
    expect(project.verify[0]?.reporter?.format).toBe("tap");
    const sandbox = await checked.sandbox("checked", await checked.prepare());
    const { repository } = checked.sample;
    const { signal } = new AbortController();
    const about = { loop: loopOf("sample"), repository, project, sandbox } as const;
    const asked = { ...about, environment: "sandbox", key: "", redact: nothingSecret, signal } as const;
    const before = await baselineOf(world.place, { ...asked, commit: checked.commit });
    expect(results(before)).toEqual(["npm test: failed", "is red: failed", "adds: passed"]);
    expect(await baselineOf(world.place, { ...asked, commit: checked.commit })).toEqual(before);

    const withChange = async (files: Record<string, string>): Promise<ReturnType<typeof compareChecks>> => {
      const commit = await checked.sample.commit(files);
      const path = sandbox.workspaces[0]?.path ?? "";
      await putCommit(sandbox, { repository: repository.path, path, commit });
      const round = await runChecks(sandbox, {
        commands: project.verify,
        cwd: path,
        env: project.env,
        timeoutMs: 60_000,
        id: `after-${commit.slice(0, 12)}`,
        redact: (text) => text,
        signal,
      });
      return compareChecks({ before, after: { tree: "as_is", commit, results: round } });
    };
    expect(await withChange({ "sum.test.js": "" })).toMatchObject({
      ok: false,
      broken: [{ test: "adds", result: "missing" }],
    });
    expect(
      await withChange({ "sum.js": "export const sum = () => 0;\n", "sum.test.js": base["sum.test.js"] }),
    ).toMatchObject({
      ok: false,
      broken: [{ test: "adds", result: "failed" }],
    });
    expect(await withChange({ "sum.js": base["sum.js"], "more.js": "" })).toMatchObject({
      ok: true,
      broken: [],
    });
  });

  test("are refused for a commit that the sandbox is not at", async () => {
    const elsewhere = await begin(world, { setup: [] });
    const sandbox = await elsewhere.sandbox("elsewhere", await elsewhere.prepare());
    const commit = await elsewhere.sample.commit({ "x.txt": "" });
    const project = await readProject(elsewhere.sample.repository, commit, {});
    const { repository } = elsewhere.sample;
    const { signal } = new AbortController();
    const about = { loop: loopOf("sample"), repository, project, commit, sandbox } as const;
    const asked = { ...about, environment: "sandbox", key: "", redact: nothingSecret, signal } as const;
    await expect(baselineOf(world.place, asked)).rejects.toMatchObject({ code: "internal" });
  });

  test("go on when the process that began them is killed, and are run once", async () => {
    const verify = [
      {
        command: `curl -sf "$GATE" && printf '1..1\\nok 1 - a\\n' > report.tap`,
        reporter: { format: "tap", path: "report.tap" },
      },
    ];
    const killed = await begin(world, { setup: [], verify, env: { GATE: gate.url("check") } });
    await killedWhen(killed, "check", () => gate.visits("check") === 1);
    gate.open("check");
    const { repository } = killed.sample;
    const project = await readProject(repository, killed.commit, {});
    const { signal } = new AbortController();
    const prepared = await killed.prepare({ loop: "check" });
    const sandbox = await killed.sandbox("loop-check-shell", prepared);
    const asked = {
      loop: loopOf("check"),
      repository,
      project,
      commit: killed.commit,
      sandbox,
      environment: "sandbox",
      redact: nothingSecret,
      signal,
    } as const;
    const round = await baselineOf(world.place, { ...asked, key: prepared.key });
    expect(round.results.map(({ test, result }) => [test, result])).toEqual([
      [null, "passed"],
      ["a", "passed"],
    ]);
    expect(gate.visits("check")).toBe(1);
  });
});

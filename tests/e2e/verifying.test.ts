import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { OpenPlace } from "@opentiger/orchestrator";
import { putCommit, type Sandbox } from "@opentiger/sandbox";
import type { CheckRound, ExecutionEnvironment } from "@opentiger/schema";
import { beforeAll, describe, expect, test } from "vitest";
import { LeaseLost } from "../../packages/orchestrator/src/dispatch/lease-lost.ts";
import { ensurePrepared, type Prepared } from "../../packages/orchestrator/src/project/prepared.ts";
import { readProject } from "../../packages/orchestrator/src/project/read-project.ts";
import { makeSandbox } from "../../packages/orchestrator/src/project/sandbox.ts";
import { sandboxShape } from "../../packages/orchestrator/src/project/sandbox-shape.ts";
import { tidiedName, tidyPrepared } from "../../packages/orchestrator/src/recovery/reconcile/tidying.ts";
import { baselineOf } from "../../packages/orchestrator/src/verifying/baseline.ts";
import { compareChecks } from "../../packages/orchestrator/src/verifying/compare.ts";
import { runChecks } from "../../packages/orchestrator/src/verifying/run-checks.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { docker } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { preparedImages } from "../setup/prepared-images.ts";
import { until } from "../setup/until.ts";
import {
  credential,
  type Gates,
  gates,
  type SampleProject,
  sampleProject,
  type VerifyingWorld,
  verifyingWorld,
} from "../setup/verifying-world.ts";
import { loopOf } from "./verifying-loop.ts";

let world: VerifyingWorld;
let gate: Gates;

beforeAll(async () => {
  [world, gate] = await Promise.all([verifyingWorld(), gates()]);
});

/** Its set-up installs something that git ignores, leaves a file, changes one, and tells all that it can see. */
const setup = [
  "mkdir -p node_modules/dep && date +%s.%N > node_modules/dep/index.js",
  "echo left > generated.txt && echo changed >> README.md",
  "(env; cat /proc/[0-9]*/environ; cat ~/.config/* ~/.claude/* ~/.codex/*) > node_modules/seen 2> /dev/null; true",
];

const base = {
  "package.json": JSON.stringify({ name: "sample", type: "module", scripts: { test: "node --test" } }),
  "package-lock.json": JSON.stringify({ name: "sample", lockfileVersion: 3, packages: {} }),
  ".gitignore": "node_modules/\n",
  "README.md": "sample\n",
  "sum.js": "export const sum = (a, b) => a + b;\n",
  "sum.test.js": testFile("adds", "assert.equal(sum(1, 2), 3)"),
  "red.test.js": testFile("is red", "assert.equal(sum(1, 2), 4)"),
};

function testFile(name: string, body: string): string {
  return `import { test } from "node:test";\nimport assert from "node:assert";\nimport { sum } from "./sum.js";\n\ntest("${name}", () => ${body});\n`;
}

function withFile(file: object): Record<string, string> {
  return { ...base, "opentiger.json": JSON.stringify(file) };
}

interface Begun {
  sample: SampleProject;
  commit: string;
  prepare(options?: PrepareOptions): Promise<Prepared>;
  sandbox(
    name: string,
    prepared: Prepared,
    options?: { phase?: "run" | "verify"; commit?: string },
  ): Promise<Sandbox>;
}

interface PrepareOptions {
  place?: OpenPlace;
  loop?: string;
  commit?: string;
  signal?: AbortSignal;
  say?: (line: string) => void;
}

async function begin(file: object, environment: ExecutionEnvironment = "sandbox"): Promise<Begun> {
  const sample = await sampleProject(world.place);
  const commit = await sample.commit(withFile(file));
  const { signal: never } = new AbortController();
  const about = async (at: string) => ({
    repository: sample.repository,
    project: await readProject(sample.repository, at, {}),
    commit: at,
    environment,
    agent: "shell" as const,
  });
  return {
    sample,
    commit,
    prepare: async ({
      place = world.place,
      loop = "sample",
      commit: at = commit,
      signal = never,
      say = () => {},
    } = {}) => ensurePrepared(place, { ...(await about(at)), loop: loopOf(loop), signal, say }),
    sandbox: async (name, prepared, { phase = "verify", commit: at = commit } = {}) => {
      const asked = { ...(await about(at)), loop: loopOf("sample"), name, prepared, phase, signal: never };
      const sandbox = await makeSandbox(world.place, asked);
      atEnd(() => sandbox.close());
      return sandbox;
    },
  };
}

async function said(sandbox: Sandbox, script: string): Promise<string> {
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", script]);
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

async function sandboxNames(): Promise<string[]> {
  return (await world.docker.list()).filter(({ own }) => own).map(({ name }) => name);
}

describe("a prepared image", () => {
  let begun: Begun;
  let prepared: Prepared;

  beforeAll(async () => {
    begun = await begin({ setup });
    prepared = await begun.prepare();
  });

  test("is made once, also where two processes ask for it at the same time", async () => {
    const two = await begin({ setup: [`curl -sf "$GATE"`, ...setup], env: { GATE: gate.url("twice") } });
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    const other = await world.another();
    const both = [two.prepare({ loop: "first", say }), two.prepare({ loop: "second", place: other, say })];
    await until("one of them sets it up", () => gate.visits("twice") === 1);
    await until("the other one waits", () => lines.some((line) => /another process/.test(line)));
    gate.open("twice");
    const [first, second] = await Promise.all(both);
    expect(first?.image).toMatch(/^opentiger\/prepared:/);
    expect(second?.image).toBe(first?.image);
    expect((await two.prepare({ loop: "third" })).image).toBe(first?.image);
    expect(gate.visits("twice")).toBe(1);
    expect(await sandboxNames()).toEqual(expect.not.arrayContaining([expect.stringMatching(/prepare$/)]));
  });

  test("gives sandboxes at any commit what the set-up made, and nothing that git would see", async () => {
    const later = await begun.sample.commit({ "later.txt": "2\n" });
    expect((await begun.prepare({ commit: later })).image).toBe(prepared.image);
    const [one, two] = await Promise.all([
      begun.sandbox("from-image-1", prepared),
      begun.sandbox("from-image-2", prepared, { commit: later }),
    ]);
    const made = await said(one, "cat node_modules/dep/index.js");
    expect(await said(two, "cat node_modules/dep/index.js later.txt")).toBe(`${made}\n2`);
    expect(await said(two, "git rev-parse HEAD; git status --porcelain; cat README.md")).toBe(
      `${later}\nsample`,
    );
    await said(two, "git add --all && git diff --cached --quiet");
    expect(await said(two, "touch .opentiger-tests.tap; git status --porcelain")).toBe("");
  });

  test("says what of the set-up is no part of the commits", async () => {
    expect(prepared.notes).toEqual([
      "the set-up changes tracked files, which were put back: README.md",
      "the set-up leaves files that are neither tracked nor ignored; they are never committed: generated.txt",
    ]);
  });

  test("has no credential in it, nor anything of the process that asked for it", async () => {
    const sandbox = await begun.sandbox("from-image-1", prepared);
    expect(await said(sandbox, "wc -c < node_modules/seen")).not.toBe("0");
    expect(await said(sandbox, "cat node_modules/seen")).not.toContain(credential);
    const image = prepared.image ?? "";
    expect(await docker("inspect", image)).not.toContain(credential);
    expect(await docker("history", "--no-trunc", image)).not.toContain(credential);
  });

  test("is another one for other lock files, and the same for anything else", async () => {
    const other = await begun.sample.commit({ "sum.js": "export const sum = (b, a) => a + b;\n" });
    expect((await begun.prepare({ commit: other })).key).toBe(prepared.key);
    const locked = await begun.sample.commit({ "package-lock.json": "{}" });
    const project = await readProject(begun.sample.repository, locked, {});
    expect(project.lockFiles).toContain("package-lock.json");
    const again = await begun.prepare({ commit: locked });
    expect(again.key).not.toBe(prepared.key);
    expect(again.image).not.toBe(prepared.image);
  });

  test("has sandboxes parked, which the next one who needs one takes over", async () => {
    const { commit, sample } = begun;
    const { repository } = sample;
    const project = await readProject(repository, commit, {});
    const about = { loop: loopOf("sample"), repository, project, prepared } as const;
    const shape = { ...sandboxShape(world.place, { ...about, phase: "verify" }), commit };
    expect(await world.docker.warm({ ...shape, count: 2 })).toBe(2);
    expect(await world.docker.warm({ ...shape, count: 2 })).toBe(0);
    const sandbox = await begun.sandbox("taken-over", prepared);
    expect(await said(sandbox, "git rev-parse HEAD; ls node_modules/dep")).toBe(`${begun.commit}\nindex.js`);
    expect(await world.docker.cool(shape.image)).toBe(1);
  });

  test("that somebody removed is made anew", async () => {
    const gone = await begin({ setup: ["mkdir -p node_modules/x"] });
    const { image } = await gone.prepare();
    await docker("rmi", image ?? "");
    expect((await gone.prepare()).image).toBe(image);
    expect(await docker("images", "--quiet", image ?? "")).not.toBe("");
  });

  test("that was not used for longest goes when they take too much disk, unless a sandbox uses it", async () => {
    const { database, config } = world.place;
    const idle = await (await begin({ setup: ["mkdir -p node_modules/idle"] })).prepare();
    await database.query(
      "update prepared_images set bytes = $1, used_at = now() - interval '1 day' where key = any($2)",
      [config.get("OPENTIGER_PREPARED_SIZE"), [idle.key, prepared.key]],
    );
    const fresh = await (await begin({ setup: ["mkdir -p node_modules/fresh"] })).prepare();
    const left = await preparedImages(world.place);
    expect(left).toContain(fresh.image);
    expect(left).toContain(prepared.image);
    expect(left).not.toContain(idle.image);
    expect(await docker("images", "--quiet", idle.image ?? "")).toBe("");
    expect(await docker("images", "--quiet", prepared.image ?? "")).not.toBe("");
  });

  test("goes as well when none is made for long: once a day somebody looks", async () => {
    const { place } = world;
    const old = await (await begin({ setup: ["mkdir -p node_modules/old"] })).prepare();
    const stamp = join(place.folder, tidiedName);
    await tidyPrepared(place);
    await place.database.query(
      "update prepared_images set bytes = $1, used_at = now() - interval '1 day' where key = $2",
      [place.config.get("OPENTIGER_PREPARED_SIZE") + 1, old.key],
    );
    await tidyPrepared(place);
    expect(await preparedImages(place)).toContain(old.image);
    utimesSync(stamp, new Date(0), new Date(0));
    await tidyPrepared(place);
    expect(await preparedImages(place)).not.toContain(old.image);
    expect(await docker("images", "--quiet", old.image ?? "")).toBe("");
  });

  test("is not made where there is nothing to set up", async () => {
    const none = await begin({ setup: [] });
    const nothing = await none.prepare();
    expect(nothing.image).toBeNull();
    const sandbox = await none.sandbox("from-nothing", nothing);
    expect(await said(sandbox, "touch .opentiger-tests.tap; git status --porcelain")).toBe("");
  });
});

describe("a set-up", () => {
  test("that fails is told with its command and what it said, and leaves nothing", async () => {
    const failing = await begin({ setup: ["true", "echo no such registry >&2; exit 7"] });
    const images = await preparedImages(world.place);
    await expect(failing.prepare({ loop: "failing" })).rejects.toMatchObject({
      code: "setup_failed",
      message: expect.stringMatching(
        /echo no such registry.* failed, it ended with status 7: no such registry/s,
      ),
      remedy: expect.stringContaining("opentiger.json"),
    });
    await expect(
      (await begin({ setup: ["no-such-program"] })).prepare({ loop: "failing" }),
    ).rejects.toMatchObject({
      remedy: expect.stringContaining("image"),
    });
    expect(await sandboxNames()).not.toContain("loop-failing-prepare");
    expect(await preparedImages(world.place)).toEqual(images);
  });

  test("reaches what its own phase allows, and checks do not", async () => {
    const local = `localhost:${gate.port}`;
    gate.open("package");
    const file = {
      setup: [
        `curl -sf http://host.docker.internal:${gate.port}/package -o node_modules.txt`,
        "mkdir node_modules && mv node_modules.txt node_modules/",
      ],
      network: { setup: { policy: "deny", allow: [local] }, verify: { policy: "deny" } },
    };
    const phased = await begin(file);
    const sandbox = await phased.sandbox("phased", await phased.prepare());
    expect(await said(sandbox, "cat node_modules/node_modules.txt")).toBe("package is open");
    const { code } = await runIn(sandbox, [
      "curl",
      "-sf",
      `http://host.docker.internal:${gate.port}/package`,
    ]);
    expect(code).not.toBe(0);
    expect(gate.visits("package")).toBe(1);
  });

  test("that its process did not live to see the end of is done again, and nothing is left of the first", async () => {
    const killed = await begin({
      setup: [`curl -sf "$GATE"`, "mkdir -p node_modules/x"],
      env: { GATE: gate.url("killed") },
    });
    await killedWhen(killed, "killed", () => gate.visits("killed") === 1);
    expect(await sandboxNames()).toContain("loop-killed-prepare");
    gate.open("killed");
    expect((await killed.prepare({ loop: "killed" })).image).not.toBeNull();
    expect(await sandboxNames()).not.toContain("loop-killed-prepare");
    expect(gate.visits("killed")).toBe(2);
  });

  test("whose holder has lost its lease is left to the next one", async () => {
    const lost = await begin({
      setup: [`curl -sf "$GATE"`, "mkdir -p node_modules/x"],
      env: { GATE: gate.url("lost") },
    });
    const stop = new AbortController();
    const preparing = lost.prepare({ loop: "lost", signal: stop.signal });
    await until("it is set up", () => gate.visits("lost") === 1);
    stop.abort(new LeaseLost(1));
    await expect(preparing).rejects.toBeInstanceOf(LeaseLost);
    expect(await sandboxNames()).toContain("loop-lost-prepare");
    gate.open("lost");
    await lost.prepare({ loop: "lost" });
    expect(await sandboxNames()).not.toContain("loop-lost-prepare");
  });
});

describe("checks in a sandbox", () => {
  test("tell of each test, are remembered for their commit, and show what a change broke", async () => {
    const checked = await begin({});
    const project = await readProject(checked.sample.repository, checked.commit, {});
    expect(project.verify[0]?.reporter?.format).toBe("tap");
    const sandbox = await checked.sandbox("checked", await checked.prepare());
    const { repository } = checked.sample;
    const { signal } = new AbortController();
    const about = { loop: loopOf("sample"), repository, project, sandbox } as const;
    const asked = { ...about, environment: "sandbox", key: "", signal } as const;
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
    const elsewhere = await begin({ setup: [] });
    const sandbox = await elsewhere.sandbox("elsewhere", await elsewhere.prepare());
    const commit = await elsewhere.sample.commit({ "x.txt": "" });
    const project = await readProject(elsewhere.sample.repository, commit, {});
    const { repository } = elsewhere.sample;
    const { signal } = new AbortController();
    const about = { loop: loopOf("sample"), repository, project, commit, sandbox } as const;
    const asked = { ...about, environment: "sandbox", key: "", signal } as const;
    await expect(baselineOf(world.place, asked)).rejects.toMatchObject({ code: "internal" });
  });

  test("go on when the process that began them is killed, and are run once", async () => {
    const verify = [
      {
        command: `curl -sf "$GATE" && printf '1..1\\nok 1 - a\\n' > report.tap`,
        reporter: { format: "tap", path: "report.tap" },
      },
    ];
    const killed = await begin({ setup: [], verify, env: { GATE: gate.url("check") } });
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

describe("on the host", () => {
  test("each clone is set up by itself, once, and the user's checkout is left alone", async () => {
    const host = await begin(
      { setup: ["mkdir -p node_modules && echo run >> node_modules/runs", "echo x > generated.txt"] },
      "host",
    );
    const prepared = await host.prepare();
    expect(prepared.image).toBeNull();
    const sandbox = await host.sandbox("on-host", prepared);
    const path = sandbox.workspaces[0]?.path ?? "";
    expect(path).not.toBe(host.sample.path);
    expect(await said(sandbox, "git rev-parse HEAD; git status --porcelain; cat node_modules/runs")).toBe(
      `${host.commit}\nrun`,
    );
    const again = await host.sandbox("on-host", prepared);
    expect(await said(again, "cat node_modules/runs")).toBe("run");
    expect(existsSync(`${host.sample.path}/node_modules`)).toBe(false);

    const project = await readProject(host.sample.repository, host.commit, {});
    const { repository } = host.sample;
    const { signal } = new AbortController();
    const where = { commit: host.commit, sandbox, environment: "host" } as const;
    const asked = { loop: loopOf("sample"), repository, project, ...where, key: "", signal };
    expect(results(await baselineOf(world.place, asked))).toEqual([
      "npm test: failed",
      "is red: failed",
      "adds: passed",
    ]);
  });

  test("a set-up that fails says so", async () => {
    const failing = await begin({ setup: ["echo no; exit 3"] }, "host");
    await expect(failing.sandbox("failing-host", await failing.prepare())).rejects.toMatchObject({
      code: "setup_failed",
    });
  });
});

function results({ results }: CheckRound): string[] {
  return results.map(({ command, test, result }) => `${test ?? command.slice(0, 8)}: ${result}`);
}

const client = await bundledProgram(new URL("./verifying-client.ts", import.meta.url));

/** Lets another process prepare the project and check it, and kills it at this moment. */
async function killedWhen({ sample, commit }: Begun, loop: string, moment: () => boolean): Promise<void> {
  const repository = /([^/]+)\.git$/.exec(sample.repository.path)?.[1] ?? "";
  const child = spawn(process.execPath, [client, loop, sample.path, repository, commit], {
    env: world.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  const exited = once(child, "exit");
  await until("the moment to kill it", () => moment() || child.exitCode !== null, 60_000);
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${lines.join("\n")}`);
  child.kill("SIGKILL");
  await exited;
}

import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  answer,
  finish,
  type ScenarioChoice,
  silence,
  unauthorized,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { DispatcherClient, findLoop } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { checkoutHash } from "../../scripts/demo/sample-project.ts";
import { atEnd } from "../setup/at-end.ts";
import { ended, opentigerBundle } from "../setup/command-line.ts";
import { type CommandLine, commandLine } from "../setup/loop-command-line.ts";
import { type LoopWorld, loopWorld, playedBy, userRepository } from "../setup/loop-world.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** Several runs of a real CLI, one after the other, beside other tests. */
const timeoutMs = 240_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
});

const plans: ScenarioChoice = whenPrompt(/^You are the planner/m, {
  steps: [
    answer({
      summary: "One file.",
      tasks: [
        {
          key: "one",
          title: "Write planned",
          role: "worker",
          instructions: "Write planned.txt.",
          needs: [],
          allowedPaths: ["planned.txt"],
          mayChange: [],
          verify: [],
          risk: "low",
          estimate: null,
        },
      ],
    }),
  ],
});

const writes: ScenarioChoice = ({ prompt }) => {
  const key = /Write (\w+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  if (key === "slowly") return { steps: [silence()] };
  if (key === "locked") return { steps: [unauthorized("forever")] };
  return { steps: [writeFile(`${key}.txt`, `${key}\n`), finish("It is written.")] };
};

let world: LoopWorld;
let opentiger: CommandLine;

beforeAll(async () => {
  world = await loopWorld([judge, plans, writes]);
  await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
  // Several test files run beside each other.
  opentiger = commandLine({ ...world.env, OPENTIGER_API_PORT: "0" });
  atEnd(() => new DispatcherClient(world.env).stop());
  atEnd(() => new ServerClient(world.env).stop());
}, timeoutMs);

function project(): string {
  return userRepository({ "README.md": "empty\n", "opentiger.json": '{"verify":["test -f README.md"]}\n' });
}

function stories(...keys: string[]): string {
  const file = join(temporaryFolder(), "stories.json");
  const list = keys.map((key, index) => ({
    key,
    title: `Write ${key}`,
    allowedPaths: [`${key}.txt`],
    needs: index === 0 ? [] : keys.slice(index - 1, index),
  }));
  writeFileSync(file, JSON.stringify(list));
  return file;
}

describe("opentiger run", () => {
  test(
    "ends with a branch of judged commits that can be looked at, merged, taken as a patch and discarded",
    async () => {
      const repo = project();
      const before = checkoutHash(repo);
      const ran = await opentiger("run", "-f", stories("first", "second"), "--repo", repo);
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      const id = /loop ([a-z0-9]{8}) is being planned/.exec(ran.stdout)?.[1] ?? "";
      for (const line of [
        "verify: test -f README.md",
        "nothing is red before anything was done",
        "planned: 2 tasks",
        "task 1: Write first (worker)",
        "task 1: worker started (codex, run 1)",
        "task 1: judged, pass",
        /^task 2: merged as [0-9a-f]{10}$/m,
        `loop ${id}: done`,
        "tasks   2 done, 0 failed, 0 cancelled, 0 left",
        /used {4}\d+ tokens, \$0\.\d+/,
        `branch  tiger/${id}`,
        `→ opentiger loop merge ${id}`,
      ])
        expect(ran.stdout).toMatch(line);
      expect(checkoutHash(repo)).toBe(before);

      const listed = await opentiger.json("loop", "ls", "--json");
      expect(listed).toMatchObject({ loops: [{ id, state: "done", tasks: { done: 2 } }], next: null });
      expect((await opentiger("loop", "ls")).stdout).toMatch(new RegExp(`^${id} +done +2/2 `, "m"));
      const shown = await opentiger.json("loop", "show", id.slice(0, 6), "--json");
      expect(shown).toMatchObject({ id, repository: { path: repo }, tasks: [{ number: 1 }, { number: 2 }] });
      const events = (await opentiger("loop", "events", id, "--json")).stdout.trim().split("\n");
      const types = events.map((line) => JSON.parse(line).event.type);
      expect(types[0]).toBe("loop.create");
      expect(types.at(-1)).toBe("loop.finish");
      const task = await opentiger.json("task", "show", id, "1", "--json");
      expect(task).toMatchObject({
        state: "done",
        runs: [{ state: "succeeded" }, {}],
        judgements: [{ judgement: "pass" }],
      });
      expect((await opentiger("task", "show", id, "1")).stdout).toContain("Write first");

      const patch = await opentiger("loop", "patch", id);
      expect(patch.stdout.match(/^Subject: \[PATCH/gm)).toHaveLength(2);
      const twin = temporaryFolder("opentiger-twin-");
      git(twin, "clone", "--quiet", repo, ".");
      execFileSync(
        "git",
        ["-C", twin, "-c", "user.name=T", "-c", "user.email=t@example.test", "am", "--quiet"],
        {
          input: patch.stdout,
        },
      );
      expect(readFileSync(join(twin, "second.txt"), "utf8")).toBe("second\n");

      const merged = await opentiger.json("loop", "merge", id, "--json");
      expect(merged).toMatchObject({ into: "main", how: "fast-forward" });
      expect(readFileSync(join(repo, "first.txt"), "utf8")).toBe("first\n");
      const refused = await opentiger("loop", "discard", id);
      expect(refused).toMatchObject({ status: 64, stderr: expect.stringContaining("--force") });
      expect(await opentiger("loop", "discard", "--force", id)).toMatchObject({ status: 0 });
      expect(git(repo, "branch", "--list", "tiger/*")).toBe("");
      expect(await opentiger("loop", "merge", id)).toMatchObject({ status: 66 });
    },
    timeoutMs,
  );

  test(
    "with --json tells every event on a line of its own, and how it ended on the last",
    async () => {
      const ran = await opentiger(
        "run",
        "Write third, please",
        "--single",
        "--host",
        "--json",
        "--repo",
        project(),
      );
      const lines = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      expect(lines.slice(0, -1).every(({ type }) => type === "event")).toBe(true);
      expect(lines.at(-1)).toMatchObject({
        type: "end",
        loop: { state: "done", settings: { environment: "host" } },
        usage: { total: expect.any(Number) },
      });
    },
    timeoutMs,
  );

  test(
    "a task that fails says why and what mends it, and so does the status",
    async () => {
      const ran = await opentiger("run", "Write locked", "--single", "--repo", project());
      expect(ran.status).toBe(1);
      expect(ran.stdout).toMatch(/task 1: run 1 failed: Authentication required\..*\n +→ .+/);
      expect(ran.stdout).toMatch(/loop [a-z0-9]{8}: failed/);
      expect(ran.stdout).toMatch(/→ opentiger loop retry/);
    },
    timeoutMs,
  );
});

describe("a plan", () => {
  test(
    "is made and shown by a dry run, can be edited, and runs when it is approved",
    async () => {
      const repo = project();
      const dry = await opentiger("run", "Whatever is needed", "--dry-run", "--host", "--repo", repo);
      expect(dry).toMatchObject({ status: 0, stderr: "" });
      const id = /loop ([a-z0-9]{8}): awaiting_approval/.exec(dry.stdout)?.[1] ?? "";
      expect(dry.stdout).toContain("task 1: Write planned (worker)");
      const { plan } = await opentiger.json("loop", "show", id, "--json");
      plan.tasks[0].title = "Write edited";
      plan.tasks[0].instructions = "Write edited.txt.";
      plan.tasks[0].allowedPaths = ["edited.txt"];
      const edited = await opentiger.withInput(JSON.stringify(plan), "loop", "edit", id, "-f", "-");
      expect(edited).toMatchObject({ status: 0 });
      await editTask(id, "Write edited.txt, with one word.");
      expect(await opentiger("loop", "approve", id)).toMatchObject({
        status: 0,
        stdout: `loop ${id} is running\n`,
      });
      expect(await opentiger("loop", "events", "-f", id)).toMatchObject({ status: 0 });
      expect(git(repo, "show", `tiger/${id}:edited.txt`)).toBe("edited");
      expect(await opentiger("loop", "approve", id)).toMatchObject({ status: 73 });
      const late = await opentiger("task", "edit", id, "1", "--title", "Too late");
      expect(late).toMatchObject({
        status: 73,
        stderr: expect.stringContaining("is done and cannot be edited"),
      });
    },
    timeoutMs,
  );
});

describe("a loop that runs", () => {
  test(
    "is left by one Ctrl-C and goes on, is paused and resumed, and cancelled with all that it runs",
    async () => {
      const { child, ended } = opentiger.start("run", "Write slowly", "--single", "--repo", project());
      const id = await startedLoop(child);
      await until("its agent is at work", () => agentAtWork(id), timeoutMs);
      const { pid } = await opentiger.json("dispatcher", "status", "--json");
      process.kill(pid, "SIGKILL");
      const next = await until("who waits has started another", () =>
        new DispatcherClient(world.env).status(),
      );
      expect(next.pid).not.toBe(pid);
      const { rows } = await world.place.database.query("select 1 from runs where loop_id = $1", [id]);
      expect(rows).toHaveLength(1);
      child.kill("SIGINT");
      const left = await ended;
      expect(left).toMatchObject({ status: 130 });
      expect(left.stderr).toContain("Ctrl-C once more cancels the loop");
      expect(left.stderr).toContain(`opentiger loop events -f ${id}`);
      expect((await findLoop(world.place.database, id))?.state).toBe("running");

      expect(await opentiger("loop", "pause", id)).toMatchObject({ stdout: `loop ${id} is paused(asked)\n` });
      expect(await opentiger("loop", "events", "-f", id)).toMatchObject({ status: 4 });
      expect(await opentiger("loop", "resume", id)).toMatchObject({ stdout: `loop ${id} is running\n` });
      expect(await opentiger("loop", "merge", id)).toMatchObject({ status: 73 });
      await moveTask(id);
      const cancelled = await opentiger.json("task", "cancel", id, "1", "--json");
      expect(cancelled).toMatchObject({ state: "cancelled" });
      expect(await opentiger("loop", "events", "-f", id)).toMatchObject({ status: 1 });
      await nothingIsLeft(id);
    },
    timeoutMs,
  );

  test(
    "is cancelled by two Ctrl-Cs, and nothing of it is left",
    async () => {
      const { child, ended } = opentiger.start("run", "Write slowly", "--single", "--repo", project());
      const id = await startedLoop(child);
      await until("its agent is at work", () => agentAtWork(id), timeoutMs);
      child.kill("SIGINT");
      await until("it says that another one cancels", () => child.heard.includes("Ctrl-C once more"));
      child.kill("SIGINT");
      expect(await ended).toMatchObject({
        status: 2,
        stdout: expect.stringContaining(`loop ${id}: cancelled`),
      });
      await nothingIsLeft(id);
    },
    timeoutMs,
  );
});

describe("what cannot be", () => {
  test.each([
    [["run"], 64, /no requirement/, /opentiger run "/],
    [["run", "x", "--host", "--sandbox"], 64, /exclude each other/, /one of them/],
    [["run", "x", "--budget-usd", "0"], 64, /not an amount/, /greater than 0/],
    [["run", "x", "--budget-tokens", "many"], 64, /not an amount/, /greater than 0/],
    [["run", "x", "--agent", "clod"], 64, /claude_code, codex/, /--help/],
    [["run", "x", "--repo", "/nonexistent"], 64, /there is no \/nonexistent/, /--repo/],
    [["run", "x", "--repo", "/etc"], 64, /\/etc is not a git repository/, /git init/],
    [["run", "-f", "/nonexistent.md"], 64, /cannot be read/, /- for stdin/],
    [["loop"], 64, /Usage/, /COMMAND/],
    [["loop", "show", "zzzzzzzz"], 66, /there is no loop zzzzzzzz/, /opentiger loop ls/],
    [["loop", "show", "../etc"], 64, /is no loop/, /eight letters/],
    [["loop", "ls", "--status", "dead"], 64, /done, failed/, /--help/],
    [["loop", "ls", "-n", "0"], 64, /not an amount/, /greater than 0/],
    [["task", "show", "zzzzzzzz", "1"], 66, /there is no loop/, /opentiger loop ls/],
  ])("opentiger %j is refused with %d and a remedy", async (words, status, message, remedy) => {
    const refused = await opentiger(...words);
    expect(refused).toMatchObject({ status, stdout: "" });
    expect(refused.stderr).toMatch(message);
    expect(refused.stderr).toMatch(remedy);
  });

  test("a story file with a mistake is refused with its line, before anything is begun", async () => {
    const file = join(temporaryFolder(), "stories.yaml");
    writeFileSync(file, "- title: one\n  needs: [nobody]\n");
    const refused = await opentiger("run", "-f", file, "--repo", project());
    expect(refused).toMatchObject({ status: 65, stderr: expect.stringContaining("nobody") });
    const asJson = await opentiger("run", "-f", file, "--repo", project(), "--json");
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "plan_invalid" } });
  });

  test("without an engine, sandboxes are an error that offers the host, and nothing is begun", async () => {
    const alone = commandLine({ ...world.env, DOCKER_HOST: `unix://${world.home}/nobody.sock` });
    const before = await alone.json("loop", "ls", "--json");
    const refused = await alone("run", "Write x", "--repo", project());
    expect(refused).toMatchObject({ status: 69, stdout: "", stderr: expect.stringContaining("--host") });
    expect(await alone.json("loop", "ls", "--json")).toEqual(before);
  });
});

test("the dispatcher ends when it is told to, and whoever needs it starts it, once, however many do", async () => {
  // It would start the next one at once.
  await new ServerClient(world.env).stop();
  const before = await starts();
  expect(await opentiger.json("dispatcher", "stop", "--json")).toEqual({ stopped: true });
  expect(await opentiger.json("dispatcher", "status", "--json")).toEqual({ running: false });
  expect((await opentiger("dispatcher", "stop")).stdout).toBe("the dispatcher did not run\n");
  const { loops } = await opentiger.json("loop", "ls", "--status", "cancelled", "--json");
  await Promise.all([0, 1, 2].map(() => opentiger.json("loop", "cancel", loops[0].id, "--json")));
  expect(await opentiger.json("dispatcher", "status", "--json")).toMatchObject({
    running: true,
    ready: true,
  });
  expect(await starts()).toBe(before + 1);

  async function starts(): Promise<number> {
    return ((await opentiger("dispatcher", "logs")).stdout.match(/dispatcher runs, version/g) ?? []).length;
  }
});

/** Adds a task that waits for the first, keeps it from being begun, lets it go on, and ends it. */
async function moveTask(id: string): Promise<void> {
  const add = ["task", "add", id, "--instructions", "Write more.\nWith care.", "--needs", "1"];
  expect(await opentiger.json(...add, "--json")).toMatchObject({
    number: 2,
    title: "Write more.",
    role: "worker",
    state: "queued",
    needs: [1],
  });
  const moves = [
    ["pause", "blocked(paused)"],
    ["resume", "queued"],
    ["cancel", "cancelled"],
  ] as const;
  for (const [verb, state] of moves)
    expect(await opentiger("task", verb, id, "2")).toMatchObject({
      status: 0,
      stdout: `task 2 of loop ${id} is ${state}\n`,
    });
  expect(await opentiger("task", "add", id, "--title", "Nothing to do")).toMatchObject({ status: 64 });
}

/** Says anew what the first task is to do: by an option, and then by hand in an editor. */
async function editTask(id: string, instructions: string): Promise<void> {
  const edit = ["task", "edit", id, "1"];
  const changed = await opentiger.json(...edit, "--instructions", "Write.", "--estimate", "soon", "--json");
  expect(changed).toMatchObject({ instructions: "Write.", estimate: "soon", title: "Write edited" });
  expect(await opentiger(...edit)).toMatchObject({ status: 64, stderr: expect.stringContaining("-f FILE") });
  expect(await opentiger(...edit, "--needs", "first")).toMatchObject({ status: 64 });
  const line = [process.execPath, opentigerBundle, ...edit].join(" ");
  const byHand = (editor: string) =>
    ended(
      spawn("script", ["-qec", line, "/dev/null"], { env: { ...world.env, EDITOR: editor }, stdio: "pipe" }),
    );
  expect(await byHand("false")).toMatchObject({ status: 64, stdout: expect.stringContaining("EDITOR") });
  expect(await byHand("true")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("nothing is changed"),
  });
  const refused = await byHand("echo >");
  const [, kept = ""] = /what you have written is in (\S+)/.exec(refused.stdout) ?? [];
  expect([refused.status, readFileSync(kept, "utf8")]).toEqual([64, "\n"]);
  rmSync(dirname(kept), { recursive: true });
  expect(await byHand(`echo '${instructions}' >`)).toMatchObject({ status: 0 });
  expect(await opentiger.json("task", "show", id, "1", "--json")).toMatchObject({ instructions });
}

async function startedLoop(child: { heard: string }): Promise<string> {
  return until(
    "the loop has begun",
    () => /loop ([a-z0-9]{8}) is being planned/.exec(child.heard)?.[1],
    timeoutMs,
  );
}

/** Its model has been asked, and does not answer. */
async function agentAtWork(loop: string): Promise<boolean> {
  const { rows } = await world.place.database.query(
    "select 1 from runs where loop_id = $1 and exec_id is not null",
    [loop],
  );
  return rows.length > 0;
}

/** B6: neither a sandbox nor a run. */
async function nothingIsLeft(loop: string): Promise<void> {
  const backend = await world.place.backend("sandbox");
  await until("its sandboxes are gone", async () => {
    const names = (await backend.list()).map(({ name }) => name);
    return names.every((name) => !name.startsWith(`loop-${loop}`));
  });
  await until("its runs have ended", async () => {
    const running = "select 1 from runs where loop_id = $1 and status = 'running'";
    return (await world.place.database.query(running, [loop])).count === 0;
  });
}

function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, ...words], { encoding: "utf8" }).trim();
}

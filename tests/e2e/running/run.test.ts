import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  finish,
  type ModelSim,
  runCommand,
  startModelSim,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { agentEvent } from "@opentiger/schema";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { makeSandbox } from "../../../packages/orchestrator/src/project/sandbox.ts";
import { listArtifacts } from "../../../packages/orchestrator/src/state/artifacts.ts";
import { advanceBranch } from "../../../packages/orchestrator/src/state/branch.ts";
import { openStage } from "../../../packages/orchestrator/src/state/stages.ts";
import type { TaskRow } from "../../../packages/orchestrator/src/state/tasks.ts";
import { atEnd } from "../../setup/at-end.ts";
import { playedBy } from "../../setup/loop-world.ts";
import { runIn } from "../../setup/place.ts";
import { git, type NewLoop, project, type RunningWorld, runningWorld } from "./running-world.ts";
import { there } from "./there.ts";

/** Several runs of a real agent each, on a machine that does many other things. */
vi.setConfig({ testTimeout: 300_000 });

let sim: ModelSim;
let world: RunningWorld;

const disputed = "farewell.sh asks for German, and the task does not";

/** What the project says to agents, in a folder and in a file that is named. */
const rules = {
  "CLAUDE.md": "See @docs/rules.md.\n",
  "docs/rules.md": "No tabs, canary 4711.\n",
  "src/AGENTS.md": "Farewells are short, canary 4712.\n",
};

beforeAll(async () => {
  sim = await startModelSim({
    scenarioFor: [
      whenPrompt("Add a friendly farewell", {
        steps: [writeFile("src/farewell.txt", "Goodbye, friend\n"), finish("There is a farewell now.")],
      }),
      whenPrompt("Be rude at first", {
        steps: [
          writeFile("src/word.txt", "rude\n"),
          finish("Done."),
          writeFile("src/word.txt", "kind\n"),
          finish("It is kind now."),
        ],
      }),
      whenPrompt("Reach too far", {
        steps: [
          writeFile("src/near.txt", "near\n"),
          writeFile("far.txt", "far\n"),
          finish("Done."),
          runCommand("rm far.txt"),
          finish("It is near now."),
        ],
      }),
      whenPrompt("Look at your own work", {
        steps: [
          writeFile("src/farewell.txt", "Goodbye, friend\n"),
          runCommand("touch /tmp/never-mind"),
          finish("I could not try it."),
        ],
      }),
      whenPrompt("Make a mess of git", {
        steps: [
          writeFile("src/messy.txt", "messy\n"),
          runCommand(
            "git add -A && git -c user.name=x -c user.email=x@x commit -qm x --amend && git checkout -q --orphan other && touch .git/index.lock",
          ),
          finish("Done."),
        ],
      }),
      whenPrompt("Test the farewell", {
        steps: [
          writeFile("tests/farewell.sh", "grep -q Auf src/farewell.txt\n"),
          finish("There is a test, and it fails."),
        ],
      }),
      whenPrompt("Say farewell as tested", {
        steps: [runCommand(`echo '${disputed}' > /tmp/opentiger-dispute.md`), finish("I disagree.")],
      }),
      whenPrompt("Cheat the test", {
        steps: [
          writeFile("src/farewell.txt", "Goodbye\n"),
          runCommand("echo true > tests/farewell.sh"),
          finish("It passes."),
          writeFile("src/farewell.txt", "Auf Wiedersehen\n"),
          runCommand("git checkout -q tests"),
          finish("It passes, really."),
        ],
      }),
    ],
  });
  atEnd(() => sim.close());
  world = await runningWorld(sim.url);
  await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
});

beforeEach(() => world.clear());

/** All conversations that began with these words. */
const conversations = (words: string) =>
  sim.sessions().filter(({ opening, prompts }) => opening !== undefined && prompts[0]?.includes(words));

describe("a run of a task", () => {
  test("ends with one commit on the branch's tip that waits for the judge, and nothing else of it is left", async () => {
    const { loop, tasks, bare, path } = await world.loop(
      [{ title: "Add a friendly farewell", agent: "claude_code" }],
      { files: { ...project, ...rules } },
    );
    const before = git(path, "for-each-ref") + git(path, "status", "--porcelain");
    const task = await world.next();
    expect(task).toMatchObject({ id: tasks[0]?.id, state: "blocked(awaiting_judge)", baseOid: loop.baseOid });
    const [run, ...more] = await world.runs(task);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ state: "succeeded", agent: "claude_code", candidateOid: task.candidateOid });
    expect(run?.tokens?.input).toBe(conversations("Add a friendly farewell")[0]?.sent.main.input);
    const asked = sim.requests.filter(({ body }) => body.includes("Add a friendly farewell"));
    for (const canary of ["canary 4711", "canary 4712"]) {
      expect(asked.filter(({ body }) => body.split(canary).length !== 2)).toEqual([]);
    }
    expect(shown(bare.path, task)).toEqual([
      loop.baseOid,
      "Ada <ada@example.test>",
      "Add a friendly farewell",
      `OpenTiger-Loop: ${loop.id}`,
      "OpenTiger-Task: 1",
      `OpenTiger-Run: ${run?.id}`,
      "A\tsrc/farewell.txt",
    ]);
    const artifacts = (await listArtifacts(world.place.database, { run: run?.id ?? "" })).items;
    expect(artifacts.map(({ kind }) => kind)).toEqual(["transcript", "diff", "log"]);
    const [events = "", diff] = artifacts.map((artifact) => readFileSync(artifact.path, "utf8"));
    expect(diff).toContain("+Goodbye, friend");
    const told = events
      .trim()
      .split("\n")
      .map((line) => agentEvent.parse(JSON.parse(line)));
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1));
    expect(run?.lastSeq).toBe(told.length);
    expect(git(path, "for-each-ref") + git(path, "status", "--porcelain")).toBe(before);
    expect(existsSync(join(path, "src/farewell.txt"))).toBe(false);
    expect((await world.sandboxes(loop)).has(`loop-${loop.id}-claude-1`)).toBe(false);
    expect([...(await bare.pins(loop.id)).keys()]).toContain("task-1/candidate");
  });

  test("is not measured by what a planner left in the loop's own sandbox", async () => {
    const files = { ...project, "opentiger.json": JSON.stringify({ verify: ["test -e /tmp/planned"] }) };
    const { loop, bare } = await world.loop([{ title: "Add a friendly farewell", agent: "claude_code" }], {
      files,
    });
    const commit = there(loop.baseOid ?? undefined, "base");
    const planned = await makeSandbox(world.place, {
      loop,
      repository: bare,
      project: await readProject(bare, commit, {}),
      commit,
      name: `loop-${loop.id}-claude`,
      agent: "claude",
      environment: "sandbox",
      prepared: { image: null, key: "none", setup: [] },
      phase: "run",
      redact: (text: string) => text,
      signal: new AbortController().signal,
    });
    expect((await runIn(planned, ["touch", "/tmp/planned"])).code).toBe(0);
    await planned.close();
    // Red before, and red afterwards: no point of this task's.
    expect(await world.next()).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    expect([...(await world.sandboxes(loop)).keys()]).toEqual([`loop-${loop.id}-claude`]);
  });

  test("on the host is the same: in a private clone, and the user's checkout is left alone", async () => {
    const about = { settings: { environment: "host" } } as const;
    const { loop, bare, path } = await world.loop([{ title: "Add a friendly farewell" }], about);
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", detail: null });
    expect(shown(bare.path, task).slice(-1)).toEqual(["A\tsrc/farewell.txt"]);
    expect(git(path, "status", "--porcelain")).toBe("");
    expect((await (await world.place.backend("host")).list()).map(({ name }) => name)).not.toContain(
      `loop-${loop.id}-codex-1`,
    );
  });

  test("on the host whose agent was not allowed its last command is left to the checks", async () => {
    const about = { settings: { environment: "host" } } as const;
    const { bare } = await world.loop([{ title: "Look at your own work", agent: "claude_code" }], about);
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", detail: null });
    expect(shown(bare.path, task).slice(-1)).toEqual(["A\tsrc/farewell.txt"]);
  });

  test("whose agent commits, amends, leaves its branch and a lock behind is collected all the same", async () => {
    const { loop, bare } = await world.loop([{ title: "Make a mess of git" }]);
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)" });
    expect([shown(bare.path, task)[0], shown(bare.path, task).at(-1)]).toEqual([
      loop.baseOid,
      "A\tsrc/messy.txt",
    ]);
  });

  test("that the verify commands fail goes back to the same conversation with their output", async () => {
    const { bare } = await world.loop([{ title: "Be rude at first" }]);
    expect(await world.next()).toMatchObject({ state: "queued", tries: { verify: 1 } });
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    const runs = await world.runs(task);
    expect(runs.map(({ state, failure }) => [state, failure?.type])).toEqual([
      ["failed", "verify"],
      ["succeeded", undefined],
    ]);
    const [conversation, ...others] = conversations("Be rude at first");
    expect(others).toEqual([]);
    expect(conversation?.prompts.at(-1)).toContain("no rude words, please");
    expect(conversation).toMatchObject({ prefixKept: true, problems: [] });
    expect(git(bare.path, "show", `${task.candidateOid}:src/word.txt`)).toBe("kind\n");
  });

  test("that changes what it may not change goes back, and what it may is kept", async () => {
    const { bare } = await world.loop([{ title: "Reach too far" }]);
    expect(await world.next()).toMatchObject({
      state: "queued",
      rework: { failure: "rules", points: [{ by: "rules", file: "far.txt" }] },
    });
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)" });
    expect(shown(bare.path, task).slice(-1)).toEqual(["A\tsrc/near.txt"]);
    expect(conversations("Reach too far")).toHaveLength(1);
  });
});

describe("tests that were written first", () => {
  const tester = { title: "Test the farewell", role: "tester", allowedPaths: ["tests/**"] } as const;

  beforeAll(() => world.place.config.patch(playedBy("claude_code", "claude-sonnet-4-5"), "test"));

  test("are red, and go back to who wrote them when the worker says why they are wrong", async () => {
    const made = await world.loop([tester, { title: "Say farewell as tested", needs: [1] }]);
    const held = await hold(made, await world.next());
    const worker = await world.next();
    expect(worker).toMatchObject({ state: "queued", tries: { dispute: 1 }, rework: { failure: "dispute" } });
    const [run] = await world.runs(worker);
    expect(run).toMatchObject({ state: "failed", failure: { type: "dispute" } });
    expect(await world.task(held.id)).toMatchObject({
      state: "queued",
      rework: { from: held.candidateOid, points: [{ by: "dispute", text: disputed }] },
    });
    expect(await openStage(world.place.database, worker.id)).toMatchObject({ state: "waiting" });
    const again = await world.next();
    expect(again).toMatchObject({ id: held.id });
    const [, second] = conversations("Test the farewell");
    expect(second?.prompts[0]).toContain(disputed);
  });

  test("are in the worker's workspace, and may not be changed by it", async () => {
    const made = await world.loop([tester, { title: "Cheat the test", needs: [1], allowedPaths: [] }]);
    const held = await hold(made, await world.next());
    expect(await world.next()).toMatchObject({
      state: "queued",
      rework: { failure: "rules", points: [{ by: "tests", file: "tests/farewell.sh" }] },
    });
    const worker = await world.next();
    expect(worker).toMatchObject({ state: "blocked(awaiting_judge)" });
    const [base] = shown(made.bare.path, worker);
    expect(git(made.bare.path, "diff", "--name-status", `${made.loop.baseOid}..${base}`)).toBe(
      git(made.bare.path, "diff", "--name-status", `${held.baseOid}..${held.candidateOid}`),
    );
    expect(shown(made.bare.path, worker).slice(-1)).toEqual(["A\tsrc/farewell.txt"]);
    expect(conversations("Cheat the test")[0]?.prompts[0]).toContain("- tests/farewell.sh");
  });
});

/** As the judge and the merger would: the tests are good, and wait for the code. */
async function hold({ loop }: NewLoop, tester: TaskRow): Promise<TaskRow> {
  expect(tester).toMatchObject({ state: "blocked(awaiting_judge)", role: "tester" });
  const { fence } = await world.task(tester.id);
  const held = { loop: loop.id, task: tester.id, fence, fromOid: loop.baseOid, toOid: null };
  expect(await advanceBranch(world.place.database, held)).toMatchObject({ advanced: true });
  return world.task(tester.id);
}

/** The candidate: its parent, its author, its message and what it changes. */
function shown(bare: string, { candidateOid }: TaskRow): string[] {
  const oid = there(candidateOid ?? undefined, "candidate");
  const words = ["show", "--format=%P%n%an <%ae>%n%B", "--name-status", oid];
  return git(bare, ...words)
    .split("\n")
    .filter((line) => line !== "");
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import {
  answer,
  finish,
  type ModelSim,
  readFile,
  silence,
  startModelSim,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { agentEvent } from "@opentiger/schema";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { eventsFile } from "../../../packages/orchestrator/src/agent/run-files.ts";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { LeaseLost } from "../../../packages/orchestrator/src/stage/lease-lost.ts";
import { type Lease, takeOver } from "../../../packages/orchestrator/src/state/lease.ts";
import { atEnd } from "../../setup/at-end.ts";
import { bundledProgram } from "../../setup/bundled-program.ts";
import { until } from "../../setup/until.ts";
import { askPlanner } from "./planner-question.ts";
import { type RunningWorld, runningWorld } from "./running-world.ts";
import { there } from "./there.ts";

const program = await bundledProgram(new URL("./stage-runner.ts", import.meta.url));

/** Time for the next process to take over while the model's answer is awaited. */
const silenceMs = 4_000;
/** On a machine that does many other things. */
const busyMs = 180_000;

vi.setConfig({ testTimeout: 2 * busyMs });

let sim: ModelSim;
let world: RunningWorld;

beforeAll(async () => {
  const [one, two] = [writeFile("src/one.txt", "one\n"), writeFile("src/two.txt", "two\n")];
  sim = await startModelSim({
    scenarioFor: [
      whenPrompt("Be orphaned", { steps: [one, silence(silenceMs), two, finish("Done at last.")] }),
      whenPrompt("Be let go", { steps: [one, silence(silenceMs), two, finish("Done at last.")] }),
      whenPrompt("How many files", {
        steps: [
          readFile("src/greeting.txt"),
          answer({ files: 1_000, kind: "kind" }),
          silence(silenceMs),
          answer({ files: 3, kind: "kind" }),
        ],
      }),
    ],
  });
  atEnd(() => sim.close());
  world = await runningWorld(sim.url);
});

beforeEach(() => world.clear());

const conversations = (words: string) =>
  sim.sessions().filter(({ opening, prompts }) => opening !== undefined && prompts[0]?.includes(words));

type Conversation = ReturnType<ModelSim["sessions"]>[number];

/** Kills whoever works on the stage when its agent's conversation has come so far, and takes the stage over. */
async function killed(
  does: "execute" | "ask",
  words: string,
  isFar: (conversation: Conversation) => boolean,
): Promise<Lease> {
  const lease = await world.claim("to-be-killed");
  const runner = spawn(process.execPath, [program, JSON.stringify({ does, lease })], {
    env: world.env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  atEnd(() => runner.kill("SIGKILL"));
  const ended = once(runner, "exit");
  const isSilent = () => runner.exitCode !== null || conversations(words).some(isFar);
  await until("the model is silent", isSilent, busyMs);
  expect(runner.exitCode).toBeNull();
  runner.kill("SIGKILL");
  await ended;
  return takenOver(lease);
}

async function takenOver(lease: Lease): Promise<Lease> {
  const taker = { owner: "next", leaseMs: 60_000, deadOwner: lease.owner };
  return there(await takeOver(world.place.database, lease, taker), "stage to be taken over");
}

/** What was heard of a run, by all who heard something of it. */
function heard(run: { id: string }) {
  const lines = readFileSync(eventsFile(world.place, run), "utf8").trim().split("\n");
  return lines.map((line) => agentEvent.parse(JSON.parse(line)));
}

describe("a stage whose process is killed with SIGKILL in the middle of the agent's work", () => {
  test("is gone on with by the next one: the agent is adopted, and its model sees one conversation", async () => {
    const { bare } = await world.loop([{ title: "Be orphaned" }]);
    const lease = await killed("execute", "Be orphaned", ({ requests }) => requests === 2);
    await executeStage(world.place, lease, new AbortController().signal);
    const task = await world.task(lease.task ?? "");
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", tries: {} });
    const [run, ...more] = await world.runs(task);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ state: "succeeded", number: 1 });
    const [conversation, ...others] = conversations("Be orphaned");
    expect(others).toEqual([]);
    expect(conversation).toMatchObject({ requests: 3, prefixKept: true, problems: [] });
    expect(run?.tokens?.input).toBe(conversation?.sent.main.input);
    const events = heard(run ?? { id: "" });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "started")).toHaveLength(1);
    for (const name of ["one", "two"])
      expect(await bare.readFile(task.candidateOid ?? "", `src/${name}.txt`)).toEqual(
        Buffer.from(`${name}\n`),
      );
  });

  test("the same where it asks a question: the try that was under way is adopted, and none is made again", async () => {
    await world.loop([]);
    const sentBack = ({ prompts }: Conversation) =>
      prompts.filter((prompt) => prompt.includes("Your answer could not be used"));
    const isSentBack = (conversation: Conversation) => sentBack(conversation).length === 1;
    const lease = await killed("ask", "How many files", isSentBack);
    const { run, asked } = await askPlanner(world.place, lease, new AbortController().signal);
    expect(asked).toMatchObject({ ok: true, answer: { files: 3, kind: "kind" } });
    expect(asked.outcomes).toHaveLength(2);
    const [conversation, ...others] = conversations("How many files");
    expect(others).toEqual([]);
    expect(conversation).toMatchObject({ prefixKept: true, problems: [] });
    expect(conversation && sentBack(conversation)).toHaveLength(1);
    const events = heard(run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    // Asked again by whoever comes after that, it is the same answer without another word.
    const again = await askPlanner(world.place, lease, new AbortController().signal);
    expect(again.asked).toMatchObject({ ok: true, answer: { files: 3, kind: "kind" } });
    expect(conversations("How many files")).toMatchObject([{ requests: conversation?.requests }]);
  });
});

test("who loses the lease stops at once and touches nothing: the agent goes on, for whoever has it now", async () => {
  const { loop } = await world.loop([{ title: "Be let go" }]);
  const lease = await world.claim("zombie");
  const losing = new AbortController();
  const executing = executeStage(world.place, lease, losing.signal);
  await until("the model is silent", () => conversations("Be let go")[0]?.requests === 2, busyMs);
  const next = await takenOver(lease);
  losing.abort(new LeaseLost(lease.stage));
  await executing;
  expect((await world.sandboxes(loop)).get(`loop-${loop.id}-claude-1`)).toBe("running");
  expect(await world.runs({ id: lease.task ?? "" })).toMatchObject([{ state: "running" }]);
  await executeStage(world.place, next, new AbortController().signal);
  expect(await world.task(lease.task ?? "")).toMatchObject({ state: "blocked(awaiting_judge)" });
  expect(await world.runs({ id: lease.task ?? "" })).toMatchObject([{ state: "succeeded" }]);
  expect(conversations("Be let go")).toMatchObject([{ requests: 3, prefixKept: true }]);
});

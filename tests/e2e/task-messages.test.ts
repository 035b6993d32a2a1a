import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, silence, whenPrompt, writeFile } from "@opentiger/model-sim";
import {
  eventsFile,
  type LoopRow,
  listEvents,
  listMessages,
  listTaskRuns,
  sendMessage,
} from "@opentiger/orchestrator";
import { agentEvent } from "@opentiger/schema";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { commandLine } from "../setup/loop-command-line.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { type RunningDispatcher, runningDispatcher } from "../setup/running-dispatcher.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** On a machine that does many other things. */
const busyMs = 120_000;
vi.setConfig({ testTimeout: 2 * busyMs });

/** Writes what it is told to last. As a judge it passes everything. */
const obedient = `prompt=$(cat)
case $prompt in
"# Write "*) echo begun
  case $prompt in *"Shout."*) echo ONE > one.txt ;; *) echo one > one.txt ;; esac ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

const files = (...names: string[]) => names.map((name) => writeFile(`${name}.txt`, `${name}\n`));
const [one, two, three] = files("one", "two", "three");

let world: LoopWorld;
let dispatcher: RunningDispatcher;

beforeAll(async () => {
  world = await loopWorld([
    whenPrompt("# Write twice", {
      steps: [one, silence(), two, silence(), three, finish("Done.")].map(given),
    }),
    whenPrompt("# Write once", { steps: [one, silence(), two, finish("Done.")].map(given) }),
  ]);
  await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: ["sh", "-c", obedient] }, "test");
  dispatcher = runningDispatcher(world.env);
}, busyMs);

describe.concurrent("a message to the agent at work", () => {
  test("ends its turn and is its next prompt in the same conversation, also when kill -9 comes between", async () => {
    const loop = await begin("twice", "claude_code");
    const opentiger = commandLine(world.env);
    await until("the model is silent", () => conversation("# Write twice")?.requests === 2, busyMs);
    const said = await opentiger("task", "message", loop.id, "1", "Be quick about it.");
    expect(said).toMatchObject({ status: 0, stdout: expect.stringContaining("is told") });
    await until(
      "it has heard it, and the model is silent again",
      () => {
        const { prompts = [], requests = 0 } = conversation("# Write twice") ?? {};
        return prompts.at(-1)?.includes("Be quick") && requests === 4;
      },
      busyMs,
    );
    await dispatcher.kill();
    const [task] = await world.tasks(loop.id);
    await sendMessage(world.place, task?.id ?? "", "Then write the third one.");
    await dispatcher.killAndStart();
    expect(await world.ended(loop.id, busyMs)).toMatchObject({ state: "done" });

    const heard = conversation("# Write twice");
    expect(heard).toMatchObject({ prefixKept: true, problems: [] });
    // What Claude Code says to itself when it goes on with a turn that was ended.
    const own = "Continue from where you left off.";
    expect(heard?.prompts.filter((prompt) => prompt !== own)).toEqual([
      expect.stringContaining("# Write twice"),
      expect.stringContaining("Be quick about it."),
      expect.stringContaining("Then write the third one."),
    ]);
    const { items: runs } = await listTaskRuns(world.place.database, { task: task?.id ?? "" });
    const workers = runs.filter(({ role }) => role === "worker");
    expect(workers, "no retry was used").toMatchObject([{ state: "succeeded" }]);
    expect((await world.tasks(loop.id))[0]).toMatchObject({ state: "done", tries: {} });
    expect(messagesIn(workers[0]?.id ?? "")).toEqual(["Be quick about it.", "Then write the third one."]);
    const { items: messages } = await listMessages(world.place.database, { task: task?.id ?? "" });
    expect(messages.map(({ turn, givenAt }) => [turn, givenAt !== null])).toEqual([
      [1, true],
      [2, true],
    ]);
    const { items: events } = await listEvents(world.place.database, { loop: loop.id, limit: 500 });
    const told = events.filter(({ type }) => type.startsWith("task.message")).map(({ type }) => type);
    expect(told).toEqual(["task.message", "task.message_given", "task.message", "task.message_given"]);
    expect(onBranch(loop, "three.txt")).toBe("three\n");
    const late = await opentiger("task", "message", loop.id, "1", "Too late.");
    expect(late).toMatchObject({ status: 73, stderr: expect.stringContaining("task send-back") });
  });

  test("reaches another CLI in the same way", async () => {
    const loop = await begin("once", "codex");
    await until("the model is silent", () => conversation("# Write once")?.requests === 2, busyMs);
    const [task] = await world.tasks(loop.id);
    await sendMessage(world.place, task?.id ?? "", "Go on with two.");
    expect(await world.ended(loop.id, busyMs)).toMatchObject({ state: "done" });
    const heard = conversation("# Write once");
    expect(heard).toMatchObject({ prefixKept: true, problems: [] });
    expect(heard?.prompts.at(-1)).toContain("Go on with two.");
    expect(onBranch(loop, "two.txt")).toBe("two\n");
  });

  test("that comes when it has just ended is heard before its work is handed in, by one that cannot resume from the beginning", async () => {
    const folder = temporaryFolder("opentiger-gate-");
    const [at, open] = [join(folder, "at"), join(folder, "open")];
    const gate = `[ ! -e one.txt ] || { touch ${at}; while [ ! -e ${open} ]; do sleep 0.05; done; }`;
    const loop = await begin("one", "command", gate);
    await until("its work is being checked", () => existsSync(at), busyMs);
    const [task] = await world.tasks(loop.id);
    await sendMessage(world.place, task?.id ?? "", "Shout.");
    writeFileSync(open, "");
    expect(await world.ended(loop.id, busyMs)).toMatchObject({ state: "done" });
    expect(onBranch(loop, "one.txt")).toBe("ONE\n");
    const { items: runs } = await listTaskRuns(world.place.database, { task: task?.id ?? "" });
    const [run, ...others] = runs.filter(({ role }) => role === "worker");
    expect(others).toEqual([]);
    expect(
      eventsOf(run?.id ?? "").map((event) => (event.type === "message" ? event.text : event.type)),
    ).toEqual(["text", "Shout.", "text"]);
    expect(eventsOf(run?.id ?? "").at(1)).toMatchObject({ anew: expect.stringContaining("cannot resume") });
  });
});

function given<T>(step: T | undefined): T {
  if (step === undefined) throw new Error("there is no such step");
  return step;
}

async function begin(
  key: string,
  agent: "claude_code" | "codex" | "command",
  check = "true",
): Promise<LoopRow> {
  const project = userRepository({ "check.sh": `${check}\n` });
  projects.set(key, project);
  return world.start(project, [plannedTask(key, { allowedPaths: [] })], {
    environment: "host",
    agents: { ...quickAgents, worker: { agent } },
    project: { verify: [{ command: "sh check.sh" }] },
  });
}

const projects = new Map<string, string>();

function conversation(words: string) {
  return world.sim
    .sessions()
    .find(({ opening, prompts }) => opening !== undefined && prompts[0]?.includes(words));
}

function eventsOf(run: string) {
  const text = readFileSync(eventsFile(world.place, { id: run }), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => agentEvent.parse(JSON.parse(line)));
}

function messagesIn(run: string): string[] {
  return eventsOf(run).flatMap((event) => (event.type === "message" ? [event.text] : []));
}

function onBranch({ id, repository }: LoopRow, file: string): string {
  const project = [...projects.values()].find((path) => hasBranch(path, id));
  if (project === undefined) throw new Error(`no repository has the branch of loop ${id} (${repository})`);
  return execFileSync("git", ["-C", project, "show", `tiger/${id}:${file}`], { encoding: "utf8" });
}

function hasBranch(project: string, loop: string): boolean {
  const said = execFileSync("git", ["-C", project, "branch", "--list", `tiger/${loop}`], {
    encoding: "utf8",
  });
  return said.trim() !== "";
}

import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commandDriver } from "../../packages/agents/src/command/command-driver.ts";
import { adoptAgent } from "../../packages/agents/src/run/adopt-agent.ts";
import type { AgentRun, RunRequest } from "../../packages/agents/src/run/request.ts";
import { runAgent } from "../../packages/agents/src/run/run-agent.ts";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";
import type { Backend, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { atEnd } from "../setup/at-end.ts";
import { runIn } from "../setup/place.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

interface World {
  backend: Backend;
  sandbox: Sandbox;
  workspace: string;
}

const outside = temporaryFolder();

/** By which processes of these tests are known: nobody else sleeps so long. */
const mark = randomInt(100_000, 1_000_000);

describe.each(["sandbox", "host"] as const)("a command of the user's as an agent, in mode %s", (mode) => {
  let world: World;

  beforeAll(async () => {
    world = mode === "sandbox" ? await inSandbox() : await onHost();
  });

  test("does its work in the workspace, as the agent, and its exit code decides", async () => {
    const script = 'id -u; cat > prompt.txt; printf "%s\\n" "$GREETING"; test -s prompt.txt';
    const run = await start(world, script, { env: { GREETING: "hello" } });
    const uid = (await runIn(world.sandbox, ["id", "-u"])).stdout.trim();
    expect(await textsOf(run)).toEqual([uid, "hello"]);
    expect(readFileSync(join(world.workspace, "prompt.txt"), "utf8")).toBe("the prompt");
    expect(await run.outcome).toMatchObject({ ok: true, exit: { code: 0 } });
    const failed = await start(world, "exit 9");
    expect(await failed.outcome).toMatchObject({
      ok: false,
      failure: { type: "unknown" },
      exit: { code: 9 },
    });
  });

  test("reads a prompt of five megabytes, which stands in no list of processes", async () => {
    const prompt = `secret words${" and more".repeat(600_000)}`;
    const script = "wc -c; cat /proc/[0-9]*/cmdline 2>/dev/null | grep -ac 'secre[t] words'";
    const run = await start(world, script, {}, prompt);
    expect(await textsOf(run)).toEqual([String(prompt.length), "0"]);
  });

  test("leaves nothing of itself behind but its changes", async () => {
    const run = await start(world, `setsid sleep ${mark} & true`);
    await run.outcome;
    expect(await commands(world.sandbox, `sleep ${mark}`)).toBe("0");
    expect((await runIn(world.sandbox, ["ls", outsideOf(world)])).stdout).not.toContain(
      `opentiger-run-${run.id}`,
    );
  });

  test("that is cancelled in the middle is gone within two seconds, children in sessions of their own too", async () => {
    const stubborn = `trap "" TERM INT HUP; while :; do sleep ${mark}; done`;
    const run = await start(world, `trap "" TERM; setsid sh -c '${stubborn}' & sh -c '${stubborn}' & wait`);
    await until(
      "all of it runs",
      async () => Number(await commands(world.sandbox, `sleep ${mark}`)) === 2,
      undefined,
      seldomMs,
    );
    const started = Date.now();
    await run.cancel("enough");
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(await commands(world.sandbox, `sleep ${mark}`)).toBe("0");
    expect(await run.outcome).toMatchObject({ ok: false, failure: { type: "cancelled" } });
  });

  test("that is silent is idle, unless it changes files", async () => {
    const limits = { idleMs: 1_500 };
    const busy = await start(world, "for i in 1 2 3 4 5 6 7 8; do echo $i > busy; sleep 0.4; done", {
      limits,
    });
    const idle = await start(world, "sleep 600", { limits: { idleMs: 500 } });
    expect(await busy.outcome).toMatchObject({ ok: true });
    expect(await idle.outcome).toMatchObject({ ok: false, failure: { type: "idle" } });
  });

  test("is taken over by another session, which hears what the first one had not", async () => {
    const request = requestFor(world, "echo one; until [ -e go ]; do sleep 0.1; done; echo two");
    const first = await runAgent(request);
    for await (const event of first.events) if (event.type === "text") break;
    const sandbox = await world.backend.open(world.sandbox.name);
    const second = await adoptAgent({ ...request, sandbox, after: 1 });
    await expect(first.outcome).rejects.toMatchObject({ code: "session_lost" });
    await runIn(world.sandbox, ["touch", join(world.workspace, "go")]);
    expect(await textsOf(second)).toEqual(["two"]);
    expect(await second.outcome).toMatchObject({ ok: true, lastText: "one\ntwo", events: 2 });
    await sandbox.close();
  });

  test("that is not there is told before anything runs", async () => {
    const driver = commandDriver({ command: ["no-such-agent"] });
    await expect(runAgent({ ...requestFor(world, ""), driver })).rejects.toMatchObject({
      code: "cli_missing",
    });
  });
});

test("an agent that takes all memory of its sandbox crashed, and it says of what", async () => {
  const instance = await newInstance();
  const workspace = temporaryWorkspace();
  const limits = { memoryBytes: 300 * 1024 * 1024 };
  const sandbox = await newSandbox(instance, workspace, { limits });
  const world = { backend: instance.backend, sandbox, workspace };
  const run = await start(world, `exec python3 -c "held = []\nwhile True: held.append(b'x' * (8 << 20))"`);
  expect(await run.outcome).toMatchObject({
    ok: false,
    failure: { type: "crash", message: expect.stringContaining("out of memory") },
  });
});

async function inSandbox(): Promise<World> {
  const { backend } = await newInstance();
  const workspace = temporaryWorkspace();
  return { backend, sandbox: await newSandbox({ backend }, workspace), workspace };
}

async function onHost(): Promise<World> {
  const backend = new HostBackend(openState(temporaryFolder("ot-")));
  atEnd(() => backend.reset());
  const workspace = temporaryFolder();
  const sandbox = await backend.create({
    agent: "shell",
    workspaces: [{ path: workspace, readOnly: false }],
  });
  atEnd(() => sandbox.close());
  return { backend, sandbox, workspace };
}

function start(
  world: World,
  script: string,
  more: Partial<RunRequest> = {},
  prompt?: string,
): Promise<AgentRun> {
  return runAgent({ ...requestFor(world, script, prompt), ...more });
}

function requestFor(world: World, script: string, prompt = "the prompt"): RunRequest {
  const id = randomUUID();
  return {
    id,
    driver: commandDriver({ command: ["sh", "-c", script] }),
    task: {
      prompt,
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id: randomUUID() },
    },
    sandbox: world.sandbox,
    cwd: world.workspace,
    folder: outsideOf(world),
    transcript: join(outside, `${id}.transcript`),
  };
}

/** Where the runs' own folders are, as the agent sees it. */
function outsideOf({ sandbox }: World): string {
  return sandbox.backend === "host" ? outside : "/tmp";
}

async function textsOf(run: AgentRun): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of run.events) if (event.type === "text") texts.push(event.text);
  return texts;
}

/** How many processes have these words; those of other sandboxes on this machine have others. */
async function commands(sandbox: Sandbox, words: string): Promise<string> {
  const [name, ...rest] = words.split(" ");
  const count = `grep -axlzE '${name}' /proc/[0-9]*/cmdline 2>/dev/null | xargs -r grep -axlzF '${rest.join(" ")}' 2>/dev/null | wc -l`;
  return (await runIn(sandbox, ["sh", "-c", count])).stdout.trim();
}

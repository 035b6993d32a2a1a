import { DispatcherClient, findLoop } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { ServerClient } from "../../../packages/server/src/control/index.ts";
import type { CommandLine } from "../../setup/loop-command-line.ts";
import type { LoopWorld } from "../../setup/loop-world.ts";
import { until } from "../../setup/until.ts";
import { cliWorld, project, timeoutMs } from "./cli-world.ts";

let world: LoopWorld;
let opentiger: CommandLine;

beforeAll(async () => {
  ({ world, opentiger } = await cliWorld());
}, timeoutMs);

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

import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attackCommand } from "../setup/attack.ts";
import { runIn } from "../setup/place.ts";
import { sameUidSandbox } from "../setup/same-uid-supervisor.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { isRoot, rootWorkspace, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

/** One for each way out that the attack takes. */
const ways = ["4701", "4702", "4703", "4704", "4705", "4706"];
const workspace = temporaryWorkspace();
let instance: Awaited<ReturnType<typeof newInstance>>;

beforeAll(async () => {
  instance = await newInstance();
});

describe("attack 38 a command leaves its session, forks twice and sheds its environment to survive its kill", () => {
  test("under a supervisor of the agent's uid, which can mark a process by its environment only", async () => {
    const { sandbox } = await sameUidSandbox(workspace);
    expect(await survivors(sandbox)).toContain("4703");
  });

  test("not under ours", async () => {
    expect(await survivors(await newSandbox(instance, workspace))).toEqual([]);
  });

  test.skipIf(!isRoot)("not under ours where the agent is root", async () => {
    expect(await survivors(await newSandbox(instance, rootWorkspace()))).toEqual([]);
  });

  test("not under ours when it is killed in the moment it starts, before it could be marked", async () => {
    const sandbox = await newSandbox(instance, workspace);
    for (let round = 0; round < 40; round += 1) {
      const execution = await sandbox.exec(["sleep", "4701"]);
      await execution.kill();
      expect(await execution.exit).toMatchObject({ signal: "SIGKILL", reason: "killed" });
    }
  });

  test("not under ours when the time is up", async () => {
    const sandbox = await newSandbox(instance, workspace);
    const execution = await sandbox.exec(attackCommand("linger.sh"), { timeoutMs: 3_000 });
    expect(await execution.exit).toMatchObject({ reason: "timeout" });
    await until(
      "nothing of it is left",
      async () => (await lingering(sandbox)).length === 0,
      undefined,
      seldomMs,
    );
  });

  test("not under ours when the command itself has ended already", async () => {
    const sandbox = await newSandbox(instance, workspace);
    const execution = await sandbox.exec(["sh", "-c", "env -i setsid sleep 4701 & exit 0"]);
    expect(await execution.exit).toMatchObject({ code: 0 });
    expect(await lingering(sandbox)).toEqual(["4701"]);
    const again = await sandbox.attach(execution.id);
    await again.kill();
    await until(
      "nothing of it is left",
      async () => (await lingering(sandbox)).length === 0,
      undefined,
      seldomMs,
    );
  });
});

/** Starts the attack, waits until it runs in every way, kills it, and says what of it still runs. */
async function survivors(sandbox: Sandbox): Promise<string[]> {
  const execution = await sandbox.exec(attackCommand("linger.sh"));
  await until(
    "all of it runs",
    async () => (await lingering(sandbox)).length === ways.length,
    undefined,
    seldomMs,
  );
  expect(await lingering(sandbox)).toEqual(ways);
  await execution.kill("SIGKILL");
  expect(await execution.exit).toMatchObject({ signal: "SIGKILL", reason: "killed" });
  return lingering(sandbox);
}

async function lingering(sandbox: Sandbox): Promise<string[]> {
  const { stdout } = await runIn(sandbox, attackCommand("count-lingering.sh"));
  return stdout.split("\n").filter(Boolean);
}

import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attackCommand } from "../setup/attack.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { soak } from "../setup/soak.ts";
import { agentUid, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const mebibyte = 1024 * 1024;
const pids = 128;
const files = soak ? 100_000 : 5_000;
let instance: Instance;
let attacked: Sandbox;
let second: Sandbox;

beforeAll(async () => {
  instance = await newInstance();
  // Half the machine at most, as any user would who lets two agents run.
  const limits = { pids, memoryBytes: 300 * mebibyte, cpus: 1 };
  attacked = await newSandbox(instance, temporaryWorkspace(), { limits });
  second = await newSandbox(instance, temporaryWorkspace());
});

describe("attack 32 while one sandbox uses up what it has, its supervisor, the host and a second sandbox go on", () => {
  const bombs: [string, string[]][] = [
    ["a fork bomb", []],
    ["a fork bomb whose processes leave their session", ["setsid"]],
  ];
  test.each(bombs)("%s fills its own sandbox and no more, and can be killed", async (_name, args) => {
    const bomb = await attacked.exec(attackCommand("bomb.py", ...args));
    await until("the sandbox is full", async () => (await attacked.stats()).pids >= pids);
    await expectAnswer(second);
    await expect(runIn(attacked, ["true"])).rejects.toMatchObject({ code: "resource_limit" });
    await bomb.kill();
    expect(await bomb.exit).toMatchObject({ signal: "SIGKILL", reason: "killed" });
    await until("every one of them is gone", async () =>
      (await attacked.stats()).processes.every(({ uid }) => uid !== agentUid),
    );
    await expectAnswer(attacked);
  });

  test("a command that takes all memory ends, and says why", async () => {
    const grow = "held = []\nwhile True: held.append(b'x' * (8 << 20))";
    const hog = await attacked.exec(["python3", "-c", grow]);
    await expectAnswer(second);
    expect(await hog.exit).toMatchObject({ signal: "SIGKILL", reason: "memory" });
    await expectAnswer(attacked);
  });

  test(`a command that makes ${files} files`, { timeout: files * 24 }, async () => {
    const make = `mkdir many && cd many && seq ${files} | xargs touch && ls | wc -l`;
    const making = runIn(attacked, ["sh", "-c", make]);
    await expectAnswer(second);
    expect((await making).stdout).toBe(`${files}\n`);
    await expectAnswer(attacked);
    expect((await instance.backend.list()).filter(({ own }) => own)).toHaveLength(2);
    await expectAnswer(second);
  });
});

async function expectAnswer(sandbox: Sandbox): Promise<void> {
  expect((await runIn(sandbox, ["echo", "here"])).stdout).toBe("here\n");
}

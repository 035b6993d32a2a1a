import { beforeAll, describe, expect, test } from "vitest";
import { attackCommand } from "../setup/attack.ts";
import { isRunning } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

const mebibyte = 1024 * 1024;
const workspace = temporaryWorkspace();
const hogs = attackCommand("hogs.sh", "40", "20");
let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

describe("attack 37 forty processes of 20 MB where there is memory for ten", () => {
  test("take down the main process of a plain container", async () => {
    const plain = await plainContainer(workspace, {
      flags: ["--memory", "300m", "--memory-swap", "300m"],
      main: ["node", "--eval", "setInterval(() => {}, 1000)"],
    });
    void plain.run(hogs);
    await until("the container has ended", async () => !(await isRunning(plain.name)), 60_000);
  });

  test("do not take down the supervisor of ours, over the same session", async () => {
    const sandbox = await newSandbox(instance, workspace, { limits: { memoryBytes: 300 * mebibyte } });
    const { stdout } = await runIn(sandbox, hogs);
    expect(Number(stdout)).toBeGreaterThan(0);
    expect((await runIn(sandbox, ["echo", "still here"])).stdout).toBe("still here\n");
  });

  test("one that is killed for memory is reported as such", async () => {
    const sandbox = await newSandbox(instance, workspace, { limits: { memoryBytes: 300 * mebibyte } });
    const hog = await runIn(sandbox, ["python3", "-c", `len(b"x" * ${600 * mebibyte})`]);
    expect(hog).toMatchObject({ code: 137, reason: "memory" });
  });
});

describe("attack 37 as many processes as there may be", () => {
  const crowd = attackCommand("crowd.py", "300");

  test("have no limit in a plain container", async () => {
    const plain = await plainContainer(workspace);
    void plain.run(crowd);
    await until(
      "all of them run",
      async () => Number((await plain.run(["pgrep", "-xc", "python3"])).stdout) > 300,
      undefined,
      seldomMs,
    );
  });

  test("make the next exec in ours fail with a sentence, until they are killed", async () => {
    const sandbox = await newSandbox(instance, workspace, { limits: { pids: 60 } });
    const execution = await sandbox.exec(crowd);
    await until("the limit is reached", async () => (await sandbox.stats()).pids >= 60);
    await expect(runIn(sandbox, ["true"])).rejects.toMatchObject({ code: "resource_limit" });
    await execution.kill();
    await until("they are gone", async () => (await sandbox.stats()).pids < 60);
    expect((await runIn(sandbox, ["echo", "still here"])).stdout).toBe("still here\n");
  });
});

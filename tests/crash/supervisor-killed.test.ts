import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { docker } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

describe("a sandbox whose supervisor or container is ended from outside", () => {
  test.each([
    ["killed", (container: string) => docker("kill", container)],
    ["restarted by hand", (container: string) => docker("restart", "--time", "0", container)],
  ])("%s: the running exec is lost and not a success, and the sandbox is used again", async (_name, end) => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const execution = await sandbox.exec(["sleep", "600"]);
    await end(containerOf(instance, sandbox));
    await expect(execution.exit).rejects.toMatchObject({ code: "session_lost" });
    const again = await instance.backend.open(sandbox.name);
    await expect(again.attach(execution.id)).rejects.toMatchObject({ code: "exec_not_found" });
    expect((await runIn(again, ["sh", "-c", "exit 7"])).code).toBe(7);
  });

  test("paused: it is shown as paused, and used again", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await docker("pause", containerOf(instance, sandbox));
    expect(await statusOf(sandbox)).toBe("paused");
    const again = await instance.backend.open(sandbox.name);
    expect((await runIn(again, ["sh", "-c", "exit 7"])).code).toBe(7);
  });

  test("removed by hand: it is gone, and its name is free", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), { name: "gone" });
    await docker("rm", "--force", containerOf(instance, sandbox));
    await until("the session has ended", () =>
      sandbox.stats().then(
        () => false,
        () => true,
      ),
    );
    expect(await statusOf(sandbox)).toBeUndefined();
    await expect(instance.backend.open(sandbox.name)).rejects.toMatchObject({ code: "not_found" });
    await newSandbox(instance, temporaryWorkspace(), { name: "gone" });
  });
});

async function statusOf({ id }: Sandbox): Promise<string | undefined> {
  return (await instance.backend.list()).find((summary) => summary.id === id)?.status;
}

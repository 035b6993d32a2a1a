import { beforeAll, describe, expect, test } from "vitest";
import { canHaveOwnEngine, type OwnEngine, ownEngine } from "../setup/own-engine.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { smallImage } from "../setup/small-image.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

const image = "small";

describe.skipIf(!canHaveOwnEngine)("an engine that goes down under live sandboxes", () => {
  let engine: OwnEngine;
  let instance: Instance;

  beforeAll(async () => {
    engine = await ownEngine();
    await smallImage(engine.dockerHost, image);
    instance = await newInstance({ ...process.env, DOCKER_HOST: engine.dockerHost });
  });

  test("and is started again: `ls` is true, and each sandbox is there with its files once it is opened", async () => {
    const live = await newSandbox(instance, temporaryWorkspace(), { name: "live", image });
    const resting = await newSandbox(instance, temporaryWorkspace(), { name: "resting", image });
    await runIn(live, ["sh", "-c", "echo outside > kept; echo inside > ~/kept"]);
    await instance.backend.stop(resting.name);
    const execution = await live.exec(["sleep", "600"]);

    await engine.stop();
    await expect(execution.exit).rejects.toMatchObject({ code: "session_lost" });
    await expect(instance.backend.list()).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(instance.backend.open(live.name)).rejects.toMatchObject({ code: "engine_unavailable" });
    await engine.start();

    expect(await statuses()).toEqual({ live: "stopped", resting: "stopped" });
    const again = await instance.backend.open(live.name);
    expect((await runIn(again, ["sh", "-c", "cat kept ~/kept"])).stdout).toBe("outside\ninside\n");
    await expect(again.attach(execution.id)).rejects.toMatchObject({ code: "exec_not_found" });
    expect((await runIn(await instance.backend.open(resting.name), ["true"])).code).toBe(0);
    expect(await statuses()).toEqual({ live: "running", resting: "running" });
    expect((await instance.backend.reset()).toSorted()).toEqual(["live", "resting"]);
  });

  test("by kill -9: the sandbox works on without it, and after the new start all is told as it is", async () => {
    const live = await newSandbox(instance, temporaryWorkspace(), { name: "live", image });
    engine.kill();

    expect((await runIn(live, ["sh", "-c", "echo works on; exit 7"])).stdout).toBe("works on\n");
    await expect(instance.backend.list()).rejects.toMatchObject({ code: "engine_unavailable" });
    await engine.start();

    const told = (await statuses())["live"];
    const opened = await instance.backend.open(live.name);
    expect((await runIn(opened, ["true"])).code).toBe(0);
    expect(["running", "stopped"]).toContain(told);
    expect(await statuses()).toEqual({ live: "running" });
    await instance.backend.remove(live.name);
    expect(await statuses()).toEqual({});
  });

  async function statuses(): Promise<Record<string, string>> {
    const own = (await instance.backend.list()).filter((summary) => summary.own);
    return Object.fromEntries(own.map(({ name, status }) => [name, status]));
  }
});

import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { labels } from "../../packages/sandbox/src/backends/docker/labels.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker, isRunning, removeContainer, workerImage } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

const workspace = temporaryWorkspace();

describe("attack 40 a container that has our labels and is none of ours", () => {
  let instance: Instance;
  let sandbox: Sandbox;
  let impostors: string[];

  beforeAll(async () => {
    instance = await newInstance();
    sandbox = await newSandbox(instance, workspace);
    impostors = [await labelledByHand(instance, sandbox), await committedByHand(instance, sandbox)];
  });

  test("is what a search by label finds", async () => {
    const found = await containersOf(instance);
    for (const impostor of impostors) expect(found).toContain(impostor);
  });

  test("is not listed as ours", async () => {
    const own = (await instance.backend.list()).filter((summary) => summary.own);
    expect(own.map(({ name }) => name)).toEqual([sandbox.name]);
  });

  test("survives prune, remove and reset", async () => {
    await instance.backend.prune();
    await expectRunning();
    await instance.backend.remove(sandbox.name);
    await expectRunning();
    await newSandbox(instance, workspace, { name: sandbox.name });
    await expectRunning();
    expect(await instance.backend.reset()).toEqual([sandbox.name]);
    await expectRunning();
    expect((await containersOf(instance)).toSorted()).toEqual(impostors.toSorted());
  });

  test("a template of a sandbox has none of our labels, so that what is run from it is nobody's sandbox", async () => {
    const made = await newSandbox(instance, workspace);
    const tag = `opentiger-test:${randomBytes(6).toString("hex")}`;
    await instance.backend.save(made.name, tag);
    atEnd(() => docker("rmi", tag));
    const found = await docker("inspect", "--format", "{{json .Config.Labels}}", tag);
    for (const label of [labels.instance, labels.id, labels.name]) {
      expect((JSON.parse(found) as Record<string, string> | null)?.[label] || "").toBe("");
    }
  });

  async function expectRunning(): Promise<void> {
    for (const impostor of impostors) expect(await isRunning(impostor)).toBe(true);
  }
});

describe("attack 41 a second instance on the same engine", () => {
  let first: Instance;
  let second: Instance;
  let sandbox: Sandbox;

  beforeAll(async () => {
    first = await newInstance();
    second = await newInstance();
    sandbox = await newSandbox(first, workspace, { name: "of-the-first" });
  });

  test("sees the sandboxes of the first as not its own", async () => {
    const seen = (await second.backend.list()).find(({ name }) => name === sandbox.name);
    expect(seen?.own ?? false).toBe(false);
  });

  test("can neither open, inspect, stop, save nor remove one of them", async () => {
    const { backend } = second;
    const attempts = [
      () => backend.open(sandbox.name),
      () => backend.inspect(sandbox.name),
      () => backend.stop(sandbox.name),
      () => backend.save(sandbox.name, "opentiger-test:never"),
      () => backend.remove(sandbox.name, { force: true }),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: "not_found" });
    expect((await runIn(sandbox, ["echo", "untouched"])).stdout).toBe("untouched\n");
  });

  test("collects and resets nothing of the first, and may use the same name", async () => {
    const twin = await newSandbox(second, workspace, { name: sandbox.name });
    expect(twin.id).not.toBe(sandbox.id);
    await second.backend.prune();
    expect(await second.backend.reset()).toEqual([sandbox.name]);
    expect((await runIn(sandbox, ["echo", "untouched"])).stdout).toBe("untouched\n");
    const own = (await first.backend.list()).filter((summary) => summary.own);
    expect(own.map(({ id }) => id)).toEqual([sandbox.id]);
  });
});

/** Every container with this instance's label, as a collector that trusts labels would look for them. */
async function containersOf(instance: Instance): Promise<string[]> {
  const filter = `label=${labels.instance}=${openState(instance.home).instance}`;
  return (await docker("ps", "--all", "--no-trunc", "--quiet", "--filter", filter))
    .split("\n")
    .filter(Boolean);
}

async function labelledByHand(instance: Instance, sandbox: Sandbox): Promise<string> {
  const found = await docker(
    "inspect",
    "--format",
    "{{json .Config.Labels}}",
    containerOf(instance, sandbox),
  );
  const copied = Object.entries(JSON.parse(found) as Record<string, string>);
  return start(
    ...copied.flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    workerImage,
    "sleep",
    "600",
  );
}

async function committedByHand(instance: Instance, sandbox: Sandbox): Promise<string> {
  const image = await docker("commit", containerOf(instance, sandbox));
  atEnd(() => docker("rmi", "--force", image));
  return start("--entrypoint", "sleep", image, "600");
}

async function start(...args: string[]): Promise<string> {
  const container = await docker("run", "--detach", "--init", ...args);
  atEnd(() => removeContainer(container));
  return container;
}

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  connectDocker,
  type DockerBackend,
} from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";
import { copyIn } from "../../packages/sandbox/src/files/copy-in.ts";
import { copyOut } from "../../packages/sandbox/src/files/copy-out.ts";
import type { CreateOptions, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { socketFolder } from "../../packages/sandbox/src/state/carrier-folder.ts";
import { openState, type State } from "../../packages/sandbox/src/state/state.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { docker, workerImage } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { soak } from "../setup/soak.ts";
import { agentUid, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { makeRepository } from "../setup/user-git.ts";

describe("attack 33 a creator that is killed", () => {
  // From before the first word to the engine until after the last: where each falls depends on the machine.
  const moments = soak ? [0, 50, 100, 200, 300, 400, 500, 600, 700, 800, 1000] : [0, 100, 300, 600];
  test.each(moments)(
    "after %i ms leaves nothing that prune does not collect, and its name is free at once",
    async (ms) => {
      const instance = await newInstance();
      await killedAfter(ms, instance, "create", temporaryWorkspace());
      // The late ones may find it finished: then it is a sandbox like any other.
      const finished = openState(instance.home).records.findByName("half-made")?.state === "adopted";
      if (finished) await instance.backend.remove("half-made");
      await expect(newSandbox(instance, temporaryWorkspace(), { name: "half-made" })).resolves.toBeDefined();
      await instance.backend.remove("half-made");
      await until("everything is collected", async () => {
        await instance.backend.prune();
        return (await containersOf(instance)).length === 0;
      });
      expect((await instance.backend.list()).filter(({ own }) => own)).toEqual([]);
      expect(leftIn(instance.home, "c", "supervisor", "names")).toEqual([]);
    },
  );

  test("while it parks leaves nothing that prune and reset do not collect", async () => {
    const instance = await newInstance();
    await killedAfter(900, instance, "park");
    await instance.backend.prune();
    // Where no container was known yet the record stays for a while, to find it by.
    const { records } = openState(instance.home).records.list();
    for (const { state, containerId } of records) if (containerId !== null) expect(state).toBe("parked");
    await until("everything is collected", async () => {
      await instance.backend.reset();
      return (await containersOf(instance)).length === 0;
    });
    expect(leftIn(instance.home, "c", "supervisor", "names", "pool")).toEqual([]);
  });
});

test("prune leaves what is others' in the state folder: sandboxes of the host, and sockets of our processes", async () => {
  const instance = await newInstance();
  const host = new HostBackend(openState(instance.home));
  const workspaces = [{ path: temporaryWorkspace(), readOnly: false }];
  const sandbox = await host.create({ name: "on-the-host", agent: "shell", workspaces });
  writeFileSync(join(socketFolder(instance.home), "some-process.sock"), "");
  const before = leftIn(instance.home, "c", "supervisor");
  await instance.backend.prune();
  expect(leftIn(instance.home, "c", "supervisor")).toEqual(before);
  await sandbox.close();
  await host.reset();
});

describe("records are the truth", () => {
  let instance: Instance;
  let state: State;
  let sandbox: Sandbox;

  beforeAll(async () => {
    instance = await newInstance();
    state = openState(instance.home);
  });

  beforeEach(async () => {
    sandbox = await newSandbox(instance, temporaryWorkspace());
  });

  test("a removal that was cut short is finished by prune, or by the next creator of that name", async () => {
    const other = await newSandbox(instance, temporaryWorkspace(), { name: "cut-short" });
    for (const { id } of [sandbox, other]) state.records.write({ ...recordOf(id), state: "removing" });
    const again = await newSandbox(instance, temporaryWorkspace(), { name: "cut-short" });
    expect(again.id).not.toBe(other.id);
    expect(await instance.backend.prune()).toEqual([sandbox.name]);
    expect(await containersOf(instance)).toHaveLength(1);
    await instance.backend.remove("cut-short");
  });

  test("one of another engine is left alone and said to be elsewhere", async () => {
    state.records.write({ ...recordOf(sandbox.id), engine: "another" });
    expect((await instance.backend.list()).filter(({ own }) => own)).toEqual([]);
    expect(await instance.backend.prune()).toEqual([]);
    expect(await instance.backend.reset()).toEqual([]);
    const { backend } = instance;
    for (const verb of ["stop", "remove", "inspect"] as const) {
      await expect(backend[verb](sandbox.name)).rejects.toMatchObject({
        code: "not_found",
        remedy: expect.stringContaining("--context"),
      });
    }
    expect(await containersOf(instance)).toHaveLength(1);
    state.records.write({ ...recordOf(sandbox.id), engine: await thisEngine() });
    await instance.backend.remove(sandbox.name);
  });

  test("one that cannot be read is reported, and its sandbox is neither ours to remove nor forgotten", async () => {
    const file = join(instance.home, "sandboxes", `${sandbox.id}.json`);
    const intact = readFileSync(file);
    writeFileSync(file, "{ half a record");
    const warnings: string[] = [];
    const backend = await connectDocker({ env: instance.env, warn: (sentence) => warnings.push(sentence) });
    expect((await backend.list()).find(({ id }) => id === sandbox.id)?.own).toBe(false);
    expect(warnings.join()).toContain(file);
    await expect(backend.open(sandbox.name)).rejects.toMatchObject({ code: "internal" });
    await backend.prune();
    expect(await backend.reset()).toEqual([]);
    expect((await runIn(sandbox, ["echo", "there"])).stdout).toBe("there\n");
    writeFileSync(file, intact);
    await backend.remove(sandbox.name);
  });

  function recordOf(id: string) {
    const record = state.records.read(id);
    if (!record) throw new Error(`no record ${id}`);
    return record;
  }

  async function thisEngine(): Promise<string> {
    const made = await newSandbox(instance, temporaryWorkspace());
    const { engine } = recordOf(made.id);
    await instance.backend.remove(made.name);
    return engine;
  }
});

describe("the warm pool", () => {
  let instance: Instance;
  let backend: DockerBackend;
  let clone: CreateOptions;

  beforeAll(async () => {
    instance = await newInstance();
    backend = await connectDocker({ env: instance.env });
    const repository = makeRepository(join(temporaryFolder(), "project"));
    clone = { agent: "codex", workspaceKind: "clone", workspaces: [{ path: repository, readOnly: false }] };
  });

  test("is off by default", async () => {
    expect(await backend.poolStatus()).toEqual({ size: 0, parked: 0 });
  });

  test("prune takes away one that is not on offer only when its maker is gone, who may be about to offer it", async () => {
    await backend.fillPool({ size: 1 });
    const [token = ""] = readdirSync(join(instance.home, "pool"));
    rmSync(join(instance.home, "pool", token));
    await backend.prune();
    expect(parkedContainers()).toHaveLength(1);
    const { records } = openState(instance.home);
    for (const record of records.list().records)
      records.write({ ...record, creatorPid: spawnSync("true").pid });
    await backend.prune();
    expect(parkedContainers()).toEqual([]);
  });

  test("is not filled twice by two who look after it at the same time", async () => {
    const other = await connectDocker({ env: instance.env });
    await backend.drainPool();
    const added = await Promise.all([backend.fillPool({ size: 1 }), other.fillPool({ size: 1 })]);
    expect(added.reduce((sum, each) => sum + each)).toBe(1);
    expect(parkedContainers()).toHaveLength(1);
    await backend.drainPool();
  });

  test("gives a parked sandbox a name, an agent, a workspace and an environment, as a cold create would", async () => {
    expect(await backend.fillPool({ size: 1 })).toBe(1);
    expect(await backend.fillPool({ size: 1 })).toBe(0);
    const parked = parkedContainers();
    expect((await backend.list()).filter(({ own }) => own)).toEqual([]);
    expect((await backend.list({ parked: "shown" })).filter(({ own }) => own)).toHaveLength(1);
    const seen = [];
    for (const name of ["warm", "cold"]) {
      const sandbox = await backend.create({ ...clone, name, env: { GIVEN: "env" } });
      const script = 'pwd; id -un; git log --format=%s; git status --short; echo "$GIVEN $HOME"; ls -A';
      const { workspaces, agent, weakness } = sandbox;
      seen.push({ said: await runIn(sandbox, ["sh", "-c", script]), workspaces, agent, weakness });
      await sandbox.close();
    }
    expect(seen[0]).toEqual(seen[1]);
    const [warm, cold] = ["warm", "cold"].map((name) => openState(instance.home).records.findByName(name));
    expect(parked).toEqual([warm?.containerId]);
    expect(await docker("inspect", "--format", "{{.Name}}", warm?.containerId ?? "")).toContain(
      "opentiger-warm-",
    );
    expect(cold?.containerId).not.toBe(warm?.containerId);
    expect(await backend.poolStatus()).toEqual({ size: 1, parked: 0 });
  });

  test("an adopted one finds its workspace and environment again after a stop", async () => {
    await backend.stop("warm");
    const again = await backend.open("warm");
    expect((await runIn(again, ["sh", "-c", 'pwd; echo "$GIVEN"'])).stdout).toBe(
      `${clone.workspaces[0]?.path}\nenv\n`,
    );
    await again.close();
  });

  test("never gives one sandbox to two", async () => {
    await backend.fillPool({ size: 2 });
    const made = await Promise.all([1, 2, 3, 4].map(() => backend.create(clone)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(4);
    expect(new Set(made.map(({ name }) => name)).size).toBe(4);
    for (const sandbox of made) {
      expect((await runIn(sandbox, ["git", "log", "--format=%s"])).code).toBe(0);
      await sandbox.close();
      await backend.remove(sandbox.name, { force: true });
    }
    expect((await backend.poolStatus()).parked).toBe(0);
  });

  test("a sandbox that is to be different is a cold one, and the parked one stays", async () => {
    await backend.fillPool({ size: 1 });
    const sandbox = await backend.create({ ...clone, name: "different", limits: { pids: 300 } });
    await sandbox.close();
    await backend.remove("different", { force: true });
    expect((await backend.poolStatus()).parked).toBe(1);
  });

  test.each(["stop", "rm"])(
    "one that somebody ended by docker %s is passed over, and nothing of it is left",
    async (verb) => {
      await backend.fillPool({ size: 1 });
      const [parked = ""] = parkedContainers();
      await docker(verb, ...(verb === "rm" ? ["--force"] : ["--time", "0"]), parked);
      const sandbox = await backend.create({ ...clone, name: "unlucky" });
      expect((await runIn(sandbox, ["echo", "works"])).stdout).toBe("works\n");
      await sandbox.close();
      await backend.remove("unlucky", { force: true });
      expect((await backend.poolStatus()).parked).toBe(0);
      await expect(docker("inspect", parked)).rejects.toThrow(/no such object/i);
    },
  );

  test("shrinks when fewer are asked for, and is emptied when it is drained", async () => {
    await backend.fillPool({ size: 2 });
    expect(await backend.fillPool({ size: 1 })).toBe(0);
    expect(parkedContainers()).toHaveLength(1);
    expect(await backend.drainPool()).toBe(1);
    expect(await backend.poolStatus()).toEqual({ size: 0, parked: 0 });
    expect(parkedContainers()).toEqual([]);
  });

  test("is of the image as it is now: one parked from an older one is not counted, and goes", async () => {
    const image = "opentiger-test/pool:latest";
    const changed = (word: string) => buildImage(image, `FROM ${workerImage}\nLABEL word=${word}\n`);
    try {
      await changed("old");
      await backend.fillPool({ size: 1, image });
      const [old] = parkedContainers();
      await changed("new");
      expect(await backend.poolStatus()).toEqual({ size: 1, parked: 0 });
      // Whoever looks after it has another environment than the one that asked for it.
      const other = await connectDocker({ env: { ...instance.env, SANDBOX_DOCKER_RUNTIME: "none-such" } });
      expect(await other.keepPool()).toBe(1);
      expect(parkedContainers()).not.toContain(old);
      await docker("rmi", "--force", image);
      expect(await other.prune()).toEqual([expect.stringMatching(/^parked-/)]);
      expect(parkedContainers()).toEqual([]);
    } finally {
      await backend.drainPool();
      await docker("rmi", "--force", image);
    }
  });

  function parkedContainers(): string[] {
    const { records } = openState(instance.home).records.list();
    return records.flatMap(({ state, containerId }) =>
      state === "parked" && containerId ? [containerId] : [],
    );
  }
});

describe("an image without node", () => {
  test("works through the Engine's own exec, slower, and says so", async () => {
    const instance = await newInstance();
    const workspace = temporaryWorkspace();
    const tag = "opentiger-test/without-node:latest";
    await buildImage(tag, `FROM ${workerImage}\nUSER root\nRUN rm -f /usr/local/bin/node /usr/bin/node\n`);
    const since = String(Date.now() / 1000);
    try {
      const sandbox = await newSandbox(instance, workspace, { image: tag, env: { GIVEN: "env" } });
      expect(sandbox.weakness).toMatch(/no node/);
      expect(await looksSince(since, instance)).toEqual([String(process.getuid?.())]);
      const said = await runIn(sandbox, ["sh", "-c", 'pwd; id -u; echo "$GIVEN"; echo err >&2; exit 3']);
      expect(said).toMatchObject({ code: 3, stdout: `${workspace}\n${agentUid}\nenv\n`, stderr: "err\n" });
      const slow = await runIn(sandbox, ["sh", "-c", "setsid sleep 4321 & sleep 4321"], { timeoutMs: 300 });
      expect(slow).toMatchObject({ code: 124, reason: "timeout" });
      expect((await runIn(sandbox, ["pgrep", "-f", "sleep 4321"])).code).toBe(1);
      expect((await sandbox.stats()).processes.length).toBeGreaterThan(0);
      await expect(sandbox.attach("some-exec-id")).rejects.toMatchObject({ code: "unsupported" });
      const copying = await sandbox.exec(["sh", "-c", "cat > /tmp/in; exit 5"], { stdin: true });
      const input = Buffer.from([0, 255, 10, 13]);
      copying.stdin.end(input);
      expect(await copying.exit).toMatchObject({ code: 5 });
      const copied = join(temporaryFolder(), "copied");
      await copyOut(sandbox, { from: "/tmp/in", to: copied });
      expect(readFileSync(copied)).toEqual(input);
      await copyIn(sandbox, { from: copied, to: "again" });
      expect(readFileSync(join(workspace, "again"))).toEqual(input);
      await instance.backend.stop(sandbox.name);
      const again = await instance.backend.open(sandbox.name);
      expect((await runIn(again, ["echo", "again"])).stdout).toBe("again\n");
      expect(await docker("inspect", containerOf(instance, sandbox))).not.toContain("GIVEN");
      await instance.backend.remove(sandbox.name);
      const repository = makeRepository(join(temporaryFolder(), "project"));
      const clone = await newSandbox(instance, repository, { image: tag, workspaceKind: "clone" });
      expect(
        (await runIn(clone, ["sh", "-c", "pwd; git status --short; git log --format=%s -1"])).stdout,
      ).toBe(`${repository}\nchange src/main.ts\n`);
      await instance.backend.remove(clone.name);
    } finally {
      await docker("rmi", "--force", tag);
    }
  });

  /** Whose the containers are said to be that looked into an image since then. */
  async function looksSince(since: string, { home }: Instance): Promise<string[]> {
    const labels = [`opentiger.instance=${openState(home).instance}`, "opentiger.throwaway=true"];
    const filters = ["event=create", ...labels.map((label) => `label=${label}`)];
    const format = '{{index .Actor.Attributes "opentiger.owner"}}';
    const until = String(Date.now() / 1000);
    const words = ["--since", since, "--until", until, "--format", format];
    const lines = await docker("events", ...words, ...filters.flatMap((filter) => ["--filter", filter]));
    return lines.split("\n");
  }
});

const client = await bundledProgram(new URL("./creating-client.ts", import.meta.url));

/** Starts a client of this instance and kills it with SIGKILL so long after it has begun. */
async function killedAfter(ms: number, { env }: Instance, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [client, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until("the client has begun", () => said.includes("begin"));
  await delay(ms);
  child.kill("SIGKILL");
  await exited;
}

/** Every container that carries this instance's label, whether any record knows of it or not. */
async function containersOf({ home }: Instance): Promise<string[]> {
  const label = `label=opentiger.instance=${openState(home).instance}`;
  return (await docker("ps", "--all", "--quiet", "--filter", label)).split("\n").filter(Boolean);
}

function leftIn(home: string, ...folders: string[]): string[] {
  return folders.flatMap((folder) => {
    try {
      return readdirSync(join(home, folder));
    } catch {
      return [];
    }
  });
}

async function buildImage(tag: string, dockerfile: string): Promise<void> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Dockerfile"), dockerfile);
  await docker("build", "--quiet", "--tag", tag, folder);
}

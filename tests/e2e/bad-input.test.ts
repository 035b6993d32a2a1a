import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import type { CreateOptions } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker } from "../setup/docker.ts";
import { canHaveOwnEngine, ownEngine } from "../setup/own-engine.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { smallImage } from "../setup/small-image.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

let instance: Instance;
let workspace: string;

beforeAll(async () => {
  instance = await newInstance();
  workspace = temporaryWorkspace();
});

/** Each of them must be a clear sentence with a remedy, and leave nothing behind. */
async function expectRefusal(
  attempt: Promise<unknown>,
  code: string,
  of: Instance = instance,
): Promise<void> {
  await expect(attempt).rejects.toMatchObject({
    code,
    message: expect.stringMatching(/^.{15}/),
    remedy: expect.stringMatching(/.{5}/),
  });
  expect(openState(of.home).records.list().records).toEqual([]);
}

describe("an unknown name", () => {
  test.each(["open", "inspect", "stop", "remove"] as const)("for %s is not found", async (verb) => {
    await expectRefusal(instance.backend[verb]("nobody"), "not_found");
  });

  test("for save is not found", async () => {
    await expectRefusal(instance.backend.save("nobody", "x:y"), "not_found");
  });
});

describe("an odd name", () => {
  test.each(["", "../up", "a b", "-x", "a/b", "ü", "x".repeat(64), "a\nb"])(
    "%j is refused by every verb",
    async (name) => {
      const { backend } = instance;
      await expectRefusal(newSandbox(instance, workspace, { name }), "name_invalid");
      for (const verb of ["open", "inspect", "stop", "remove"] as const) {
        await expectRefusal(backend[verb](name), "name_invalid");
      }
    },
  );
});

describe("A8 an image", () => {
  test("that is ours and missing is to be built", async () => {
    const image = "opentiger/never-built:latest";
    await expect(newSandbox(instance, workspace, { image, pull: "missing" })).rejects.toMatchObject({
      code: "image_missing",
      exitCode: 72,
      remedy: "opentiger image build",
    });
  });

  test("that is missing is to be pulled, unless it may not", async () => {
    const image = "registry.invalid/nothing:here";
    await expectRefusal(newSandbox(instance, workspace, { image, pull: "never" }), "image_missing");
    const progress: string[] = [];
    const options: Partial<CreateOptions> = {
      image,
      pull: "missing",
      onProgress: (line) => progress.push(line),
    };
    await expectRefusal(newSandbox(instance, workspace, options), "image_missing");
    expect(progress).toContain(`pulling ${image}`);
  });

  test.each(["UPPER CASE", "a b", ":tag", "x:y:z"])("called %j is refused", async (image) => {
    await expectRefusal(newSandbox(instance, workspace, { image }), "image_name_invalid");
  });

  test("that cannot run a shell is refused", async () => {
    const tag = "opentiger-test/empty:latest";
    const folder = temporaryFolder();
    execFileSync("tar", ["-C", folder, "-cf", join(folder, "empty.tar"), "--files-from", "/dev/null"]);
    await docker("import", "--change", "CMD x", join(folder, "empty.tar"), tag);
    atEnd(() => docker("rmi", "--force", tag));
    await expectRefusal(newSandbox(instance, workspace, { image: tag }), "unsupported");
    expect(await docker("ps", "--all", "--quiet", "--filter", `ancestor=${tag}`)).toBe("");
  });
});

describe("a template's name", () => {
  test.each(["UPPER CASE", "a b:c", "x@sha256:0123", ""])("%j is refused", async (tag) => {
    const sandbox = await newSandbox(instance, workspace);
    await expect(instance.backend.save(sandbox.name, tag)).rejects.toMatchObject({
      code: "image_name_invalid",
      remedy: expect.any(String),
    });
    await instance.backend.remove(sandbox.name);
  });
});

describe("A8 an engine", () => {
  test("that is not there is named, with the way to start it", async () => {
    const own = await withEngine("unix:///nowhere/docker.sock");
    const attempts: (() => Promise<unknown>)[] = [
      () => own.backend.create({ agent: "shell", workspaces: [{ path: workspace, readOnly: false }] }),
      () => own.backend.list(),
      () => own.backend.reset(),
    ];
    for (const attempt of attempts) await expectRefusal(attempt(), "engine_unavailable", own);
  });

  test("of a context that does not exist is a mistake of the caller", async () => {
    await expect(connectDocker({ env: instance.env, context: "no-such-context" })).rejects.toMatchObject({
      code: "usage",
    });
  });

  async function withEngine(address: string): Promise<Instance> {
    const home = temporaryFolder();
    const env = { ...process.env, OPENTIGER_HOME: home, DOCKER_HOST: address };
    return { backend: await connectDocker({ env }), home, env };
  }
});

describe("a workspace", () => {
  test("that is not there is missing, before anything is made", async () => {
    await expectRefusal(newSandbox(instance, join(workspace, "nowhere")), "workspace_missing");
  });

  test("that is a file is refused", async () => {
    writeFileSync(join(workspace, "file"), "");
    await expectRefusal(newSandbox(instance, join(workspace, "file")), "workspace_refused");
  });

  test("that went away while the sandbox was stopped is missed by open, and the sandbox can be removed", async () => {
    const folder = join(temporaryFolder(), "project");
    mkdirSync(folder);
    if (isRoot) chownSync(folder, agentUid, agentUid);
    const sandbox = await newSandbox(instance, folder);
    await instance.backend.stop(sandbox.name);
    rmSync(folder, { recursive: true });
    await expect(instance.backend.open(sandbox.name)).rejects.toMatchObject({
      code: "workspace_missing",
      remedy: expect.any(String),
    });
    await instance.backend.remove(sandbox.name);
  });

  test("none at all, or two for a clone, is a mistake of the caller", async () => {
    await expectRefusal(newSandbox(instance, "", { workspaces: [] }), "usage");
    const workspaces = [workspace, temporaryWorkspace()].map((path) => ({ path, readOnly: false }));
    await expectRefusal(newSandbox(instance, "", { workspaces, workspaceKind: "clone" }), "usage");
  });
});

describe("limits and settings", () => {
  test.each<[string, Partial<CreateOptions>]>([
    ["too little memory", { limits: { memoryBytes: 1024 } }],
    ["more processors than there are", { limits: { cpus: 10_000 } }],
    ["a variable without a name", { env: { "": "x" } }],
    ["a commit for a direct workspace", { commit: "HEAD" }],
  ])("%s is a mistake of the caller", async (_what, options) => {
    await expectRefusal(newSandbox(instance, workspace, options), "usage");
  });

  test("a network or a runtime that the engine does not have is named", async () => {
    const network = await newInstance({ ...process.env, SANDBOX_DOCKER_NETWORK: "no-such-network" });
    await expectRefusal(
      newSandbox(network, workspace, { network: { policy: "open" } }),
      "unsupported",
      network,
    );
    const runtime = await newInstance({ ...process.env, SANDBOX_DOCKER_RUNTIME: "no-such-runtime" });
    await expectRefusal(newSandbox(runtime, workspace), "unsupported", runtime);
  });
});

describe.runIf(isRoot)("a full disk", () => {
  test("under the state folder is told as that, and leaves nothing on the engine", async () => {
    const small = temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", small]);
    atEnd(() => execFileSync("umount", [small]));
    const env = { ...process.env, OPENTIGER_HOME: join(small, "home") };
    const backend = await connectDocker({ env });
    const { instance: id } = openState(join(small, "home"));
    execFileSync("sh", ["-c", `dd if=/dev/zero of=${small}/fill bs=1k 2>/dev/null; true`]);
    const attempt = backend.create({ agent: "shell", workspaces: [{ path: workspace, readOnly: false }] });
    await expect(attempt).rejects.toMatchObject({
      code: "disk_full",
      exitCode: 74,
      remedy: expect.any(String),
    });
    expect(await docker("ps", "--all", "--quiet", "--filter", `label=opentiger.instance=${id}`)).toBe("");
    rmSync(join(small, "fill"));
    const sandbox = await backend.create({
      agent: "shell",
      workspaces: [{ path: workspace, readOnly: false }],
    });
    expect((await runIn(sandbox, ["echo", "room"])).stdout).toBe("room\n");
    await sandbox.close();
    await backend.reset();
  });

  test.runIf(canHaveOwnEngine)(
    "under the engine is told as that, and nothing is left of what was begun",
    async () => {
      const engine = await ownEngine({ dataMegabytes: 600 });
      await smallImage(engine.dockerHost, "small");
      const own = await newInstance({ ...process.env, DOCKER_HOST: engine.dockerHost });
      const options: CreateOptions = {
        agent: "shell",
        image: "small",
        workspaces: [{ path: workspace, readOnly: false }],
      };
      const fill = join(engine.data, "fill");
      execFileSync("sh", ["-c", `dd if=/dev/zero of=${fill} bs=64k 2>/dev/null; true`]);
      await expect(own.backend.create(options)).rejects.toMatchObject({
        code: "disk_full",
        exitCode: 74,
        remedy: expect.any(String),
      });
      expect(await own.backend.list()).toEqual([]);
      rmSync(fill);
      expect(await docker("--host", engine.dockerHost, "ps", "--all", "--quiet")).toBe("");
      const sandbox = await own.backend.create(options);
      expect((await runIn(sandbox, ["sh", "-c", "echo room"])).stdout).toBe("room\n");
      await sandbox.close();
      await own.backend.reset();
    },
  );
});

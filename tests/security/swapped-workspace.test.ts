import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Docker from "dockerode";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { docker, workerImage } from "../setup/docker.ts";
import { watchedEngine } from "../setup/engine-proxy.ts";
import { runIn } from "../setup/place.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { importShellImage } from "../setup/shell-image.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const { Runtimes: runtimes } = (await new Docker().info()) as { Runtimes?: Record<string, unknown> };
const shellImage = "opentiger-test/shell-only:latest";

/** How the kernel is asked what it mounted: by the supervisor, or outside where that one cannot tell or is not there. */
const ways = [
  { way: "with a supervisor", image: workerImage, env: {}, possible: true },
  { way: "without one", image: shellImage, env: {}, possible: true },
  {
    way: "under gVisor",
    image: workerImage,
    env: { SANDBOX_DOCKER_RUNTIME: "runsc" },
    possible: runtimes?.["runsc"] !== undefined,
  },
];

beforeAll(() => {
  importShellImage(shellImage);
  atEnd(async () => void (await docker("rmi", "--force", shellImage)));
});

/**
 * An agent that can write the folder above another sandbox's workspace exchanges that workspace for a link at the
 * worst moment: after every look at it, and before the engine mounts it.
 */
describe("attack 9 a workspace becomes a link to the home folder between the look and the mount", () => {
  const canary = "the-users-own-secret";
  const home = join(temporaryFolder(), "home");
  const outer = temporaryWorkspace();
  const inner = join(outer, "inner");
  let armed = false;
  let engine: string;

  beforeEach(async () => {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home);
    writeFileSync(join(home, "secret"), canary, { mode: 0o644 });
    for (const path of [inner, `${inner}-moved`]) rmSync(path, { recursive: true, force: true });
    mkdirSync(inner);
    if (isRoot) chownSync(inner, agentUid, agentUid);
    engine = await watchedEngine((line) => {
      if (armed && /^POST \S*\/containers\/[^/]+\/start/.test(line)) exchange();
    });
    armed = true;
  });

  function exchange(): void {
    armed = false;
    renameSync(inner, `${inner}-moved`);
    symlinkSync(home, inner);
  }

  test("and plain `docker run -v` hands it over", async () => {
    const mount = ["--user", "0:0", "--volume", `${inner}:${inner}`];
    const read = docker("--host", engine, "run", "--rm", ...mount, workerImage, "cat", join(inner, "secret"));
    expect(await read).toBe(canary);
  });

  describe.each(ways)("and ours, $way,", ({ image, env, possible }) => {
    test.skipIf(!possible)("refuses, and leaves nothing behind", async () => {
      const instance = await newInstance({ ...process.env, ...env, HOME: home, DOCKER_HOST: engine });
      await expect(newSandbox(instance, inner, { image })).rejects.toMatchObject({
        code: "workspace_refused",
      });
      expect(armed).toBe(false);
      expect((await instance.backend.list()).filter(({ own }) => own)).toEqual([]);
    });

    test.skipIf(!possible)("refuses to start again, and does not leave it running", async () => {
      const instance = await newInstance({ ...process.env, ...env, HOME: home, DOCKER_HOST: engine });
      armed = false;
      const { name } = await newSandbox(instance, inner, { image });
      await instance.backend.stop(name);
      armed = true;
      await expect(instance.backend.open(name)).rejects.toMatchObject({ code: "workspace_refused" });
      const own = (await instance.backend.list()).filter((summary) => summary.own);
      expect(own.map(({ status }) => status)).toEqual(["stopped"]);

      // Not rmSync, which in some versions of Node takes a link to a folder for the folder.
      unlinkSync(inner);
      renameSync(`${inner}-moved`, inner);
      expect((await runIn(await instance.backend.open(name), ["sh", "-c", "exit 7"])).code).toBe(7);
    });
  });
});

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPrivateEngine, stopPrivateEngine } from "../../scripts/engine/engine.mjs";
import { answersPing } from "../../scripts/engine/found.mjs";
import { enginePaths } from "../../scripts/engine/paths.mjs";
import { isAlive, processesWith } from "../../scripts/engine/processes.mjs";
import { engineUsers } from "../../scripts/engine/users.mjs";
import { inCheckout } from "../../scripts/setup/checkout.mjs";
import { importTinyImage } from "./tiny-image.ts";

const folder = inCheckout(".cache", "engine-tests", "restart");
const paths = enginePaths(folder);
const pidIn = (file: string) => Number(readFileSync(file, "utf8"));
const docker = (...args: string[]) =>
  execFileSync("docker", ["-H", paths.dockerHost, ...args], { encoding: "utf8" }).trim();

beforeAll(async () => {
  await stopPrivateEngine({ folder });
  rmSync(folder, { recursive: true });
  await startPrivateEngine({ folder });
  importTinyImage(paths.dockerHost, "tiny");
  docker(..."run -d --name witness --stop-timeout 1 tiny /bin/sleep 600".split(" "));
});

afterAll(async () => {
  await stopPrivateEngine({ folder });
  rmSync(folder, { recursive: true });
});

describe("starting a private engine once more", () => {
  test("reuses the running one", async () => {
    const pid = pidIn(paths.pid);
    const said: string[] = [];
    await startPrivateEngine({ folder, onLine: (line) => said.push(line) });
    expect(pidIn(paths.pid)).toBe(pid);
    expect(said.join("\n")).toContain("reusing");
  });

  test("two starts at the same moment give one engine", async () => {
    await stopPrivateEngine({ folder });
    await Promise.all([startPrivateEngine({ folder }), startPrivateEngine({ folder })]);
    expect(processesWith("dockerd", paths.config)).toEqual([pidIn(paths.pid)]);
  });

  test("after kill -9 of dockerd brings it back with its images, and no container runs unwatched", async () => {
    docker("start", "witness");
    const dockerd = pidIn(paths.pid);
    const sleeper = Number(docker("inspect", "-f", "{{.State.Pid}}", "witness"));
    process.kill(dockerd, "SIGKILL");

    await startPrivateEngine({ folder });

    expect(pidIn(paths.pid)).not.toBe(dockerd);
    const watched = docker("inspect", "-f", "{{.State.Running}}", "witness") === "true";
    expect(isAlive(sleeper)).toBe(watched);
    expect(docker("run", "--rm", "tiny", "/bin/sleep", "0")).toBe("");
  });

  test("after kill -9 of dockerd and containerd together starts both, and no container runs unwatched", async () => {
    docker("start", "witness");
    const sleeper = Number(docker("inspect", "-f", "{{.State.Pid}}", "witness"));
    process.kill(pidIn(paths.pid), "SIGKILL");
    process.kill(pidIn(paths.containerdPid), "SIGKILL");

    await startPrivateEngine({ folder });

    const watched = docker("inspect", "-f", "{{.State.Running}}", "witness") === "true";
    expect(isAlive(sleeper)).toBe(watched);
    expect(docker("run", "--rm", "tiny", "/bin/sleep", "0")).toBe("");
  });
});

describe("stopping a private engine", () => {
  test("that has crashed ends the containers it left running", async () => {
    docker("start", "witness");
    const sleeper = Number(docker("inspect", "-f", "{{.State.Pid}}", "witness"));
    process.kill(pidIn(paths.pid), "SIGKILL");
    await stopPrivateEngine({ folder });
    expect(isAlive(sleeper)).toBe(false);
    expect(processesWith("containerd-shim", paths.containerdSocket)).toEqual([]);
  });

  test("whose pid file names somebody else's process does nothing to that process", async () => {
    writeFileSync(paths.pid, String(process.pid));
    await stopPrivateEngine({ folder });
    expect(existsSync(paths.pid)).toBe(false);
  });

  test("is done by its last user, unless it is to be kept", async () => {
    const kept = await startPrivateEngine({ folder });
    engineUsers(paths).keep();
    await kept.stop();
    expect(await answersPing(paths.dockerHost)).toBe(true);
    rmSync(paths.keep);

    const other = await startPrivateEngine({ folder });
    writeFileSync(join(paths.users, String(process.ppid)), "");
    await other.stop();
    expect(await answersPing(paths.dockerHost)).toBe(true);
    rmSync(join(paths.users, String(process.ppid)));

    const last = await startPrivateEngine({ folder });
    await last.stop();
    expect(await answersPing(paths.dockerHost)).toBe(false);
  });
});

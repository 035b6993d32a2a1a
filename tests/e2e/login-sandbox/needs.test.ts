import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { loginStatus } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../../setup/at-end.ts";
import { ended } from "../../setup/command-line.ts";
import { docker } from "../../setup/docker.ts";
import { loopDelayDuring } from "../../setup/loop-delay.ts";
import { readableBundle } from "../../setup/readable-bundle.ts";
import { importShellImage } from "../../setup/shell-image.ts";
import { isRoot, temporaryFolder } from "../../setup/temporary-workspace.ts";
import { until } from "../../setup/until.ts";
import { check, containersLeft, type LoginWorld, loginWorld, noticeableMs } from "./login-world.ts";

let world: LoginWorld;

beforeAll(async () => {
  world = await loginWorld();
});

describe("A8 what a sandbox needs", () => {
  const nothing = { available: false, authenticated: null, version: null, method: null };

  it("the image: one that is not there is missing", async () => {
    expect(await check("claude", world.user({ SANDBOX_DOCKER_IMAGE: "opentiger/not-here:1" }))).toMatchObject(
      {
        ...nothing,
        problem: { code: "image_missing", remedy: "opentiger image build" },
      },
    );
  });

  it("the CLI: an image without it lacks it", async () => {
    const image = "opentiger-login-test/shell:1";
    importShellImage(image);
    atEnd(() => docker("rmi", "--force", image));
    expect(await check("codex", world.user({ SANDBOX_DOCKER_IMAGE: image }))).toMatchObject({
      ...nothing,
      problem: {
        code: "cli_missing",
        message: `the image ${image} has no codex`,
        remedy: expect.stringContaining("opentiger image build") as string,
      },
    });
    expect(await containersLeft(world.home)).toEqual([]);
  });

  it.each([
    ["no socket", async () => join(temporaryFolder(), "none.sock")],
    ["a dead one", deadSocket],
  ])("the engine: with %s it is unavailable", async (_what, socket) => {
    expect(await check("claude", world.user({ DOCKER_HOST: `unix://${await socket()}` }))).toMatchObject({
      ...nothing,
      problem: { code: "docker_unavailable", remedy: expect.stringContaining("start Docker") as string },
    });
  });

  it("the engine: one that others may not speak to is forbidden", async () => {
    const { path } = await listeningSocket();
    const env = world.user({ DOCKER_HOST: `unix://${path}` });
    chmodSync(path, isRoot ? 0o600 : 0o000);
    const status = isRoot ? await asNobody(env) : await check("claude", env);
    expect(status).toMatchObject({
      ...nothing,
      problem: { code: "docker_permission", remedy: expect.stringContaining("usermod -aG docker") as string },
    });
  });

  it("the engine: one that hangs is given up in time, and holds nobody up", async () => {
    const { path, connections } = await listeningSocket();
    const env = world.user({ DOCKER_HOST: `unix://${path}` });
    const { result, longestMs } = await loopDelayDuring(() => check("claude", env, { timeoutMs: 2_500 }));
    expect(result).toMatchObject({
      ...nothing,
      problem: { code: "docker_timeout", remedy: expect.stringContaining("restart Docker") as string },
    });
    expect(longestMs).toBeLessThan(noticeableMs);
    await until("nobody waits for it any more", () => connections.size === 0);
  });
});

/** An engine's socket whose engine was killed. */
async function deadSocket(): Promise<string> {
  const path = join(temporaryFolder(), "dead.sock");
  const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", script]);
  return path;
}

/** An engine that takes every connection and never says a word. */
async function listeningSocket(): Promise<{ path: string; connections: Set<Socket> }> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const path = join(folder, "engine.sock");
  const connections = new Set<Socket>();
  const server: Server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => {}).once("close", () => connections.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  atEnd(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { path, connections };
}

/** The same check by somebody who may nothing, through the command. */
async function asNobody(env: NodeJS.ProcessEnv): Promise<unknown> {
  const nobody = 65_534;
  const own = temporaryFolder("ot-nobody-");
  chownSync(own, nobody, nobody);
  const child = spawn(
    process.execPath,
    [readableBundle(), "auth", "--environment", "sandbox", "claude", "--json"],
    {
      env: { ...env, HOME: own, OPENTIGER_HOME: own },
      uid: nobody,
      gid: nobody,
      cwd: "/",
    },
  );
  const { status, stdout, stderr } = await ended(child);
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  const [found] = JSON.parse(stdout) as unknown[];
  return loginStatus.parse(found);
}

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Backend, collect, connectDocker } from "@opentiger/sandbox";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { networkSettings } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { curl } from "../setup/curl.ts";
import { tcpEngine } from "../setup/engine-proxy.ts";
import { placeOf } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

let instance: Instance;
let backend: Backend;
let repository: string;

beforeAll(async () => {
  repository = temporaryFolder("ot-remote-");
  execFileSync("git", ["init", "-q", repository]);
  writeFileSync(join(repository, "file.txt"), "content\n");
  execFileSync("git", ["-C", repository, "add", "."]);
  const author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@localhost"];
  execFileSync("git", ["-C", repository, ...author, "commit", "-qm", "first"]);
  const HOME = temporaryFolder("ot-home-");
  const { PATH, SANDBOX_DOCKER_IMAGE } = process.env;
  instance = await newInstance({ PATH, SANDBOX_DOCKER_IMAGE, HOME, DOCKER_HOST: await tcpEngine() });
  backend = instance.backend;
});

describe("a remote engine", () => {
  it("cannot mount a folder of this machine: direct is refused with the remedy", async () => {
    const attempt = backend.create({
      name: "far",
      agent: "shell",
      workspaces: [{ path: repository, readOnly: false }],
    });
    await expect(attempt).rejects.toMatchObject({
      code: "unsupported",
      remedy: expect.stringContaining("--clone"),
    });
    expect((await backend.list()).filter(({ own }) => own)).toEqual([]);
  });

  it("takes a clone, through the Engine's own exec, and everything works in it", async () => {
    const sandbox = await backend.create({
      name: "far",
      agent: "shell",
      workspaces: [{ path: repository, readOnly: false }],
      workspaceKind: "clone",
    });
    const script = "cat file.txt; git log --format=%s; id -u; stat -c %u .; kill -9 1; exit 7";
    const { exit, stdout, stderr } = await collect(await sandbox.exec(["sh", "-c", script]));
    expect(stdout.toString()).toBe(`content\nfirst\n${agentUid}\n${agentUid}\n`);
    expect(stderr.toString()).toContain("not permitted");
    expect(exit.code).toBe(7);
    await sandbox.close();
    const again = await backend.open("far");
    expect((await collect(await again.exec(["pwd"]))).stdout.toString()).toBe(`${repository}\n`);
    await again.close();
    await backend.stop("far");
    const restarted = await backend.open("far");
    expect((await collect(await restarted.exec(["cat", "file.txt"]))).stdout.toString()).toBe("content\n");
    await restarted.close();
  });

  it("has its way out over exec's stdio: sandboxd denies, allows, refuses a model, and can be killed", async () => {
    const { env } = instance;
    const sandboxd = new Sandboxd(env);
    const online = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
    atEnd(() => sandboxd.stop());
    const service = createServer((_request, response) => response.end("of this machine"));
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    atEnd(() => void service.close());
    // A server that listens on a port has an address with one.
    const { port } = service.address() as AddressInfo;
    const more = { name: "online", workspaceKind: "clone", network: { policy: "deny" } } as const;
    const sandbox = await newSandbox({ backend: online }, repository, more);
    const place = placeOf(sandbox);
    const url = `http://host.docker.internal:${port}/`;
    expect(await curl(place, "http://public.test/")).toMatchObject({
      status: 403,
      body: expect.stringContaining("--allow-host public.test:80") as string,
    });
    expect((await curl(place, url)).status).not.toBe(200);
    const path = "/sandboxes/online/network";
    const body = { allowHost: [`localhost:${port}`] };
    await sandboxd.ask({ method: "POST", path, body }, networkSettings);
    expect(await curl(place, url)).toEqual({ status: 200, body: "of this machine" });
    const model = "http://127.0.0.1:3129/anthropic/v1/messages";
    expect(await curl(place, "-d", "{}", model)).toMatchObject({
      status: 400,
      body: expect.stringContaining("was given no credentials") as string,
    });
    const { pid = 0 } = (await sandboxd.status()) ?? {};
    process.kill(pid, "SIGKILL");
    await until("sandboxd is gone", async () => (await sandboxd.status()) === undefined);
    expect((await curl(place, url)).status).not.toBe(200);
    await sandboxd.ensure();
    await until("the next one has taken it over", async () => (await curl(place, url)).status === 200);
    expect((await curl(place, "http://public.test/")).status).toBe(403);
  });
});

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Backend, collect } from "@opentiger/sandbox";
import { beforeAll, describe, expect, it } from "vitest";
import { tcpEngine } from "../setup/engine-proxy.ts";
import { newInstance } from "../setup/sandbox.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";

let backend: Backend;
let repository: string;

beforeAll(async () => {
  repository = temporaryFolder("ot-remote-");
  execFileSync("git", ["init", "-q", repository]);
  writeFileSync(join(repository, "file.txt"), "content\n");
  execFileSync("git", ["-C", repository, "add", "."]);
  const author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@localhost"];
  execFileSync("git", ["-C", repository, ...author, "commit", "-qm", "first"]);
  ({ backend } = await newInstance({ ...process.env, DOCKER_HOST: await tcpEngine() }));
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
    expect(stdout.toString()).toBe("content\nfirst\n1000\n1000\n");
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
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SandboxError } from "../../../errors.ts";
import { isDockerAvailable } from "./available.ts";
import { Engine } from "./engine.ts";
import { asSandboxError, sentenceOf } from "./errors.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-errors-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function failure(path: string): Promise<SandboxError> {
  const engine = new Engine({ kind: "socket", path });
  try {
    await engine.facts();
  } catch (error) {
    return asSandboxError(error, engine.address);
  }
  throw new Error("the engine answered");
}

describe("A8 an engine that cannot be reached", () => {
  it("is unavailable where there is no socket, with the way to start it", async () => {
    expect(await failure(join(folder, "none.sock"))).toMatchObject({
      code: "engine_unavailable",
      exitCode: 69,
      remedy: expect.stringContaining("start Docker"),
    });
  });

  it("is unavailable where nobody listens", async () => {
    writeFileSync(join(folder, "file.sock"), "");
    expect((await failure(join(folder, "file.sock"))).code).toBe("engine_unavailable");
  });

  it("is forbidden where the socket is somebody else's, with the way to get access", () => {
    const denied = Object.assign(new Error("connect EACCES"), { code: "EACCES", syscall: "connect" });
    expect(asSandboxError(denied, "unix:///x")).toMatchObject({
      code: "engine_permission",
      exitCode: 77,
      remedy: expect.stringContaining("usermod -aG docker"),
    });
  });

  it("is not confused with a file of ours that is missing", () => {
    const missing = Object.assign(new Error("ENOENT"), { code: "ENOENT", syscall: "open" });
    expect(asSandboxError(missing, "unix:///x").code).toBe("internal");
  });

  it("B12 makes isDockerAvailable answer false, and never throw", async () => {
    expect(await isDockerAvailable({ DOCKER_HOST: `unix://${join(folder, "none.sock")}` })).toBe(false);
    expect(await isDockerAvailable({ DOCKER_HOST: "nonsense://" })).toBe(false);
  });
});

describe("what an engine answers", () => {
  const answer = (statusCode: number, message: string) =>
    asSandboxError(
      Object.assign(new Error(`(HTTP code ${statusCode}) x - ${message} `), { statusCode }),
      "x",
    );

  it.each([
    [500, "write /var/x: no space left on device", "disk_full"],
    [400, 'invalid mount config for type "bind": bind source path does not exist: /x', "workspace_missing"],
    [400, "Unknown runtime specified nope", "unsupported"],
    [404, "network nope not found", "unsupported"],
    [500, "something else", "internal"],
  ])("%i %s is %s", (status, message, code) => {
    expect(answer(status, message).code).toBe(code);
  });

  it("is told without the library's frame around it", () => {
    expect(sentenceOf(new Error("(HTTP code 404) no such container - No such container: x "))).toBe(
      "No such container: x",
    );
  });

  it("ours passes unchanged", () => {
    const ours = new SandboxError("not_found", "x");
    expect(asSandboxError(ours, "x")).toBe(ours);
  });
});

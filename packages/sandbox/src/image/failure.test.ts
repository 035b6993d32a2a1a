import { describe, expect, it } from "vitest";
import { SandboxError } from "../errors.ts";
import { BuildLog, engineFailure } from "./failure.ts";

describe("a build that failed", () => {
  it("says the step, the reason and the last lines", () => {
    const log = new BuildLog();
    log.add({ kind: "step", step: 3, steps: 9, text: `RUN ${"x".repeat(200)}` });
    for (let line = 0; line < 30; line++) log.add({ kind: "output", text: `line ${line}` });
    const error = log.failure("a:b", "it returned 1");
    expect(error).toMatchObject({
      code: "image_build_failed",
      remedy: "Read the output above and build again.",
    });
    expect(error.message).toMatch(
      /^Building a:b failed at step 3\/9, RUN x{75}…: it returned 1\n {2}line 18\n/,
    );
    expect(error.message).toMatch(/line 29$/);
  });

  it.each([
    ["npm error code SELF_SIGNED_CERT_IN_CHAIN", "image_build_failed", "OPENTIGER_BUILD_CA_FILE"],
    [
      "curl: (60) SSL certificate problem: self-signed certificate",
      "image_build_failed",
      "OPENTIGER_BUILD_CA_FILE",
    ],
    ['Get "https://registry.example/v2/": no such host', "image_build_failed", "--base debian"],
    ["pull access denied for debian", "image_build_failed", "--base debian"],
    ["Temporary failure resolving 'mirror.example'", "image_build_failed", "DNS"],
    ["write /x: no space left on device", "disk_full", "prune"],
  ])("%s: %s, with the remedy", (reason, code, remedy) => {
    expect(new BuildLog().failure("a:b", reason)).toMatchObject({
      code,
      remedy: expect.stringContaining(remedy),
    });
  });
});

describe("what a call to the engine threw", () => {
  const withCode = (code: string) =>
    Object.assign(new Error(`connect ${code}`), { code, syscall: "connect", address: "/run/x.sock" });

  it.each([
    ["ECONNREFUSED", "engine_unavailable"],
    ["ENOENT", "engine_unavailable"],
    ["EACCES", "engine_permission"],
  ])("%s is %s", (errno, code) => {
    expect(engineFailure("a:b", withCode(errno), undefined)).toMatchObject({
      code,
      remedy: expect.any(String),
    });
  });

  it("is cancelled once the signal says so, and ours is passed on as it is", () => {
    expect(engineFailure("a:b", withCode("ECONNRESET"), AbortSignal.abort())).toMatchObject({
      code: "cancelled",
    });
    const ours = new SandboxError("disk_full", "full");
    expect(engineFailure("a:b", ours, undefined)).toBe(ours);
  });
});

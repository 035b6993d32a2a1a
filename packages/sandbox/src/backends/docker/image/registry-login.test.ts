import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { registryLogin, registryOf } from "./registry-login.ts";

let folder: string;
const index = "https://index.test/v1/";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-login-"));
  vi.stubEnv("DOCKER_CONFIG", folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ["debian", index],
  ["me/app:1", index],
  ["registry.test/app", "registry.test"],
  ["localhost:5000/app", "localhost:5000"],
  ["localhost/app", "localhost"],
])("%s is on %s", (reference, registry) => {
  expect(registryOf(reference, index)).toBe(registry);
});

it("a login that docker kept in its file is used, password with colons and all", async () => {
  const auth = Buffer.from("me:pass:word").toString("base64");
  writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { "registry.test": { auth } } }));
  expect(await registryLogin("registry.test/app", index)).toEqual({
    username: "me",
    password: "pass:word",
    serveraddress: "registry.test",
  });
  expect(await registryLogin("other.test/app", index)).toBeUndefined();
});

it("a login that a helper keeps is asked of it", async () => {
  const helper = join(folder, "docker-credential-test");
  writeFileSync(helper, `#!/bin/sh\nread registry\nprintf '{"Username":"%s","Secret":"s"}' "$registry"\n`);
  chmodSync(helper, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  writeFileSync(join(folder, "config.json"), JSON.stringify({ credsStore: "test" }));
  expect(await registryLogin("registry.test/app", index)).toMatchObject({
    username: "registry.test",
    password: "s",
  });
});

it("no login, or a helper that is missing, is no error", async () => {
  expect(await registryLogin("debian", index)).toBeUndefined();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ credsStore: "nowhere" }));
  expect(await registryLogin("debian", index)).toBeUndefined();
});

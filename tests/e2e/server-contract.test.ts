import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withFlags } from "../../packages/orchestrator/src/index.ts";
import { loginStatus } from "../../packages/schema/src/index.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker } from "../setup/docker.ts";
import { importShellImage } from "../setup/shell-image.ts";

const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });
let server: RunningServer;

beforeAll(async () => {
  server = await instance.start();
});

afterAll(() => instance.remove());

const patch = (body: unknown) => askServer(server.url, "/config", { method: "PATCH", body });
const start = (name: string) => askServer(server.url, `/system/processes/${name}/start`, { method: "POST" });

describe("the contract over HTTP", () => {
  test("A1 EXECUTION_ENVIRONMENT is host or sandbox, and anything else is refused with the two", async () => {
    const refused = await patch({ EXECUTION_ENVIRONMENT: "vm" });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      code: "config_invalid",
      remedy: expect.stringContaining("host or sandbox"),
    });
    expect((await patch({ EXECUTION_ENVIRONMENT: "host" })).status).toBe(200);
  });

  test("A1 A2 it persists, and the launch mode follows it", async () => {
    const next = await instance.start();
    const { json } = await askServer(next.url, "/config");
    expect(json).toMatchObject({ launchMode: "process" });
    expect(json).toMatchObject({
      settings: expect.arrayContaining([
        expect.objectContaining({
          key: "EXECUTION_ENVIRONMENT",
          value: "host",
          source: "stored",
          updatedBy: "local",
        }),
      ]),
    });
    expect((await patch({ EXECUTION_ENVIRONMENT: "sandbox" })).json).toMatchObject({ launchMode: "docker" });
  });

  test("A1 A2 a flag is before the environment, is shown as one, and cannot be patched", async () => {
    const env = withFlags(
      { ...instance.env, EXECUTION_ENVIRONMENT: "sandbox" },
      { EXECUTION_ENVIRONMENT: "host" },
    );
    const next = await instance.start({ env });
    const { json } = await askServer(next.url, "/config");
    const entry = { key: "EXECUTION_ENVIRONMENT", value: "host", source: "flag", pinned: true };
    expect(json).toMatchObject({
      launchMode: "process",
      settings: expect.arrayContaining([expect.objectContaining(entry)]),
    });
    const body = { EXECUTION_ENVIRONMENT: "sandbox" };
    expect(await askServer(next.url, "/config", { method: "PATCH", body })).toMatchObject({
      status: 409,
      json: { code: "config_pinned", remedy: expect.stringContaining("--set EXECUTION_ENVIRONMENT") },
    });
  });

  test.each(["worker-1", "tester-2", "docser-1"])(
    "A4 %s of the host is not started in a sandbox, and why",
    async (name) => {
      expect((await start(name)).json).toMatchObject({
        name,
        state: "stopped",
        skipped: true,
        reason: expect.stringContaining("EXECUTION_ENVIRONMENT is sandbox"),
      });
    },
  );

  test("A4 the dispatcher is, and on the host the worker too", async () => {
    expect((await start("dispatcher")).json).toMatchObject({
      name: "dispatcher",
      skipped: false,
      state: "starting",
    });
    await patch({ EXECUTION_ENVIRONMENT: "host" });
    expect((await start("worker-1")).json).toMatchObject({ name: "worker-1", skipped: false, reason: null });
    await patch({ EXECUTION_ENVIRONMENT: "sandbox" });
  });

  describe.each(["claude", "codex", "opencode"])("A6 /system/%s/auth", (agent) => {
    test("answers for the environment in force, and for the one that is asked about", async () => {
      const usual = loginStatus.parse((await askServer(server.url, `/system/${agent}/auth`)).json);
      expect(usual.executionEnvironment).toBe("sandbox");
      const host = loginStatus.parse(
        (await askServer(server.url, `/system/${agent}/auth?environment=host`)).json,
      );
      expect(host.executionEnvironment).toBe("host");
      await patch({ EXECUTION_ENVIRONMENT: "host" });
      const changed = loginStatus.parse((await askServer(server.url, `/system/${agent}/auth`)).json);
      expect(changed.executionEnvironment).toBe("host");
      await patch({ EXECUTION_ENVIRONMENT: "sandbox" });
    });

    test("A7 without a login says so or that it is not known, with the remedy, and never that it is logged in", async () => {
      const { json } = await askServer(server.url, `/system/${agent}/auth?environment=host`);
      const status = loginStatus.parse(json);
      expect(status.authenticated).not.toBe(true);
      expect(status.problem?.remedy).toBeTruthy();
    });

    test("refuses another environment", async () => {
      expect((await askServer(server.url, `/system/${agent}/auth?environment=vm`)).status).toBe(400);
    });
  });

  test("A8 a daemon that is not there has its code and its remedy, wherever it is missed", async () => {
    const env = { ...instance.env, DOCKER_HOST: `unix://${instance.home}/none.sock` };
    const without = await instance.start({ env });
    const problem = { code: "engine_unavailable", remedy: expect.stringContaining("start Docker") };
    const docker = await askServer(without.url, "/system/docker");
    expect(docker.json).toMatchObject({ engine: null, problems: [problem] });
    const sandboxes = await askServer(without.url, "/sandboxes");
    expect(sandboxes).toMatchObject({ status: 503, json: problem });
    const auth = await askServer(without.url, "/system/claude/auth?environment=sandbox");
    expect(auth.json).toMatchObject({ available: false, problem: { code: "docker_unavailable" } });
  });

  test.skipIf(engine === undefined)("A8 an image that is not there has its code and its remedy", async () => {
    await patch({ SANDBOX_DOCKER_IMAGE: "opentiger/none:of-this-name" });
    const problem = { code: "image_missing", remedy: expect.stringContaining("image build") };
    expect((await askServer(server.url, "/system/docker")).json).toMatchObject({ problems: [problem] });
    const auth = await askServer(server.url, "/system/codex/auth");
    expect(auth.json).toMatchObject({ available: false, problem: { code: "image_missing" } });
    await patch({ SANDBOX_DOCKER_IMAGE: null });
  });

  test.skipIf(engine === undefined)(
    "A8 a CLI that is not in the image has its code and its remedy",
    async () => {
      const image = "opentiger-test/contract-shell:1";
      importShellImage(image);
      atEnd(() => docker("rmi", "--force", image));
      await patch({ SANDBOX_DOCKER_IMAGE: image });
      const problem = { code: "cli_missing", remedy: expect.stringContaining("image build") };
      const { json } = await askServer(server.url, "/system/docker");
      expect(json).toMatchObject({ agents: [{ version: null }, { version: null }, { version: null }] });
      expect(json).toMatchObject({ problems: expect.arrayContaining([expect.objectContaining(problem)]) });
      const auth = await askServer(server.url, "/system/codex/auth");
      expect(auth.json).toMatchObject({ available: false, authenticated: null, problem });
      await patch({ SANDBOX_DOCKER_IMAGE: null });
    },
  );

  test.skipIf(engine === undefined)(
    "A8 A13 without a key or a login, authentication is required",
    async () => {
      const auth = await askServer(server.url, "/system/claude/auth");
      expect(auth.json).toMatchObject({
        available: true,
        authenticated: false,
        problem: { code: "auth_required", remedy: expect.stringMatching(/claude/) },
      });
    },
  );
});

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { Sandboxd } from "@opentiger/sandboxd";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { freePort } from "../setup/free-port.ts";
import { knowImages } from "../setup/known-images.ts";
import { type LoginApi, loginApi } from "../setup/login-api.ts";
import { commandLine } from "../setup/loop-command-line.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

interface Finding {
  check: string;
  status: "ok" | "warn" | "fail";
  message: string;
  remedy: string | null;
  fixable: boolean;
}

interface Report {
  status: number | null;
  findings: Finding[];
  fixed: { check: string; done: string | null; error: string | null }[];
  of(check: string): Finding[];
}

const key = "sk-ant-api03-canary-doctor-0123456789";
let api: LoginApi;

beforeAll(async () => {
  api = await loginApi();
  api.good.add(key);
});

/** A new user with everything that openTiger needs, and with what the test takes away or breaks. */
async function machine(changed: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    DOCKER_HOST: process.env["DOCKER_HOST"],
    SANDBOX_DOCKER_IMAGE: process.env["SANDBOX_DOCKER_IMAGE"],
    HOME: home,
    OPENTIGER_HOME: join(home, "state"),
    OPENTIGER_API_PORT: String(await freePort()),
    ANTHROPIC_API_KEY: key,
    ...api.env,
    ...changed,
  };
  atEnd(async () => {
    await new Sandboxd(env).stop();
    await new EmbeddedPostgres(env).remove();
  });
  await knowImages(env["OPENTIGER_HOME"] ?? "");
  return env;
}

async function examine(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Report> {
  const { status, stdout, stderr } = await commandLine(env)("doctor", "--json", ...words);
  expect(stderr).toBe("");
  const { ok, findings, fixed } = JSON.parse(stdout) as Omit<Report, "status"> & { ok: boolean };
  // Versions with known holes are the machine's own, and nothing that the test has made.
  expect(ok).toBe(status === 0);
  return { status, findings, fixed, of: (check) => findings.filter((each) => each.check === check) };
}

function listening(server: Server, where: number | string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(typeof where === "number" ? { port: where, host: "127.0.0.1" } : where, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

describe("opentiger doctor", () => {
  test("on a machine that has everything finds nothing wrong, and leaves no container", async () => {
    const env = await machine();
    await commandLine(env)("config", "set", "OPENTIGER_MAX_WORKERS", "2");
    const report = await examine(env);
    const looked = new Set(report.findings.map(({ check }) => check));
    for (const check of ["permissions", "node", "git", "disk", "database", "settings", "engine", "holes"])
      expect(looked).toContain(check);
    for (const check of ["image", "logins", "port", "processes", "plugin", "leftovers"])
      expect(looked).toContain(check);
    const wrong = report.findings.filter(({ check, status }) => check !== "holes" && status === "fail");
    expect(wrong).toEqual([]);
    expect(report.of("database")[0]?.message).toMatch(/^PostgreSQL \d.* \(embedded\), \d+ steps up to \w/);
    expect(report.of("image")[0]?.message).toMatch(/claude \d.*codex \d.*opencode \d/);
    expect(report.of("logins")).toMatchObject([
      { status: "ok", message: expect.stringContaining("claude is logged in") },
    ]);
    const text = await commandLine(env)("doctor");
    expect(text.stdout).toMatch(/^✓ engine +Docker \d/m);
    expect(text.stdout).toMatch(/^\d+ ok, \d+ to look at, \d+ wrong$/m);
    const instance = readFileSync(join(env["OPENTIGER_HOME"] ?? "", "instance"), "utf8").trim();
    const label = `label=opentiger.instance=${instance}`;
    expect(execFileSync("docker", ["ps", "-aq", "--filter", label], { encoding: "utf8" })).toBe("");
  });

  test("without an engine says so once, with what mends it, and ends with 1", async () => {
    const report = await examine(await machine({ DOCKER_HOST: "unix:///nowhere/docker.sock" }));
    expect(report.status).toBe(1);
    expect(report.of("engine")).toMatchObject([
      {
        status: "fail",
        message: expect.stringContaining("does not answer"),
        remedy: expect.stringMatching(/start Docker/),
      },
    ]);
    expect(report.of("image")).toEqual([]);
    expect(report.of("git")).toMatchObject([{ status: "ok" }]);
  });

  test("an engine that takes connections and never answers keeps nobody waiting", async () => {
    const path = join(temporaryFolder(), "docker.sock");
    const silent = createServer(() => {});
    await listening(silent, path);
    atEnd(() => void silent.close());
    const began = performance.now();
    const report = await examine(await machine({ DOCKER_HOST: `unix://${path}` }));
    expect(performance.now() - began).toBeLessThan(40_000);
    expect(report.of("engine")).toMatchObject([
      { status: "fail", message: expect.stringContaining("within 8 seconds") },
    ]);
  });

  test("attack 12 an engine with an old runc is wrong, with the holes and what mends them", async () => {
    const path = join(temporaryFolder(), "docker.sock");
    const Components = [{ Name: "runc", Version: "1.1.11" }];
    const old = createHttpServer(({ url = "" }, response) => {
      const answer = url.endsWith("/version") ? { Version: "29.0.0", ApiVersion: "1.52", Components } : {};
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
    await listening(old, path);
    atEnd(() => void old.close());
    const report = await examine(await machine({ DOCKER_HOST: `unix://${path}` }));
    expect(report.status).toBe(1);
    expect(report.of("holes")).toMatchObject([
      {
        status: "fail",
        message: expect.stringContaining("runc 1.1.11 has CVE-2024-21626"),
        remedy: expect.stringContaining("update it to"),
      },
    ]);
  });

  test("on the host the engine is no more than a warning", async () => {
    const report = await examine(
      await machine({ DOCKER_HOST: "unix:///nowhere/docker.sock", EXECUTION_ENVIRONMENT: "host" }),
    );
    expect(report.of("engine")).toMatchObject([{ status: "warn" }]);
  });

  test("an image that is missing is a failure that --fix would mend", async () => {
    const report = await examine(await machine({ SANDBOX_DOCKER_IMAGE: "opentiger/not-there:latest" }));
    expect(report.status).toBe(1);
    expect(report.of("image")).toMatchObject([
      { status: "fail", message: expect.stringContaining("opentiger/not-there"), fixable: true },
    ]);
    expect(report.of("image")[0]?.remedy).toContain("opentiger image build");
  });

  test("a port that another program has is a failure", async () => {
    const taken = createServer();
    const port = await listening(taken, 0);
    atEnd(() => void taken.close());
    const report = await examine(await machine({ OPENTIGER_API_PORT: String(port) }));
    expect(report.of("port")).toMatchObject([
      { status: "fail", remedy: "set OPENTIGER_API_PORT to a free one" },
    ]);
  });

  test("no login, an old git, a database that does not answer and a setting that cannot be: each is said", async () => {
    const tools = temporaryFolder();
    writeFileSync(join(tools, "git"), "#!/bin/sh\necho git version 2.30.2\n", { mode: 0o755 });
    const env = await machine({
      PATH: `${tools}:${process.env["PATH"]}`,
      ANTHROPIC_API_KEY: undefined,
      OPENTIGER_DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing`,
      OPENTIGER_MAX_WORKERS: "many",
    });
    const report = await examine(env);
    expect(report.of("git")).toMatchObject([{ status: "fail", remedy: "install git 2.38 or newer" }]);
    expect(report.of("logins")).toMatchObject([
      { status: "fail", remedy: expect.stringContaining("setup-token") },
    ]);
    expect(report.of("database")).toMatchObject([{ status: "fail" }]);
    expect(report.of("settings")).toMatchObject([
      { status: "fail", message: expect.stringContaining("OPENTIGER_MAX_WORKERS must be a whole number") },
    ]);
  });

  test("--fix closes what others can read, removes what a killed process left, renews an old plugin, and says so", async () => {
    const env = await machine();
    await commandLine(env)("dispatcher", "status");
    const folder = env["OPENTIGER_HOME"] ?? "";
    mkdirSync(join(folder, "c"), { recursive: true, mode: 0o700 });
    await commandLine(env)("config", "get", "OPENTIGER_MAX_WORKERS");
    const socket = join(folder, "c", "dispatcher.sock");
    const server = createServer();
    await listening(server, `${socket}.9`);
    // Node removes the name that it made; under another one it stays, as after a kill.
    renameSync(`${socket}.9`, socket);
    await new Promise((resolve) => server.close(resolve));
    chmodSync(folder, 0o755);
    const plugin = join(env["HOME"] ?? "", ".docker", "cli-plugins", "docker-sandbox");
    await commandLine(env)("sandbox", "install-plugin");
    const script = readFileSync(plugin, "utf8");
    writeFileSync(plugin, `${script}# of another version\n`);

    const before = await examine(env);
    expect(before.of("permissions")).toMatchObject([
      { status: "fail", fixable: true, remedy: `chmod 700 ${folder}` },
    ]);
    expect(before.of("processes")).toContainEqual(
      expect.objectContaining({ status: "warn", fixable: true, message: expect.stringContaining(socket) }),
    );
    expect(before.of("plugin")).toMatchObject([{ status: "warn", fixable: true }]);
    expect(existsSync(socket)).toBe(true);
    chmodSync(folder, 0o755);

    const after = await examine(env, "--fix");
    expect(after.fixed.map(({ done }) => done)).toEqual([
      `closed ${folder} to everybody else`,
      `removed ${socket}`,
      `installed ${plugin} again`,
    ]);
    expect(after.of("plugin")).toMatchObject([{ status: "ok" }]);
    expect(readFileSync(plugin, "utf8")).toBe(script);
    expect(after.of("permissions")).toMatchObject([{ status: "ok" }]);
    expect(existsSync(socket)).toBe(false);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("--fix collects the record of a sandbox whose container somebody removed", async () => {
    const env = await machine();
    const opentiger = commandLine(env);
    const made = await opentiger.json(
      "sandbox",
      "create",
      "--json",
      "--name",
      "gone",
      "shell",
      temporaryWorkspace(),
    );
    const filter = `label=opentiger.sandbox=${made.id}`;
    const container = execFileSync("docker", ["ps", "-aq", "--filter", filter], { encoding: "utf8" }).trim();
    execFileSync("docker", ["rm", "-f", container]);
    expect((await examine(env)).of("leftovers")).toContainEqual(
      expect.objectContaining({ status: "warn", fixable: true, remedy: "opentiger sandbox prune" }),
    );
    const mended = await examine(env, "--fix");
    expect(mended.fixed).toMatchObject([{ check: "leftovers", done: expect.stringContaining("pruned") }]);
    expect(mended.of("leftovers").filter(({ fixable }) => fixable)).toEqual([]);
  });
});

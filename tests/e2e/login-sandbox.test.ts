import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { checkLogin, type LoginCheckOptions } from "@opentiger/agents";
import { connectDocker, openState } from "@opentiger/sandbox";
import {
  giveCredentials,
  loginWarning,
  outwardThrough,
  Sandboxd,
  withCredentials,
} from "@opentiger/sandboxd";
import { type LoginAgent, loginStatus } from "@opentiger/schema";
import { openVault, type Vault } from "@opentiger/secrets";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { ended, opentigerBundle } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { chatgptLogin, claudeLogin, type LoginApi, loginApi } from "../setup/login-api.ts";
import { loopDelayDuring } from "../setup/loop-delay.ts";
import { runIn } from "../setup/place.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { importShellImage } from "../setup/shell-image.ts";
import { isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const hour = 3_600_000;

/** Held up for longer than this, something waited for a socket and let nobody else go on. */
const noticeableMs = 1_000;

let api: LoginApi;
let home: string;
let vault: Vault;
let sandboxd: Sandboxd;
let number = 0;

beforeAll(async () => {
  api = await loginApi();
  home = temporaryFolder("ot-");
  vault = openVault({ stateFolder: home, env: user(), program: "test" });
  sandboxd = new Sandboxd(user());
  // Its own environment has no credential: the first who asks would otherwise leave theirs there.
  await sandboxd.ensure();
  atEnd(() => sandboxd.stop());
});

afterEach(async () => {
  for (const { name } of await vault.list()) await vault.delete(name);
});

function user(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, DOCKER_HOST, SANDBOX_DOCKER_IMAGE } = process.env;
  return {
    PATH,
    DOCKER_HOST,
    SANDBOX_DOCKER_IMAGE,
    HOME: home,
    OPENTIGER_HOME: home,
    ...api.env,
    ...variables,
  };
}

/** A check that is given again in the form of the API: what cannot be said there would be lost. */
async function check(agent: LoginAgent, env: NodeJS.ProcessEnv, options: LoginCheckOptions = {}) {
  return loginStatus.parse(await checkLogin(agent, "sandbox", { env, ...options }));
}

function credentials(): { good: string; garbage: string } {
  number += 1;
  const good = `sk-good-credential-${number}-0123456789`;
  api.good.add(good);
  return { good, garbage: `sk-garbage-credential-${number}-0123456789` };
}

/** A folder with a file in it, as a login's. */
function folderWith(name: string, content: string): string {
  const folder = temporaryFolder("ot-login-");
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content, { mode: 0o600 });
  return folder;
}

interface Case {
  agent: LoginAgent;
  way: string;
  method: string;
  give: (credential: string) => Promise<NodeJS.ProcessEnv>;
}

const inVault = (secret: string, way: string) => async (credential: string) => {
  await vault.add(secret, Buffer.from(credential));
  return user({ SANDBOX_CREDENTIALS: way });
};

const cases: Case[] = [
  {
    agent: "claude",
    way: "broker",
    method: "claude_setup_token",
    give: inVault("claude_setup_token", "broker"),
  },
  { agent: "codex", way: "broker", method: "openai_api_key", give: inVault("openai_api_key", "broker") },
  {
    agent: "opencode",
    way: "broker",
    method: "anthropic_api_key",
    give: inVault("anthropic_api_key", "broker"),
  },
  {
    agent: "claude",
    way: "inject",
    method: "claude_setup_token",
    give: inVault("claude_setup_token", "inject"),
  },
  {
    agent: "codex",
    way: "inject",
    method: "openai_api_key",
    give: async (OPENAI_API_KEY) => user({ SANDBOX_CREDENTIALS: "inject", OPENAI_API_KEY }),
  },
  {
    agent: "claude",
    way: "mount",
    method: "claude_login",
    give: async (token) => {
      const folder = folderWith(".credentials.json", claudeLogin(token, Date.now() + hour));
      return user({ SANDBOX_CREDENTIALS: "mount", CLAUDE_AUTH_DIR: folder });
    },
  },
  {
    agent: "claude",
    way: "mount",
    method: "anthropic_api_key",
    give: async (ANTHROPIC_API_KEY) => user({ SANDBOX_CREDENTIALS: "mount", ANTHROPIC_API_KEY }),
  },
];

describe("A6 A7 A12 a login in a sandbox", () => {
  it.each(cases)(
    "of $agent by $way ($method) is authenticated when its API says so, and never by presence",
    async (which) => {
      const { good, garbage } = credentials();
      const asked = api.asked.length;
      expect(await check(which.agent, await which.give(good))).toMatchObject({
        agent: which.agent,
        executionEnvironment: "sandbox",
        available: true,
        authenticated: true,
        method: which.method,
        version: expect.stringMatching(/\d+\.\d+\.\d+/) as string,
        problem: null,
      });
      for (const { name } of await vault.list()) await vault.delete(name);
      expect(await check(which.agent, await which.give(garbage))).toMatchObject({
        available: true,
        authenticated: false,
        method: which.method,
        problem: { code: "auth_rejected" },
      });
      // Not a token was spent.
      expect(api.asked.slice(asked).every((line) => /^GET .*\/models$/.test(line))).toBe(true);
    },
  );

  it("that has run out is said to have, with the command that makes a new one", async () => {
    const claude = folderWith(
      ".credentials.json",
      claudeLogin("sk-ant-oat01-old-0123456789", Date.now() - hour),
    );
    const codex = folderWith("auth.json", chatgptLogin("old", Date.now() - hour).file);
    const env = user({ SANDBOX_CREDENTIALS: "mount", CLAUDE_AUTH_DIR: claude, CODEX_AUTH_DIR: codex });
    for (const [agent, remedy] of [
      ["claude", "claude /login"],
      ["codex", "codex login"],
    ] as const) {
      expect(await check(agent, env)).toMatchObject({
        available: true,
        authenticated: false,
        problem: { code: "auth_expired", remedy: expect.stringContaining(remedy) as string },
      });
    }
  });

  it.each(["broker", "mount", "inject"] as const)(
    "A13 that is none is required, with the remedy that the warning for %s names",
    async (way) => {
      const nobody = temporaryFolder("ot-home-");
      for (const agent of ["claude", "codex"] as const) {
        const { available, authenticated, problem } = await check(
          agent,
          user({ HOME: nobody, SANDBOX_CREDENTIALS: way }),
        );
        expect({ available, authenticated }).toEqual({ available: true, authenticated: false });
        expect(problem?.code).toBe("auth_required");
        expect(loginWarning(agent, way)).toContain(problem?.remedy);
      }
    },
  );

  it("is not known where none is handed in, and a key that came after sandboxd counts", async () => {
    expect(await check("claude", user({ SANDBOX_CREDENTIALS: "none" }))).toMatchObject({
      available: true,
      authenticated: null,
      problem: { code: "unverified" },
    });
    expect(await check("claude", user({ ANTHROPIC_API_KEY: credentials().good }))).toMatchObject({
      authenticated: true,
      method: "anthropic_api_key",
    });
  });

  it("B4 claude in a sandbox with the token says that it is logged in, and so do we", async () => {
    const { good } = credentials();
    await vault.add("claude_setup_token", Buffer.from(good));
    const env = user({ SANDBOX_CREDENTIALS: "inject" });
    const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
    atEnd(() => backend.reset());
    const sandbox = await newSandbox({ backend }, temporaryWorkspace(), { agent: "claude" });
    await giveCredentials(sandbox, "inject", env);
    const said = await runIn(sandbox, ["claude", "auth", "status"], {
      env: await withCredentials(sandbox, {}, env),
    });
    expect(JSON.parse(said.stdout)).toMatchObject({ loggedIn: true, authMethod: "oauth_token" });
    expect(await check("claude", env)).toMatchObject({ authenticated: true, method: "claude_setup_token" });
  });
});

describe("A8 what a sandbox needs", () => {
  const nothing = { available: false, authenticated: null, version: null, method: null };

  it("the image: one that is not there is missing", async () => {
    expect(await check("claude", user({ SANDBOX_DOCKER_IMAGE: "opentiger/not-here:1" }))).toMatchObject({
      ...nothing,
      problem: { code: "image_missing", remedy: "opentiger image build" },
    });
  });

  it("the CLI: an image without it lacks it", async () => {
    const image = "opentiger-login-test/shell:1";
    importShellImage(image);
    atEnd(() => docker("rmi", "--force", image));
    expect(await check("codex", user({ SANDBOX_DOCKER_IMAGE: image }))).toMatchObject({
      ...nothing,
      problem: {
        code: "cli_missing",
        message: `the image ${image} has no codex`,
        remedy: expect.stringContaining("opentiger image build") as string,
      },
    });
    expect(await containersLeft()).toEqual([]);
  });

  it.each([
    ["no socket", async () => join(temporaryFolder(), "none.sock")],
    ["a dead one", deadSocket],
  ])("the engine: with %s it is unavailable", async (_what, socket) => {
    expect(await check("claude", user({ DOCKER_HOST: `unix://${await socket()}` }))).toMatchObject({
      ...nothing,
      problem: { code: "docker_unavailable", remedy: expect.stringContaining("start Docker") as string },
    });
  });

  it("the engine: one that others may not speak to is forbidden", async () => {
    const { path } = await listeningSocket();
    const env = user({ DOCKER_HOST: `unix://${path}` });
    chmodSync(path, isRoot ? 0o600 : 0o000);
    const status = isRoot ? await asNobody(env) : await check("claude", env);
    expect(status).toMatchObject({
      ...nothing,
      problem: { code: "docker_permission", remedy: expect.stringContaining("usermod -aG docker") as string },
    });
  });

  it("the engine: one that hangs is given up in time, and holds nobody up", async () => {
    const { path, connections } = await listeningSocket();
    const env = user({ DOCKER_HOST: `unix://${path}` });
    const { result, longestMs } = await loopDelayDuring(() => check("claude", env, { timeoutMs: 2_500 }));
    expect(result).toMatchObject({
      ...nothing,
      problem: { code: "docker_timeout", remedy: expect.stringContaining("restart Docker") as string },
    });
    expect(longestMs).toBeLessThan(noticeableMs);
    await until("nobody waits for it any more", () => connections.size === 0);
  });
});

describe("A7 a deep check in a sandbox", () => {
  const sandboxesLeft = async () => {
    const ours = `label=opentiger.instance=${openState(home).instance}`;
    const ids = await docker(
      "ps",
      "--all",
      "--quiet",
      "--filter",
      "label=opentiger.sandbox",
      "--filter",
      ours,
    );
    return ids.split("\n").filter((id) => id !== "");
  };

  it("lets the real CLI ask its model once, in a sandbox that is gone afterwards", async () => {
    const before = await sandboxesLeft();
    await vault.add("claude_setup_token", Buffer.from(credentials().good));
    const asked = api.asked.length;
    const { result, longestMs } = await loopDelayDuring(() => check("claude", user(), { deep: true }));
    expect(result).toMatchObject({ authenticated: true, method: "claude_setup_token", problem: null });
    expect(api.asked.slice(asked).filter((line) => line.startsWith("POST"))).toEqual(["POST /v1/messages"]);
    expect(await sandboxesLeft()).toEqual(before);
    expect(longestMs).toBeLessThan(noticeableMs);
  });

  it("leaves no sandbox when it is given up in the middle", async () => {
    const before = await sandboxesLeft();
    await vault.add("claude_setup_token", Buffer.from(credentials().good));
    const controller = new AbortController();
    const asked = check("claude", user(), { deep: true, signal: controller.signal });
    await until("a sandbox was made for it", async () => (await sandboxesLeft()).length > before.length);
    controller.abort(new Error("changed my mind"));
    await expect(asked).rejects.toThrow("changed my mind");
    await until("the sandbox is gone", async () => (await sandboxesLeft()).length === before.length);
  });
});

describe("A7 a check in a sandbox", () => {
  it("leaves no container when it is given up in the middle", async () => {
    const other = temporaryFolder("ot-");
    const controller = new AbortController();
    const asked = check("opencode", user({ HOME: other, OPENTIGER_HOME: other }), {
      signal: controller.signal,
    });
    await until("a container looks into the image", async () => (await containersLeft(other)).length > 0);
    controller.abort(new Error("changed my mind"));
    await expect(asked).rejects.toThrow("changed my mind");
    await until("the container is gone", async () => (await containersLeft(other)).length === 0);
  });

  it("looks into an image once, and leaves no container", async () => {
    await check("claude", user({ SANDBOX_CREDENTIALS: "none" }));
    const since = String(Date.now() / 1000);
    const { longestMs } = await loopDelayDuring(() =>
      Promise.all([1, 2, 3].map(() => check("claude", user({ SANDBOX_CREDENTIALS: "none" })))),
    );
    expect(longestMs).toBeLessThan(noticeableMs);
    const own = ["--filter", `label=opentiger.instance=${openState(home).instance}`];
    const until = String(Date.now() / 1000);
    expect(
      await docker("events", "--since", since, "--until", until, "--filter", "event=create", ...own),
    ).toBe("");
    expect(await containersLeft()).toEqual([]);
  });
});

/** Containers that this instance made to look into an image. */
async function containersLeft(state = home): Promise<string[]> {
  const { instance } = openState(state);
  const names = await docker(
    "ps",
    "--all",
    "--filter",
    `label=opentiger.instance=${instance}`,
    "--format",
    "{{.Names}}",
  );
  return names.split("\n").filter((name) => name.startsWith("opentiger-look"));
}

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
    [opentigerBundle, "auth", "--environment", "sandbox", "claude", "--json"],
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

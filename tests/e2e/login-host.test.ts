import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkLogin, type LoginCheckOptions } from "@opentiger/agents";
import { Sandboxd } from "@opentiger/sandboxd";
import { type LoginAgent, loginStatus } from "@opentiger/schema";
import { openVault } from "@opentiger/secrets";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { hostAgents } from "../setup/host-agents.ts";
import { chatgptLogin, claudeLogin, type LoginApi, loginApi } from "../setup/login-api.ts";
import { loopDelayDuring } from "../setup/loop-delay.ts";
import { processesOf } from "../setup/processes-of.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const hour = 3_600_000;

/** Held up for longer than this, something waited for a process or a socket and let nobody else go on. */
const noticeableMs = 1_000;

let api: LoginApi;
let agents: string;
let state: string;
let sandboxd: Sandboxd;

beforeAll(async () => {
  api = await loginApi();
  agents = await hostAgents();
  state = temporaryFolder("ot-");
  sandboxd = new Sandboxd(userAt(state));
  // Its own environment has no credential: the first who asks would otherwise leave theirs there.
  await sandboxd.ensure();
  atEnd(() => sandboxd.stop());
});

/** A user with a home of their own and nothing else, whose sandboxd is the one of this test. */
function userAt(home: string, variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = `${agents}:${process.env["PATH"]}`;
  return {
    PATH: path,
    HOME: home,
    OPENTIGER_HOME: state,
    SANDBOX_CREDENTIALS: "none",
    ...api.env,
    ...variables,
  };
}

function homeWith(files: Record<string, string> = {}): string {
  const home = temporaryFolder("ot-home-");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content, { mode: 0o600 });
  }
  return home;
}

/** A check that is given again in the form of the API: what cannot be said there would be lost. */
async function check(agent: LoginAgent, env: NodeJS.ProcessEnv, options: LoginCheckOptions = {}) {
  return loginStatus.parse(await checkLogin(agent, "host", { env, ...options }));
}

let number = 0;

/** A credential that the API takes, and one that looks just like it. */
function credentials(): { good: string; garbage: string } {
  number += 1;
  const good = `sk-good-credential-${number}-0123456789`;
  api.good.add(good);
  return { good, garbage: `sk-garbage-credential-${number}-0123456789` };
}

interface Case {
  agent: LoginAgent;
  method: string;
  /** The user who has this credential in this way. */
  user: (credential: string) => NodeJS.ProcessEnv;
}

const cases: Case[] = [
  {
    agent: "claude",
    method: "anthropic_api_key",
    user: (ANTHROPIC_API_KEY) => userAt(homeWith(), { ANTHROPIC_API_KEY }),
  },
  {
    agent: "claude",
    method: "claude_setup_token",
    user: (CLAUDE_CODE_OAUTH_TOKEN) => userAt(homeWith(), { CLAUDE_CODE_OAUTH_TOKEN }),
  },
  {
    agent: "claude",
    method: "claude_login",
    user: (token) => userAt(homeWith({ ".claude/.credentials.json": claudeLogin(token, Date.now() + hour) })),
  },
  {
    agent: "codex",
    method: "openai_api_key",
    user: (CODEX_API_KEY) => userAt(homeWith(), { CODEX_API_KEY }),
  },
  {
    agent: "codex",
    method: "openai_api_key",
    user: (key) => userAt(homeWith({ ".codex/auth.json": JSON.stringify({ OPENAI_API_KEY: key }) })),
  },
  {
    agent: "opencode",
    method: "anthropic_api_key",
    user: (key) => {
      const entry = JSON.stringify({ anthropic: { type: "api", key } });
      return userAt(homeWith({ ".local/share/opencode/auth.json": entry }));
    },
  },
  {
    agent: "opencode",
    method: "openai_api_key",
    user: (OPENAI_API_KEY) => userAt(homeWith(), { OPENAI_API_KEY }),
  },
];

describe("A6 A7 A12 a login on the host", () => {
  it.each(cases)(
    "of $agent with $method is authenticated when its API says so, and never by presence",
    async (which) => {
      const { good, garbage } = credentials();
      const asked = api.asked.length;
      expect(await check(which.agent, which.user(good))).toMatchObject({
        agent: which.agent,
        executionEnvironment: "host",
        available: true,
        authenticated: true,
        method: which.method,
        version: expect.stringMatching(/\d+\.\d+\.\d+/) as string,
        problem: null,
      });
      expect(await check(which.agent, which.user(garbage))).toMatchObject({
        available: true,
        authenticated: false,
        method: which.method,
        problem: { code: "auth_rejected" },
      });
      // Not a token was spent.
      expect(api.asked.slice(asked).every((line) => /^GET .*\/models$/.test(line))).toBe(true);
    },
  );

  it("of codex by ChatGPT is asked about there; garbage is refused, and what has run out is said to have", async () => {
    const login = (name: string, expiresAt: number) => {
      const { file, token } = chatgptLogin(name, expiresAt);
      return { token, user: userAt(homeWith({ ".codex/auth.json": file })) };
    };
    const { token, user } = login("good", Date.now() + hour);
    api.good.add(token);
    expect(await check("codex", user)).toMatchObject({ authenticated: true, method: "chatgpt_login" });
    expect(await check("codex", login("garbage", Date.now() + hour).user)).toMatchObject({
      authenticated: false,
      problem: { code: "auth_rejected", remedy: expect.stringContaining("codex login") as string },
    });
    expect(await check("codex", login("old", Date.now() - hour).user)).toMatchObject({
      authenticated: false,
      problem: { code: "auth_expired", remedy: expect.stringContaining("codex login") as string },
    });
  });

  it("of claude that has run out is renewed where it can be, and else said to have run out", async () => {
    const path = ".claude/.credentials.json";
    const refresh = "refresh-token-0123456789";
    api.renewals.set(refresh, "sk-ant-oat01-renewed-0123456789");
    const home = homeWith({ [path]: claudeLogin("sk-ant-oat01-old-0123456789", Date.now() - hour, refresh) });
    expect(await check("claude", userAt(home))).toMatchObject({
      authenticated: true,
      method: "claude_login",
    });
    expect(readFileSync(join(home, path), "utf8")).toContain("sk-ant-oat01-renewed");
    for (const token of [null, "refresh-token-of-nobody"]) {
      const old = homeWith({ [path]: claudeLogin("sk-ant-oat01-old-0123456789", Date.now() - hour, token) });
      expect(await check("claude", userAt(old))).toMatchObject({
        available: true,
        authenticated: false,
        problem: { code: "auth_expired", remedy: expect.stringContaining("claude /login") as string },
      });
    }
  });

  it.each([
    ["claude", "run `claude` on this machine and log in, or set ANTHROPIC_API_KEY"],
    ["codex", "run `codex login`, or set CODEX_API_KEY"],
    ["opencode", "run `opencode auth login`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY"],
  ] as const)("of %s that is none is required, with the command that makes one", async (agent, remedy) => {
    const { available, authenticated, problem } = await check(agent, userAt(homeWith()));
    expect({ available, authenticated }).toEqual({ available: true, authenticated: false });
    expect(problem).toMatchObject({ code: "auth_required", remedy });
  });

  it("that only the CLI knows of is unverified, although the CLI says that it is logged in", async () => {
    const env = userAt(homeWith(), { ANTHROPIC_AUTH_TOKEN: "garbage" });
    expect(JSON.parse(execFileSync("claude", ["auth", "status"], { env, encoding: "utf8" }))).toMatchObject({
      loggedIn: true,
    });
    expect(await check("claude", env)).toMatchObject({
      available: true,
      authenticated: null,
      method: "oauth_token",
      problem: { code: "unverified", remedy: expect.stringContaining("--deep") as string },
    });
    const entry = JSON.stringify({
      anthropic: { type: "oauth", access: "garbage", refresh: "r", expires: 1 },
    });
    const opencode = userAt(homeWith({ ".local/share/opencode/auth.json": entry }));
    expect(await check("opencode", opencode)).toMatchObject({
      authenticated: null,
      problem: { code: "unverified" },
    });
  });

  it("that cannot be asked about now is unknown, with the reason", async () => {
    const env = userAt(homeWith(), {
      ANTHROPIC_API_KEY: credentials().good,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    expect(await check("claude", env)).toMatchObject({
      available: true,
      authenticated: null,
      problem: { code: "network", message: expect.stringContaining("127.0.0.1:9") as string },
    });
  });

  it("of a brokered agent is what the gateway has for it, whatever else is there", async () => {
    const { good, garbage } = credentials();
    const vault = openVault({ stateFolder: state, env: userAt(state), program: "test" });
    const broker = { SANDBOX_CREDENTIALS: "broker", ANTHROPIC_API_KEY: garbage };
    expect(await check("claude", userAt(homeWith(), broker))).toMatchObject({
      authenticated: false,
      method: "anthropic_api_key",
    });
    await vault.add("claude_setup_token", Buffer.from(good));
    expect(await check("claude", userAt(homeWith(), broker))).toMatchObject({
      authenticated: true,
      method: "claude_setup_token",
    });
    await vault.update("claude_setup_token", Buffer.from(`${garbage}-vault`));
    expect(await check("claude", userAt(homeWith(), broker))).toMatchObject({
      authenticated: false,
      problem: {
        code: "auth_rejected",
        remedy: expect.stringContaining("secrets update claude_setup_token") as string,
      },
    });
    await vault.delete("claude_setup_token");
  });
});

describe("A8 a CLI on the host", () => {
  const withClaude = (script: string): NodeJS.ProcessEnv => {
    const folder = temporaryFolder("ot-bin-");
    writeFileSync(join(folder, "claude"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "claude"), 0o755);
    return userAt(homeWith(), { PATH: `${folder}:/usr/bin:/bin` });
  };

  it("that is not there or does not start is missing, with the command that installs it", async () => {
    const missing = { available: false, authenticated: null, version: null };
    const nowhere = userAt(homeWith(), { PATH: "/usr/bin:/bin" });
    for (const env of [nowhere, withClaude("exit 1"), withClaude('kill -9 "$$"')]) {
      expect(await check("claude", env)).toMatchObject({
        ...missing,
        problem: { code: "cli_missing", remedy: "npm install -g @anthropic-ai/claude-code" },
      });
    }
  });

  it("that hangs is given up in time: nothing is held up meanwhile, and nothing of it is left", async () => {
    const env = withClaude("setsid sleep 1000 & sleep 1000");
    const home = env["HOME"] ?? "";
    const { result, longestMs } = await loopDelayDuring(() => check("claude", env, { timeoutMs: 2_500 }));
    expect(result).toMatchObject({
      available: false,
      authenticated: null,
      problem: { code: "timeout", message: "the agent's CLI did not answer within 2.5 seconds" },
    });
    expect(longestMs).toBeLessThan(noticeableMs);
    await until("nothing of it runs", () => processesOf(home).length === 0);
  });

  it("is not asked any longer when nobody wants to know", async () => {
    const env = withClaude("sleep 1000");
    const controller = new AbortController();
    const asked = check("claude", env, { signal: controller.signal });
    await until("it runs", () => processesOf(env["HOME"] ?? "").length > 0);
    controller.abort(new Error("changed my mind"));
    await expect(asked).rejects.toThrow("changed my mind");
    await until("nothing of it runs", () => processesOf(env["HOME"] ?? "").length === 0);
  });
});

describe("A7 a deep check", () => {
  it("lets the real CLI ask its model, which proves what nobody else can know", async () => {
    const { good, garbage } = credentials();
    const asked = api.asked.length;
    const withToken = (token: string) => userAt(homeWith(), { ANTHROPIC_AUTH_TOKEN: token });
    expect(await check("claude", withToken(good))).toMatchObject({ problem: { code: "unverified" } });
    expect(api.asked.slice(asked)).not.toContain("POST /v1/messages");
    expect(await check("claude", withToken(good), { deep: true })).toMatchObject({
      available: true,
      authenticated: true,
      method: "oauth_token",
      problem: null,
    });
    expect(api.asked.slice(asked)).toContain("POST /v1/messages");
    expect(await check("claude", withToken(garbage), { deep: true })).toMatchObject({
      available: true,
      authenticated: false,
      problem: { code: "auth_rejected" },
    });
  });
});

describe("A7 a check", () => {
  it("is made once for all who ask at the same time or a moment later, and holds nobody up", async () => {
    const env = userAt(homeWith(), { ANTHROPIC_API_KEY: credentials().good });
    const asked = api.asked.length;
    const { result, longestMs } = await loopDelayDuring(async () => {
      const together = await Promise.all([1, 2, 3].map(() => check("claude", env)));
      return [...together, await check("claude", env)];
    });
    expect(new Set(result.map(({ checkedAt }) => checkedAt)).size).toBe(1);
    expect(api.asked.length).toBe(asked + 1);
    expect(longestMs).toBeLessThan(noticeableMs);
  });

  it("leaves nothing running but sandboxd, and no credential in any process's arguments or in its log", async () => {
    const left = processesOf(state).filter(({ command }) => !command.includes("sandboxd.js"));
    expect(left).toEqual([]);
    expect(readFileSync(sandboxd.paths.log, "utf8")).not.toMatch(/sk-|refresh-token/);
  });
});

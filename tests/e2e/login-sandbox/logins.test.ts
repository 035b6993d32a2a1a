import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { connectDocker, openState } from "@opentiger/sandbox";
import { giveCredentials, loginWarning, outwardThrough, withCredentials } from "@opentiger/sandboxd";
import type { LoginAgent } from "@opentiger/schema";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../../setup/at-end.ts";
import { docker } from "../../setup/docker.ts";
import { chatgptLogin, claudeLogin } from "../../setup/login-api.ts";
import { loopDelayDuring } from "../../setup/loop-delay.ts";
import { runIn } from "../../setup/place.ts";
import { newSandbox } from "../../setup/sandbox.ts";
import { temporaryFolder, temporaryWorkspace } from "../../setup/temporary-workspace.ts";
import { until } from "../../setup/until.ts";
import { check, containersLeft, type LoginWorld, loginWorld, noticeableMs } from "./login-world.ts";

const hour = 3_600_000;

let world: LoginWorld;

beforeAll(async () => {
  world = await loginWorld();
});

afterEach(() => world.emptyVault());

interface Case {
  agent: LoginAgent;
  way: string;
  method: string;
  give: (credential: string) => Promise<NodeJS.ProcessEnv>;
}

const inVault = (secret: string, way: string) => async (credential: string) => {
  await world.vault.add(secret, Buffer.from(credential));
  return world.user({ SANDBOX_CREDENTIALS: way });
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
    give: async (OPENAI_API_KEY) => world.user({ SANDBOX_CREDENTIALS: "inject", OPENAI_API_KEY }),
  },
  {
    agent: "claude",
    way: "mount",
    method: "claude_login",
    give: async (token) => {
      const folder = folderWith(".credentials.json", claudeLogin(token, Date.now() + hour));
      return world.user({ SANDBOX_CREDENTIALS: "mount", CLAUDE_AUTH_DIR: folder });
    },
  },
  {
    agent: "claude",
    way: "mount",
    method: "anthropic_api_key",
    give: async (ANTHROPIC_API_KEY) => world.user({ SANDBOX_CREDENTIALS: "mount", ANTHROPIC_API_KEY }),
  },
];

describe("A6 A7 A12 a login in a sandbox", () => {
  it.each(cases)(
    "of $agent by $way ($method) is authenticated when its API says so, and never by presence",
    async (which) => {
      const { good, garbage } = world.credentials();
      const asked = world.api.asked.length;
      expect(await check(which.agent, await which.give(good))).toMatchObject({
        agent: which.agent,
        executionEnvironment: "sandbox",
        available: true,
        authenticated: true,
        method: which.method,
        version: expect.stringMatching(/\d+\.\d+\.\d+/) as string,
        problem: null,
      });
      await world.emptyVault();
      expect(await check(which.agent, await which.give(garbage))).toMatchObject({
        available: true,
        authenticated: false,
        method: which.method,
        problem: { code: "auth_rejected" },
      });
      // Not a token was spent.
      expect(world.api.asked.slice(asked).every((line) => /^GET .*\/models$/.test(line))).toBe(true);
    },
  );

  it("that has run out is said to have, with the command that makes a new one", async () => {
    const claude = folderWith(
      ".credentials.json",
      claudeLogin("sk-ant-oat01-old-0123456789", Date.now() - hour),
    );
    const codex = folderWith("auth.json", chatgptLogin("old", Date.now() - hour).file);
    const env = world.user({ SANDBOX_CREDENTIALS: "mount", CLAUDE_AUTH_DIR: claude, CODEX_AUTH_DIR: codex });
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
          world.user({ HOME: nobody, SANDBOX_CREDENTIALS: way }),
        );
        expect({ available, authenticated }).toEqual({ available: true, authenticated: false });
        expect(problem?.code).toBe("auth_required");
        expect(loginWarning(agent, way)).toContain(problem?.remedy);
      }
    },
  );

  it("is not known where none is handed in, and a key that came after sandboxd counts", async () => {
    expect(await check("claude", world.user({ SANDBOX_CREDENTIALS: "none" }))).toMatchObject({
      available: true,
      authenticated: null,
      problem: { code: "unverified" },
    });
    expect(await check("claude", world.user({ ANTHROPIC_API_KEY: world.credentials().good }))).toMatchObject({
      authenticated: true,
      method: "anthropic_api_key",
    });
  });

  it("B4 claude in a sandbox with the token says that it is logged in, and so do we", async () => {
    const { good } = world.credentials();
    await world.vault.add("claude_setup_token", Buffer.from(good));
    const env = world.user({ SANDBOX_CREDENTIALS: "inject" });
    const backend = await connectDocker({ env, outward: outwardThrough(world.sandboxd, env, undefined) });
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

describe("A7 a deep check in a sandbox", () => {
  const sandboxesLeft = async () => {
    const ours = `label=opentiger.instance=${openState(world.home).instance}`;
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
    await world.vault.add("claude_setup_token", Buffer.from(world.credentials().good));
    const asked = world.api.asked.length;
    const { result, longestMs } = await loopDelayDuring(() => check("claude", world.user(), { deep: true }));
    expect(result).toMatchObject({ authenticated: true, method: "claude_setup_token", problem: null });
    expect(world.api.asked.slice(asked).filter((line) => line.startsWith("POST"))).toEqual([
      "POST /v1/messages",
    ]);
    expect(await sandboxesLeft()).toEqual(before);
    expect(longestMs).toBeLessThan(noticeableMs);
  });

  it("leaves no sandbox when it is given up in the middle", async () => {
    const before = await sandboxesLeft();
    await world.vault.add("claude_setup_token", Buffer.from(world.credentials().good));
    const controller = new AbortController();
    const asked = check("claude", world.user(), { deep: true, signal: controller.signal });
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
    const asked = check("opencode", world.user({ HOME: other, OPENTIGER_HOME: other }), {
      signal: controller.signal,
    });
    await until("a container looks into the image", async () => (await containersLeft(other)).length > 0);
    controller.abort(new Error("changed my mind"));
    await expect(asked).rejects.toThrow("changed my mind");
    await until("the container is gone", async () => (await containersLeft(other)).length === 0);
  });

  it("looks into an image once, and leaves no container", async () => {
    await check("claude", world.user({ SANDBOX_CREDENTIALS: "none" }));
    const since = String(Date.now() / 1000);
    const { longestMs } = await loopDelayDuring(() =>
      Promise.all([1, 2, 3].map(() => check("claude", world.user({ SANDBOX_CREDENTIALS: "none" })))),
    );
    expect(longestMs).toBeLessThan(noticeableMs);
    const own = ["--filter", `label=opentiger.instance=${openState(world.home).instance}`];
    const until = String(Date.now() / 1000);
    expect(
      await docker("events", "--since", since, "--until", until, "--filter", "event=create", ...own),
    ).toBe("");
    expect(await containersLeft(world.home)).toEqual([]);
  });
});

/** A folder with a file in it, as a login's. */
function folderWith(name: string, content: string): string {
  const folder = temporaryFolder("ot-login-");
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content, { mode: 0o600 });
  return folder;
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVault } from "@opentiger/secrets";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HandedOut, handedOut } from "./handed-out.ts";

const claudeToken = "sk-ant-oat01-canary-vault-0123456789";
const codexLogin = {
  auth_mode: "chatgpt",
  OPENAI_API_KEY: null,
  tokens: { access_token: "canary-access-1", refresh_token: "canary-refresh-1", account_id: "account-1" },
  last_refresh: "2026-01-01T00:00:00Z",
};
const claudeLogin = {
  claudeAiOauth: {
    accessToken: "canary-access-2",
    refreshToken: "canary-refresh-2",
    scopes: ["user:inference"],
  },
};

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-handed-"));
  env = { HOME: home, OPENTIGER_HOME: home };
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const secretsOf = (about: Partial<HandedOut>) =>
  handedOut({ agent: "claude", name: "box", backend: "docker", way: "broker", env, ...about });

function logIn(): void {
  for (const [path, login] of [
    [".claude/.credentials.json", claudeLogin],
    [".codex/auth.json", codexLogin],
  ] as const) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(login));
  }
}

describe("what an agent can read where it works", () => {
  it("is, with inject, what the vault has for it: a token, or all tokens of a login", async () => {
    const vault = openVault({ stateFolder: home, env, program: "test" });
    await vault.add("claude_setup_token", Buffer.from(`${claudeToken}\n`));
    await vault.add("codex_auth_json", Buffer.from(JSON.stringify(codexLogin)));
    expect(await secretsOf({ way: "inject" })).toEqual([claudeToken]);
    const ofCodex = await secretsOf({ way: "inject", agent: "codex" });
    expect(ofCodex.toSorted()).toEqual(["canary-access-1", "canary-refresh-1"]);
    expect(await vault.leases()).toHaveLength(2);
    await secretsOf({ way: "inject" });
    expect(await vault.leases()).toHaveLength(2);
    const uses = (await vault.audit(100)).events.flatMap(({ purpose }) => purpose ?? []);
    expect(new Set(uses)).toEqual(new Set(["redact"]));
  });

  it("is every login that is mounted, and on the host the user's own", async () => {
    logIn();
    const all = ["canary-access-1", "canary-access-2", "canary-refresh-1", "canary-refresh-2"];
    expect((await secretsOf({ way: "mount" })).toSorted()).toEqual(all);
    expect((await secretsOf({ backend: "host" })).toSorted()).toEqual(all);
    const elsewhere = { ...env, HOME: "/nonexistent", CODEX_HOME: join(home, ".codex") };
    expect(await secretsOf({ backend: "host", env: elsewhere })).toHaveLength(2);
  });

  it("is on the host what OpenCode keeps for itself as well, wherever that lies", async () => {
    const keys = {
      anthropic: { type: "api", key: "canary-opencode-1" },
      openai: { type: "oauth", access: "canary-opencode-2", refresh: "canary-opencode-3", expires: 1 },
    };
    const all = ["canary-opencode-1", "canary-opencode-2", "canary-opencode-3"];
    for (const data of [join(home, ".local/share"), join(home, "data")]) {
      mkdirSync(join(data, "opencode"), { recursive: true });
      writeFileSync(join(data, "opencode/auth.json"), JSON.stringify(keys));
      const there = { ...env, XDG_DATA_HOME: data };
      expect(await secretsOf({ backend: "host", env: there })).toEqual(all);
    }
    expect(await secretsOf({ backend: "host" })).toEqual(all);
    expect(await secretsOf({ way: "mount" })).toEqual([]);
  });

  it("is nothing through the gateway, and nothing where nothing is given", async () => {
    logIn();
    for (const way of ["broker", "none"] as const) expect(await secretsOf({ way })).toEqual([]);
  });
});

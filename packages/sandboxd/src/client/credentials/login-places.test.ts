import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LoginAsked, loginQuestion } from "./login-places.ts";
import { loginRemedy, loginWarning } from "./remedy.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-places-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Each candidate in a word. */
function places(asked: Omit<LoginAsked, "env">, env: NodeJS.ProcessEnv = {}): string[][] {
  const { groups } = loginQuestion({ ...asked, env: { HOME: home, ...env } });
  return groups.map((group) =>
    group.map((candidate) => {
      if (candidate.from === "value") return candidate.origin.replace(home, "~");
      if (candidate.from === "gateway") return `gateway ${candidate.provider}`;
      return candidate.from === "vault" ? candidate.secret : candidate.path.replace(home, "~");
    }),
  );
}

const keys = {
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  CODEX_API_KEY: "c",
  CLAUDE_CODE_OAUTH_TOKEN: "t",
};

describe("A12 where an agent's login is looked for", () => {
  it("in a sandbox: at the gateway and then in one's own variables, in what would be mounted, or in what would be handed in", () => {
    const at = (agent: LoginAsked["agent"], way: LoginAsked["way"]) =>
      places({ agent, place: "sandbox", way }, keys);
    expect(at("claude", "broker")).toEqual([["gateway anthropic", "variable ANTHROPIC_API_KEY"]]);
    const openai = ["gateway openai", "variable OPENAI_API_KEY", "variable CODEX_API_KEY"];
    expect(at("codex", "broker")).toEqual([["gateway chatgpt", ...openai]]);
    expect(at("opencode", "broker")).toEqual([["gateway anthropic", "variable ANTHROPIC_API_KEY"], openai]);
    expect(at("claude", "mount")).toEqual([
      ["~/.claude/.credentials.json", "~/.config/claude/.credentials.json", "variable ANTHROPIC_API_KEY"],
    ]);
    expect(at("codex", "mount")).toEqual([
      ["~/.codex/auth.json", "variable OPENAI_API_KEY", "variable CODEX_API_KEY"],
    ]);
    expect(at("claude", "inject")).toEqual([
      [
        "claude_setup_token",
        "anthropic_api_key",
        "variable CLAUDE_CODE_OAUTH_TOKEN",
        "variable ANTHROPIC_API_KEY",
      ],
    ]);
    expect(at("codex", "inject")).toEqual([
      ["codex_auth_json", "openai_api_key", "variable OPENAI_API_KEY", "variable CODEX_API_KEY"],
    ]);
    expect(at("codex", "none")).toEqual([]);
  });

  it("on the host: where the CLI itself looks, in its order", () => {
    const at = (agent: LoginAsked["agent"], env: NodeJS.ProcessEnv) =>
      places({ agent, place: "host", way: "mount" }, env);
    expect(at("claude", keys)).toEqual([
      ["variable ANTHROPIC_API_KEY", "variable CLAUDE_CODE_OAUTH_TOKEN", "~/.claude/.credentials.json"],
    ]);
    expect(at("claude", { CLAUDE_CONFIG_DIR: join(home, "c") })).toEqual([["~/c/.credentials.json"]]);
    expect(at("claude", { ...keys, ANTHROPIC_AUTH_TOKEN: "x" })).toEqual([]);
    // It does not look at OPENAI_API_KEY.
    expect(at("codex", { ...keys, CODEX_HOME: join(home, "x") })).toEqual([
      ["variable CODEX_API_KEY", "~/x/auth.json"],
    ]);
  });

  it("on the host for OpenCode: its own file before variables, and only what is a key there", () => {
    const folder = join(home, ".local/share/opencode");
    mkdirSync(folder, { recursive: true });
    const entries = { anthropic: { type: "api", key: "k" }, openai: { type: "oauth", access: "x" } };
    writeFileSync(join(folder, "auth.json"), JSON.stringify(entries));
    expect(places({ agent: "opencode", place: "host", way: "mount" }, keys)).toEqual([
      ["~/.local/share/opencode/auth.json", "variable ANTHROPIC_API_KEY"],
      ["variable OPENAI_API_KEY"],
    ]);
  });

  it("and what is not the gateway's goes where the asker's agents would send it", () => {
    const env = { HOME: home, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
    const asked = { agent: "claude", place: "host", env } as const;
    expect(loginQuestion({ ...asked, way: "mount" }).upstreams).toEqual({ anthropic: "http://127.0.0.1:1" });
    expect(loginQuestion({ ...asked, way: "broker" }).upstreams).toBeUndefined();
  });
});

describe("A13 the remedy for an agent that has nothing to log in with", () => {
  it("is the one that the warning at the making of a sandbox names", () => {
    for (const way of ["broker", "mount", "inject"] as const) {
      for (const agent of ["claude", "codex", "opencode"]) {
        const remedy = loginRemedy(agent, way, "sandbox") ?? "none";
        expect(loginWarning(agent, way)).toBe(
          `${agent} has nothing to log in with in this sandbox: ${remedy}`,
        );
      }
    }
    expect(loginRemedy("shell", "broker", "sandbox")).toBeUndefined();
  });

  it("names on the host what the CLI there looks at", () => {
    expect(loginRemedy("codex", "mount", "host")).toBe("run `codex login`, or set CODEX_API_KEY");
    expect(loginRemedy("claude", "broker", "host")).toContain("claude setup-token");
  });
});

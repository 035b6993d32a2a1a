import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loginStatus } from "@opentiger/schema";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runProgram } from "../program/main.ts";
import { opentigerProgram } from "../program/opentiger.ts";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-auth-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Somebody without an engine and without any CLI. */
async function auth(words: string[], env: NodeJS.ProcessEnv = {}) {
  const nothing = {
    HOME: home,
    OPENTIGER_HOME: home,
    PATH: home,
    DOCKER_HOST: `unix://${home}/none.sock`,
    ...env,
  };
  const recorded = recordedSurroundings({ env: nothing, invocation: "opentiger sandbox" });
  const { surroundings } = recorded;
  const root = await opentigerProgram(surroundings, ["auth", ...words]);
  await runProgram({ root, words: ["auth", ...words], surroundings, sandboxNames: () => [] });
  return recorded;
}

describe("opentiger auth", () => {
  test("A6 A8 shows each agent, what is wrong with it, and what mends that", async () => {
    const { stdout, status } = await auth([]);
    expect(stdout).toMatch(/^AGENT +WHERE +AVAILABLE +LOGGED IN +WITH +VERSION\n/);
    expect(stdout).toMatch(/^claude +sandbox +no +unknown +- +-$/m);
    expect(stdout).toMatch(
      /^codex: the Docker engine at .* does not answer.* \(docker_unavailable\)\n {2}→ start Docker/m,
    );
    expect(status).toBe(0);
  });

  test("ends with 1 for an agent that was asked for and is not known to be logged in", async () => {
    const { stdout, status } = await auth(["--environment", "host", "codex", "--json"]);
    const [only, ...others] = JSON.parse(stdout) as unknown[];
    expect(others).toEqual([]);
    expect(loginStatus.parse(only)).toMatchObject({
      agent: "codex",
      executionEnvironment: "host",
      problem: { code: "cli_missing", remedy: "npm install -g @openai/codex" },
    });
    expect(status).toBe(1);
  });

  test("A1 looks where EXECUTION_ENVIRONMENT says, and says what may stand there", async () => {
    expect((await auth(["claude"], { EXECUTION_ENVIRONMENT: "host" })).stdout).toMatch(/^claude +host /m);
    const { stderr, status } = await auth([], { EXECUTION_ENVIRONMENT: "docker" });
    expect(stderr).toContain("host or sandbox");
    expect(status).toBe(64);
  });
});

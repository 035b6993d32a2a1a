import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runProgram } from "../program/main.ts";
import { recordedSurroundings } from "../program/recorded-surroundings.ts";
import type { Surroundings } from "../program/surroundings.ts";
import type { HiddenAnswer, ValuePaths } from "./input-output.ts";
import { secretsCommand } from "./secrets-command.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-secrets-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Call {
  input?: string;
  /** What somebody at a terminal answers. */
  typed?: HiddenAnswer | "cancel";
  program?: Surroundings["program"];
  now?: Date;
  terminal?: "stdin" | "all";
}

/** One command line on the same vault as the others of the test. */
async function secrets(words: string[], call: Call = {}) {
  const { program = "secrets", terminal, now } = call;
  const recorded = recordedSurroundings({
    env: { HOME: home },
    ...(now ? { now } : {}),
    ...(terminal === "all" ? { tty: true } : {}),
  });
  const surroundings = { ...recorded.surroundings, program, stdin: { isTTY: terminal !== undefined } };
  const written: Buffer[] = [];
  const paths: ValuePaths = {
    readAll: async (limit) => {
      const bytes = Buffer.from(call.input ?? "", "latin1");
      return bytes.length > limit ? undefined : bytes;
    },
    askHidden: async () => (call.typed === "cancel" ? undefined : call.typed),
    writeRaw: async (bytes) => void written.push(bytes),
  };
  const root = secretsCommand(surroundings, paths);
  await runProgram({ root, words, surroundings, sandboxNames: () => [] });
  return { ...recorded, raw: Buffer.concat(written).toString("latin1") };
}

describe("the value", () => {
  test("comes from stdin, whole, where there is no terminal", async () => {
    expect(await secrets(["add", "one"], { input: "two\nlines\xff\n" })).toMatchObject({
      stdout: "one\n",
      status: 0,
    });
    expect(await secrets(["lease", "one", "--raw"])).toMatchObject({
      raw: "two\nlines\xff\n",
      stdout: "",
      stderr: "",
    });
  });

  test("is asked for at a terminal, and a pasted text that a prompt would cut is refused", async () => {
    expect(
      await secrets(["add", "one"], { terminal: "all", typed: { text: "typed", cut: false } }),
    ).toMatchObject({
      status: 0,
    });
    expect(await secrets(["lease", "one", "--raw"])).toMatchObject({ raw: "typed" });
    expect(
      await secrets(["update", "one"], { terminal: "all", typed: { text: "li", cut: true } }),
    ).toMatchObject({
      status: 82,
      stdout: "",
    });
    expect(await secrets(["update", "one"], { terminal: "all", typed: "cancel" })).toMatchObject({
      status: 130,
    });
    expect(await secrets(["lease", "one", "--raw"])).toMatchObject({ raw: "typed" });
  });

  test("is not asked for where the question could not be seen", async () => {
    const { status, stderr } = await secrets(["add", "one"], { terminal: "stdin" });
    expect(status).toBe(64);
    expect(stderr).toContain("secrets add NAME < FILE");
  });

  test("that is too large is refused before it is read to its end", async () => {
    expect(await secrets(["add", "one"], { input: "x".repeat(1024 ** 2 + 1) })).toMatchObject({ status: 82 });
  });

  test("in an argument works, with one warning on stderr", async () => {
    const { stdout, stderr, status } = await secrets(["add", "one", "--value", "v"]);
    expect({ stdout, status }).toEqual({ stdout: "one\n", status: 0 });
    expect(stderr.match(/warning:/g)).toHaveLength(1);
    const json = await secrets(["update", "one", "--value", "v", "--json"]);
    expect(JSON.parse(json.stderr).warning).toContain("arguments");
    expect(JSON.parse(json.stdout)).toMatchObject({ name: "one", size: 1 });
  });

  test.each([
    [["add", "one", "--vaule=CANARY"]],
    [["add", "one", "-vCANARY"]],
    [["add", "CANARY"]],
    [["add", "one", "CANARY"]],
    [["revoke", "CANARY", "--json"]],
    [["add", "codex_auth_json", "--value", "CANARY"]],
    [["add", "github_token", "--value", "CANARY CANARY"]],
  ])("is not repeated by the error of %j", async (words) => {
    const { stdout, stderr, status } = await secrets(words);
    expect(status).toBeGreaterThan(0);
    expect(stdout).toBe("");
    expect(stderr).not.toBe("");
    expect(stderr).not.toContain("CANARY");
  });
});

describe("B5 the command line", () => {
  const added = new Date("2026-01-01T00:00:00Z");
  const late = new Date("2026-12-20T00:00:00Z");

  test("warns before the end, with the commands that renew, in the words of whoever called", async () => {
    await secrets(["add", "claude_setup_token"], { input: "sk-ant-oat01-x", now: added });
    expect((await secrets(["status"], { now: added })).stdout).not.toContain("warning");
    const { stdout } = await secrets(["status"], { now: late });
    expect(stdout).toContain("warning: claude_setup_token expires on 2027-01-01, in 12 days");
    expect(stdout).toContain("→ claude setup-token\n  → secrets update claude_setup_token\n");
    const { stdout: told } = await secrets(["status"], { now: late, program: "opentiger" });
    expect(told).toContain("→ opentiger secrets update claude_setup_token\n");
    const lease = await secrets(["lease", "claude_setup_token", "--raw"], { now: late });
    expect(lease).toMatchObject({ raw: "sk-ant-oat01-x", stdout: "", status: 0 });
    expect(lease.stderr).toContain("in 12 days");
  });
});

describe("on a terminal", () => {
  test("the raw value gets a line end, a lease says more than its id, and an empty list helps", async () => {
    expect((await secrets(["list"], { terminal: "all" })).stdout).toContain("secrets add NAME");
    await secrets(["add", "one"], { input: "v" });
    expect((await secrets(["lease", "one", "--raw"], { terminal: "all" })).raw).toBe("v\n");
    expect((await secrets(["lease", "one"], { terminal: "all" })).stdout).toMatch(
      /^[0-9a-f]{20} {3}one until /,
    );
  });
});

describe("usage", () => {
  test.each([
    [[], /Usage/],
    [["nope"], /unknown command/],
    [["lease", "one", "--raw", "--json"], /--raw/],
    [["lease", "one", "--ttl", "soon"], /duration/],
    [["revoke"], /which leases/],
    [["revoke", "x", "--all"], /which leases/],
    [["audit", "--limit", "0"], /not a number/],
    [["add", "one", "--expires", "soon"], /not a date/],
  ])("%j ends with 64", async (words, message) => {
    const { stdout, stderr, status } = await secrets(words);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(status).toBe(64);
  });

  test("every verb has help with examples that can be pasted", async () => {
    const { surroundings } = recordedSurroundings();
    for (const { name } of secretsCommand(surroundings).commands.map((verb) => ({ name: verb.name() }))) {
      const { stdout, status } = await secrets([name, "--help"]);
      expect(status).toBe(0);
      expect(stdout).toContain(`Examples:\n  secrets ${name}`);
      expect((await secrets([name, "--help"], { program: "opentiger" })).stdout).toContain(
        `Examples:\n  opentiger secrets ${name}`,
      );
    }
  });
});

import { type Backend, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { SandboxSummary } from "@opentiger/schema";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { runProgram } from "../program/main.ts";
import { type Recorded, recordedSurroundings } from "../program/recorded-surroundings.ts";
import { withSandboxVerbs } from "../program/sandbox-verbs.ts";

describe("rm", () => {
  test("prints each name, goes on after one that fails, and ends with the worst status", async () => {
    const removed: string[] = [];
    const remove = async (name: string) => {
      if (name === "gone") throw new SandboxError("not_found", "there is no sandbox called gone");
      removed.push(name);
    };
    const { stdout, stderr, status } = await run({ remove }, ["rm", "a", "gone", "b", "a"]);
    expect(removed).toEqual(["a", "b"]);
    expect(stdout).toBe("a\nb\n");
    expect(stderr).toContain("there is no sandbox called gone");
    expect(status).toBe(66);
  });

  test("with --json, results are one document and each error is one line", async () => {
    const remove = async (name: string) => {
      if (name !== "a") throw new SandboxError("not_found", `no ${name}`);
    };
    const { stdout, stderr } = await run({ remove }, ["rm", "a", "b", "c", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ removed: ["a"] });
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["b", "c"]);
  });

  test("unfetched commits are an error where nobody can be asked, and --force removes them", async () => {
    const remove: Backend["remove"] = async (_name, options) => {
      if (!options?.force) throw new SandboxError("unfetched_commits", "abc123 was not fetched");
    };
    expect(await run({ remove }, ["rm", "a"])).toMatchObject({ status: 75, stdout: "" });
    expect(await run({ remove }, ["rm", "--force", "a"])).toMatchObject({ status: 0, stdout: "a\n" });
  });
});

describe("ls", () => {
  const list = async () => [
    summary("old", "2026-01-01"),
    summary("new", "2026-01-02"),
    summary("theirs", "2026-01-01", false),
  ];

  test("--json has the original's shape", async () => {
    const { stdout } = await run({ list }, ["ls", "--json"]);
    const { vms } = JSON.parse(stdout);
    expect(vms).toHaveLength(2);
    expect(vms[0]).toMatchObject({ name: "old", agent: "claude", status: "running", workspaces: ["/p"] });
  });

  test("-q is names, -a also those of others", async () => {
    expect((await run({ list }, ["ls", "-q"])).stdout).toBe("old\nnew\n");
    expect((await run({ list }, ["ls", "-aq"])).stdout).toBe("old\ntheirs\nnew\n");
  });
});

describe("reset", () => {
  test("without -f and without a terminal it removes nothing, and says how", async () => {
    const reset = async () => Promise.reject(new Error("must not be called"));
    const { status, stderr } = await run({ reset }, ["reset"]);
    expect(status).toBe(64);
    expect(stderr).toContain("reset -f");
  });
});

describe("run", () => {
  test("says what it does not do to a sandbox that is there already", async () => {
    const list = async () => [
      { ...summary("there", "2026-01-01"), workspaces: [{ path: "/work", readOnly: false }] },
    ];
    const open = async (name: string): Promise<Sandbox> =>
      // No more of one is needed: to read its agent fails, which ends the command.
      ({ name, workspaceKind: "direct", close: async () => {} }) as Sandbox;
    const given = ["--memory", "4g", "-t", "my/image", "--network", "deny", "--pids", "300"];
    for (const words of [["claude"], ["there"]]) {
      const { stderr } = await run({ list, open }, ["run", ...given, ...words]);
      expect(stderr).toContain("there was there already");
      expect(stderr).toContain("not applied: --template, --memory, --pids, --network");
      const json = await run({ list, open }, ["run", "--json", ...given, ...words]);
      expect(JSON.parse(json.stderr.split("\n")[0] ?? "").warning).toContain("not applied");
      expect((await run({ list, open }, ["run", ...words])).stderr).not.toContain("not applied");
    }
    for (const [words, unused] of [
      [["claude", "--name", "there", "--clone"], "not applied: --clone\n"],
      [["there", "--name", "other", "--clone"], "not applied: --name, --clone\n"],
    ] as const)
      expect((await run({ list, open }, ["run", ...words])).stderr).toContain(unused);
    const cloned = async (name: string) => ({ ...(await open(name)), workspaceKind: "clone" }) as Sandbox;
    const { stderr } = await run({ list, open: cloned }, ["run", "there", "--clone"]);
    expect(stderr).not.toContain("not applied");
  });
});

describe("the command line", () => {
  test.each([
    [[], 64, /Usage/],
    [["nope"], 64, /unknown command/],
    [["ls", "--nope"], 64, /--nope/],
    [["create", "claude"], 64, /workspace/],
    [["create", "clod", "."], 64, /not an agent/],
    [["create", "claude", ".", "--memory", "lots"], 64, /not a size/],
    [["create", "claude", ".", "--network", "maybe"], 64, /open, allow, balanced, deny/],
    [["create", "claude", ".", "--commit", "HEAD"], 64, /--clone/],
    [["exec"], 64, /sandbox/],
    [["exec", "box"], 64, /command/],
    [["exec", "--privileged", "box", "true"], 64, /no privileges/],
    [["exec", "-it", "box", "true"], 64, /terminal/],
    [["exec", "--timeout", "soon", "box", "true"], 64, /duration/],
    [["exec", "-t", "--timeout", "5s", "box", "true"], 64, /no --timeout/],
    [["exec", "-t", "--id", "my-own-id", "box", "true"], 64, /no --id/],
    [["exec", "-t", "--json", "box", "true"], 64, /not JSON/],
    [["exec", "-td", "box", "true"], 64, /no terminal/],
    [["cp", "a", "b"], 64, /SANDBOX:PATH/],
  ])("%j ends with %d", async (words, status, message) => {
    const recorded = await run({}, words);
    expect(recorded.stdout).toBe("");
    expect(recorded.stderr).toMatch(message);
    expect(recorded.status).toBe(status);
  });

  test.each([[["create", "--help"]], [["exec", "--help"]], [["rm", "-h"]], [["--help"]]])(
    "%j explains, with examples that can be pasted",
    async (words) => {
      const { stdout, status } = await run({}, words);
      expect(stdout).toContain("Examples:\n  docker sandbox ");
      expect(status).toBe(0);
    },
  );

  test("--json makes usage errors JSON too, but not when it belongs to the command of an exec", async () => {
    expect(JSON.parse((await run({}, ["create", "--json"])).stderr).error.code).toBe("usage");
    const open = () => Promise.reject(new SandboxError("not_found", "no box"));
    expect((await run({ open }, ["exec", "box", "x", "--json"])).stderr).toMatch(/^docker sandbox: no box/);
    expect(JSON.parse((await run({ open }, ["exec", "--json", "box", "x"])).stderr).error.code).toBe(
      "not_found",
    );
  });

  test("version needs no engine and is new enough for the documents", async () => {
    const [, major, minor] =
      /^docker-sandbox version (\d+)\.(\d+)\./.exec((await run({}, ["version"])).stdout) ?? [];
    expect(Number(major) * 100 + Number(minor)).toBeGreaterThanOrEqual(11);
  });
});

async function run(backend: Partial<Backend>, words: string[]): Promise<Recorded> {
  const recorded = recordedSurroundings({ backend });
  const root = await withSandboxVerbs(new Command("docker sandbox"), recorded.surroundings, words[0]);
  await runProgram({ root, words, surroundings: recorded.surroundings, sandboxNames: () => [] });
  return recorded;
}

function summary(name: string, createdAt: string, own = true): SandboxSummary {
  return {
    name,
    id: name,
    agent: "claude",
    backend: "docker",
    status: "running",
    workspaceKind: "direct",
    workspaces: [{ path: "/p", readOnly: false }],
    image: "opentiger/worker:latest",
    createdAt,
    network: "allow",
    own,
  };
}

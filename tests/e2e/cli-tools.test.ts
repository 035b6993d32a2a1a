import { spawn } from "node:child_process";
import { join } from "node:path";
import { finish, type Scenario, silence, startModelSim, writeFile } from "@opentiger/model-sim";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { agentWorld } from "../setup/agent-world.ts";
import { atEnd } from "../setup/at-end.ts";
import { ended, opentigerBundle } from "../setup/command-line.ts";
import { type CommandLine, commandLine } from "../setup/loop-command-line.ts";
import { userRepository } from "../setup/loop-world.ts";
import { until } from "../setup/until.ts";

/** An agent is started, and ended, in each kind of place. */
const timeoutMs = 240_000;

let env: NodeJS.ProcessEnv;
let opentiger: CommandLine;

beforeAll(async () => {
  const works: Scenario = { steps: [writeFile("begun.txt", "begun\n"), silence(), finish("done")] };
  const sim = await startModelSim({ scenarioFor: [() => works] });
  atEnd(() => sim.close());
  const world = await agentWorld(sim.url);
  env = { ...world.env, OPENTIGER_HOME: join(world.home, "state"), OPENTIGER_API_PORT: "0" };
  opentiger = commandLine(env);
  atEnd(async () => {
    await opentiger("down");
    for (const mode of ["0", "1"])
      await commandLine({ ...env, AGENT_LOOP_HOST: mode })("sandbox", "reset", "-f");
    await opentiger("sandboxd", "stop");
    await new EmbeddedPostgres(env).remove();
  });
}, timeoutMs);

/** At a terminal, typing these lines. */
function typed(words: readonly string[], lines: string) {
  const line = [process.execPath, opentigerBundle, ...words].join(" ");
  return ended(
    spawn("script", ["-qec", line, "/dev/null"], { env: { ...env, SHELL: "/bin/sh", TERM: "dumb" } }),
    lines,
  );
}

describe("opentiger task shell", () => {
  test.each(["--sandbox", "--host"])(
    "opens a terminal where the agent works (%s), and afterwards says that it has ended",
    async (where) => {
      const repository = userRepository({ "README.md": "mine\n", "opentiger.json": '{"verify":["true"]}\n' });
      const { loop } = await opentiger.json(
        "run",
        "-d",
        "--json",
        where,
        "--single",
        "Work",
        "--repo",
        repository,
      );
      const seen = await until(
        "the agent's file is there",
        async () => {
          const shell = await typed(["task", "shell", loop, "1"], "cat begun.txt; echo 4$((1+1)); exit 7\n");
          return shell.stdout.includes("begun\r\n") ? shell : undefined;
        },
        timeoutMs,
      );
      expect(seen.stdout).toMatch(/^42\r$/m);
      expect(seen.status).toBe(7);

      const piped = await opentiger("task", "shell", loop, "1");
      expect(piped).toMatchObject({ status: 64, stderr: expect.stringContaining("terminal") });
      await opentiger("loop", "cancel", loop);
      const gone = await until(
        "its sandbox is gone",
        async () => {
          const shell = await typed(["task", "shell", loop, "1"], "exit\n");
          return shell.status === 66 ? shell : undefined;
        },
        timeoutMs,
      );
      expect(gone.stdout).toMatch(/task 1 of loop \w+ is cancelled: it has ended, and its sandbox is gone/);
    },
    timeoutMs,
  );
});

describe("opentiger config", () => {
  test("shows where a value comes from, stores one, and takes it back", async () => {
    const key = "OPENTIGER_WORKER_AGENT";
    expect(await opentiger.json("config", "get", key, "--json")).toMatchObject({
      value: "claude_code",
      source: "default",
    });
    expect(await opentiger("config", "set", key, "codex")).toMatchObject({
      status: 0,
      stdout: `${key} is codex\n`,
    });
    expect((await opentiger("config", "ls", "--set")).stdout).toMatch(
      /^OPENTIGER_WORKER_AGENT +codex +stored$/m,
    );
    const { agents, roles } = await opentiger.json("agents", "--json", "--environment", "sandbox");
    expect(agents).toMatchObject([
      { agent: "claude", usedAt: expect.any(String) },
      { agent: "codex", roles: ["worker"] },
      { agent: "opencode", usedAt: null },
    ]);
    for (const { places } of agents)
      for (const { authenticated, checkedAt, lastKnown } of places)
        expect(lastKnown).toEqual(
          authenticated === null ? null : expect.objectContaining({ authenticated, checkedAt }),
        );
    expect(roles).toContainEqual({ role: "worker", agent: "codex", model: null });
    expect(await opentiger("config", "unset", key)).toMatchObject({
      status: 0,
      stdout: `${key} is claude_code\n`,
    });
  });

  test("A1 A6 auth looks where the stored setting says", async () => {
    await opentiger("config", "set", "EXECUTION_ENVIRONMENT", "host");
    const said = await opentiger("auth", "codex", "--json");
    await opentiger("config", "unset", "EXECUTION_ENVIRONMENT");
    expect(JSON.parse(said.stdout)).toMatchObject([{ agent: "codex", executionEnvironment: "host" }]);
  });

  test.each([
    ["a key that nobody knows", ["set", "OPENTIGER_MAX_WORKRS", "2"], 66],
    ["a value that cannot be one", ["set", "OPENTIGER_MAX_WORKERS", "many"], 78],
    ["a secret", ["set", "ANTHROPIC_API_KEY", "sk-ant-api03-canary"], 64],
    ["nothing", ["set", "OPENTIGER_MAX_WORKERS", " "], 64],
  ])("refuses %s", async (_what, words, status) => {
    const refused = await opentiger("config", ...words);
    expect(refused.status).toBe(status);
    expect(refused.stderr).toContain("→");
    expect(refused.stderr).not.toContain("canary");
  });

  test("refuses to change what the environment decides, and says which variable", async () => {
    const pinned = commandLine({ ...env, OPENTIGER_MAX_WORKERS: "3" });
    expect(await pinned.json("config", "get", "OPENTIGER_MAX_WORKERS", "--json")).toMatchObject({
      value: 3,
      source: "environment",
      pinned: true,
    });
    for (const words of [
      ["set", "OPENTIGER_MAX_WORKERS", "2"],
      ["unset", "OPENTIGER_MAX_WORKERS"],
    ])
      expect(await pinned("config", ...words)).toMatchObject({
        status: 77,
        stderr: expect.stringContaining("environment variable OPENTIGER_MAX_WORKERS"),
      });
  });
});

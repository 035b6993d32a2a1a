import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { answer, finish, startModelSim, whenPrompt, writeFile } from "@opentiger/model-sim";
import { DispatcherClient, EmbeddedPostgres, ensureDispatcher } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { agentWorld } from "../setup/agent-world.ts";
import { atEnd } from "../setup/at-end.ts";
import { type CommandLine, commandLine } from "../setup/loop-command-line.ts";
import { playedBy, userRepository } from "../setup/loop-world.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";

/** A whole loop, and databases that are made, stopped and started. */
const timeoutMs = 240_000;

let env: NodeJS.ProcessEnv;
let opentiger: CommandLine;
let loop: string;
const file = join(temporaryFolder(), "whole.backup");
/** Of the instance that gave way. */
let before: string;

/** What a user would miss. */
interface Kept {
  patch: string;
  task: { artifacts: { path: string; kind: string }[]; merged: string };
  setting: string;
  secret: string;
}

/** One instance with a loop that is done, a setting, and a secret; the same env is used for it throughout. */
beforeAll(async () => {
  const sim = await startModelSim({
    scenarioFor: [
      whenPrompt(/^You are the judge/m, {
        steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
      }),
      () => ({ steps: [writeFile("kept.txt", "kept\n"), finish("It is written.")] }),
    ],
  });
  atEnd(() => sim.close());
  const world = await agentWorld(sim.url);
  env = {
    ...world.env,
    ...playedBy("codex", "gpt-5.5"),
    OPENTIGER_HOME: join(world.home, "state"),
    OPENTIGER_API_PORT: "0",
  };
  opentiger = commandLine(env);
  atEnd(async () => {
    await opentiger("down");
    await opentiger("sandbox", "reset", "-f");
    await opentiger("sandboxd", "stop");
    await new EmbeddedPostgres(env).remove();
  });
  const repository = userRepository({ "README.md": "empty\n", "opentiger.json": '{"verify":["true"]}\n' });
  const ran = await opentiger("run", "Write kept.txt", "--single", "--json", "--repo", repository);
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  loop = JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "").loop.id;
  await opentiger("config", "set", "OPENTIGER_MAX_WORKERS", "3");
  await opentiger.withInput("sk-ant-api03-kept", "secrets", "add", "anthropic_api_key");
}, timeoutMs);

async function kept(): Promise<Kept> {
  const task = await opentiger.json("task", "show", loop, "1", "--json");
  const { secrets } = await opentiger.json("secrets", "list", "--json");
  return {
    patch: (await opentiger("loop", "patch", loop)).stdout,
    task: { artifacts: task.artifacts, merged: task.mergedOid },
    setting: await setting(),
    secret: secrets.map(({ name, createdAt }: Record<string, string>) => `${name} ${createdAt}`).join(),
  };
}

async function setting(): Promise<string> {
  return (await opentiger("config", "get", "OPENTIGER_MAX_WORKERS")).stdout;
}

function home(): string {
  return env["OPENTIGER_HOME"] ?? "";
}

/** Everything ends that would write. */
async function quiet(): Promise<void> {
  await opentiger("down");
  await opentiger("sandboxd", "stop");
}

describe("opentiger backup and restore", () => {
  test(
    "a backup is refused while something runs, and what mends that is said",
    async () => {
      await ensureDispatcher(env);
      const refused = await opentiger("backup", file, "--json");
      expect(refused.status).toBe(73);
      const { error } = JSON.parse(refused.stderr);
      expect(error).toMatchObject({
        code: "not_allowed_now",
        remedy: expect.stringContaining("opentiger down"),
      });
      expect(error.message).toMatch(/dispatcher \(process \d+\)/);
      expect(existsSync(file)).toBe(false);
    },
    timeoutMs,
  );

  test(
    "what was there is there again: the loop, its commits and artifacts, settings, secrets",
    async () => {
      const were = await kept();
      expect(were.patch).toContain("+kept");
      expect(were.task.artifacts.length).toBeGreaterThan(0);
      await quiet();
      const made = await opentiger.json("backup", file, "--json");
      expect(made).toMatchObject({ file, format: 1, database: { kind: "embedded" } });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      // Nothing of it is left beside the file, and no value of the vault is in it.
      expect(readdirSync(dirname(file))).toEqual(["whole.backup"]);
      const inside = execFileSync("sh", ["-c", `tar xzf ${file} -O state.tar`], { maxBuffer: 1e9 });
      expect(inside.includes("sk-ant-api03-kept")).toBe(false);
      expect(inside.includes("AGE-SECRET-KEY")).toBe(false);
      expect(await opentiger("backup", file)).toMatchObject({ status: 73 });

      expect(await opentiger("uninstall", "--yes")).toMatchObject({ status: 0 });
      expect(existsSync(home()) ? readdirSync(home(), { recursive: true }) : []).toEqual([]);
      expect(await opentiger("restore", file)).toMatchObject({ status: 0 });
      expect(await kept()).toEqual(were);
      for (const { path } of were.task.artifacts) expect(existsSync(path)).toBe(true);
    },
    timeoutMs,
  );

  test(
    "an instance that is there gives way only by force, and is kept",
    async () => {
      const untouched = await opentiger("restore", file);
      expect(untouched).toMatchObject({ status: 73, stderr: expect.stringContaining("--force") });
      await opentiger("config", "set", "OPENTIGER_MAX_WORKERS", "9");
      await quiet();
      const restored = await opentiger.json("restore", "--force", file, "--json");
      expect(await setting()).toBe("3\n");
      await quiet();
      expect(existsSync(restored.before)).toBe(true);
      before = restored.before;
    },
    timeoutMs,
  );

  test(
    "nothing is restored over an instance that runs, not even by force",
    async () => {
      const { pid } = await ensureDispatcher(env);
      const refused = await opentiger("restore", "--force", file);
      expect(refused).toMatchObject({ status: 73, stderr: expect.stringContaining("dispatcher") });
      expect((await new DispatcherClient(env).status())?.pid).toBe(pid);
      expect(await setting()).toBe("3\n");
      await quiet();
    },
    timeoutMs,
  );

  test(
    "a file that is no backup, or a damaged one, is refused, and nothing is changed",
    async () => {
      const whole = readFileSync(file);
      const damages: Record<string, Buffer> = {
        "a byte of it is another one": flipped(whole),
        "its end is missing": whole.subarray(0, whole.length - 20_000),
        "it is empty": Buffer.alloc(0),
        "it is something else": gzipSync(Buffer.from("hello")),
        "it is another archive": execFileSync("tar", [
          "czf",
          "-",
          "-C",
          import.meta.dirname,
          "doctor.test.ts",
        ]),
      };
      for (const [why, bytes] of Object.entries(damages)) {
        const damaged = join(temporaryFolder(), "damaged.backup");
        writeFileSync(damaged, bytes);
        const refused = await opentiger("restore", "--force", damaged, "--json");
        expect(refused, why).toMatchObject({ status: 65, stdout: "" });
        expect(JSON.parse(refused.stderr).error, why).toMatchObject({ code: "backup_invalid" });
      }
      const left = readdirSync(dirname(home())).filter((name) => name.startsWith(".ot-"));
      expect(left).toEqual([]);
      expect(await setting()).toBe("3\n");
    },
    timeoutMs,
  );

  test("a backup of a newer openTiger is refused", async () => {
    const folder = temporaryFolder();
    execFileSync("tar", ["xzf", file, "-C", folder]);
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, opentiger: "99.0.0" }));
    const newer = join(temporaryFolder(), "newer.backup");
    execFileSync("tar", ["czf", newer, "-C", folder, "."]);
    expect(await opentiger("restore", "--force", newer)).toMatchObject({
      status: 76,
      stderr: expect.stringContaining("99.0.0"),
    });
  });

  test(
    "in another folder what gave way finds its artifacts, but never beside the instance itself",
    async () => {
      const copy = join(temporaryFolder(), "copy.backup");
      copyFileSync(before, copy);
      const elsewhere: NodeJS.ProcessEnv = { ...env, OPENTIGER_HOME: join(temporaryFolder("ot-"), "moved") };
      const twin = await commandLine(elsewhere)("restore", copy);
      expect(twin).toMatchObject({
        status: 73,
        stderr: expect.stringContaining("this instance is still in"),
      });
      await quiet();
      expect(await opentiger("uninstall", "--yes")).toMatchObject({ status: 0 });
      atEnd(() => new EmbeddedPostgres(elsewhere).remove());
      expect(await commandLine(elsewhere)("restore", copy)).toMatchObject({ status: 0 });
      const task = await commandLine(elsewhere).json("task", "show", loop, "1", "--json");
      expect(task.artifacts.length).toBeGreaterThan(0);
      for (const { path } of task.artifacts) {
        expect(path.startsWith(elsewhere["OPENTIGER_HOME"] ?? "")).toBe(true);
        expect(existsSync(path)).toBe(true);
      }
      expect((await commandLine(elsewhere)("loop", "patch", loop)).stdout).toContain("+kept");
      const kept = await commandLine(elsewhere)("config", "get", "OPENTIGER_MAX_WORKERS");
      expect(kept.stdout, "as it was before it gave way").toBe("9\n");
    },
    timeoutMs,
  );
});

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const middle = Math.floor(changed.length / 2);
  changed[middle] = (changed[middle] ?? 0) ^ 0xff;
  return changed;
}

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collect, copyIn, copyOut, fetchCommits, type Sandbox } from "@opentiger/sandbox";
import Docker from "dockerode";
import { beforeAll, describe, expect, it } from "vitest";
import { fullSize, fullSizeTimeout, makeFile, makeFiles, makeNoise } from "../setup/full-size.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import {
  agentUid,
  rootWorkspace,
  temporaryFolder,
  temporaryWorkspace,
} from "../setup/temporary-workspace.ts";
import { commitFile, makeRepository } from "../setup/user-git.ts";

/**
 * A smoke suite on gVisor. Debian's build of it is rough, so some things are left out that hold elsewhere: limits of
 * memory and processes (it runs with --ignore-cgroups), `ls` and `stat` (EINVAL), another process's environment
 * (readable; the supervisor's holds no secret), and a root-owned direct workspace (no ambient capabilities: refused).
 */
const runtimes = (await new Docker().info()) as { Runtimes?: Record<string, unknown> };
const hasGvisor = runtimes.Runtimes?.["runsc"] !== undefined;

describe.skipIf(!hasGvisor)("SANDBOX_DOCKER_RUNTIME=runsc", () => {
  let workspace: string;
  let instance: Instance;
  let sandbox: Sandbox;

  beforeAll(async () => {
    workspace = temporaryWorkspace();
    instance = await newInstance({ ...process.env, SANDBOX_DOCKER_RUNTIME: "runsc" });
    sandbox = await newSandbox(instance, workspace, { agent: "claude" });
  });

  it("really is gVisor's kernel", async () => {
    expect((await run("dmesg")).output).toContain("gVisor");
  });

  it("runs commands as the agent, with their own exit code and output kept apart", async () => {
    const { stdout, stderr, code } = await run("id -u; echo oops >&2; exit 7");
    expect({ stdout, stderr, code }).toEqual({ stdout: `${agentUid}\n`, stderr: "oops\n", code: 7 });
  });

  it("shares the workspace both ways, and git and the real claude work in it", async () => {
    const { code, output } = await run(
      "echo inside > made && git init -q . && git add made && git commit -qm one && claude --version",
    );
    expect(output).toMatch(/\(Claude Code\)/);
    expect(code).toBe(0);
    expect(readFileSync(join(workspace, "made"), "utf8")).toBe("inside\n");
    expect(existsSync(join(workspace, ".git", "HEAD"))).toBe(true);
  });

  it("keeps the agent from the supervisor: no signal, no socket", async () => {
    const { output } = await run(
      "kill -9 1; for pid in $(ls /proc); do kill -USR1 $pid; done; cat /run/opentiger/*",
    );
    expect(output).toContain("Operation not permitted");
    expect(output).not.toContain("Debugger listening");
    expect((await run("exit 7")).code).toBe(7);
  });

  it("kills all that an exec started, although it left its session", async () => {
    const execution = await sandbox.exec(["sh", "-c", "(setsid setsid sleep 1234 &); echo up; sleep 1234"]);
    for await (const chunk of execution.output()) if (chunk.data.toString().includes("up")) break;
    await execution.kill("SIGKILL");
    expect(await execution.exit).toMatchObject({ signal: "SIGKILL" });
    const { processes } = await sandbox.stats();
    expect(processes.filter(({ command }) => command.includes("1234"))).toEqual([]);
  });

  it("passes a megabyte each way, byte for byte", async () => {
    const execution = await sandbox.exec(["cat"], { stdin: true });
    const sent = Buffer.alloc(1_000_000, "0123456789abcdef");
    execution.stdin.end(sent);
    expect((await collect(execution)).stdout.equals(sent)).toBe(true);
  });

  // A tenth of what an ordinary container is tried with: each call into its kernel costs several times as much.
  const outputBytes = fullSize.outputMegabytes * 100_000;
  const fileMegabytes = fullSize.fileMegabytes / 10;
  const files = fullSize.files / 10;
  const repositoryMegabytes = fullSize.repositoryMegabytes / 10;

  it(`gives ${outputBytes / 1e6} MB of output whole and in order`, { timeout: fullSizeTimeout }, async () => {
    const execution = await sandbox.exec(["sh", "-c", `yes 0123456789abcde | head -c ${outputBytes}`]);
    let received = 0;
    for await (const { offset, data } of execution.output()) {
      expect(offset).toBe(received);
      received += data.length;
    }
    expect(received).toBe(outputBytes);
    expect(await execution.exit).toMatchObject({ code: 0 });
  });

  it(`takes ${fileMegabytes} MB and ${files} files, and gives them back`, {
    timeout: fullSizeTimeout,
  }, async () => {
    const at = temporaryFolder();
    makeFile(join(at, "sent", "big"), fileMegabytes);
    makeFiles(join(at, "sent", "many"), files);
    await copyIn(sandbox, { from: join(at, "sent"), to: "/tmp/sent" });
    await copyOut(sandbox, { from: "/tmp/sent", to: join(at, "back") });
    execFileSync("diff", ["-r", join(at, "sent"), join(at, "back")]);
  });

  it(`clones ${repositoryMegabytes} MB, and its commits come out`, { timeout: fullSizeTimeout }, async () => {
    const repository = makeRepository(join(temporaryFolder(), "project"));
    makeNoise(repository, repositoryMegabytes);
    const base = commitFile(repository, "last", "last\n");
    const clone = await newSandbox(instance, repository, { workspaceKind: "clone" });
    const commit = await clone.exec(["sh", "-c", "echo more > more && git add -A && git commit -qm more"]);
    expect((await collect(commit)).exit).toMatchObject({ code: 0 });
    const fetched = await fetchCommits(clone, { repository, name: clone.name, path: repository, base });
    expect(fetched.commits).toBe(1);
  });

  it.runIf(process.getuid?.() === 0)("refuses a root-owned direct workspace", async () => {
    await expect(newSandbox(instance, rootWorkspace())).rejects.toMatchObject({ code: "unsupported" });
  });

  async function run(
    script: string,
  ): Promise<{ stdout: string; stderr: string; output: string; code: number | null }> {
    const { exit, stdout, stderr, output } = await collect(await sandbox.exec(["sh", "-c", script]));
    return {
      stdout: stdout.toString(),
      stderr: stderr.toString(),
      output: output.toString(),
      code: exit.code,
    };
  }
});

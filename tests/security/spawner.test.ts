import { beforeAll, describe, expect, test } from "vitest";
import { insidePaths } from "../../packages/sandbox/src/protocol/paths.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { atEnd } from "../setup/at-end.ts";
import { attack } from "../setup/attack.ts";
import { docker, workerImage } from "../setup/docker.ts";
import { placeOf, runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, isRoot, rootWorkspace, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const workspace = temporaryWorkspace();
let instance: Instance;
let ours: Sandbox;

beforeAll(async () => {
  instance = await newInstance();
  ours = await newSandbox(instance, workspace);
});

describe("a command that the spawner starts", () => {
  const cases = [
    { who: "the agent", uid: agentUid, options: {} },
    { who: "root", uid: 0, options: { user: "0:0" } },
    { who: "a user without an entry", uid: 54_321, options: { user: "54321:54321" } },
  ];
  test.each(cases)("has what setpriv would leave it, and no more: $who", async ({ uid, options }) => {
    expect(await starterOf(ours)).toBe("spawner");
    const { stdout } = await runIn(ours, ["cat", "/proc/self/status"], options);
    expect(rights(stdout)).toEqual(rights(await underSetpriv(ours, uid)));
  });

  test.skipIf(!isRoot)("has what setpriv would leave it, and no more: an agent that is root", async () => {
    const sandbox = await newSandbox(instance, rootWorkspace());
    expect(await starterOf(sandbox)).toBe("spawner");
    const { stdout } = await runIn(sandbox, ["cat", "/proc/self/status"]);
    expect(rights(stdout)).toEqual(rights(await underSetpriv(sandbox, 0, ["--bounding-set=-all"])));
  });

  test("has three open files and no other, also when many are started at once", async () => {
    // The fourth is the listing itself: there is no shell, whose own pipes would be seen.
    const listings = await Promise.all(
      Array.from({ length: 40 }, () => runIn(ours, ["ls", "-l", "/proc/self/fd"])),
    );
    for (const { stdout } of listings) {
      const files = [...stdout.matchAll(/ (\d+) -> (.*)$/gm)].map(([, number, file]) => [number, file]);
      expect(files).toEqual([
        ["0", "/dev/null"],
        ["1", expect.stringMatching(/^pipe:/)],
        ["2", expect.stringMatching(/^pipe:/)],
        ["3", expect.stringMatching(/^\/proc\/\d+\/fd$/)],
      ]);
      expect(files[1]?.[1]).not.toBe(files[2]?.[1]);
    }
    const pipes = listings.flatMap(({ stdout }) => [...new Set(stdout.match(/pipe:\[\d+\]/g))]);
    expect(new Set(pipes).size).toBe(pipes.length);
  });

  test("has a session of its own, stands behind the supervisor for the processor, and is the kernel's first choice for memory", async () => {
    const look = "echo $$; ps -o sid=,ni= -p $$; cat /proc/$$/oom_score_adj";
    const [pid, session, niceness, score] = (await runIn(ours, ["sh", "-c", look])).stdout
      .trim()
      .split(/\s+/);
    expect(session).toBe(pid);
    expect(niceness).toBe("10");
    expect(score).toBe("1000");
  });

  test("can open stdin, stdout and stderr by name, with more in them than a pipe holds", async () => {
    const sent = "0123456789abcdef".repeat(32 * 1024);
    const command = ["sh", "-c", "cat /dev/stdin > /dev/stdout; echo done > /dev/stderr; cat /dev/stdin"];
    const execution = await ours.exec(command, { stdin: true });
    execution.stdin.end(sent);
    let [stdout, stderr] = ["", ""];
    for await (const { stream, data } of execution.output()) {
      if (stream === "stdout") stdout += data.toString();
      else stderr += data.toString();
    }
    expect(stdout).toBe(sent);
    expect(stderr).toBe("done\n");
    expect(await execution.exit).toMatchObject({ code: 0 });
  });

  test("starts in a folder that only it may enter, and says so where it may not", async () => {
    const make = "mkdir -p private && chmod 0700 private && cd private && pwd";
    const folder = (await runIn(ours, ["sh", "-c", make])).stdout.trim();
    expect((await runIn(ours, ["pwd"], { cwd: folder })).stdout).toBe(`${folder}\n`);
    const refused = await runIn(ours, ["pwd"], { cwd: folder, user: "54321:54321" });
    expect(refused).toMatchObject({ code: 125, stderr: expect.stringContaining("Permission denied") });
  });

  test("runs a script without a first line, and tells what is no program", async () => {
    await runIn(ours, ["sh", "-c", "echo 'echo from $0' > script && chmod +x script && echo x > no-program"]);
    expect((await runIn(ours, ["./script"])).stdout).toContain("from");
    expect(await runIn(ours, ["./no-program"])).toMatchObject({ code: 126 });
  });
});

describe("attack 39 the spawner, which has the supervisor's rights", () => {
  test("hears nobody but the supervisor: not a signal, not a debugger, not through its files", async () => {
    const pid = await spawnerOf(ours);
    const tries = [
      `kill -9 ${pid}`,
      `ls /proc/${pid}/fd/`,
      `cat /proc/${pid}/environ`,
      `: > /proc/${pid}/mem`,
    ];
    for (const attempt of tries) {
      expect((await runIn(ours, ["bash", "-c", attempt])).code, attempt).not.toBe(0);
    }
    const trace = `import ctypes; print(ctypes.CDLL(None).ptrace(16, ${pid}, 0, 0))`;
    expect((await runIn(ours, ["python3", "-c", trace])).stdout).toBe("-1\n");
    expect(await spawnerOf(ours)).toBe(pid);
  });

  test("is ended by whatever it does not understand, and starts nothing then", async () => {
    interface Report {
      wrong: Record<string, string>;
      right: Record<string, string>;
      noise: string[];
    }
    const report = await attack<Report>(placeOf(ours), "spawner-abuse.py", insidePaths.spawner);
    expect(Object.entries(report.wrong).filter(([, end]) => end !== "exit 125")).toEqual([]);
    expect(report.noise.filter((end) => end !== "exit 125" && end !== "exit 0")).toEqual([]);
    // Started by the agent it is the agent: nobody else's process hears it, and what it starts ends unmarked.
    expect(report.right).toEqual({
      "a signal to another's process": "exit 0",
      "a start": "exit 0 after a start",
    });
  });

  test("takes its commands with it when it is killed, none of them as a success, and is not needed after", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const container = containerOf(instance, sandbox);
    const running = await sandbox.exec(["sh", "-c", "trap '' TERM; sleep 4711; exit 0"]);
    await docker("exec", "--user", "0:0", container, "kill", "-9", String(await spawnerOf(sandbox)));
    expect(await running.exit).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(await starterOf(sandbox)).toMatch(/^(node|MainThread)$/);
    expect((await runIn(sandbox, ["pgrep", "-f", "sleep 4711"])).stdout).toBe("");
    const { stdout } = await runIn(sandbox, ["cat", "/proc/self/status"]);
    expect(rights(stdout)).toEqual(rights(await underSetpriv(sandbox, agentUid)));
  });

  test("is not started from a file that somebody else than root can write", async () => {
    const image = "opentiger-test/spawner-open:latest";
    const name = `opentiger-test-${process.pid}`;
    atEnd(async () => void (await docker("rmi", "--force", image)));
    await docker("run", "--name", name, "--user", "0:0", workerImage, "chmod", "0777", insidePaths.spawner);
    await docker("commit", "--change", "USER worker", name, image);
    await docker("rm", name);
    const sandbox = await newSandbox(instance, temporaryWorkspace(), { image });
    expect(await starterOf(sandbox)).not.toBe("spawner");
    expect((await runIn(sandbox, ["sh", "-c", "exit 7"])).code).toBe(7);
  });
});

/** The name of the process that starts this sandbox's commands. */
async function starterOf(sandbox: Sandbox): Promise<string> {
  return (await runIn(sandbox, ["sh", "-c", "cat /proc/$PPID/comm"])).stdout.trim();
}

async function spawnerOf(sandbox: Sandbox): Promise<number> {
  return until("the spawner runs", async () => {
    const { processes } = await sandbox.stats();
    return processes.find(({ command }) => command.startsWith(insidePaths.spawner))?.pid;
  });
}

/** The status of a process that setpriv started as the supervisor does, with the rights of the same container. */
function underSetpriv(sandbox: Sandbox, uid: number, more: readonly string[] = []): Promise<string> {
  const identity = [`--reuid=${uid}`, `--regid=${uid}`, `--groups=${uid},61000`];
  const nothing = ["--inh-caps=-all", "--ambient-caps=-all", ...more, "--no-new-privs", "--"];
  const command = ["setpriv", ...identity, ...nothing, "cat", "/proc/self/status"];
  return docker("exec", "--user", "0:0", containerOf(instance, sandbox), ...command);
}

/** Who the process is and what it may do; the marker differs from command to command. */
function rights(status: string): Record<string, string> {
  const told =
    /^(Umask|Uid|Gid|Groups|SigBlk|SigIgn|SigCgt|Cap\w+|NoNewPrivs|Seccomp\w*|Speculation\w+):\s*(.*?)\s*$/;
  const lines = status.split("\n").flatMap((line) => {
    const [, name = "", value = ""] = told.exec(line) ?? [];
    return name
      ? [[name, name === "Groups" ? value.replace(/\b6[1-4]\d{3}\b/, "marker") : value] as const]
      : [];
  });
  expect(lines.length).toBeGreaterThan(12);
  return Object.fromEntries(lines);
}

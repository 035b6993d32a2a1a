import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import type { CheckResult, VerifyCommand } from "@opentiger/schema";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChecksRequest, runChecks } from "./run-checks.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-checks-")));
const backend = new HostBackend(openState(join(folder, "state")));
const name = "checks";
let sandbox: Sandbox;
/** Of each test its own. */
let workspace: string;

beforeAll(async () => {
  const projects = join(folder, "projects");
  mkdirSync(projects);
  mkdirSync(join(folder, "outside"));
  sandbox = await backend.create({ name, agent: "shell", workspaces: [{ path: projects, readOnly: false }] });
});

beforeEach(() => {
  workspace = join(folder, "projects", crypto.randomUUID());
  execFileSync("git", ["init", "--quiet", workspace]);
});

afterAll(async () => {
  await sandbox.close();
  await backend.reset();
  rmSync(folder, { recursive: true, force: true });
});

const report = { format: "tap", path: "out/report.tap" } as const;

describe("commands", () => {
  it("are all run, each in the repository with its variables, whatever came of those before", async () => {
    const results = await check({ commands: [{ command: "exit 3" }, { command: 'pwd; echo "$WORD $CI"' }] });
    expect(results).toMatchObject([
      { command: "exit 3", test: null, result: "failed", exitCode: 3 },
      { result: "passed", exitCode: 0, output: `${workspace}\nhere true\n` },
    ]);
  });

  it("that take too long fail, and say so", async () => {
    const [result] = await check({ commands: [{ command: "echo begun; sleep 1000" }], timeoutMs: 500 });
    expect(result).toMatchObject({ result: "failed", exitCode: 124 });
    expect(result?.output).toMatch(/begun\nIt was ended because its time was up/);
  });

  it("leave of their output the end, redacted, as a table takes it", async () => {
    const command = "head -c 300000 /dev/zero | tr '\\\\0' x; printf '\\\\0 top-secret 🐯'";
    const [result] = await check({ commands: [{ command: command.replaceAll("\\\\", "\\") }] });
    expect(result?.output.endsWith("x [redacted] 🐯")).toBe(true);
    expect(result?.output.length).toBe(7_999);
  });

  it("say without secrets why their report cannot be read, also where that is cut", async () => {
    const secret = "top-secret";
    for (const before of [0, 262, 268, 275]) {
      const command = `printf 'Bail out! ${"x".repeat(before)}${secret}\\n1..1\\n' > out/report.tap`;
      const [result] = await check(reporting(`mkdir -p out; ${command}`));
      expect(result?.output).toContain("was given up");
      expect(result?.output).not.toContain("top-");
    }
  });

  it("leave nothing running", async () => {
    await check({ commands: [{ command: "sleep 4711 > /dev/null 2>&1 & echo $! > pid" }] });
    const [alive] = await check({ commands: [{ command: 'grep -q 4711 "/proc/$(cat pid)/cmdline"' }] });
    expect(alive?.result).toBe("failed");
  });
});

describe("a report", () => {
  it("is read from the file that the run wrote", async () => {
    const results = await check(
      reporting("mkdir -p out; printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n' > out/report.tap; exit 1"),
    );
    expect(results.map(({ test, result }) => [test, result])).toEqual([
      [null, "failed"],
      ["a", "passed"],
      ["b", "failed"],
    ]);
  });

  it("is read from stdout where no file is named", async () => {
    const command = `echo before; printf '1..1\\nok 1 - a\\n'; echo "not ok 1 - on stderr" >&2`;
    const results = await check({ commands: [{ command, reporter: { format: "tap" } }] });
    expect(results.map(({ test, result }) => [test, result])).toEqual([
      [null, "passed"],
      ["a", "passed"],
    ]);
  });

  it("that lay there before does not count", async () => {
    put("out/report.tap", "1..1\nok 1 - a\n");
    const [result] = await check(reporting("true"));
    expect(result).toMatchObject({ result: "failed", exitCode: 0 });
    expect(result?.output).toMatch(/out\/report.tap was not written/);
  });

  it.each([
    ["a folder", "mkdir -p out/report.tap"],
    ["a link", "mkdir -p out; printf '1..1\\nok 1 - a\\n' > x; ln -s ../x out/report.tap"],
    ["a pipe", "mkdir -p out; mkfifo out/report.tap"],
  ])("that is %s does not count", async (_what, command) => {
    const [result] = await check(reporting(command));
    expect(result?.output).toMatch(/was not written/);
  });

  it("whose path leads out of the repository is neither removed nor read", async () => {
    const victim = join(folder, "outside", "report.tap");
    writeFileSync(victim, "1..1\nok 1 - a\n");
    symlinkSync(join(folder, "outside"), join(workspace, "out"));
    const [result] = await check(reporting("true"));
    expect(result?.output).toMatch(/was not written/);
    expect(existsSync(victim)).toBe(true);
  });

  it("is of the command that wrote it, where two write to the same path", async () => {
    const write = (name: string) => `mkdir -p out; printf '1..1\\nok 1 - ${name}\\n' > out/report.tap`;
    const commands = [write("first"), write("second")].map((command) => ({ command, reporter: report }));
    const again = { commands, id: "two-reports" };
    await check(again);
    // As a process that takes over finds them: both have been run.
    const results = await check(again);
    expect(results.flatMap(({ test }) => test ?? [])).toEqual(["first", "second"]);
  });

  it("has its secrets taken out, in names too", async () => {
    const results = await check(
      reporting("mkdir -p out; printf '1..1\\nok 1 - is top-secret\\n' > out/report.tap"),
    );
    expect(results[1]?.test).toBe("is [redacted]");
  });

  it("is not read beyond a bound", async () => {
    const command = "mkdir -p out; echo 1..1 > out/report.tap; head -c 17000000 /dev/zero >> out/report.tap";
    const [result] = await check(reporting(command));
    expect(result?.output).toMatch(/larger than/);
  });
});

describe("a check that another process began", () => {
  it("is run once: who comes next has its result", async () => {
    const commands = [
      { command: "echo run | tee -a runs; while [ ! -e go ]; do sleep 0.02; done; echo done" },
    ];
    const stop = new AbortController();
    const first = check({ commands, id: "taken-over", signal: stop.signal }, stop);
    await expect(first).rejects.toThrow("the lease is over");
    await sandbox.close();
    sandbox = await backend.open(name);
    put("go", "");
    const [result] = await check({ commands, id: "taken-over" });
    expect(result).toMatchObject({ result: "passed" });
    expect(result?.output).toMatch(/done\n$/);
    const [count] = await check({ commands: [{ command: "wc -l < runs" }] });
    expect(count?.output.trim()).toBe("1");
  });

  it("is run again where its report is its output, and a part of that is gone", async () => {
    const command = `echo run >> runs; echo 1..1; ${waitFor("more")}; echo "# more"; ${waitFor("go")}; echo ok 1 - a`;
    const commands: VerifyCommand[] = [{ command, reporter: { format: "tap" } }];
    const stop = new AbortController();
    // By the time that it reads more, its reader has said that it has the first line.
    const onOutput: ChecksRequest["onOutput"] = (_, data) => {
      if (data.includes("more")) setImmediate(() => stop.abort(new Error("the lease is over")));
      else put("more", "");
    };
    const reading = check({ commands, id: "half-read", signal: stop.signal, onOutput });
    await expect(reading).rejects.toThrow("the lease is over");
    put("go", "");
    const results = await check({ commands, id: "half-read" });
    expect(results.map(({ test, result }) => [test, result])).toEqual([
      [null, "passed"],
      ["a", "passed"],
    ]);
    const [count] = await check({ commands: [{ command: "wc -l < runs" }] });
    expect(count?.output.trim()).toBe("2");
  });
});

function reporting(command: string): { commands: VerifyCommand[] } {
  return { commands: [{ command, reporter: report }] };
}

function waitFor(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.02; done`;
}

function put(path: string, content: string): void {
  mkdirSync(join(workspace, path, ".."), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

/** With `stop`, as soon as the command has written something, its reader is told to let go. */
function check(request: Partial<ChecksRequest>, stop?: AbortController): Promise<CheckResult[]> {
  return runChecks(sandbox, {
    commands: [],
    cwd: workspace,
    env: { WORD: "here" },
    timeoutMs: 30_000,
    id: `checks-${crypto.randomUUID()}`,
    redact: (text) => text.replaceAll("top-secret", "[redacted]"),
    signal: new AbortController().signal,
    ...(stop ? { onOutput: () => setImmediate(() => stop.abort(new Error("the lease is over"))) } : {}),
    ...request,
  });
}

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  connectDocker,
  createLoopSandbox,
  destroyLoopSandbox,
  execInSandbox,
  isDockerAvailable,
  type Sandbox,
  spawnTool,
  spawnToolHost,
  useLoopSurroundings,
} from "@opentiger/sandbox";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

let folder: string;
let workDir: string;

beforeAll(() => {
  folder = temporaryFolder("ot-");
  workDir = temporaryWorkspace();
  vi.stubEnv("OPENTIGER_HOME", folder);
});

afterEach(() => {
  useLoopSurroundings(undefined);
});

afterAll(async () => {
  await (await connectDocker()).reset();
  vi.unstubAllEnvs();
});

describe("B13 the loop helpers", () => {
  it("B13 createLoopSandbox gives loop-{loopId}-{tool}, twice the same, and destroyLoopSandbox removes it", async () => {
    expect(await createLoopSandbox("l1", "claude", workDir)).toBe("loop-l1-claude");
    expect(await createLoopSandbox("l1", "claude", workDir)).toBe("loop-l1-claude");
    expect(await createLoopSandbox("l1", "codex", workDir)).toBe("loop-l1-codex");
    expect(await names()).toEqual(["loop-l1-claude", "loop-l1-codex"]);
    await destroyLoopSandbox("l1");
    await destroyLoopSandbox("l1");
    expect(await names()).toEqual([]);
  });

  it("B13 execInSandbox gives exit code and output, with env, working directory and timeout", async () => {
    const name = await createLoopSandbox("l2", "claude", workDir);
    const command = ["sh", "-c", 'echo "$GREETING from $PWD"; echo oops >&2; exit 3'];
    expect(await execInSandbox(name, command, { env: { GREETING: "hello" }, workDir: "/tmp" })).toEqual({
      exitCode: 3,
      output: "hello from /tmp\noops\n",
    });
    expect((await execInSandbox(name, ["sleep", "60"], { timeout: 100 })).exitCode).toBe(124);
    await destroyLoopSandbox("l2");
  });

  it("B13 two roles that ask for the sandbox at once get one", async () => {
    const made = await Promise.all([
      createLoopSandbox("l3", "claude", workDir),
      createLoopSandbox("l3", "claude", workDir),
    ]);
    expect(made).toEqual(["loop-l3-claude", "loop-l3-claude"]);
    expect(await names()).toEqual(["loop-l3-claude"]);
    await destroyLoopSandbox("l3");
  });

  it("B13 credentials come through the port: prepared once, in the environment of every command", async () => {
    const prepared: string[] = [];
    useLoopSurroundings({
      credentials: {
        prepare: async (sandbox: Sandbox, tool) => void prepared.push(`${sandbox.name} ${tool}`),
        environment: async (_, given) => ({ PLACEHOLDER: "not-a-secret", ...given }),
      },
    });
    const name = await createLoopSandbox("l4", "codex", workDir);
    expect(prepared).toEqual(["loop-l4-codex codex"]);
    expect((await execInSandbox(name, ["sh", "-c", "echo $PLACEHOLDER"])).output).toBe("not-a-secret\n");
    await destroyLoopSandbox("l4");
  });

  it("B13 spawnTool uses the loop's sandbox where there is one, else the host with a warning, or refuses", async () => {
    const warnings: string[] = [];
    const options = {
      loopId: "l5",
      tool: "claude",
      command: ["sh", "-c", "echo made > here.txt; ls -d /run/opentiger 2>&1"],
      workDir,
      warn: (message: string) => void warnings.push(message),
    } as const;
    const spec = { ...options, command: [...options.command] };
    await expect(spawnTool({ ...spec, allowHost: false })).rejects.toMatchObject({ code: "unsupported" });
    expect(await spawnTool(spec)).toMatchObject({ where: "host" });
    expect(warnings).toEqual([
      expect.stringContaining("without isolation: there is no sandbox called loop-l5-claude"),
    ]);
    rmSync(join(workDir, "here.txt"));
    await createLoopSandbox("l5", "claude", workDir);
    expect(await spawnTool(spec)).toMatchObject({
      where: "sandbox",
      exitCode: 0,
      output: "/run/opentiger\n",
    });
    expect(readFileSync(join(workDir, "here.txt"), "utf8")).toBe("made\n");
    await destroyLoopSandbox("l5");
  });
});

describe("B12 without Docker", () => {
  it("B12 isDockerAvailable says whether an engine answers", async () => {
    expect(await isDockerAvailable()).toBe(true);
    expect(
      await isDockerAvailable({ ...process.env, DOCKER_HOST: `unix://${join(folder, "nowhere.sock")}` }),
    ).toBe(false);
  });

  it("B12 AGENT_LOOP_HOST=1 forces host mode, never silently", async () => {
    vi.stubEnv("AGENT_LOOP_HOST", "1");
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    writeFileSync(join(workDir, "marker.txt"), "x");
    const spawned = await spawnTool({
      loopId: "l6",
      tool: "claude",
      command: ["ls", "marker.txt"],
      workDir,
      warn,
    });
    expect(spawned).toEqual({ where: "host", exitCode: 0, output: "marker.txt\n" });
    expect(warnings[0]).toContain("AGENT_LOOP_HOST=1");
    const name = await createLoopSandbox("l6", "claude", workDir);
    expect((await execInSandbox(name, ["pwd"])).output).toBe(`${workDir}\n`);
    await destroyLoopSandbox("l6");
    vi.stubEnv("AGENT_LOOP_HOST", "");
  });

  it("B12 no engine and no word of the user: the helpers fail with a remedy, they do not run on the host", async () => {
    vi.stubEnv("DOCKER_HOST", `unix://${join(folder, "nowhere.sock")}`);
    await expect(createLoopSandbox("l7", "claude", workDir)).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    vi.unstubAllEnvs();
    vi.stubEnv("OPENTIGER_HOME", folder);
  });

  it("B12 spawnToolHost passes stdout, stderr and the exit code on", async () => {
    const command = ["sh", "-c", "echo out; echo err >&2; exit 9"];
    const spawned = await spawnToolHost({ loopId: "l8", tool: "codex", command, workDir, warn: () => {} });
    expect(spawned).toEqual({ where: "host", exitCode: 9, output: "out\nerr\n" });
  });
});

async function names(): Promise<string[]> {
  return (await (await connectDocker()).list())
    .filter(({ own }) => own)
    .map(({ name }) => name)
    .sort();
}

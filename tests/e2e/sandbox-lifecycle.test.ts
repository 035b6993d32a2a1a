import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { docker } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

describe("B8 a direct workspace", () => {
  let workspace: string;
  let sandbox: Sandbox;

  beforeAll(async () => {
    workspace = temporaryWorkspace();
    sandbox = await newSandbox(instance, workspace);
  });

  test("is seen from both sides at the same path, and belongs to the same user", async () => {
    writeFileSync(join(workspace, "from-outside"), "out");
    expect((await runIn(sandbox, ["cat", join(workspace, "from-outside")])).stdout).toBe("out");
    await runIn(sandbox, ["sh", "-c", "pwd > from-inside"]);
    expect(readFileSync(join(workspace, "from-inside"), "utf8")).toBe(`${workspace}\n`);
    expect(statSync(join(workspace, "from-inside")).uid).toBe(agentUid);
  });

  test("takes commits that are good outside", async () => {
    const script = "git init -q -b main && git add . && git commit -q -m inside && git log --format=%s";
    expect((await runIn(sandbox, ["sh", "-ec", script])).stdout).toBe("inside\n");
    expect(hostGit(workspace, "log", "--format=%s")).toBe("inside");
    expect(hostGit(workspace, "fsck", "--strict")).toBe("");
  });

  test("is all of the host that is there", async () => {
    const canary = temporaryFolder();
    writeFileSync(join(canary, "secret"), "host");
    expect((await runIn(sandbox, ["cat", join(canary, "secret")])).code).toBe(1);
    const mounts = (await runIn(sandbox, ["cat", "/proc/self/mountinfo"])).stdout;
    const shared = mounts.split("\n").filter((line) => line.includes(` ${workspace} `));
    expect(shared).toHaveLength(1);
    expect((await runIn(sandbox, ["ls", "/run/opentiger"])).stderr).toMatch(/Permission denied/);
  });

  test("read-only ones cannot be written, others can", async () => {
    const [first, second] = [temporaryWorkspace(), temporaryWorkspace()];
    const workspaces = [
      { path: first, readOnly: false },
      { path: second, readOnly: true },
    ];
    const two = await newSandbox(instance, "", { workspaces });
    expect((await runIn(two, ["touch", join(first, "x")])).code).toBe(0);
    expect((await runIn(two, ["touch", join(second, "x")])).stderr).toMatch(/Read-only file system/);
  });

  test("with a colon and a space in its name works like any other", async () => {
    const odd = join(temporaryWorkspace(), "a: b");
    mkdirSync(odd);
    if (isRoot) chownSync(odd, agentUid, agentUid);
    expect((await runIn(await newSandbox(instance, odd), ["pwd"])).stdout).toBe(`${odd}\n`);
  });
});

describe("B10 an exec", () => {
  test("has its own environment and working directory, and the engine sees nothing of it", async () => {
    const workspace = temporaryWorkspace();
    const sandbox = await newSandbox(instance, workspace, { env: { FROM_CREATE: "one", BOTH: "create" } });
    const script = 'echo "$FROM_CREATE $BOTH $FROM_EXEC" && pwd';
    const said = await runIn(sandbox, ["sh", "-c", script], {
      env: { FROM_EXEC: "two", BOTH: "exec" },
      cwd: "/tmp",
    });
    expect(said.stdout).toBe("one exec two\n/tmp\n");
    expect((await runIn(sandbox, ["pwd"])).stdout).toBe(`${workspace}\n`);
    expect(await docker("inspect", containerOf(instance, sandbox))).not.toContain("FROM_CREATE");
    await instance.backend.stop(sandbox.name);
    const again = await instance.backend.open(sandbox.name);
    expect((await runIn(again, ["sh", "-c", 'echo "$FROM_CREATE"'])).stdout).toBe("one\n");
    await again.close();
  });

  test("of a variable that node obeys reaches the command and not the supervisor", async () => {
    const workspace = temporaryWorkspace();
    writeFileSync(
      join(workspace, "evil.cjs"),
      `require("fs").writeFileSync("${workspace}/owner", String(process.getuid()))`,
    );
    const options = { env: { NODE_OPTIONS: `--require ${join(workspace, "evil.cjs")}` } };
    const sandbox = await newSandbox(instance, workspace, options);
    expect((await runIn(sandbox, ["sh", "-c", "test ! -e owner && node -e 1 && cat owner"])).stdout).toBe(
      String(agentUid),
    );
  });
});

describe("any uid", () => {
  test.runIf(isRoot).each([0, 4242, 123_456])("%i has a name, a HOME to write and an author", async (uid) => {
    const workspace = temporaryFolder("opentiger-uid-");
    chownSync(workspace, uid, uid);
    const sandbox = await newSandbox(instance, workspace);
    const script =
      "id -u && whoami && touch ~/x && git init -q . && git commit -q --allow-empty -m x && touch made";
    const said = await runIn(sandbox, ["sh", "-ec", script]);
    expect(said).toMatchObject({ code: 0, stdout: `${uid}\n${uid === 0 ? "root" : "agent"}\n` });
    expect(statSync(join(workspace, "made")).uid).toBe(uid);
    if (uid === 0) expect(sandbox.weakness).toMatch(/exit code is no evidence/);
    else expect(sandbox.weakness).toBeUndefined();
  });
});

describe("a linked worktree", () => {
  test("works, and its commits are in the main repository", async () => {
    const top = temporaryWorkspace();
    hostGit(top, "init", "-q", "-b", "main", "repository");
    hostGit(join(top, "repository"), "commit", "-q", "--allow-empty", "-m", "one");
    hostGit(join(top, "repository"), "worktree", "add", "-q", join(top, "linked"));
    if (isRoot) execFileSync("chown", ["-R", `${agentUid}:${agentUid}`, top]);
    const sandbox = await newSandbox(instance, join(top, "linked"));
    const said = await runIn(sandbox, [
      "sh",
      "-ec",
      "git log --format=%s; git commit -q --allow-empty -m two",
    ]);
    expect(said).toMatchObject({ code: 0, stdout: "one\n" });
    expect(hostGit(join(top, "repository"), "log", "-1", "--format=%s", "linked")).toBe("two");
    expect((await runIn(sandbox, ["ls", join(top, "repository")])).stdout).toBe("");
  });
});

describe("stopping and starting", () => {
  test("stop takes less than a second although a command ignores SIGTERM, files stay, and who only looks does not start it", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await runIn(sandbox, ["sh", "-c", "echo kept > ~/file"]);
    await sandbox.exec(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"]);
    const started = performance.now();
    await instance.backend.stop(sandbox.name);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(await statusOf(sandbox)).toBe("stopped");
    await instance.backend.stop(sandbox.name);
    const look = instance.backend.open(sandbox.name, { stopped: "refused" });
    await expect(look).rejects.toMatchObject({ code: "not_allowed_now" });
    expect(await statusOf(sandbox)).toBe("stopped");
    const again = await instance.backend.open(sandbox.name);
    expect((await runIn(again, ["cat", "/home/worker/file"])).stdout).toBe("kept\n");
    expect(await statusOf(sandbox)).toBe("running");
    await again.close();
  });

  test("a paused one is shown as that and opened by going on", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await docker("pause", containerOf(instance, sandbox));
    expect(await statusOf(sandbox)).toBe("paused");
    const again = await instance.backend.open(sandbox.name);
    expect((await runIn(again, ["echo", "on"])).stdout).toBe("on\n");
    await again.close();
    await docker("pause", containerOf(instance, sandbox));
    await instance.backend.stop(sandbox.name);
    expect(await statusOf(sandbox)).toBe("stopped");
  });

  test("one whose container somebody else removed is gone, and its name is free", async () => {
    const workspace = temporaryWorkspace();
    const names = ["gone-by-list", "gone-by-open", "gone-by-inspect", "gone-by-stop"] as const;
    for (const name of names) {
      const sandbox = await newSandbox(instance, workspace, { name });
      await docker("rm", "--force", containerOf(instance, sandbox));
    }
    const { backend } = instance;
    await expect(backend.open(names[1])).rejects.toMatchObject({ code: "not_found" });
    await expect(backend.inspect(names[2])).rejects.toMatchObject({ code: "not_found" });
    await expect(backend.stop(names[3])).rejects.toMatchObject({ code: "not_found" });
    expect((await backend.list()).flatMap(({ name, own }) => (own ? [name] : []))).not.toContain(names[0]);
    for (const name of names) {
      await expect(backend.remove(name)).rejects.toMatchObject({ code: "not_found" });
      await newSandbox(instance, workspace, { name });
    }
  });

  test("one whose supervisor cannot start is reported as broken, with what it said", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await instance.backend.stop(sandbox.name);
    await spoilNode(containerOf(instance, sandbox), "I will not start");
    await expect(instance.backend.open(sandbox.name)).rejects.toMatchObject({
      code: "sandbox_broken",
      message: expect.stringContaining("I will not start"),
    });
    await instance.backend.remove(sandbox.name);
  });
});

describe("B9 a template", () => {
  test("holds the files of a sandbox, and nothing else of it", async () => {
    const workspace = temporaryWorkspace();
    const sandbox = await newSandbox(instance, workspace, {
      name: "to-be-saved",
      env: { CANARY_VARIABLE: "secret-canary" },
      labels: { "made.for": "label-canary" },
    });
    await runIn(sandbox, ["sh", "-c", "echo tool > ~/tool; echo x > in-the-workspace"]);
    const tag = "opentiger-test/template:v1";
    const { imageId } = await instance.backend.save(sandbox.name, tag);
    try {
      expect(await docker("inspect", "--format", "{{.Id}}", tag)).toBe(imageId);
      expect(await docker("inspect", tag)).not.toContain("secret-canary");
      expect(await docker("inspect", "--format", "{{json .Config}}", tag)).not.toMatch(
        new RegExp(`${sandbox.id}|label-canary|${instance.home}|${workspace}`),
      );
      const format =
        "{{.Config.User}} {{json .Config.Cmd}} {{json .Config.Entrypoint}} {{.Config.WorkingDir}}";
      const config = (image: string) => docker("inspect", "--format", format, image);
      expect(await config(tag)).toBe(
        await config(sandboxImage(await instance.backend.inspect(sandbox.name))),
      );
      const fast = await newSandbox(instance, workspace, { image: tag });
      expect((await runIn(fast, ["sh", "-c", "cat ~/tool; echo $CANARY_VARIABLE"])).stdout).toBe("tool\n\n");
      const byHand = await docker("run", "--detach", tag, "sleep", "60");
      expect((await instance.backend.list()).map(({ id }) => id)).not.toContain(byHand.slice(0, 12));
      await docker("rm", "--force", byHand);
      await instance.backend.remove(fast.name);
    } finally {
      await docker("rmi", "--force", tag);
    }
  });
});

describe("the guard rails of every sandbox", () => {
  test("are in place", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), {
      limits: { pids: 100, memoryBytes: 2 ** 29, cpus: 0.5, fileBytes: 2 ** 22 },
    });
    const found = JSON.parse(await docker("inspect", containerOf(instance, sandbox)));
    expect(found[0].HostConfig).toMatchObject({
      NetworkMode: "none",
      CapDrop: ["ALL"],
      Init: true,
      PidsLimit: 100,
      Memory: 2 ** 29,
      MemorySwap: 2 ** 29,
      NanoCpus: 5e8,
      Privileged: false,
      IpcMode: "private",
      RestartPolicy: { Name: "no" },
      SecurityOpt: ["no-new-privileges"],
    });
    // The last one only where the engine may rule whom the kernel kills first.
    const score = found[0].HostConfig.OomScoreAdj === 0 ? [] : ["SYS_RESOURCE"];
    expect(found[0].HostConfig.CapAdd.toSorted()).toEqual(["KILL", "SETGID", "SETUID", ...score]);
    expect(found[0].Config.Labels).toMatchObject({
      "docker/sandbox": "true",
      "com.docker.sandbox.agent": "shell",
      "com.docker.sandbox.workingDirectory": sandbox.workspaces[0]?.path,
      "opentiger.owner": String(process.getuid?.()),
    });
    const status = (await runIn(sandbox, ["cat", "/proc/self/status"])).stdout;
    expect(status).toMatch(/^CapEff:\s+0000000000000000$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect((await runIn(sandbox, ["ls", "/sys/class/net"])).stdout).toBe("lo\n");
    const tooLarge = await runIn(sandbox, ["sh", "-c", "exec head -c 5000000 /dev/zero > large"]);
    expect(tooLarge.code).toBe(128 + constants.signals.SIGXFSZ);
    expect((await runIn(sandbox, ["stat", "-c", "%s", "large"])).stdout).toBe(`${2 ** 22}\n`);
  });

  test("A10 an open one has an interface", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace(), { network: { policy: "open" } });
    expect((await runIn(sandbox, ["ls", "/sys/class/net"])).stdout).toContain("eth0");
  });
});

describe("a terminal", () => {
  test("is a real one: size, resize, exit code, the agent's user", async () => {
    const workspace = temporaryWorkspace();
    const sandbox = await newSandbox(instance, workspace);
    const script = 'stty size; read -r word; stty size; echo "$word $(id -u) $(pwd)"; : > "$(tty)" && exit 7';
    const terminal = await sandbox.terminal(["sh", "-c", script], { columns: 91, rows: 31 });
    let screen = "";
    terminal.stream.on("data", (data: Buffer) => {
      screen += data.toString();
    });
    await expect.poll(() => screen).toContain("31 91");
    await terminal.resize(92, 32);
    terminal.stream.write("hello\n");
    expect(await terminal.exit).toMatchObject({ code: 7 });
    expect(screen).toContain("32 92");
    expect(screen).toContain(`hello ${agentUid} ${workspace}`);
  });

  test("is killed with all that it started", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    const script = "setsid sleep 4321 & echo ready; sleep 4321";
    const terminal = await sandbox.terminal(["sh", "-c", script], { columns: 80, rows: 24 });
    let screen = "";
    terminal.stream.on("data", (data: Buffer) => {
      screen += data.toString();
    });
    await expect.poll(() => screen).toContain("ready");
    await terminal.kill("SIGKILL");
    expect((await terminal.exit).code).toBe(137);
    expect((await runIn(sandbox, ["pgrep", "-f", "sleep 4321"])).code).toBe(1);
  });
});

describe("names", () => {
  test("are the agent and the folder, with a number where that is taken", async () => {
    const workspace = join(temporaryWorkspace(), "My Project");
    mkdirSync(workspace);
    if (isRoot) chownSync(workspace, agentUid, agentUid);
    const made = [await newSandbox(instance, workspace), await newSandbox(instance, workspace)];
    expect(made.map(({ name }) => name)).toEqual(["shell-My-Project", "shell-My-Project-2"]);
  });

  test("are given once, also to creators that ask at the same time", async () => {
    const workspace = temporaryWorkspace();
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => newSandbox(instance, workspace, { name: "wanted-by-all" })),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(failures).toHaveLength(2);
    for (const failure of failures) expect(failure).toMatchObject({ code: "already_exists" });
    const own = (await instance.backend.list()).filter(({ name }) => name === "wanted-by-all");
    expect(own).toHaveLength(1);
  });
});

describe("a create that is cancelled", () => {
  test.each([0, 30, 80, 150, 300])("after %i ms leaves nothing", async (ms) => {
    const workspace = temporaryWorkspace();
    const name = `cancelled-${ms}`;
    const create = newSandbox(instance, workspace, { name, signal: AbortSignal.timeout(ms) });
    // On a very fast machine it may be finished first.
    const made = await create.then(
      (sandbox) => sandbox,
      (error: unknown) => error,
    );
    if (!(made instanceof Error)) return;
    expect(made).toMatchObject({ code: "cancelled" });
    expect((await instance.backend.list()).map((sandbox) => sandbox.name)).not.toContain(name);
    expect(await docker("ps", "--all", "--quiet", "--filter", `name=opentiger-${name}-`)).toBe("");
  });
});

async function statusOf({ name }: Sandbox): Promise<string | undefined> {
  return (await instance.backend.list()).find((sandbox) => sandbox.own && sandbox.name === name)?.status;
}

function sandboxImage(inspected: Record<string, unknown>): string {
  return (inspected["container"] as { image: string }).image;
}

/** Puts a program that fails in the place of node, as a broken template would have it. */
async function spoilNode(container: string, lastWords: string): Promise<void> {
  const program = join(temporaryFolder(), "node");
  writeFileSync(program, `#!/bin/sh\necho "${lastWords}"\nexit 3\n`, { mode: 0o755 });
  await docker("cp", program, `${container}:/usr/local/bin/node`);
}

function hostGit(folder: string, ...args: string[]): string {
  const author = {
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@t",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@t",
  };
  const trusted = ["-c", "safe.directory=*", "-C", folder, ...args];
  return execFileSync("git", trusted, { env: { ...process.env, ...author }, stdio: "pipe" })
    .toString()
    .trim();
}

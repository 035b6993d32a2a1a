import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { ended, newUser, opentigerBundle, type User } from "../setup/command-line.ts";
import { readableBundle } from "../setup/readable-bundle.ts";
import { expectRefused } from "../setup/refusal.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

let user: User;
let project: string;

beforeAll(async () => {
  user = await newUser();
  project = temporaryWorkspace();
});

describe("an unknown name", () => {
  it.each([
    [["exec", "nope", "true"]],
    [["stop", "nope"]],
    [["rm", "nope"]],
    [["save", "nope", "a:b"]],
    [["attach", "nope", "abcdefgh"]],
    [["cp", "nope:/etc/passwd", "."]],
    [["run", "nope"]],
    [["fetch", "nope"]],
  ])("%j is 66", async (words) => {
    await expectRefused(user, words, { code: "not_found", status: 66, says: /nope/ });
  });

  it("inspect prints an empty array beside the error", async () => {
    const { status, stdout, stderr } = await user.sandbox("inspect", "nope", "--json");
    expect([status, JSON.parse(stdout)]).toEqual([66, []]);
    expect(JSON.parse(stderr).error.code).toBe("not_found");
  });
});

describe("odd characters", () => {
  it.each(["a b", "../x", "", ".hidden", "é", "a\nb", "x".repeat(64), "$(id)"])(
    "a sandbox cannot be called %j",
    async (name) => {
      await expectRefused(user, ["create", `--name=${name}`, "shell", project], {
        code: "name_invalid",
        status: 64,
      });
    },
  );

  it.each(["../../etc", "a b", "%2e"])("asking for %j reaches nothing", async (name) => {
    await expectRefused(user, ["rm", name], { code: "name_invalid", status: 64 });
  });

  it("a workspace may be called what it likes", async () => {
    const folder = join(project, 'it\'s a "dir", $HOME :ro=x → ü');
    mkdirSync(folder);
    if (isRoot) execFileSync("chown", ["-R", String(agentUid), folder]);
    const made = await user.sandbox("create", "-q", "shell", folder);
    expect(made).toMatchObject({ status: 0, stderr: "" });
    const name = made.stdout.trim();
    expect((await user.sandbox("exec", name, "pwd")).stdout).toBe(`${folder}\n`);
    expect((await user.sandbox("rm", name)).status).toBe(0);
  });

  it("a workspace with a line end in its name is refused", async () => {
    const folder = join(project, "a\nb");
    mkdirSync(folder);
    await expectRefused(user, ["create", "shell", folder], { code: "workspace_refused", status: 64 });
  });
});

describe("a workspace that cannot be", () => {
  it.each(["/", "/etc", "/usr/local", "/proc", "/var/run"])("%s is 64", async (path) => {
    await expectRefused(user, ["create", "shell", path], {
      code: "workspace_refused",
      status: 64,
      says: /\//,
    });
  });

  it("neither home, nor a link to it, nor a file", async () => {
    const link = join(project, "link");
    symlinkSync(user.home, link);
    writeFileSync(join(project, "file"), "");
    for (const path of [user.home, link, join(project, "file")]) {
      await expectRefused(user, ["create", "shell", path], { code: "workspace_refused", status: 64 });
    }
  });

  it("one that is not there is 67, which no unknown name is", async () => {
    const refusal = { code: "workspace_missing", status: 67, says: /gone/ };
    await expectRefused(user, ["create", "shell", join(project, "gone")], refusal);
  });

  it("one that went away later is 67, and works again when it is back", async () => {
    const folder = temporaryWorkspace();
    await user.sandbox("create", "-q", "--name", "moved", "shell", folder);
    await user.sandbox("stop", "moved");
    renameSync(folder, `${folder}.away`);
    await expectRefused(user, ["exec", "moved", "true"], {
      code: "workspace_missing",
      status: 67,
      says: /workspace|folder/,
    });
    renameSync(`${folder}.away`, folder);
    expect((await user.sandbox("exec", "moved", "true")).status).toBe(0);
    expect((await user.sandbox("rm", "moved")).status).toBe(0);
  });
});

describe("a name that is taken", () => {
  it("is 73, and the first one stays as it was", async () => {
    await user.sandbox("create", "-q", "--name", "first", "shell", project);
    const words = ["create", "--name", "first", "shell", project];
    await expectRefused(user, words, { code: "already_exists", status: 73, says: /first/ });
    expect((await user.sandbox("exec", "first", "true")).status).toBe(0);
    await user.sandbox("rm", "first");
  });
});

describe("an image that is missing", () => {
  it("is 72 when it must not be pulled, and names the image", async () => {
    const words = ["create", "--pull-template", "never", "-t", "no/such:image", "shell", project];
    await expectRefused(user, words, { code: "image_missing", status: 72, says: /no\/such:image/ });
  });

  it("is 72 when no registry has it or can be reached", async () => {
    const words = ["create", "-t", "127.0.0.1:9/no/such:image", "shell", project];
    await expectRefused(user, words, { code: "image_missing", status: 72 });
  });

  it("says how the worker image is built", async () => {
    const env = { SANDBOX_DOCKER_IMAGE: "opentiger/absent:latest" };
    const words = [
      process.execPath,
      opentigerBundle,
      "sandbox",
      "create",
      "--pull-template",
      "never",
      "shell",
      project,
    ] as const;
    const { status, stderr } = await user.run(words, { env });
    expect(status).toBe(72);
    expect(stderr).toContain("opentiger image build");
  });

  it("a name that can be no image's is 64", async () => {
    await expectRefused(user, ["create", "-t", "a b", "shell", project], {
      code: "image_name_invalid",
      status: 64,
    });
  });
});

describe("limits that make no sense", () => {
  it.each([
    ["--memory", "1k"],
    ["--cpus", "5000"],
    ["--pids", "1"],
  ])("%s %s is 64", async (option, value) => {
    await expectRefused(user, ["create", option, value, "shell", project], { code: "usage", status: 64 });
  });
});

describe("no engine", () => {
  it.each([[["ls"]], [["create", "shell", "."]], [["prune"]], [["reset", "-f"]]])(
    "%j is 69",
    async (words) => {
      const env = { DOCKER_HOST: `unix://${join(user.home, "nowhere.sock")}` };
      const run = (each: readonly string[]) =>
        user.run([process.execPath, opentigerBundle, "sandbox", ...each], { env, cwd: project });
      await expectRefused(
        user,
        words,
        { code: "engine_unavailable", status: 69, says: /nowhere\.sock/ },
        run,
      );
    },
  );
});

describe.skipIf(!isRoot)("A8 no permission", () => {
  it("is 77 for someone who may not speak to the engine", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const socket = join(folder, "docker.sock");
    const server = createServer().listen(socket);
    atEnd(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    chmodSync(socket, 0o600);
    const bundle = readableBundle();
    const home = join(folder, "home");
    mkdirSync(home);
    execFileSync("chown", ["65534:65534", home]);
    const drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] as const;
    const run = (words: readonly string[]) =>
      user.run([...drop, process.execPath, bundle, "sandbox", ...words], {
        env: { HOME: home, DOCKER_HOST: `unix://${socket}` },
        cwd: folder,
      });
    await expectRefused(user, ["ls"], { code: "engine_permission", status: 77, says: /docker\.sock/ }, run);
  });
});

describe.skipIf(!isRoot)("a full disk", () => {
  it("is 74, leaves nothing, and works again when there is room", async () => {
    const disk = temporaryFolder("ot-");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
    // A process that has just ended may still be letting go of it.
    atEnd(() => until("the disk is let go", () => spawnSync("umount", [disk]).status === 0));
    const tight = await newUser({ OPENTIGER_HOME: join(disk, "s") });
    expect((await tight.sandbox("ls")).status).toBe(0);
    const filling = join(disk, "filling");
    execFileSync("sh", ["-c", `cat /dev/zero > ${filling} 2>/dev/null || true`]);
    await expectRefused(tight, ["create", "shell", project], {
      code: "disk_full",
      status: 74,
      says: /space|full/,
    });
    rmSync(filling);
    const made = await tight.sandbox("create", "-q", "shell", project);
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect((await tight.sandbox("rm", made.stdout.trim())).status).toBe(0);
  });
});

describe("Ctrl-C while a sandbox is being made", () => {
  it("is 130, and nothing is left", async () => {
    for (const afterMs of [50, 250, 450]) {
      const child = user.start([
        process.execPath,
        opentigerBundle,
        "sandbox",
        "create",
        "--name",
        "halted",
        "shell",
        project,
      ]);
      const end = ended(child);
      setTimeout(() => child.kill("SIGINT"), afterMs);
      const { status } = await end;
      // Before the program listens the signal ends it, and after the sandbox is made it comes too late.
      if (status === 0) await user.sandbox("rm", "halted");
      else expect([130, null]).toContain(status);
      expect((await user.sandbox("ls", "-q")).stdout).not.toContain("halted");
    }
    await expectRefused(user, ["rm", "halted"], { code: "not_found", status: 66 });
  });
});

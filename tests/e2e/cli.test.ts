import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type Ended, ended, newUser, opentigerBundle, type User } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { importShellImage } from "../setup/shell-image.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";
import { makeRepository } from "../setup/user-git.ts";

let user: User;
let project: string;

beforeAll(async () => {
  user = await newUser();
  project = temporaryWorkspace();
  expect(await user.sandbox("create", "-q", "--name", "box", "shell", project)).toMatchObject({
    status: 0,
    stderr: "",
  });
});

function exec(...words: string[]): Promise<Ended> {
  return user.sandbox("exec", ...words);
}

describe("run", () => {
  it("starts the agent of a sandbox with the words behind --", async () => {
    const words = ["docker", "sandbox", "run", "box", "--", "-c", 'echo "hello from $PWD"'] as const;
    expect(await user.run(words)).toMatchObject({ status: 0, stdout: `hello from ${project}\n` });
  });

  it("uses the sandbox of that agent and workspace again, and --rm removes what it made", async () => {
    const again = await user.run([
      "docker",
      "sandbox",
      "run",
      "shell",
      project,
      "--",
      "-c",
      "hostname; exit 4",
    ]);
    expect(again).toMatchObject({ status: 4 });
    expect(await names()).toEqual(["box"]);
    const other = temporaryWorkspace();
    const once = await user.run(
      ["docker", "sandbox", "run", "--rm", "--name", "once", "shell", "--", "-c", "pwd"],
      {
        cwd: other,
      },
    );
    expect(once).toMatchObject({ status: 0, stdout: `${other}\n` });
    expect(await names()).toEqual(["box"]);
  });

  it("hands on stdin where there is no terminal", async () => {
    const words = ["docker", "sandbox", "run", "box"] as const;
    expect((await user.run(words, { input: "echo $((6*7))\n" })).stdout).toBe("42\n");
  });

  it("--json gives the events that exec gives, also on a terminal", async () => {
    const words = "docker sandbox run --json box -- -c 'echo hello; exit 3'";
    for (const command of [words, `script -qec "${words}" /dev/null`]) {
      const { status, stdout } = await user.run(["sh", "-c", command]);
      const events = stdout
        .trim()
        .split(/\r?\n/)
        .map((line) => JSON.parse(line));
      expect(events).toMatchObject([
        { type: "opened", id: expect.any(String) },
        { type: "stdout", offset: 0, text: "hello\n" },
        { type: "exit", code: 3, reason: "exited" },
      ]);
      expect(status).toBe(3);
    }
  });
});

describe("cp", () => {
  it("copies a folder in and out, and tar archives through pipes", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tree"));
    writeFileSync(join(folder, "tree", "ünï file"), "content");
    symlinkSync("ünï file", join(folder, "tree", "link"));
    expect(await user.sandbox("cp", join(folder, "tree"), "box:/tmp/")).toMatchObject({
      status: 0,
      stdout: "",
    });
    expect(await user.sandbox("cp", "box:/tmp/tree", join(folder, "back"))).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, "back", "link"), "utf8")).toBe("content");
    const pipe = "docker sandbox cp box:/tmp/tree - | docker sandbox cp - box:/tmp/again/";
    await exec("box", "mkdir", "/tmp/again");
    expect(await user.run(["bash", "-c", pipe])).toMatchObject({ status: 0 });
    expect((await exec("box", "sh", "-c", "cat /tmp/again/*/link /tmp/again/link 2>/dev/null")).stdout).toBe(
      "content",
    );
  });
});

describe("lists and names", () => {
  it("ls --json, -q and inspect agree", async () => {
    const { vms } = JSON.parse((await user.sandbox("ls", "--json")).stdout);
    expect(vms).toMatchObject([
      { name: "box", agent: "shell", status: "running", workspaces: [project], own: true },
    ]);
    const [inspected] = JSON.parse((await user.sandbox("inspect", "box")).stdout);
    expect(inspected).toMatchObject({ name: "box", id: vms[0].id, status: "running" });
  });

  it("another user's sandboxes are shown by ls -a and touched by nothing", async () => {
    const other = await newUser();
    expect((await other.sandbox("ls", "-q")).stdout).toBe("");
    expect((await other.sandbox("ls", "-aq")).stdout.split("\n")).toContain("box");
    expect((await other.sandbox("rm", "box")).status).toBe(66);
    expect((await other.opentiger("sandbox", "reset", "-f")).status).toBe(0);
    expect(await names()).toEqual(["box"]);
  });

  it("rm of several goes on after one that is not there", async () => {
    await user.sandbox("create", "-q", "--name", "second", "shell", project);
    const { status, stdout, stderr } = await user.sandbox("rm", "nope", "second", "--json");
    expect(JSON.parse(stdout)).toEqual({ removed: ["second"] });
    expect(JSON.parse(stderr)).toMatchObject({ name: "nope", error: { code: "not_found" } });
    expect(status).toBe(66);
  });

  it("the shell completes names, for us and for docker", async () => {
    expect((await user.opentiger("__complete", "sandbox", "rm", "b")).stdout).toBe("box\tsandbox\n:4\n");
    const asked = await user.run(["docker", "__complete", "sandbox", "exec", "b"]);
    expect(asked.stdout).toContain("box\tsandbox\n:4\n");
  });
});

describe("save", () => {
  it("-o writes the image to a file that the engine can load again", async () => {
    const folder = temporaryFolder();
    const tags = { base: "opentiger-test/small:cli", saved: "opentiger-test/saved:cli" };
    importShellImage(tags.base);
    atEnd(() => docker("image", "rm", "--force", ...Object.values(tags)).catch(() => {}));
    await user.sandbox("create", "-q", "--name", "small", "-t", tags.base, "shell", project);
    const tar = join(folder, "image.tar");
    expect(await user.sandbox("save", "small", tags.saved, "-o", tar)).toMatchObject({
      status: 0,
      stdout: `✓ Saved sandbox as ${tags.saved}\n✓ Written to ${tar}\n`,
    });
    expect(readdirSync(folder)).toEqual(["image.tar"]);
    expect((await user.run(["tar", "-tf", tar])).stdout).toContain("manifest.json");
    await user.sandbox("rm", "small");
  });
});

describe("a clone", () => {
  it("is fetched from, and rm refuses while commits of it are nowhere else", async () => {
    const repository = join(temporaryFolder(), "project");
    const git = (...words: string[]) =>
      user.run(["git", "-C", repository, "-c", "user.name=A", "-c", "user.email=a@example.com", ...words]);
    mkdirSync(repository);
    await git("init", "-q", "-b", "main");
    await git("commit", "-q", "--allow-empty", "-m", "first");
    const made = await user.sandbox("create", "--json", "--clone", "--name", "clone", "shell", repository);
    expect(JSON.parse(made.stdout)).toMatchObject({ name: "clone", kind: "clone", workspaces: [repository] });
    const commit = "git -c user.name=B -c user.email=b@example.com commit -q --allow-empty -m 'from inside'";
    expect(await user.sandbox("exec", "clone", "sh", "-c", commit)).toMatchObject({ status: 0 });
    const refused = await user.sandbox("rm", "clone");
    expect(refused).toMatchObject({ status: 75, stdout: "" });
    expect(refused.stderr).toMatch(/from inside[\s\S]*fetch clone/);
    const fetched = await user.sandbox("fetch", "clone");
    expect(fetched.stdout).toContain("refs/sandboxes/clone/main");
    expect((await git("log", "-1", "--format=%s", "refs/sandboxes/clone/main")).stdout).toBe("from inside\n");
    expect(await user.sandbox("rm", "clone")).toMatchObject({ status: 0, stdout: "clone\n" });
    const direct = await user.sandbox("fetch", "box");
    expect(direct).toMatchObject({ status: 64 });
  });
});

describe("the pool", () => {
  it("parks as many as are wanted, out of sight, replaces those that are adopted, and lets them go", async () => {
    expect((await user.sandbox("pool", "--size", "1")).stdout).toBe("1 of 1 parked\n");
    expect(await names()).toEqual(["box"]);
    const shown = async () => JSON.parse((await user.sandbox("pool", "--json")).stdout);
    expect(await shown()).toEqual({ size: 1, parked: 1 });
    const offered = () => readdirSync(join(user.home, ".local/state/opentiger/pool"));
    const before = offered();
    const repository = makeRepository(join(temporaryFolder(), "project"));
    await user.sandbox("create", "--clone", "--name", "adopting", "shell", repository);
    expect(offered()).not.toEqual(before);
    await until("another is parked", () => offered().length === 1);
    expect(await shown()).toEqual({ size: 1, parked: 1 });
    await user.sandbox("rm", "adopting");
    expect((await user.sandbox("pool", "--size", "0")).stdout).toBe("The pool is off.\n");
  });
});

describe("without Docker", () => {
  it("B12 AGENT_LOOP_HOST=1 runs on the host, and says that nothing is isolated", async () => {
    const env = { AGENT_LOOP_HOST: "1", DOCKER_HOST: "unix:///nowhere/docker.sock" };
    const host = (...words: string[]) =>
      user.run([process.execPath, opentigerBundle, "sandbox", ...words], { env, cwd: project });
    const made = await host("create", "--name", "on-host", "shell", ".");
    expect(made).toMatchObject({
      status: 0,
      stdout: "on-host\n",
      stderr: expect.stringContaining("nothing is isolated"),
    });
    expect(await host("exec", "on-host", "sh", "-c", "pwd; exit 3")).toMatchObject({
      status: 3,
      stdout: `${project}\n`,
    });
    const program = `${process.execPath} ${opentigerBundle} sandbox`;
    const line = `${program} exec -it -w /tmp -e GIVEN=env on-host sh -c 'tty; pwd; echo $GIVEN; exit 7'`;
    const typed = await user.run(["script", "-qec", line, "/dev/null"], { env, stdin: "open" });
    expect(typed.stdout).toMatch(/^\/dev\/pts\/\d+\r\n\/tmp\r\nenv\r\n$/);
    expect(typed.status).toBe(7);
    const agent = user.start(
      ["script", "-qec", `${program} run on-host -- -c 'tty; sleep 4321'`, "/dev/null"],
      {
        env,
      },
    );
    const end = ended(agent);
    await once(agent.stdout ?? agent, "data");
    expect((await host("rm", "on-host")).stdout).toBe("on-host\n");
    expect(await end).toMatchObject({ status: 137, stdout: expect.stringMatching(/^\/dev\/pts\/\d+\r\n/) });
  });
});

describe("both programs", () => {
  it("opentiger sandbox is the same as docker sandbox", async () => {
    const mine = await user.opentiger("sandbox", "exec", "box", "sh", "-c", "echo out; exit 3");
    expect(mine).toMatchObject({ status: 3, stdout: "out\n" });
    expect((await user.opentiger("sandbox", "ls", "-q")).stdout).toBe("box\n");
  });

  it("every verb explains itself", async () => {
    const { stdout } = await user.sandbox("--help");
    const verbs = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?:\|[a-z]+)? /gm)].map((match) => match[1] ?? "");
    expect(verbs).toEqual(
      expect.arrayContaining(["create", "run", "exec", "ls", "rm", "save", "reset", "fetch"]),
    );
    // What each of them says is looked at beside the program; that docker leads to it is the same for all of them.
    const asked = soak
      ? verbs.filter((name) => !["help", "docker"].includes(name))
      : ["exec", "create", "ls"];
    for (const verb of asked) {
      const help = await user.sandbox(verb, "--help");
      expect(help, verb).toMatchObject({ status: 0, stderr: "" });
      expect(help.stdout, verb).toMatch(/Usage: docker sandbox/);
    }
  });
});

async function names(): Promise<string[]> {
  return (await user.sandbox("ls", "-q")).stdout.trim().split("\n");
}

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type Ended, ended, newUser, type User } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { importShellImage } from "../setup/shell-image.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

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

describe("exec", () => {
  it("keeps stdout and stderr apart, and ends with the command's code", async () => {
    expect(await exec("box", "sh", "-c", "echo out; echo err >&2; exit 42")).toEqual({
      status: 42,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  it("B10 gives the command its variables and its folder", async () => {
    const file = join(user.home, "vars");
    writeFileSync(file, "# comment\nFROM_FILE=1\nBOTH=file\nHANDED\n");
    const options = ["-e", "BOTH=option", "-e", "TAKEN", "-e", "ABSENT", "--env-file", file, "-w", "/tmp"];
    const show = 'echo "$FROM_FILE $BOTH $TAKEN $(printenv ABSENT || echo none) $HANDED $PWD"';
    const env = { TAKEN: "from here", HANDED: "too" };
    const words = ["docker", "sandbox", "exec", ...options, "box", "sh", "-c", show] as const;
    expect((await user.run(["docker", ...words.slice(1)], { env })).stdout).toBe(
      "1 option from here none too /tmp\n",
    );
  });

  it("hands the command's words on as they are", async () => {
    const odd = ["", " ", "a b", "-e", "--json", "--", "$HOME", "'\"", "line\nend", "ünï→🐯", "*"];
    const { stdout } = await exec(
      "box",
      "node",
      "-e",
      "console.log(JSON.stringify(process.argv.slice(1)))",
      "--",
      ...odd,
    );
    expect(JSON.parse(stdout)).toEqual(odd);
  });

  it("carries any bytes in and out, and the end of stdin", async () => {
    const input = randomBytes(5_000_000);
    const child = user.start(["docker", "sandbox", "exec", "-i", "box", "bash", "-c", "tee >(cat >&2)"]);
    const out = collected(child.stdout);
    const err = collected(child.stderr);
    child.stdin?.end(input);
    expect(sha(await out)).toBe(sha(input));
    expect(sha(await err)).toBe(sha(input));
  });

  it("without -i the command reads the end of its stdin, whatever ours holds", async () => {
    const words = ["docker", "sandbox", "exec", "box", "cat"] as const;
    expect(await user.run(words, { input: "not for you" })).toMatchObject({ status: 0, stdout: "" });
  });

  it("says 128+n for a signal, 124 for a timeout, 127 for a command that is not there", async () => {
    expect((await exec("box", "sh", "-c", "kill -KILL $$")).status).toBe(137);
    expect((await exec("--timeout", "300ms", "box", "sleep", "60")).status).toBe(124);
    const missing = await exec("box", "no-such-command");
    expect(missing).toMatchObject({ status: 127, stdout: "" });
    expect(missing.stderr).toContain("no-such-command");
  });

  it("runs as another user with -u, and refuses --privileged with the reason", async () => {
    expect((await exec("-u", "1234:1235", "-w", "/", "box", "sh", "-c", "id -u; id -g")).stdout).toBe(
      "1234\n1235\n",
    );
    const refused = await exec("--privileged", "box", "true");
    expect(refused.status).toBe(64);
    expect(refused.stderr).toContain("no privileges");
  });

  it("-d returns at once, and the command goes on", async () => {
    await exec("-d", "box", "sh", "-c", `sleep 0.3; echo done > ${project}/detached`);
    await until("the detached command has ended", () => existsSync(join(project, "detached")));
  });

  it("starts a sandbox that was stopped", async () => {
    expect((await user.sandbox("stop", "box")).stdout).toBe("box\n");
    expect((await exec("box", "echo", "again")).stdout).toBe("again\n");
  });

  it("--json gives events in order, with offsets, and bytes that are no text as base64", async () => {
    const { status, stdout } = await exec(
      "--json",
      "box",
      "sh",
      "-c",
      "echo one; printf '\\377' >&2; exit 3",
    );
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ type: "opened", id: expect.any(String) });
    expect(events).toContainEqual({ type: "stdout", offset: 0, bytes: 4, text: "one\n" });
    expect(events).toContainEqual({ type: "stderr", offset: 0, bytes: 1, base64: "/w==" });
    expect(events.at(-1)).toEqual({ type: "exit", code: 3, signal: null, reason: "exited" });
    expect(status).toBe(3);
  });

  it("-it is a real terminal of our size", async () => {
    const line = "stty rows 33 cols 99; docker sandbox exec -it box sh -c 'tty; stty size; exit 7'";
    const { status, stdout } = await user.run(["script", "-qec", line, "/dev/null"]);
    expect(stdout).toMatch(/\/dev\/pts\/\d+\r\n33 99\r\n/);
    expect(status).toBe(7);
  });

  it("a pipeline that stops reading ends the command", async () => {
    const { stdout } = await user.run([
      "bash",
      "-c",
      "set -o pipefail; docker sandbox exec box yes | head -1; echo $?",
    ]);
    expect(stdout).toBe("y\n141\n");
  });
});

describe("signals", () => {
  const trap = "trap 'echo stopped; exit 9' TERM; echo ready; while :; do sleep 0.1; done";

  it("SIGTERM on docker reaches the command, whose answer is the exit code", async () => {
    const child = user.start(["docker", "sandbox", "exec", "box", "sh", "-c", trap]);
    const end = ended(child);
    await once(child.stdout ?? child, "data");
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ status: 9, stdout: "ready\nstopped\n" });
  });

  it("a second one kills what ignored the first", async () => {
    const child = user.start([
      "docker",
      "sandbox",
      "exec",
      "box",
      "sh",
      "-c",
      "trap '' TERM INT; echo ready; sleep 60",
    ]);
    const end = ended(child);
    await once(child.stdout ?? child, "data");
    const client = await pluginOf(child.pid ?? 0);
    process.kill(client, "SIGINT");
    process.kill(client, "SIGTERM");
    expect((await end).status).toBe(137);
  });

  it("docker killed by SIGKILL leaves the command running, and no client behind", async () => {
    const file = join(project, "survived");
    const words = ["--id", "survivor-1", "box", "sh", "-c", `echo ready; sleep 1; echo yes > ${file}`];
    const child = user.start(["docker", "sandbox", "exec", ...words]);
    await once(child.stdout ?? child, "data");
    const client = await pluginOf(child.pid ?? 0);
    child.kill("SIGKILL");
    await until("the client is gone", () => !existsSync(`/proc/${client}`));
    await until("the command has ended by itself", () => existsSync(file));
  });
});

describe("attach", () => {
  it("joins the output of a client that was killed in the middle: every number once, and the exit code", async () => {
    const count =
      "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.02; done; exit 5";
    const child = user.start(["docker", "sandbox", "exec", "--id", "counter-1", "box", "sh", "-c", count]);
    const first = collected(child.stdout);
    const client = await pluginOf(child.pid ?? 0);
    await until("some of it came", () =>
      child.stdout?.readableFlowing ? received(child.stdout) > 500 : false,
    );
    process.kill(client, "SIGKILL");
    const had = await first;
    expect(had.length).toBeGreaterThan(0);
    const rest = await user.sandbox("attach", "box", "counter-1", "--stdout-offset", String(had.length));
    const joined = had.toString() + rest.stdout;
    expect(joined).toBe(Array.from({ length: 3000 }, (_, number) => `${number}\n`).join(""));
    expect(rest).toMatchObject({ status: 5, stdout: expect.stringMatching(/./) });
  });

  it("lists what runs and what has ended, and says when there is no such exec", async () => {
    await exec("--id", "listed-01", "box", "true");
    const { execs } = JSON.parse((await user.sandbox("attach", "box", "--json")).stdout);
    expect(execs).toContainEqual(expect.objectContaining({ id: "listed-01", command: ["true"] }));
    expect((await user.sandbox("attach", "box")).stdout).toMatch(/^EXEC .*\n(.*\n)*listed-01 .*ended \(0\)/);
    expect((await user.sandbox("attach", "box", "never-was-1")).status).toBe(66);
  });
});

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
  it("parks as many as are wanted, out of sight, and lets them go", async () => {
    expect((await user.sandbox("pool", "--size", "1")).stdout).toBe("1 of 1 parked\n");
    expect(await names()).toEqual(["box"]);
    expect(JSON.parse((await user.sandbox("pool", "--json")).stdout)).toMatchObject({ size: 1, parked: 1 });
    expect((await user.sandbox("pool", "--size", "0")).stdout).toBe("The pool is off.\n");
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
    for (const verb of verbs.filter((name) => !["help", "docker"].includes(name))) {
      const help = await user.sandbox(verb, "--help");
      expect(help, verb).toMatchObject({ status: 0, stderr: "" });
      expect(help.stdout, verb).toMatch(/Usage: docker sandbox/);
    }
  });
});

async function names(): Promise<string[]> {
  return (await user.sandbox("ls", "-q")).stdout.trim().split("\n");
}

/** The process that docker started as its plugin, whichever of docker's threads it was. */
function pluginOf(dockerPid: number): Promise<number> {
  return until("docker has started the plugin", () => {
    const threads = readdirSync(`/proc/${dockerPid}/task`);
    const children = threads.flatMap((thread) => words(`/proc/${dockerPid}/task/${thread}/children`));
    return children.map(Number).find((pid) => words(`/proc/${pid}/cmdline`).join().includes("sandbox-exec"));
  });
}

/** A process that has just ended says nothing. */
function words(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/[\s\0]+/)
      .filter(Boolean);
  } catch {
    return [];
  }
}

const counts = new WeakMap<object, number>();

function collected(stream: NodeJS.ReadableStream | null): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    stream?.on("data", (data: Buffer) => {
      chunks.push(data);
      if (stream) counts.set(stream, (counts.get(stream) ?? 0) + data.length);
    });
    stream?.on("end", () => resolve(Buffer.concat(chunks)));
  });
}

function received(stream: object): number {
  return counts.get(stream) ?? 0;
}

function sha(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Ended, ended, newUser, type User } from "../setup/command-line.ts";
import { pluginOf } from "../setup/docker-plugin.ts";
import { watchedEngine } from "../setup/engine-proxy.ts";
import { canHaveOwnEngine, ownEngine } from "../setup/own-engine.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
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
    const { status, stdout } = await user.run(["script", "-qec", line, "/dev/null"], { stdin: "open" });
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

  it("one Ctrl-C in a pipeline, which docker gets as well, is one signal", async () => {
    const slow = "trap 'sleep 1; echo tidied; exit 9' INT; echo ready; while :; do sleep 0.1; done";
    const child = user.start(["setsid", "docker", "sandbox", "exec", "box", "sh", "-c", slow]);
    const end = ended(child);
    await once(child.stdout ?? child, "data");
    process.kill(-(child.pid ?? 0), "SIGINT");
    expect(await end).toMatchObject({ status: 9, stdout: "ready\ntidied\n" });
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

describe("a session that is lost", () => {
  it("is 125 and never 0, and names the attach that would go on", async () => {
    await user.sandbox("create", "-q", "--name", "short-lived", "shell", project);
    const child = user.start([
      "docker",
      "sandbox",
      "exec",
      "short-lived",
      "sh",
      "-c",
      "echo ready; sleep 60",
    ]);
    const end = ended(child);
    await once(child.stdout ?? child, "data");
    await user.sandbox("rm", "short-lived");
    const { status, stderr } = await end;
    expect(status).toBe(125);
    expect(stderr).toMatch(/docker sandbox attach short-lived \S+/);
  });
});

const counts = new WeakMap<object, number>();

describe("exec when DOCKER_HOST has changed", () => {
  it("goes on where it is the same engine by another address", async () => {
    const env = { DOCKER_HOST: await watchedEngine(() => {}) };
    expect(await user.run(["docker", "sandbox", "exec", "box", "echo", "here"], { env })).toEqual({
      status: 0,
      stdout: "here\n",
      stderr: "",
    });
  });

  it.skipIf(!canHaveOwnEngine)(
    "is refused where it is another engine, although the sandbox would answer",
    async () => {
      const { dockerHost } = await ownEngine();
      const asked = await user.run(["docker", "sandbox", "exec", "box", "touch", "started"], {
        env: { DOCKER_HOST: dockerHost },
      });
      expect(asked).toMatchObject({
        status: 66,
        stdout: "",
        stderr: expect.stringContaining("another Docker engine"),
      });
      expect(existsSync(join(project, "started"))).toBe(false);
      expect((await exec("box", "true")).status).toBe(0);
    },
  );
});

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

import { once } from "node:events";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { newUser, type User } from "../setup/command-line.ts";
import { docker } from "../setup/docker.ts";
import { filesIn } from "../setup/files-in.ts";
import { type OnlineInstance, onlineInstance } from "../setup/sandboxd.ts";
import {
  addresses,
  canHaveSmallInternet,
  type SmallInternet,
  smallInternet,
} from "../setup/small-internet.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

const models = ["api.anthropic.com", "api.openai.com"];

describe.skipIf(!canHaveSmallInternet)("docker sandbox network", () => {
  let internet: SmallInternet;
  let instance: OnlineInstance;
  let user: User;
  const curl = ["curl", "-s", "-k", "-m", "8", "-o", "/dev/null", "-w", "%{http_code}"];
  const status = async (url: string): Promise<string> =>
    (await user.sandbox("exec", "my-sandbox", ...curl, url)).stdout;

  beforeAll(async () => {
    internet = await smallInternet([...models, "other.test", "slow.test"]);
    instance = await onlineInstance(internet);
    user = await newUser({ OPENTIGER_HOME: instance.home });
    const made = await user.sandbox("create", "--name", "my-sandbox", "claude", temporaryWorkspace());
    expect(made).toMatchObject({ status: 0 });
  });

  test("B11 deny, then two hosts: those work, everything else is 403 and logged", async () => {
    expect(await status("https://other.test/")).toBe("200");
    expect(await user.sandbox("network", "proxy", "my-sandbox", "--policy", "deny")).toMatchObject({
      status: 0,
    });
    for (const host of models) expect(await status(`http://${host}/`)).toBe("403");
    for (const host of models) {
      expect(await user.sandbox("network", "proxy", "my-sandbox", "--allow-host", host)).toMatchObject({
        status: 0,
      });
    }
    for (const host of models) {
      expect(await status(`https://${host}/`)).toBe("200");
      expect(await status(`http://${host}/`)).toBe("200");
    }
    expect(await status("http://other.test/")).toBe("403");
    const log = await user.sandbox("network", "log", "my-sandbox", "--json");
    const rows = JSON.parse(log.stdout) as {
      host: string;
      port: number;
      allowed: number;
      blocked: number;
      rule: string;
    }[];
    expect(rows.find(({ host, port }) => host === "other.test" && port === 80)).toMatchObject({
      blocked: 1,
      rule: "policy deny",
    });
    expect(rows.find(({ host, port }) => host === models[0] && port === 443)).toMatchObject({ allowed: 1 });
    expect((await user.sandbox("network", "log", "-q")).stdout.split("\n")).toContain("other.test");
  });

  test("the rules are shown, persist, and bad ones are refused with nothing changed", async () => {
    const shown = await user.sandbox("network", "proxy", "my-sandbox");
    expect(shown.stdout).toContain("policy deny");
    expect(shown.stdout).toContain("api.anthropic.com");
    const before = await user.sandbox("network", "proxy", "my-sandbox", "--json");
    for (const [flag, word] of [
      ["--allow-host", "ex*mple.com"],
      ["--allow-host", "a b.com"],
      ["--allow-cidr", "10.0.0.0/99"],
      ["--block-host", ""],
    ] as const) {
      const refused = await user.sandbox("network", "proxy", "my-sandbox", flag, word);
      expect(refused.status).toBe(64);
      expect(refused.stderr).toContain("→");
    }
    expect((await user.sandbox("network", "proxy", "nobody")).status).toBe(66);
    expect(await user.sandbox("network", "proxy", "my-sandbox", "--json")).toEqual(before);
  });

  test("A10 to or from open the container is made again, on the network that is named, and keeps its files; all are loud about it", async () => {
    const network = `opentiger-test-${process.pid}`;
    await docker("network", "create", "--internal", network);
    atEnd(() => docker("network", "rm", network));
    const named = { env: { SANDBOX_DOCKER_NETWORK: network } };
    const setPolicy = (policy: string) =>
      user.run(["docker", "sandbox", "network", "proxy", "my-sandbox", "--policy", policy], named);
    await user.sandbox("exec", "my-sandbox", "sh", "-c", "echo kept > /tmp/kept");
    const opened = await setPolicy("open");
    expect(opened.stderr).not.toContain("opens nothing by itself");
    expect(opened).toMatchObject({ status: 0, stderr: expect.stringContaining("was made again") as string });
    expect(opened.stderr).toContain("neither checked nor logged");
    expect((await user.sandbox("ls")).stdout).toContain("OPEN");
    const [inspected] = JSON.parse((await user.sandbox("inspect", "my-sandbox")).stdout) as [
      { weakness: string; container: { id: string } },
    ];
    expect(inspected.weakness).toContain("The policy is open");
    const attached = "{{json .NetworkSettings.Networks}}";
    const networks: unknown = JSON.parse(
      await docker("inspect", "--format", attached, inspected.container.id),
    );
    expect(Object.keys(networks as object)).toEqual([network]);
    for (const only of [[], ["my-sandbox"]])
      expect((await user.sandbox("network", "log", ...only)).stderr).toContain("my-sandbox is OPEN");
    expect(await user.sandbox("network", "learn", "my-sandbox")).toMatchObject({
      status: 64,
      stdout: "",
      stderr: expect.stringMatching(/is open: [\s\S]*--policy allow/) as string,
    });
    const interfaces = ["exec", "my-sandbox", "sh", "-c", "ls /sys/class/net; cat /tmp/kept"];
    expect((await user.sandbox(...interfaces)).stdout).toMatch(/eth0[\s\S]*kept/);
    expect((await setPolicy("deny")).stderr.match(/opens nothing by itself/g)).toHaveLength(1);
    const closed = (await user.sandbox(...interfaces)).stdout;
    expect(closed).not.toContain("eth0");
    expect(closed).toContain("kept");
    expect(await status("http://other.test/")).toBe("403");
    expect(await status("https://api.openai.com/")).toBe("200");
  });

  test("what was learned under allow is enough under deny", async () => {
    const workspace = temporaryWorkspace();
    await user.sandbox("create", "--name", "learner", "shell", workspace);
    await user.sandbox("exec", "learner", ...curl, "https://other.test/");
    const learned = await user.sandbox("network", "learn", "learner");
    expect(learned.stdout).toContain("--policy deny");
    expect(learned.stdout).toContain("--allow-host 'other.test:443'");
    expect(learned.stdout).not.toContain("self-test");
    const applied = await user.run(["sh", "-c", learned.stdout]);
    expect(applied).toMatchObject({ status: 0 });
    const fetched = await user.sandbox("exec", "learner", ...curl, "https://other.test/");
    expect(fetched.stdout).toBe("200");
    expect((await user.sandbox("exec", "learner", ...curl, "http://api.openai.com/")).stdout).toBe("403");
    const since = ["--since", new Date().toISOString()];
    expect((await user.sandbox("network", "learn", "learner", ...since)).stdout).not.toContain("other.test");
    await user.sandbox("rm", "learner");
  });

  test("A12 a key of who makes a sandbox is brokered; a bypass opens a tunnel there and says what is lost", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-ant-canary-of-the-maker" };
    const words = ["--name", "keyed", "claude", temporaryWorkspace()];
    const made = await user.run(["docker", "sandbox", "create", ...words], { env });
    expect(made).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining("nothing to log in") as string,
    });
    const ask = async (url: string) => (await user.sandbox("exec", "keyed", ...curl, url)).stdout;
    const before = internet.seen.length;
    await ask("http://127.0.0.1:3129/anthropic/v1/models");
    expect(JSON.stringify(internet.seen.slice(before))).toContain(env.ANTHROPIC_API_KEY);
    expect(await ask("https://api.anthropic.com/")).toBe("000");
    const host = ["--bypass-host", "api.anthropic.com"];
    const bypassed = await user.sandbox("network", "proxy", "keyed", ...host);
    expect(bypassed.stderr).toMatch(/^note: .*api\.anthropic\.com bypass the gateway.*no budget counts it/m);
    const json = await user.sandbox("network", "proxy", "keyed", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ weakness: expect.stringContaining("bypass") as string });
    expect(await ask("https://api.anthropic.com/")).toBe("200");
    const shown = await Promise.all([user.sandbox("inspect", "keyed"), user.sandbox("auth", "keyed")]);
    expect(JSON.stringify(shown)).toContain("given with keyed");
    expect(JSON.stringify([shown, filesIn(instance.home)])).not.toContain("canary");
    await user.sandbox("rm", "keyed");
  });

  test("a rule that is taken away cuts the connection that it had allowed", async () => {
    await user.sandbox("network", "proxy", "my-sandbox", "--allow-host", `${addresses.public}:9000`);
    const talk = [
      "python3",
      "-u",
      "-c",
      `import socket
s = socket.create_connection(("127.0.0.1", 3128))
s.sendall(b"CONNECT ${addresses.public}:9000 HTTP/1.1\\r\\nHost: ${addresses.public}:9000\\r\\n\\r\\n")
s.recv(4096)
s.sendall(b"ping")
print(s.recv(4096).decode())
print("cut" if s.recv(4096) == b"" else "more")`,
    ];
    const child = user.start(["docker", "sandbox", "exec", "my-sandbox", ...talk]);
    // It may end before the command that cuts it has.
    const closed = once(child, "close");
    const lines: string[] = [];
    if (child.stdout) createInterface(child.stdout).on("line", (line) => lines.push(line));
    await until("the connection stands", () => lines.includes("ping"));
    await user.sandbox("network", "proxy", "my-sandbox", "--block-host", `${addresses.public}:9000`);
    await closed;
    expect(lines).toEqual(["ping", "cut"]);
  });

  test("the log is followed as it happens, and survives a sandboxd that is killed", async () => {
    const child = user.start(["docker", "sandbox", "network", "log", "my-sandbox", "--follow", "--json"]);
    const lines: string[] = [];
    if (child.stdout) createInterface(child.stdout).on("line", (line) => lines.push(line));
    await until("an event is shown", async () => {
      await status("http://other.test/");
      return lines.length > 0;
    });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      sandbox: "my-sandbox",
      host: "other.test",
      verdict: "blocked",
    });
    child.kill("SIGINT");
    // Written half a second after it happened.
    await until(
      "the log is on disk",
      async () => {
        await instance.killSandboxd();
        await instance.startSandboxd();
        return (await user.sandbox("network", "log", "-q")).stdout.includes("other.test");
      },
      undefined,
      seldomMs,
    );
  });

  test("a port inside is reached on the host's loopback, also after a stop and a kill of sandboxd, and taken back", async () => {
    const script = `require("node:http").createServer((q, r) => r.end("inside")).listen(3000, "127.0.0.1")`;
    const serve = ["exec", "-d", "my-sandbox", "node", "-e", script];
    await user.sandbox(...serve);
    const published = await user.sandbox("port", "my-sandbox", "3000", "--json");
    const [{ published: port }] = JSON.parse(published.stdout) as [{ published: number }];
    const fetch = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const child = internet.machine(["curl", "-s", "-m", "5", `http://127.0.0.1:${port}/`]);
        let said = "";
        child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
        child.once("error", reject).once("close", () => resolve(said));
      });
    await until("the service inside answers", async () => (await fetch()) === "inside");
    expect((await user.sandbox("port", "my-sandbox")).stdout).toBe(`127.0.0.1:${port} -> 3000\n`);
    await user.sandbox("stop", "my-sandbox");
    await user.sandbox(...serve);
    await until("it answers after a stop", async () => (await fetch()) === "inside");
    await instance.killSandboxd();
    await instance.startSandboxd();
    await until("it answers after a kill", async () => (await fetch()) === "inside");
    await user.sandbox("port", "my-sandbox", "3000", "--remove");
    expect(await fetch()).toBe("");
  });
});

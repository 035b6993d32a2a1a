import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { reachSupervisor } from "../../../packages/sandbox/src/backends/docker/container/reach.ts";
import { connectEngine } from "../../../packages/sandbox/src/backends/docker/engine/engine.ts";
import type { Sandbox } from "../../../packages/sandbox/src/sandbox.ts";
import type { Session } from "../../../packages/sandbox/src/session/session.ts";
import { openState } from "../../../packages/sandbox/src/state/state.ts";
import { atEnd } from "../../setup/at-end.ts";
import { type TakingInstance, takingInstance } from "../../setup/egress-taker.ts";
import { tcpEngine } from "../../setup/engine-proxy.ts";
import { runIn } from "../../setup/place.ts";
import { newSandbox } from "../../setup/sandbox.ts";
import { soak } from "../../setup/soak.ts";
import { temporaryFolder, temporaryWorkspace } from "../../setup/temporary-workspace.ts";
import { answer, digest, hostServer, largeBody } from "./outside.ts";

/** In each direction. Over stdio the engine and the test's way to it carry every byte several times. */
const megabytes = soak ? { socket: 200, "exec-stdio": 50 } : { socket: 64, "exec-stdio": 16 };

describe.each(["socket", "exec-stdio"] as const)("over the %s carrier", (carrier) => {
  let instance: TakingInstance;
  let sandbox: Sandbox;
  let session: Session;

  beforeAll(async () => {
    if (carrier === "socket") {
      instance = await takingInstance(answer);
      sandbox = await newSandbox(instance, temporaryWorkspace());
    } else {
      instance = await takingInstance(answer, { ...process.env, DOCKER_HOST: await tcpEngine() });
      sandbox = await newSandbox(instance, repository(), { workspaceKind: "clone" });
    }
    session = await sessionOf(instance, sandbox);
    expect(openState(instance.home).records.read(sandbox.id)?.carrier).toBe(carrier);
  });

  const run = (script: string) => runIn(sandbox, ["bash", "-c", script]);

  test("a program that obeys the proxy variables comes out at the proxy door", async () => {
    instance.taker.openings.length = 0;
    expect((await run("curl -sS http://site.test/path")).stdout).toBe("site.test http://site.test/path");
    expect((await run("curl -sS -p http://site.test/path")).stdout).toBe("site.test /path");
    expect(instance.taker.openings).toEqual([{ kind: "proxy" }, { kind: "proxy" }]);
    const env = (await run("env | grep -i proxy | sort | sed 's/=.*//'")).stdout.trim().split("\n");
    expect(env.toSorted()).toEqual(
      [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NODE_USE_ENV_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
      ].toSorted(),
    );
  });

  test("a program that ignores them is led to the door of the name, and no question leaves", async () => {
    instance.taker.openings.length = 0;
    expect((await run("getent ahosts x.test")).stdout).toMatch(/^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
    expect((await run("curl -sS --noproxy '*' http://x.test/there")).stdout).toBe("x.test /there");
    const fetched = `fetch("http://X.test/node").then(async (r) => console.log(await r.text()))`;
    expect((await runIn(sandbox, ["node", "-e", fetched], { env: { NODE_USE_ENV_PROXY: "0" } })).stdout).toBe(
      "x.test /node\n",
    );
    expect(instance.taker.openings).toEqual([
      { kind: "name", host: "x.test", port: 80 },
      { kind: "name", host: "x.test", port: 80 },
    ]);
    const tls = await run("curl -sS -m 5 --noproxy '*' https://secure.test/");
    expect(tls.code).not.toBe(0);
    expect(instance.taker.openings.at(-1)).toEqual({ kind: "name", host: "secure.test", port: 443 });
  });

  test("every name keeps an address of its own, and what is no name of a host has none", async () => {
    const script = "getent hosts one.test two.test one.test; getent hosts localhost host.docker.internal";
    const lines = (await run(script)).stdout.split("\n").map((line) => line.split(/\s+/)[0]);
    expect(new Set(lines.slice(0, 3)).size).toBe(2);
    expect(lines[0]).toBe(lines[2]);
    expect(lines[4]).toBe("127.0.0.2");
    for (const name of ["alone", "printer.local", "metadata.google.internal", "4.3.2.1.in-addr.arpa"])
      expect((await run(`getent hosts ${name}`)).code).toBe(2);
    const overTcp = `const dns = require("dns");
      const socket = require("net").connect(53, "127.0.0.1");
      const q = Buffer.from("001d0001010000010000000000000161047465737400000100" + "01", "hex");
      q.writeUInt16BE(q.length - 2, 0); socket.write(q);
      socket.once("data", (d) => { console.log(d.subarray(-4).join(".")); socket.end(); });`;
    const stream = (await runIn(sandbox, ["node", "-e", overTcp])).stdout.trim();
    expect((await run("getent ahosts a.test")).stdout.split(/\s/)[0]).toBe(stream);
  });

  test("SOCKS and the gateway have doors of their own", async () => {
    instance.taker.openings.length = 0;
    expect((await run("curl -sS http://127.0.0.1:3129/v1/messages")).stdout).toBe(
      "127.0.0.1:3129 /v1/messages",
    );
    await run("curl -s -m 2 --socks5-hostname 127.0.0.1:1080 http://any.test/");
    expect(instance.taker.openings).toEqual([{ kind: "gateway" }, { kind: "socks" }]);
  });

  test("ssh goes out through the SOCKS door, which is told host and port", async ({ onTestFinished }) => {
    onTestFinished(() => {
      instance.taker.handle = undefined;
    });
    let asked = Buffer.alloc(0);
    instance.taker.handle = (_opening, stream) => {
      stream.on("data", (chunk: Buffer) => {
        const greeting = asked.length === 0;
        asked = Buffer.concat([asked, chunk]);
        if (greeting) return void stream.write(Buffer.from([5, 0]));
        if (!chunk.includes("SSH-2.0")) stream.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        else stream.end("SSH-2.0-test\r\n");
      });
    };
    instance.taker.openings.length = 0;
    const said = await run("GIT_SSH_VARIANT=ssh git ls-remote ssh://git@code.test:2222/x.git");
    expect(instance.taker.openings).toEqual([{ kind: "socks" }]);
    const host = Buffer.from("code.test");
    const request = Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, Buffer.from([0x08, 0xae])]);
    expect(asked.subarray(0, 3 + request.length)).toEqual(Buffer.concat([Buffer.from([5, 1, 0]), request]));
    expect(asked.toString()).toContain("SSH-2.0-OpenSSH");
    expect(said.code).toBe(128);
    instance.taker.handle = (_opening, stream) => {
      stream.once("data", () => stream.write(Buffer.from([5, 0])));
      stream.on(
        "data",
        (chunk: Buffer) => chunk.length > 3 && stream.write(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0])),
      );
    };
    expect((await run("ssh -o BatchMode=yes git@code.test")).stderr).toContain("policy does not allow it");
  });

  test(`${megabytes[carrier]} MB arrive intact, in each direction`, async () => {
    const size = megabytes[carrier];
    const expected = await digest(largeBody(size));
    const down = await run(`curl -sS --noproxy '*' http://down.test/large/${size} | sha256sum`);
    expect(down.stdout.split(" ")[0]).toBe(expected);
    const up = `node -e 'const p = Buffer.alloc(1024 * 1024, "0123456789abcdef"); let n = 0; const go = () => { while (n < ${size}) { n += 1; if (!process.stdout.write(p)) return process.stdout.once("drain", go); } }; go()' | curl -sS --noproxy '*' -T - http://up.test/`;
    expect((await run(up)).stdout).toBe(expected);
  });

  test("the end of one direction is passed on while the other goes on", async ({ onTestFinished }) => {
    onTestFinished(() => {
      instance.taker.handle = undefined;
    });
    instance.taker.handle = (_opening, stream) => {
      whole(stream, (got) => stream.end(`got ${got.length}`));
    };
    const script = `const s = require("net").connect({ port: 80, host: "half.test", allowHalfOpen: true });
      s.end("x".repeat(100000)); s.pipe(process.stdout);`;
    expect((await runIn(sandbox, ["node", "-e", script])).stdout).toBe("got 100000");
    instance.taker.handle = (_opening, stream) => {
      stream.end("first");
      whole(stream, (got) => instance.taker.openings.push({ kind: "host", port: got.length }));
    };
    const late = `const s = require("net").connect({ port: 80, host: "half.test", allowHalfOpen: true });
      s.on("end", () => s.end("later")); s.resume();`;
    await runIn(sandbox, ["node", "-e", late]);
    await expect.poll(() => instance.taker.openings.at(-1)).toEqual({ kind: "host", port: 5 });
  });

  test("100 at once are all answered", async () => {
    const script = `seq 100 | xargs -P 100 -I{} curl -sS --noproxy '*' http://n{}.test/{} | grep -o 'test /' | wc -l`;
    expect((await run(script)).stdout.trim()).toBe("100");
  });

  test("when nobody is outside there is no network, and when somebody is back there is one", async () => {
    const record = openState(instance.home).records.read(sandbox.id);
    if (!record) throw new Error("no record");
    await instance.taker.detach(sandbox.id);
    await expect
      .poll(async () => (await run("curl -sS -o /dev/stderr -w '%{http_code}' http://a.test/")).stdout)
      .toBe("503");
    const said = await run("curl -sS http://a.test/");
    expect(said.stdout).toContain("opentiger sandboxd status");
    expect((await run("curl -sS -m 5 --noproxy '*' http://a.test/")).code).not.toBe(0);
    await instance.taker.attach(record);
    expect((await run("curl -sS http://a.test/b")).stdout).toBe("a.test http://a.test/b");
  });

  test("A14 host.docker.internal has exactly the ports that were declared", async () => {
    const [one, two] = [await hostServer("one"), await hostServer("two")];
    const ask = (port: number) => run(`curl -sS -m 5 http://host.docker.internal:${port}/`);
    await session.setDoors({ hostPorts: [one] });
    expect((await ask(one)).stdout).toBe("one");
    expect((await ask(two)).code).toBe(7);
    await session.setDoors({ hostPorts: [two] });
    expect((await ask(one)).code).toBe(7);
    expect((await ask(two)).stdout).toBe("two");
    await session.setDoors({ hostPorts: [] });
    expect((await ask(two)).code).toBe(7);
  });

  test("a port inside can be connected to from outside, on either loopback", async () => {
    const server = await sandbox.exec([
      "node",
      "-e",
      `require("net").createServer({ allowHalfOpen: true }, (s) => s.pipe(s)).listen(4000, "127.0.0.1", () => console.log("up"))`,
    ]);
    for await (const _ of server.output()) break;
    const stream = await session.connectInside(4000);
    stream.end("there and back");
    expect((await buffer(stream)).toString()).toBe("there and back");
    await expect(session.connectInside(4001)).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("4001"),
    });
    await server.kill();
    expect(await runIn(sandbox, ["true"])).toMatchObject({ code: 0 });
  });

  test("the guard's look at itself fails when what everybody denies is let through", async () => {
    await session.selfTest();
    instance.taker.deniedStatus = 200;
    await expect(session.selfTest()).rejects.toMatchObject({
      code: "sandbox_broken",
      message: expect.stringContaining("200 instead of 403"),
    });
    const again = { name: "unguarded", ...(carrier === "socket" ? {} : { workspaceKind: "clone" as const }) };
    const workspace = carrier === "socket" ? temporaryWorkspace() : repository();
    await expect(newSandbox(instance, workspace, again)).rejects.toMatchObject({ code: "sandbox_broken" });
    expect((await instance.backend.list()).map(({ name }) => name)).not.toContain("unguarded");
    await instance.backend.stop(sandbox.name);
    await expect(instance.backend.open(sandbox.name)).rejects.toMatchObject({ code: "sandbox_broken" });
    const status = (await instance.backend.list()).find(({ id }) => id === sandbox.id)?.status;
    expect(status).toBe("stopped");
    instance.taker.deniedStatus = 403;
    sandbox = await instance.backend.open(sandbox.name);
    atEnd(() => sandbox.close());
    expect((await run("curl -sS http://back.test/")).stdout).toBe("back.test http://back.test/");
  });
});

async function sessionOf({ home, env }: TakingInstance, { id }: Sandbox): Promise<Session> {
  const record = openState(home).records.read(id);
  if (!record?.containerId) throw new Error("no container");
  const { docker } = connectEngine({ env, home });
  const session = await reachSupervisor({ docker, stateFolder: home, record }, record.containerId);
  atEnd(() => session.close());
  return session;
}

/** Without ending the stream: to iterate over one would. */
function whole(stream: Duplex, then: (bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.once("end", () => then(Buffer.concat(chunks)));
}

function repository(): string {
  const folder = temporaryFolder("ot-egress-");
  const author = ["-c", "user.name=Somebody", "-c", "user.email=somebody@localhost"];
  execFileSync("git", ["init", "-q", folder]);
  writeFileSync(join(folder, "file"), "x");
  execFileSync("git", ["-C", folder, "add", "."]);
  execFileSync("git", ["-C", folder, ...author, "commit", "-qm", "first"]);
  return folder;
}

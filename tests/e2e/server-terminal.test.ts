import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import {
  type TerminalBack,
  temporaryTerminal,
} from "../../packages/server/src/terminal/temporary-terminal.ts";
import { askServer } from "../setup/ask-server.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { docker } from "../setup/docker.ts";
import { freePort } from "../setup/free-port.ts";
import { importShellImage } from "../setup/shell-image.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const program = await bundledProgram(new URL("../../packages/server/src/main.ts", import.meta.url));
const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });
const box = "terminal-box";
const plainBox = "plain-terminal-box";
const plainImage = "opentiger-test/plain-terminal:latest";

let server: RunningServer;
/** Keeps nothing for long. */
let hasty: RunningServer;

beforeAll(async () => {
  server = await instance.start();
  await make({ name: box, network: "deny" });
});

afterAll(async () => {
  for (const name of [box, plainBox])
    await askServer(server.url, `/sandboxes/${name}?force=true`, { method: "DELETE" });
  await instance.remove();
  await docker("rmi", "--force", plainImage);
});

test("whoever was cut off comes back to the same shell, and sees what came meanwhile, once", async () => {
  const first = await open(server.url);
  expect(first.opened.resumed).toBe(false);
  first.type("cd /usr && mine=kept-$((40+2)) && echo ready-$((1+1))\n");
  await until("it has heard", () => first.text().includes("ready-2"));
  first.type("(sleep 1; echo late-$((3+4))) &\n");
  await until("it is typed", () => first.text().includes("late-$"));
  first.cut();
  await until(
    "it has said so to nobody",
    async () => (await inside("pgrep -x sleep || echo none")) === "none",
  );
  const second = await open(server.url, { id: first.opened.id, from: first.offset() });
  expect(second.opened).toMatchObject({ id: first.opened.id, resumed: true, offset: first.offset() });
  await until("what came meanwhile is shown", () => second.text().includes("late-7"));
  expect(second.text()).not.toContain("ready-2");
  second.type("echo $mine in $PWD\n");
  await until("it is the same shell", () => second.text().includes("kept-42 in /usr"));
  // A page that was loaded again has nothing on its screen.
  const third = await open(server.url, { id: first.opened.id });
  await until("the screen is back", () => third.text().includes("kept-42 in /usr"));
  expect(third.text().split("ready-2")).toHaveLength(2);
  await until("the one before is told", () => second.said().includes("another window"));
  third.end();
  await until("it is gone", async () => !(await isThere(first.opened.id)));
  expect((await open(server.url, { id: first.opened.id })).opened.resumed).toBe(false);
});

test("it has the size that it is told, also after it was found again", async () => {
  const first = await open(server.url);
  first.say({ type: "resize", columns: 101, rows: 31 });
  await until("it has it", async () => {
    first.type("stty size\n");
    return first.text().includes("31 101");
  });
  first.cut();
  const second = await open(server.url, { id: first.opened.id, from: first.offset() });
  second.say({ type: "resize", columns: 99, rows: 29 });
  await until("it has the other", async () => {
    second.type("stty size\n");
    return second.text().includes("29 99");
  });
  const { json } = await askServer(server.url, `/sandboxes/${box}/execs`);
  expect(JSON.stringify(json)).not.toContain("stty");
  second.end();
});

test("a size that it is told at once is not lost to the one that it begins with", async () => {
  const slow = 'case "$1" in cols) sleep 1 ;; esac; exec /usr/bin/stty "$@"';
  const container = await docker("ps", "--quiet", "--filter", `label=opentiger.name=${box}`);
  const shim = `printf '#!/bin/sh\\n%s\\n' '${slow}' > /usr/local/bin/stty && chmod +x /usr/local/bin/stty`;
  await docker("exec", "--user", "0", container, "sh", "-c", shim);
  const first = await open(server.url);
  first.say({ type: "resize", columns: 101, rows: 31 });
  first.type("sleep 2; stty size\n");
  await until("it has it", () => /^31 101/m.test(first.text()));
  first.end();
  await docker("exec", "--user", "0", container, "rm", "/usr/local/bin/stty");
});

test("kill -9 of the server: the next one leads to the same shell, and what came meanwhile is there", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let process = await started(port);
  const first = await open(url);
  first.type("mine=survived; (sleep 1; echo alone-$((5+5))) & echo ready-$((1+1))\n");
  await until("it has heard", () => first.text().includes("ready-2"));
  const killed = once(process, "exit");
  process.kill("SIGKILL");
  await killed;
  process = await started(port);
  const second = await open(url, { id: first.opened.id, from: first.offset() });
  expect(second.opened).toMatchObject({ resumed: true });
  await until("what came meanwhile is shown", () => second.text().includes("alone-10"));
  second.type("echo $mine; exit 4\n");
  await until("it ends as it should", () => second.said().includes('{"type":"exit","code":4}'));
  expect(second.text()).toContain("survived");
  process.kill("SIGKILL");
});

test("a shell that nobody comes back to ends, and so does one that a dead server left", async () => {
  const left = await open(server.url);
  left.cut();
  hasty = await instance.start({ keepShellsMs: 1_000 });
  const own = await open(hasty.url);
  own.type("nohup sleep 1000 >/dev/null 2>&1 & echo ready-$((1+1))\n");
  await until("it has heard", () => own.text().includes("ready-2"));
  own.cut();
  await until("its own is gone, with what it started", async () => {
    const sleeping = await inside("pgrep -f 'sleep 100[0]' || echo none");
    return sleeping === "none" && !(await isThere(own.opened.id));
  });
  await until("the one of the other is gone too", async () => !(await isThere(left.opened.id)));
  expect(existsSync(join(instance.home, "terminals"))).toBe(true);
  await until("nothing is left of them", () => readdirSync(join(instance.home, "terminals")).length === 0);
});

test("a shell that somebody looks at stays, however long", async () => {
  const watched = await open(hasty.url);
  const other = await open(hasty.url);
  other.cut();
  await until("the time of others was up", async () => !(await isThere(other.opened.id)));
  watched.type("echo still-$((1+1))\n");
  await until("it is there", () => watched.text().includes("still-2"));
  watched.end();
  await hasty.close();
});

test("a stopped sandbox is not started by whoever comes back to a shell in it", async () => {
  const first = await open(server.url);
  await askServer(server.url, `/sandboxes/${box}/stop`, { method: "POST" });
  await until("its end is told", () => first.said().includes('"exit"'));
  const again = await askServer(server.url, `/sandboxes/${box}/terminal?id=${first.opened.id}`, {
    headers: upgrade,
  });
  expect(again.status).toBe(409);
  const { json } = await askServer(server.url, "/sandboxes");
  const { items } = z
    .object({ items: z.array(z.object({ name: z.string(), status: z.string() })) })
    .parse(json);
  expect(items.find(({ name }) => name === box)?.status).toBe("stopped");
});

test("without a supervisor a shell outlives its connection, and with another server a new one begins", async () => {
  importShellImage(plainImage);
  await make({ name: plainBox, network: "deny", image: plainImage });
  const first = await open(server.url, {}, plainBox);
  first.type("mine=kept-$((40+2)); echo ready-$((1+1))\n");
  await until("it has heard", () => first.text().includes("ready-2"));
  first.cut();
  const second = await open(server.url, { id: first.opened.id, from: first.offset() }, plainBox);
  second.type("echo $mine\n");
  await until("it is the same shell", () => second.text().includes("kept-42"));
  const other = await instance.start();
  expect((await open(other.url, { id: first.opened.id }, plainBox)).opened.resumed).toBe(false);
});

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
};

const open = (url: string, back: TerminalBack = {}, name = box) => temporaryTerminal(url, name, back);

async function make(what: { name: string; network: string; image?: string }): Promise<void> {
  const body = { ...what, agent: "shell", workspaces: [{ path: temporaryWorkspace() }] };
  const made = await askServer(server.url, "/sandboxes", { method: "POST", body });
  expect(made.status, made.text).toBe(201);
}

/** What a command inside prints. */
async function inside(script: string): Promise<string> {
  const body = { command: ["sh", "-c", script] };
  const { json } = await askServer(server.url, `/sandboxes/${box}/exec`, { method: "POST", body });
  return z.object({ stdout: z.string() }).parse(json).stdout.trim();
}

/** Whether the shell runs. */
async function isThere(id: string): Promise<boolean> {
  const { json } = await askServer(server.url, `/sandboxes/${box}/execs`);
  const shape = z.object({ items: z.array(z.object({ id: z.string(), exit: z.unknown() })) });
  return shape.parse(json).items.some((exec) => exec.id === id && exec.exit === null);
}

/** A server as a process of its own, which can be killed. */
async function started(port: number): Promise<ChildProcess> {
  writeFileSync(join(instance.home, "processes.json"), JSON.stringify({ version: 1, wanted: [] }));
  const env = { ...instance.env, OPENTIGER_API_PORT: String(port) };
  const child = spawn(process.execPath, [program], { env, stdio: "ignore" });
  await until("it answers", () =>
    askServer(`http://127.0.0.1:${port}`, "/health").then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return child;
}

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DispatcherClient, listLoops, openPlace } from "@opentiger/orchestrator";
import { Sandboxd } from "@opentiger/sandboxd";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { endInstance } from "../setup/end-instance.ts";
import { freePort } from "../setup/free-port.ts";
import { type CommandLine, commandLine } from "../setup/loop-command-line.ts";
import { userRepository } from "../setup/loop-world.ts";
import { processesOf } from "../setup/processes-of.ts";
import { quickAgent } from "../setup/quick-agent.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";

const timeoutMs = 120_000;

interface Instance {
  env: NodeJS.ProcessEnv;
  url: string;
  opentiger: CommandLine;
}

/** A new instance on a port of its own, of which nothing is left at the end. */
async function newInstance(more: NodeJS.ProcessEnv = {}): Promise<Instance> {
  const home = temporaryFolder("ot-up-");
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: home,
    OPENTIGER_HOME: home,
    OPENTIGER_API_PORT: String(port),
    OPENTIGER_AGENT_COMMAND: JSON.stringify(quickAgent),
    ...more,
  };
  atEnd(() => endInstance(env));
  return { env, url: `http://127.0.0.1:${port}`, opentiger: commandLine(env) };
}

let own: Instance;

beforeAll(async () => {
  own = await newInstance();
});

afterEach(async () => {
  await own.opentiger("down");
});

describe("opentiger up", () => {
  test(
    "starts everything, a second one finds the first, and down ends all of it",
    async () => {
      const { opentiger, url, env } = own;
      const first = await opentiger("up", "--detach");
      expect(first).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`openTiger runs at ${url}\n`),
      });
      expect(first.stderr).toContain("Making the database");
      expect(await opentiger("up", "--set", "OPENTIGER_REWORKS=2")).toMatchObject({
        status: 73,
        stdout: "",
        stderr: expect.stringMatching(
          /the settings of --set were not taken\n {2}→ .*config set.*opentiger down/,
        ),
      });
      const elsewhere = commandLine({ ...env, OPENTIGER_AGENT_COMMAND: undefined });
      expect(await elsewhere("config", "set", "OPENTIGER_AGENT_COMMAND", '["true"]')).toMatchObject({
        status: 77,
        stdout: "",
        stderr: expect.stringContaining("variable OPENTIGER_AGENT_COMMAND of the server that runs"),
      });
      const second = await opentiger("up");
      expect(second).toMatchObject({ status: 0, stderr: "" });
      expect(second.stdout).toMatch(new RegExp(`^openTiger runs already, for \\d+s, at ${url}\n`));
      const again = await opentiger.json("up", "--json");
      expect(again).toMatchObject({
        url,
        started: false,
        login: expect.stringContaining(`${url}/login#otl_`),
      });

      await until("the dispatcher runs", () => new DispatcherClient(env).status());
      await until("sandboxd runs", () => new Sandboxd(env).status());
      const status = await opentiger.json("status", "--json");
      expect(status).toMatchObject({
        running: true,
        server: { url, pid: again.pid, ready: true, database: { kind: "embedded" } },
        processes: [{ name: "dispatcher" }],
        sandboxd: { sandboxes: [], hostRuns: 0 },
        database: { state: "running" },
        loops: {},
      });
      const shown = await opentiger("status");
      expect(shown.stdout).toMatch(new RegExp(`^server +${url} +${again.pid} `, "m"));
      expect(shown.stdout).toMatch(/^dispatcher +idle/m);

      expect(await opentiger("down")).toMatchObject({ status: 0, stdout: "openTiger has ended\n" });
      expect(processesOf(`OPENTIGER_HOME=${env["OPENTIGER_HOME"]}`)).toEqual([]);
      const down = await opentiger("status");
      expect(down).toMatchObject({ status: 1, stdout: expect.stringContaining("→ opentiger up") });
      expect(down.stdout).toMatch(/^server +does not run$/m);
      expect(await opentiger("down")).toMatchObject({ status: 0, stdout: "openTiger did not run\n" });
    },
    timeoutMs,
  );

  test(
    "after kill -9 of the server, status tells the truth, and the next one adopts the dispatcher",
    async () => {
      const { opentiger, url, env } = own;
      const { pid } = await opentiger.json("up", "--detach", "--json");
      const dispatcher = await until("the dispatcher runs", () => new DispatcherClient(env).status());
      process.kill(pid, "SIGKILL");
      await until("the server is gone", async () => (await new ServerClient(env).status()) === undefined);
      const status = await opentiger("status", "--json");
      expect(status.status).toBe(1);
      expect(JSON.parse(status.stdout)).toMatchObject({
        running: false,
        server: null,
        processes: [{ pid: dispatcher.pid }],
        loops: {},
      });
      expect(await opentiger("up", "--set", "OPENTIGER_REWORKS=2")).toMatchObject({
        status: 73,
        stderr: expect.stringContaining("a dispatcher runs already"),
      });
      expect(await opentiger.json("up", "--detach", "--json")).toMatchObject({ url, started: true });
      const { processes } = await until(
        "it has looked",
        async () => {
          const found = await opentiger.json("status", "--json");
          return found.server.processes[0].state === "running" ? found : undefined;
        },
        undefined,
        seldomMs,
      );
      expect(processes).toMatchObject([{ pid: dispatcher.pid }]);
    },
    timeoutMs,
  );

  test(
    "says who has the port and what to do, whoever it is",
    async () => {
      const { opentiger, url } = own;
      const stranger = createServer((_request, response) => void response.end("hello"));
      stranger.listen(Number(new URL(url).port), "127.0.0.1");
      await once(stranger, "listening");
      const refused = await opentiger("up");
      stranger.close();
      expect(refused).toMatchObject({ status: 73, stdout: "" });
      expect(refused.stderr).toContain(`another program listens on port ${new URL(url).port}`);
      expect(refused.stderr).toMatch(/→ .*OPENTIGER_API_PORT=\d+/);

      expect(await opentiger("up", "--detach")).toMatchObject({ status: 0 });
      const other = await newInstance({ OPENTIGER_API_PORT: new URL(url).port });
      const beside = await other.opentiger("up", "--detach", "--json");
      expect(beside.status).toBe(73);
      expect(JSON.parse(beside.stderr)).toMatchObject({
        error: {
          code: "port_taken",
          message: expect.stringContaining("an openTiger with another state folder"),
        },
      });
    },
    timeoutMs,
  );
});

describe("who may ask", () => {
  test(
    "a login link is good once, and a key until it is revoked",
    async () => {
      const { opentiger, url } = await newInstance({ OPENTIGER_ALLOW_INSECURE_SYSTEM_CONTROL: "false" });
      expect(await opentiger("status", "--login")).toMatchObject({
        status: 66,
        stderr: expect.stringContaining("→ opentiger up"),
      });
      const made = await opentiger.json("keys", "add", "ci", "--json");
      const key: string = made.key;
      expect(await opentiger("keys", "add", "ci")).toMatchObject({ status: 73 });
      expect(await opentiger("keys", "add", "a b")).toMatchObject({ status: 64 });
      await opentiger("up", "--detach");
      const ask = (given: string) => askServer(url, "/loops", { headers: { "x-api-key": given } });
      expect((await askServer(url, "/loops")).status).toBe(401);
      expect((await ask(key)).status).toBe(200);
      const listed = await opentiger("keys", "ls");
      expect(listed.stdout).toContain(made.id);
      expect(listed.stdout).not.toContain(key);
      expect(await opentiger("keys", "revoke", "ci")).toMatchObject({ status: 0, stdout: "ci\n" });
      expect((await ask(key)).status).toBe(401);
      expect(await opentiger("keys", "revoke", "ci")).toMatchObject({ status: 66 });

      const link = (await opentiger("status", "--login")).stdout.trim();
      const body = { token: link.slice(link.indexOf("#") + 1) };
      const login = () => askServer(url, "/auth/session", { method: "POST", body });
      expect((await login()).status).toBe(200);
      expect((await login()).status).toBe(401);
      await opentiger("down");
    },
    timeoutMs,
  );
});

describe("opentiger run", () => {
  const wanted = ["run", "Write first", "--single", "--host", "--agent", "command", "--repo"] as const;
  const project = () => userRepository({ "opentiger.json": '{"verify":["test -f first.txt || true"]}\n' });

  test(
    "starts the server where none runs, says where the loop can be seen, and works against it",
    async () => {
      const { opentiger, url } = own;
      const ran = await opentiger(...wanted, project());
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      const id = new RegExp(`^dashboard: ${url}/loops/([a-z0-9]{8})\n`).exec(ran.stdout)?.[1] ?? "";
      const seen = await askServer(url, `/loops/${id}`);
      expect(seen.json).toMatchObject({ id, state: "done" });
      expect(await opentiger("loop", "ls", "--status", "failed")).toMatchObject({
        status: 0,
        stdout: "no loop is failed; all of them: opentiger loop ls\n",
      });
      expect(await opentiger("loop", "patch", id, "-o", "/nowhere/work.patch")).toMatchObject({
        status: 64,
        stdout: "",
        stderr: expect.stringMatching(/\/nowhere\/work\.patch cannot be written.*\n.*leave out -o/),
      });
      const logs = await opentiger("run", "logs", id, "1");
      expect(logs).toMatchObject({ status: 0, stdout: expect.stringContaining("judge") });
      const runs = (await opentiger.json("task", "show", id, "1", "--json")).runs;
      const worker = await opentiger("run", "logs", "-f", runs[0].id, "--json");
      const said = worker.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(said.some(({ type }) => type === "finished" || type === "text" || type === "raw")).toBe(true);
      expect(await opentiger("run", "logs", "are", "missing", "somewhere")).toMatchObject({ status: 64 });
      const detached = await opentiger.json(...wanted, project(), "--detach", "--json");
      expect(detached).toMatchObject({ dashboard: `${url}/loops/${detached.loop}` });
      expect(await opentiger("loop", "events", "-f", detached.loop)).toMatchObject({ status: 0 });
    },
    timeoutMs,
  );

  test(
    "says that its loop goes on when Ctrl-C comes while the server is still being started",
    async () => {
      const { opentiger, env } = own;
      expect(await opentiger("loop", "ls")).toMatchObject({ status: 0 });
      const place = await openPlace(env, { program: "test" });
      const begun = async (): Promise<string | undefined> => {
        const [loop] = (await listLoops(place.database, { limit: 1 })).items;
        return loop?.requirement === "Keep starting" ? loop.id : undefined;
      };
      const words = ["run", "Keep starting", "--single", "--host", "--agent", "command", "--repo", project()];
      const { child, ended } = opentiger.start(...words);
      const id = await until("the loop is there", begun, timeoutMs, 5);
      child.kill("SIGINT");
      const left = await ended;
      expect(left).toMatchObject({ status: 130 });
      expect(left.stderr).toContain(`the loop goes on; back to it: opentiger loop events -f ${id}`);
      await opentiger("loop", "cancel", id);
      await place.close();
    },
    timeoutMs,
  );

  test(
    "has a server that was killed back while it watches, and is left by `down`, which lets the agent go on until the next `up` adopts it",
    async () => {
      const { opentiger, url, env } = own;
      const words = ["run", "Keep at it", "--single", "--host", "--agent", "command", "--repo"];
      const { child, ended } = opentiger.start(...words, project());
      const id = await until(
        "it runs",
        () => /loop ([a-z0-9]{8}) is being/.exec(child.heard)?.[1],
        timeoutMs,
      );
      const run = () => opentiger("run", "logs", id, "1", "--json");
      await until(
        "its agent is at work",
        async () => (await run()).stdout.includes("started"),
        timeoutMs,
        seldomMs,
      );
      const { pid = 0 } = (await new ServerClient(env).status()) ?? {};
      process.kill(pid, "SIGKILL");
      await until(
        "another server is there",
        async () => {
          const found = await new ServerClient(env).status();
          return found?.ready && found.pid !== pid;
        },
        timeoutMs,
        seldomMs,
      );
      expect((await askServer(url, `/loops/${id}`)).json).toMatchObject({ id, state: "running" });
      expect(await opentiger.json("down", "--json")).toMatchObject({ server: true, goOn: 1 });
      const left = await ended;
      expect(left).toMatchObject({ status: 130, stderr: expect.stringContaining("openTiger was ended") });
      expect(await opentiger.json("up", "-d", "--json")).toMatchObject({ started: true });
      await until(
        "it is worked on again",
        async () => {
          const { processes } = await opentiger.json("status", "--json");
          return processes[0]?.working === 1;
        },
        undefined,
        seldomMs,
      );
      const { runs } = await opentiger.json("task", "show", id, "1", "--json");
      expect(runs).toMatchObject([{ state: "running" }]);
      expect(await opentiger("loop", "cancel", id)).toMatchObject({ status: 0 });
      expect(await opentiger("loop", "events", "-f", id)).toMatchObject({ status: 2 });
      expect(await opentiger("config", "set", "OPENTIGER_REWORKS", "many")).toMatchObject({ status: 78 });
      expect(await opentiger("config", "set", "OPENTIGER_REWORKS", "2")).toMatchObject({ status: 0 });
      const { json } = await askServer(url, "/audit?limit=20");
      const done = (action: string, target: string, status = 200) =>
        expect.objectContaining({ who: "command line", address: "", action, target, status });
      expect(json).toMatchObject({
        items: expect.arrayContaining([
          done("config set", "OPENTIGER_REWORKS"),
          done("config set", "OPENTIGER_REWORKS", 400),
          done("loop cancel", id),
          done("login link", url),
          done("server stop", url),
          done("run", expect.stringMatching(/^\//)),
        ]),
      });
    },
    timeoutMs,
  );

  test(
    "goes by what `up --set` was given, and is waited for by `down --drain` until its stage is done, and no further",
    async () => {
      const { opentiger, url, env } = own;
      const host = ["--set", "EXECUTION_ENVIRONMENT=host"];
      expect(await opentiger("up", "-d", ...host, "--set", "OPENTIGER_REWORKS=many")).toMatchObject({
        status: 64,
        stderr: expect.stringContaining("a whole number from 0 to 20"),
      });
      expect(await new ServerClient(env).status()).toBeUndefined();
      expect(await opentiger("up", "-d", ...host, "--set", "OPENTIGER_REWORKS=1")).toMatchObject({
        status: 0,
      });
      const given = expect.objectContaining({
        key: "OPENTIGER_REWORKS",
        value: 1,
        source: "flag",
        pinned: true,
      });
      const { json } = await askServer(url, "/config");
      expect(json).toMatchObject({ launchMode: "process", settings: expect.arrayContaining([given]) });
      expect(await opentiger.json("config", "get", "OPENTIGER_REWORKS", "--json")).toEqual(given);
      expect(await opentiger("config", "set", "OPENTIGER_REWORKS", "2")).toMatchObject({ status: 77 });
      const file = join(temporaryFolder("awaited-"), "file");
      const words = ["run", `Await ${file}`, "--single", "--agent", "command", "--repo"];
      const { loop } = await opentiger.json(...words, project(), "--detach", "--json");
      const run = () => opentiger("run", "logs", loop, "1", "--json");
      await until(
        "its agent is at work",
        async () => (await run()).stdout.includes("started"),
        timeoutMs,
        seldomMs,
      );
      const carried = `OPENTIGER_SET=${JSON.stringify({ EXECUTION_ENVIRONMENT: "host", OPENTIGER_REWORKS: "1" })}`;
      const ours = processesOf(carried).map(({ command }) => /(\w+)\.js\b/.exec(command)?.[1]);
      expect(ours).toEqual(expect.arrayContaining(["dispatcher", "server"]));
      const agents = (text: string) => processesOf(text).filter(({ command }) => command.includes("# Await"));
      expect(agents(`HOME=${env["HOME"]}`)).not.toEqual([]);
      expect(agents(carried)).toEqual([]);
      const { child, ended } = opentiger.start("down", "--drain");
      await until("it waits", () => child.heard.includes("dispatcher ends when 1 stage"));
      writeFileSync(file, "now\n");
      expect(await ended).toMatchObject({ status: 0, stdout: "openTiger has ended\n" });
      const task = await opentiger.json("task", "show", loop, "1", "--json");
      expect(task).toMatchObject({
        state: "blocked(awaiting_judge)",
        runs: [{ role: "worker", state: "succeeded" }],
      });
      await opentiger("loop", "cancel", loop);
    },
    timeoutMs,
  );

  test(
    "works without a server whose port is taken, and says so",
    async () => {
      const { opentiger, url } = own;
      const stranger = createServer().listen(Number(new URL(url).port), "127.0.0.1");
      await once(stranger, "listening");
      const ran = await opentiger(...wanted, project());
      stranger.close();
      expect(ran.status).toBe(0);
      expect(ran.stderr).toMatch(/no dashboard: another program listens on port \d+\n {2}→ /);
    },
    timeoutMs,
  );
});

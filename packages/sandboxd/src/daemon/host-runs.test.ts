import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatewayWorld } from "../gateway/fixture/gateway-world.ts";
import { json } from "../gateway/fixture/model-server.ts";
import { HostRuns } from "./host-runs.ts";

let world: GatewayWorld;
let agent: ChildProcess;
let troubles: string[];

beforeEach(async () => {
  world = await GatewayWorld.make({ ANTHROPIC_API_KEY: "sk-ant-test-key" });
  world.model.answer = (_asked, response) =>
    json(response, 200, { model: "m", usage: { input_tokens: 1, output_tokens: 1 } });
  agent = spawn("sleep", ["1000"]);
  troubles = [];
});

afterEach(async () => {
  agent.kill("SIGKILL");
  await world.close();
});

const open = () =>
  new HostRuns(world.gateway, join(world.folder, "host-runs.json"), (sentence) => troubles.push(sentence));
const about = () => ({ run: "run-0001", name: "one", agent: "claude", pid: agent.pid ?? 0 }) as const;
const ask = (env: Record<string, string>) =>
  fetch(`${env["ANTHROPIC_BASE_URL"]}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": env["ANTHROPIC_API_KEY"] ?? "" },
    body: "{}",
  });

/** As after kill -9 of sandboxd and the start of the next one. */
async function killed(): Promise<HostRuns> {
  const before = world.gateway;
  world.killed();
  // The kernel closes the port of a process that it kills.
  await before.close();
  const runs = open();
  await runs.adopt();
  return runs;
}

describe("a run on the host", () => {
  it("goes on over a kill of sandboxd: it finds the same port, and its token is good", async () => {
    const { env } = await open().begin(about());
    const runs = await killed();
    expect(await runs.live()).toBe(1);
    expect((await ask(env)).status).toBe(200);
    expect(world.gateway.usage({ kind: "run", id: "run-0001" }).requests).toBe(1);
  });

  it("that ended while there was no sandboxd leaves no grant and no token", async () => {
    const { env } = await open().begin(about());
    agent.kill("SIGKILL");
    await once(agent, "exit");
    const runs = await killed();
    expect(await runs.live()).toBe(0);
    expect(world.gateway.knownSandboxes()).toEqual([]);
    await world.gateway.listenLoopback();
    expect((await ask(env)).status).toBe(401);
    expect(troubles).toEqual([]);
  });

  it("of which nobody knows whose it is ends", async () => {
    await world.gateway.prepare({ sandboxId: "host-run-9999", sandboxName: "one" }, ["claude"]);
    await killed();
    expect(world.gateway.knownSandboxes()).toEqual([]);
  });

  it("may be begun again by who takes it over: both tokens are good until it ends", async () => {
    const runs = open();
    const first = await runs.begin(about());
    const second = await runs.begin(about());
    expect([(await ask(first.env)).status, (await ask(second.env)).status]).toEqual([200, 200]);
    expect(world.gateway.usage({ kind: "run", id: "run-0001" }).requests).toBe(2);
    await runs.end("run-0001");
    expect([(await ask(first.env)).status, (await ask(second.env)).status]).toEqual([401, 401]);
  });

  it("whose number another process has now is over", async () => {
    const { env } = await open().begin(about());
    const path = join(world.folder, "host-runs.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(/"startTime":"\d+"/, '"startTime":"1"'));
    const runs = await killed();
    expect(await runs.live()).toBe(0);
    await world.gateway.listenLoopback();
    expect((await ask(env)).status).toBe(401);
  });
});

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connectDocker, HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, giveCredentials, outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { openVault } from "@opentiger/secrets";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { atEnd } from "../setup/at-end.ts";
import { hostAgents } from "../setup/host-agents.ts";
import { answerAsModel, modelSentence } from "../setup/model-answers.ts";
import { runIn } from "../setup/place.ts";
import { newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const token = "sk-ant-oat01-canary-run-0123456789";
const claude = ["claude", "-p", "say it", "--output-format", "text"];
const codex = ["codex", "exec", "--skip-git-repo-check", "say it"];

let home: string;
let env: NodeJS.ProcessEnv;
let sandboxd: Sandboxd;
let asked: string[];

beforeAll(async () => {
  asked = [];
  const model = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      if (request.method === "POST") asked.push(request.headers.authorization ?? "");
      if (!answerAsModel(request, body, response)) response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  atEnd(() => model.close());
  // A server that listens on a port has an address with one.
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  home = temporaryFolder("ot-");
  env = {
    PATH: process.env["PATH"],
    DOCKER_HOST: process.env["DOCKER_HOST"],
    HOME: home,
    OPENTIGER_HOME: home,
    ANTHROPIC_BASE_URL: url,
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "sk-canary-run-0123456789",
  };
  await openVault({ stateFolder: home, env, program: "test" }).add("claude_setup_token", Buffer.from(token));
  sandboxd = new Sandboxd(env);
  atEnd(() => sandboxd.stop());
});

async function killSandboxd(): Promise<void> {
  const status = await sandboxd.status();
  process.kill(status?.pid ?? Number.NaN, "SIGKILL");
  await until("sandboxd is gone", async () => (await sandboxd.status()) === undefined);
}

describe("a run in a sandbox", () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
    atEnd(() => backend.reset());
    sandbox = await newSandbox({ backend }, temporaryWorkspace(), { agent: "claude" });
    await giveCredentials(sandbox, "broker", env);
  });

  it("counts the real claude's requests for itself and its loop, over a kill of sandboxd, and ends", async () => {
    const run = randomUUID();
    const gateway = await beginGatewayRun(sandboxd, { run, loop: "loop-a", sandbox, agent: "claude" });
    expect(gateway).toMatchObject({ env: {}, home: undefined });
    expect((await runIn(sandbox, claude)).stdout).toBe(`${modelSentence}\n`);
    expect((await gateway.usage()).tokens).toMatchObject({ input: 1000, output: 10 });
    expect((await gateway.activity()).inFlight).toBe(0);
    await killSandboxd();
    await sandboxd.ensure();
    expect((await runIn(sandbox, claude)).stdout).toBe(`${modelSentence}\n`);
    const records = await gateway.requests();
    expect(records.map(({ run: of, loop, outcome, status }) => ({ of, loop, outcome, status }))).toEqual(
      Array.from({ length: records.length }, () => ({
        of: run,
        loop: "loop-a",
        outcome: "answered",
        status: 200,
      })),
    );
    expect((await gateway.usage()).tokens).toMatchObject({ input: 2000, output: 20 });
    expect(asked.every((told) => told === `Bearer ${token}`)).toBe(true);
    await gateway.end();
    await runIn(sandbox, claude);
    expect((await gateway.usage()).tokens).toMatchObject({ input: 2000, output: 20 });
  });

  it.each([
    ["run", "/runs/"],
    ["loop", "/loops/"],
  ])("is kept to the budget of its %s: claude stops at once, and the record says why", async (kind, path) => {
    const about = { run: randomUUID(), loop: randomUUID(), sandbox, agent: "claude" } as const;
    const gateway = await beginGatewayRun(sandboxd, about);
    const id = kind === "run" ? about.run : about.loop;
    await sandboxd.ask({ method: "POST", path: `${path}${id}/budget`, body: { tokens: 500 } }, z.unknown());
    expect((await runIn(sandbox, claude)).code).toBe(0);
    const refused = await runIn(sandbox, claude);
    expect(refused.stdout).toContain(`The budget is used up: this ${kind} has used 1010 of 500 tokens`);
    expect((await gateway.requests()).at(-1)).toMatchObject({ outcome: "refused", reason: "budget" });
    await gateway.setBudget({});
    await gateway.end();
  });
});

describe("a run on the host", () => {
  let sandbox: Sandbox;
  let path: string;

  beforeAll(async () => {
    path = `${await hostAgents()}:${env["PATH"]}`;
    const backend = new HostBackend(openState(home));
    atEnd(() => backend.reset());
    const workspaces = [{ path: temporaryWorkspace(), readOnly: false }];
    sandbox = await backend.create({ name: "host-run", agent: "claude", workspaces });
    atEnd(() => sandbox.close());
  });

  const own = () => ({ PATH: path, HOME: home, ANTHROPIC_API_KEY: "sk-ant-of-the-user-0123456789" });

  it("goes through the gateway, although the user has a key of another kind, also after sandboxd was killed", async () => {
    const run = randomUUID();
    const gateway = await beginGatewayRun(sandboxd, { run, loop: "loop-b", sandbox, agent: "claude" });
    expect((await runIn(sandbox, claude, { env: { ...own(), ...gateway.env } })).stdout).toBe(
      `${modelSentence}\n`,
    );
    await killSandboxd();
    expect((await gateway.usage()).requests).toBe(1);
    expect((await runIn(sandbox, claude, { env: { ...own(), ...gateway.env } })).stdout).toBe(
      `${modelSentence}\n`,
    );
    expect((await gateway.usage()).requests).toBe(2);
    expect(asked.at(-1)).toBe(`Bearer ${token}`);
    await gateway.end();
    const { ANTHROPIC_BASE_URL: base, CLAUDE_CODE_OAUTH_TOKEN: bearer } = gateway.env;
    const late = await fetch(`${base}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } });
    expect(late.status).toBe(401);
    expect((await gateway.usage()).requests).toBe(2);
  });

  it("of codex leaves its conversation in the folder of the caller, and the user's own files as they are", async () => {
    const folder = temporaryFolder();
    const about = { run: randomUUID(), sandbox, agent: "codex", folder } as const;
    const gateway = await beginGatewayRun(sandboxd, about);
    expect(gateway.home).toBe(folder);
    const said = await runIn(sandbox, codex, { env: { ...own(), ...gateway.env } });
    expect(said.stdout).toContain(modelSentence);
    expect((await gateway.usage()).tokens).toMatchObject({ input: 1000, output: 10 });
    await gateway.end();
    expect(existsSync(join(folder, ".codex", "sessions"))).toBe(true);
    expect(existsSync(join(home, ".codex"))).toBe(false);
  });

  it("whose sandbox ends while there is no sandboxd leaves nothing to the next one", async () => {
    const about = { run: randomUUID(), sandbox, agent: "claude" } as const;
    const gateway = await beginGatewayRun(sandboxd, about);
    await killSandboxd();
    await new HostBackend(openState(home)).stop("host-run");
    await sandboxd.ensure();
    const { ANTHROPIC_BASE_URL: base, CLAUDE_CODE_OAUTH_TOKEN: own = "" } = gateway.env;
    // The port is open again for the next run on the host.
    const other = await beginGatewayRun(sandboxd, { ...about, run: randomUUID() });
    expect(other.env["ANTHROPIC_BASE_URL"]).toBe(base);
    const asks = (bearer: string) =>
      fetch(`${base}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await asks(own)).status).toBe(401);
    expect((await asks(other.env["CLAUDE_CODE_OAUTH_TOKEN"] ?? "")).status).toBe(200);
    await other.end();
  });
});

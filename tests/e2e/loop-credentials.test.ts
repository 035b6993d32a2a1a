import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  connectDocker,
  createLoopSandbox,
  destroyLoopSandbox,
  execInSandbox,
  spawnTool,
  useLoopSurroundings,
} from "@opentiger/sandbox";
import { plugLoops, Sandboxd } from "@opentiger/sandboxd";
import { openVault } from "@opentiger/secrets";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { answerAsModel, modelSentence } from "../setup/model-answers.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const token = "sk-ant-oat01-canary-loop-0123456789";
const turn = ["claude", "-p", "say it", "--output-format", "text"];

const asked: (string | undefined)[] = [];
const model = createServer((request, response) => {
  let body = "";
  request.on("data", (data: Buffer) => (body += data.toString()));
  request.on("end", () => {
    if (request.method === "POST") asked.push(request.headers.authorization);
    if (!answerAsModel(request, body, response)) response.writeHead(404).end();
  });
});

let workDir: string;
let url: string;

beforeAll(async () => {
  workDir = temporaryWorkspace();
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  const home = temporaryFolder("ot-");
  vi.stubEnv("OPENTIGER_HOME", home);
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY"]) vi.stubEnv(name, undefined);
  vi.stubEnv("ANTHROPIC_BASE_URL", url);
  const vault = openVault({ stateFolder: home, env: process.env, program: "test" });
  await vault.add("claude_setup_token", Buffer.from(token));
});

afterAll(async () => {
  useLoopSurroundings(undefined);
  await (await connectDocker()).reset();
  await new Sandboxd().stop();
  model.close();
  vi.unstubAllEnvs();
});

describe("B6 B13 a loop's sandbox is made with a network and credentials", () => {
  it("B6 the real claude reaches its model through the broker, and has no token", async () => {
    plugLoops();
    const name = await createLoopSandbox("broker", "claude", workDir);
    expect(await execInSandbox(name, turn)).toEqual({ exitCode: 0, output: `${modelSentence}\n` });
    expect(asked.at(-1)).toBe(`Bearer ${token}`);
    expect((await execInSandbox(name, ["env"])).output).not.toContain(token);
    await destroyLoopSandbox("broker");
  });

  it("B3 B6 with inject the token comes with each command, and services of the host are reached", async () => {
    vi.stubEnv("SANDBOX_CREDENTIALS", "inject");
    plugLoops();
    const name = await createLoopSandbox("inject", "claude", workDir);
    const { output } = await execInSandbox(name, turn, { env: { ANTHROPIC_BASE_URL: url } });
    expect(output).toContain(modelSentence);
    expect(asked.at(-1)).toBe(`Bearer ${token}`);
    expect((await execInSandbox(name, ["env"])).output).toContain(`CLAUDE_CODE_OAUTH_TOKEN=${token}`);
    await destroyLoopSandbox("inject");
    vi.stubEnv("SANDBOX_CREDENTIALS", undefined);
  });

  it("A13 an agent that has nothing to log in with is told of when the loop begins", async () => {
    const warnings: string[] = [];
    plugLoops(process.env, { warn: (message) => void warnings.push(message) });
    await createLoopSandbox("warned", "codex", workDir);
    expect(warnings).toEqual([expect.stringMatching(/^codex has nothing to log in with.*codex login/)]);
    await destroyLoopSandbox("warned");
  });

  it("B12 a tool on the host goes through the gateway, with a token that is good for its run only", async () => {
    vi.stubEnv("AGENT_LOOP_HOST", "1");
    plugLoops();
    const ask = `const { ANTHROPIC_BASE_URL: base, CLAUDE_CODE_OAUTH_TOKEN: token } = process.env;
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
      const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: "hello" }] });
      fetch(base + "/v1/messages", { method: "POST", headers, body })
        .then((answer) => console.log(answer.status, base, token));`;
    const command = [process.execPath, "-e", ask];
    const tool = { loopId: "host", tool: "claude", command, workDir, warn: () => {} } as const;
    const { where, output } = await spawnTool({ ...tool, command });
    expect({ where, output }).toMatchObject({
      where: "host",
      output: expect.stringMatching(/^200 /) as string,
    });
    expect(output).not.toContain(token);
    expect(asked.at(-1)).toBe(`Bearer ${token}`);
    const [, base = "", own = ""] = output.trim().split(" ");
    const late = await fetch(`${base}/v1/messages`, { method: "POST", headers: { authorization: own } });
    expect(late.status).toBe(401);
    const name = await createLoopSandbox("host", "claude", workDir);
    expect((await execInSandbox(name, command)).output).toMatch(/^200 /);
    expect(asked.at(-1)).toBe(`Bearer ${token}`);
    await destroyLoopSandbox("host");
    vi.stubEnv("AGENT_LOOP_HOST", undefined);
  });

  it("a way that is none is refused before anything is made", () => {
    expect(() => plugLoops({ SANDBOX_CREDENTIALS: "magic" })).toThrow("is not a way");
  });
});

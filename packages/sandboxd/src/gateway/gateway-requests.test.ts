import { duplexPair } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, GatewayWorld, messages, realKey } from "./fixture/gateway-world.ts";

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
});

afterEach(() => world.close());

describe("what the gateway carries", () => {
  beforeEach(async () => {
    world.env["ANTHROPIC_API_KEY"] = realKey;
    await world.gateway.prepare(caller, ["claude"]);
  });

  it.each([
    ["POST", "/v1/messages"],
    ["POST", "/anthropic/v1/messages/../../api/oauth/claude_cli/create_api_key"],
    ["POST", "/anthropic/v1/messages%2f"],
    ["POST", "/anthropic//v1/messages"],
    ["POST", "/anthropic/V1/messages"],
    ["POST", "/anthropic/v1/messages/"],
    ["POST", "/anthropic/v1/messages/batches"],
    ["POST", "/anthropic/api/oauth/claude_cli/create_api_key"],
    ["POST", "/anthropic/v1/files"],
    ["GET", "/anthropic/v1/messages"],
    ["DELETE", "/anthropic/v1/models"],
    ["POST", "/openai/v1/files"],
    ["GET", "/chatgpt/../wham/usage"],
    ["GET", "http://api.anthropic.com/v1/models"],
    ["OPTIONS", "*"],
  ])("is not %s %s", async (method, path) => {
    const { status, body } = await world.ask({ method, path });
    expect(status).toBe(400);
    expect(JSON.parse(body).error.type).toBe("invalid_request_error");
    expect(world.model.asked).toEqual([]);
  });

  it("is a greeting without a credential", async () => {
    const { status } = await world.ask({ method: "HEAD", path: "/anthropic" });
    expect(status).toBe(200);
    expect(world.model.last).toMatchObject({ method: "HEAD", url: "/api/" });
    expect(JSON.stringify(world.model.last)).not.toContain(realKey);
  });

  it("leaves out what it does not know of a query", async () => {
    await world.ask({ method: "GET", path: "/anthropic/v1/models?limit=1000&key=attacker&beta=true" });
    expect(world.model.last.url).toBe("/api/v1/models?limit=1000&beta=true");
  });

  it("takes the next request on the same connection", async () => {
    const [inside, outside] = duplexPair();
    world.gateway.accept(caller, outside);
    let answers = "";
    inside.on("data", (chunk) => {
      answers += chunk;
    });
    for (const number of [1, 2]) {
      inside.write(`GET /anthropic/v1/models HTTP/1.1\r\nhost: x\r\n\r\n`);
      await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length).toBe(number);
    }
    inside.destroy();
  });
});

it("large requests are passed on as they come, and too large ones are refused", async () => {
  world.env["ANTHROPIC_API_KEY"] = realKey;
  await world.gateway.prepare(caller, ["claude"]);
  const body = "0123456789abcdef".repeat(700_000);
  expect((await world.ask({ ...messages, body })).status).toBe(200);
  expect(world.model.last.body === body).toBe(true);
  const huge = { "content-length": String(65 * 1024 * 1024) };
  expect((await world.ask({ ...messages, headers: huge, body: "" })).status).toBe(400);
});

it("what is refused is not to be tried again, and costs no time where it is", async () => {
  await world.gateway.prepare(caller, ["claude"]);
  const { status, headers } = await world.ask(messages);
  expect(status).toBe(400);
  expect(headers).toMatchObject({ "x-should-retry": "false", "retry-after-ms": "1" });
});

it("more requests at once than any agent makes are refused, and what ends makes room", async () => {
  world.env["ANTHROPIC_API_KEY"] = realKey;
  await world.gateway.prepare(caller, ["claude"]);
  const waiting: (() => void)[] = [];
  world.model.answer = (_asked, response) => {
    waiting.push(() => response.end("{}"));
  };
  const running = Array.from({ length: 64 }, () => world.ask(messages));
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(64);
  const refused = await world.ask(messages);
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.body).error.message).toContain("64 requests under way");
  for (const end of waiting.splice(0)) end();
  expect((await Promise.all(running)).every(({ status }) => status === 200)).toBe(true);
  world.model.answer = (_asked, response) => response.end("{}");
  expect((await world.ask(messages)).status).toBe(200);
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GatewayCaller } from "../caller.ts";
import { caller, GatewayWorld, messages, responses } from "../fixture/gateway-world.ts";
import { anthropicEvents, eventText, json, openaiEvents } from "../fixture/model-server.ts";

let world: GatewayWorld;
const sandbox = { kind: "sandbox", id: caller.sandboxId } as const;
const run = { kind: "run", id: "run-1" } as const;
const loop = { kind: "loop", id: "loop-1" } as const;

beforeEach(async () => {
  world = await GatewayWorld.make({
    ANTHROPIC_API_KEY: "sk-ant-test-key",
    OPENAI_API_KEY: "sk-openai-test-key",
  });
  await world.gateway.prepare(caller, ["claude", "codex"]);
  world.model.answer = ({ url }, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(eventText(url.includes("messages") ? anthropicEvents : openaiEvents));
  };
});

afterEach(() => world.close());

describe("what a request cost", () => {
  it("counts for its sandbox, its run and its loop, with model and price", async () => {
    await world.ask(messages);
    await world.ask(responses, { ...caller, run: "run-2" });
    expect(world.gateway.usage(run)).toMatchObject({
      requests: 1,
      tokens: { input: 10, output: 7, cacheRead: 5, cacheWrite: 3 },
    });
    expect(world.gateway.usage({ kind: "run", id: "run-2" }).tokens).toMatchObject({ input: 50, output: 20 });
    const both = {
      requests: 2,
      tokens: { input: 60, output: 27, cacheRead: 45, cacheWrite: 13 },
      unpriced: 0,
    };
    expect(world.gateway.usage(sandbox)).toMatchObject(both);
    expect(world.gateway.usage(loop)).toMatchObject(both);
    const claude = (10 * 2 + 7 * 10 + 5 * 0.2 + 3 * 2.5) / 1e6;
    const codex = (50 * 2 + 20 * 10 + 40 * 0.1 + 10 * 2.5) / 1e6;
    expect(world.gateway.usage(loop).usd).toBeCloseTo(claude + codex, 12);
    expect(world.gateway.requests(run)).toMatchObject([
      {
        sandbox: "sandbox-1",
        name: "one",
        run: "run-1",
        loop: "loop-1",
        provider: "anthropic",
        credential: "anthropic_api_key",
        origin: "variable ANTHROPIC_API_KEY",
        model: "claude-sonnet-5",
        outcome: "answered",
        status: 200,
        estimated: false,
      },
    ]);
  });

  it("is known after a restart, and after a kill", async () => {
    await world.ask(messages);
    await world.restart();
    await world.ask(messages);
    world.killed();
    await world.ask(messages);
    expect(world.gateway.usage(sandbox)).toMatchObject({ requests: 3, tokens: { output: 21 } });
    world.killed();
    expect(world.gateway.usage(sandbox)).toMatchObject({ requests: 3, tokens: { output: 21 } });
  });

  it("is counted for a model without a price, which is said", async () => {
    world.model.answer = (_asked, response) =>
      json(response, 200, { model: "claude-next-9", usage: { input_tokens: 4, output_tokens: 2 } });
    await world.ask(messages);
    expect(world.gateway.usage(run)).toMatchObject({
      requests: 1,
      usd: 0,
      unpriced: 1,
      unpricedModel: "claude-next-9",
      tokens: { input: 4, output: 2 },
    });
  });

  it("is told as it happens", async () => {
    await world.ask(messages);
    await expect
      .poll(() => world.events.at(-1))
      .toMatchObject({ type: "request", record: { tokens: { output: 7 } } });
  });
});

describe("a budget", () => {
  const refusal = async (from: GatewayCaller = caller) => {
    const { status, body } = await world.ask(messages, from);
    return { status, message: status === 400 ? String(JSON.parse(body).error.message) : undefined };
  };

  it.each([
    ["tokens", { tokens: 30 }, "has used 50 of 30 tokens"],
    ["dollars", { usd: 0.0001 }, "has used $0.0002 of $0.0001"],
    ["requests", { requests: 2 }, "has made 2 of 2 requests"],
  ])("in %s lets the request that passes it finish, and refuses the next", async (_name, limits, message) => {
    world.gateway.setBudget(run, limits);
    expect((await refusal()).status).toBe(200);
    expect((await refusal()).status).toBe(200);
    const refused = await refusal();
    expect(refused.status).toBe(400);
    expect(refused.message).toContain(`The budget is used up: this run ${message}`);
    expect(world.model.asked).toHaveLength(2);
    expect((await refusal({ ...caller, run: "run-2" })).status).toBe(200);
    world.gateway.setBudget(run, undefined);
    expect((await refusal()).status).toBe(200);
  });

  it("in time counts from the first request", async () => {
    world.gateway.setBudget(loop, { seconds: 60 });
    world.time += 3_600_000;
    expect((await refusal()).status).toBe(200);
    world.time += 59_000;
    expect((await refusal()).status).toBe(200);
    world.time += 1_000;
    expect((await refusal()).message).toContain("60 seconds ago");
  });

  it("in requests counts those that are under way", async () => {
    world.gateway.setBudget(sandbox, { requests: 1 });
    let goOn = () => {};
    world.model.answer = async (_asked, response) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      response.end(eventText(anthropicEvents));
    };
    const first = world.ask(messages);
    await expect.poll(() => world.model.asked.length).toBe(1);
    expect((await refusal()).status).toBe(400);
    goOn();
    expect((await first).status).toBe(200);
  });

  it("in dollars cannot be kept with a model that has no price, so the next request is refused", async () => {
    world.gateway.setBudget(run, { usd: 5 });
    world.model.answer = (_asked, response) =>
      json(response, 200, { model: "claude-next-9", usage: { input_tokens: 4, output_tokens: 2 } });
    await refusal();
    expect((await refusal()).message).toContain("claude-next-9 has no known price");
  });

  it("of the day is shared by all runs of all loops, also by those at the same time, and is there anew the next day", async () => {
    world.gateway.setBudget(world.gateway.today(), { tokens: 40 });
    const other = { ...caller, run: "run-2", loop: "loop-2" };
    const both = await Promise.all([refusal(), refusal(other)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await refusal()).toMatchObject({
      status: 400,
      message: expect.stringContaining("this day, with all loops together, has used 50 of 40 tokens"),
    });
    expect((await refusal(other)).status).toBe(400);
    expect((await refusal({ ...caller, run: undefined, loop: undefined })).status, "no loop's").toBe(200);
    world.time += 24 * 3_600_000;
    await world.restart();
    expect(await Promise.all([refusal(), refusal(other)])).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect((await refusal(other)).status).toBe(400);
  });

  it("outlives a restart, with what was used of it", async () => {
    world.gateway.setBudget(sandbox, { requests: 1 });
    expect((await refusal()).status).toBe(200);
    await world.restart();
    expect((await refusal()).status).toBe(400);
  });

  it("is refused in OpenAI's words to who speaks them", async () => {
    world.gateway.setBudget(sandbox, { requests: 1 });
    await world.ask(responses);
    const { status, body } = await world.ask(responses);
    expect(status).toBe(400);
    expect(JSON.parse(body).error).toMatchObject({ type: "invalid_request_error", code: "budget" });
  });
});

describe("an upstream's own refusal", () => {
  it.each([
    ["within a minute", "30", 429],
    ["later", "61", 400],
  ])("for a limit that is over %s", async (_name, seconds, expected) => {
    const body = { type: "error", error: { type: "rate_limit_error", message: "slow" } };
    world.model.answer = (_asked, response) => json(response, 429, body, { "retry-after": seconds });
    const { status, headers, body: text } = await world.ask(messages);
    expect(status).toBe(expected);
    const until = new Date(world.time + 61_000).toISOString();
    if (expected === 429) {
      expect(headers["retry-after"]).toBe("30");
      expect(JSON.parse(text)).toEqual(body);
      expect(world.events.some(({ type }) => type === "quota")).toBe(false);
      return;
    }
    expect(JSON.parse(text).error.message).toContain(until);
    expect(world.events).toContainEqual(
      expect.objectContaining({ type: "quota", until, provider: "anthropic" }),
    );
    const { credentials } = await world.gateway.status(caller.sandboxId);
    expect(credentials[0]?.quota?.until).toBe(until);
  });

  it("of a key is an error of authentication with its remedy, once", async () => {
    world.model.answer = (_asked, response) =>
      json(response, 401, { error: { type: "authentication_error" } });
    const { status, body } = await world.ask(messages);
    expect(status).toBe(400);
    expect(JSON.parse(body).error.message).toMatch(
      /Authentication failed: Anthropic refused.*ANTHROPIC_API_KEY/,
    );
    expect(world.model.asked).toHaveLength(1);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "auth_failed", status: 401 }));
  });

  it.each([400, 403, 404, 500, 529])("of status %s passes as it is", async (status) => {
    const told = { type: "error", error: { type: "x", message: "as it is" } };
    world.model.answer = (_asked, response) => json(response, status, told, { "request-id": "r-1" });
    const answer = await world.ask(messages);
    expect(answer).toMatchObject({ status, headers: { "request-id": "r-1" } });
    expect(JSON.parse(answer.body)).toEqual(told);
  });
});

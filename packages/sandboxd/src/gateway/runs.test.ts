import { request } from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { streamPair } from "../egress/fixture/stream-pair.ts";
import { GatewayWorld, messages, responses } from "./fixture/gateway-world.ts";
import { anthropicEvents, eventText, json } from "./fixture/model-server.ts";

const sandbox = { sandboxId: "sandbox-1", sandboxName: "one" };
const run = { kind: "run", id: "run-0001" } as const;
const loop = { kind: "loop", id: "loop-1" } as const;
let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make({ ANTHROPIC_API_KEY: "sk-ant-test-key", OPENAI_API_KEY: "sk-test-key" });
  world.model.answer = (_asked, response) => void response.end(eventText(anthropicEvents));
  await world.gateway.prepare(sandbox, ["claude"]);
});

afterEach(() => world.close());

const counted = () => [run, loop].map((scope) => world.gateway.usage(scope).requests);
const ask = async () => (await world.ask(messages, sandbox)).status;

describe("a sandbox that is bound to a run", () => {
  it("counts for it and its loop from then on, also on a connection that was open before, until it ends", async () => {
    const { inside, outside } = await streamPair();
    world.gateway.accept(sandbox, outside);
    expect(await askOn(inside)).toBe(200);
    expect(counted()).toEqual([0, 0]);
    world.gateway.bindRun(sandbox.sandboxId, { run: run.id, loop: loop.id });
    expect(await askOn(inside)).toBe(200);
    expect(counted()).toEqual([1, 1]);
    world.gateway.unbindRun(sandbox.sandboxId, run.id);
    expect(await askOn(inside)).toBe(200);
    expect(counted()).toEqual([1, 1]);
    expect(world.gateway.usage({ kind: "sandbox", id: sandbox.sandboxId }).requests).toBe(3);
    inside.destroy();
  });

  it.each([run, loop])("keeps to the budget of its $kind", async (scope) => {
    world.gateway.bindRun(sandbox.sandboxId, { run: run.id, loop: loop.id });
    world.gateway.setBudget(scope, { requests: 1 });
    expect([await ask(), await ask()]).toEqual([200, 400]);
    expect(world.gateway.requests(run)).toMatchObject([
      { outcome: "answered", run: run.id, loop: loop.id },
      { outcome: "refused", reason: "budget" },
    ]);
    world.gateway.bindRun(sandbox.sandboxId, { run: "run-0002" });
    expect(await ask()).toBe(200);
  });

  it("is so after a kill, and after a restart", async () => {
    world.gateway.bindRun(sandbox.sandboxId, { run: run.id, loop: loop.id });
    world.killed();
    expect(await ask()).toBe(200);
    await world.restart();
    expect(await ask()).toBe(200);
    expect(counted()).toEqual([2, 2]);
  });

  it("belongs to the latest one, and the end of the one before changes nothing", async () => {
    world.gateway.bindRun(sandbox.sandboxId, { run: "run-0000" });
    world.gateway.bindRun(sandbox.sandboxId, { run: run.id, loop: loop.id });
    world.gateway.unbindRun(sandbox.sandboxId, "run-0000");
    expect(await ask()).toBe(200);
    expect(counted()).toEqual([1, 1]);
  });

  it("leaves neither run nor limits when it is gone, and what was used stays known", async () => {
    world.gateway.bindRun(sandbox.sandboxId, { run: run.id });
    world.gateway.setBudget(run, { requests: 5 });
    world.gateway.setBudget({ kind: "sandbox", id: sandbox.sandboxId }, { requests: 5 });
    await ask();
    expect(world.gateway.knownSandboxes()).toEqual([sandbox.sandboxId]);
    await world.gateway.forget(sandbox.sandboxId);
    expect(world.gateway.knownSandboxes()).toEqual([]);
    expect(world.gateway.budget(run)).toBeUndefined();
    expect(world.gateway.budget({ kind: "sandbox", id: sandbox.sandboxId })).toBeUndefined();
    world.killed();
    expect(world.gateway.usage(run).requests).toBe(1);
  });
});

describe("what a run does at its models", () => {
  beforeEach(() => world.gateway.bindRun(sandbox.sandboxId, { run: run.id }));

  it("is told while it goes on: each byte, and what is under way", async () => {
    expect(world.gateway.activity(run.id)).toEqual({ lastByteAt: null, inFlight: 0 });
    let speak = (_text: string): void => {};
    world.model.answer = (_asked, response) => {
      speak = (text) => (text === "" ? response.end() : response.write(text));
    };
    const asked = world.open(messages, sandbox);
    await expect.poll(() => world.model.asked.length).toBe(1);
    const sentAt = new Date(world.time).toISOString();
    expect(world.gateway.activity(run.id)).toEqual({ lastByteAt: sentAt, inFlight: 1 });
    for (const text of [": ping\n\n", eventText(anthropicEvents)]) {
      world.time += 60_000;
      speak(text);
      const at = new Date(world.time).toISOString();
      await expect.poll(() => world.gateway.activity(run.id)).toEqual({ lastByteAt: at, inFlight: 1 });
    }
    speak("");
    (await asked).resume();
    await expect.poll(() => world.gateway.activity(run.id).inFlight).toBe(0);
  });

  it("is no byte where we refused it ourselves", async () => {
    world.gateway.setBudget({ kind: "sandbox", id: sandbox.sandboxId }, { requests: 1 });
    await world.ask(messages, { sandboxId: "sandbox-2", sandboxName: "two" });
    world.gateway.setBudget(run, { seconds: 1e-9, requests: 1 });
    await ask();
    const { lastByteAt } = world.gateway.activity(run.id);
    world.time += 60_000;
    expect(await ask()).toBe(400);
    expect(world.gateway.activity(run.id)).toEqual({ lastByteAt, inFlight: 0 });
  });

  it("is known to the next sandboxd by what was answered", async () => {
    await ask();
    const at = new Date(world.time).toISOString();
    world.killed();
    expect(world.gateway.activity(run.id)).toEqual({ lastByteAt: at, inFlight: 0 });
  });
});

describe("what an API calls its error", () => {
  beforeEach(() => world.gateway.bindRun(sandbox.sandboxId, { run: run.id }));
  const last = () => world.gateway.requests(run).at(-1);

  it.each([
    ["anthropic", messages, 529, { type: "error", error: { type: "overloaded_error" } }, "overloaded_error"],
    [
      "openai",
      responses,
      400,
      { error: { type: "x", code: "context_length_exceeded" } },
      "context_length_exceeded",
    ],
  ])("is in the record, for %s", async (_api, sent, status, body, error) => {
    world.model.answer = (_asked, response) => json(response, status, body);
    await world.ask(sent, sandbox);
    expect(last()).toMatchObject({ outcome: "answered", status, error });
  });

  it("is in the record when it comes in the middle of a stream, and not when the model only speaks of one", async () => {
    const words = 'say {"error":{"type":"overloaded_error"}}';
    const speech = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } };
    world.model.answer = (_asked, response) => void response.end(eventText([...anthropicEvents, speech]));
    await ask();
    expect(last()).toMatchObject({ status: 200, error: null });
    const failure = { type: "error", error: { type: "api_error", message: "oh" } };
    world.model.answer = (_asked, response) => void response.end(eventText([...anthropicEvents, failure]));
    await ask();
    expect(last()).toMatchObject({ status: 200, error: "api_error" });
  });

  it("is with a limit the time at which it ends", async () => {
    const limit = { type: "error", error: { type: "rate_limit_error" } };
    world.model.answer = (_asked, response) => json(response, 429, limit, { "retry-after": "3600" });
    expect(await ask()).toBe(400);
    const until = new Date(world.time + 3_600_000).toISOString();
    expect(last()).toMatchObject({ outcome: "refused", reason: "quota", error: "rate_limit_error", until });
  });
});

/** One question on a connection that stays open. */
function askOn(stream: Duplex): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { path, body } = messages;
    const headers = { connection: "keep-alive" };
    const asking = request({ method: "POST", path, headers, createConnection: () => stream });
    asking.once("error", reject);
    asking.once("response", (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    });
    asking.end(body);
  });
}

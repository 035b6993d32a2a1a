import { createHash } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { duplexPair } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, codexResponses, GatewayWorld, messages, responses } from "./fixture/gateway-world.ts";
import { anthropicEvents, eventText, json } from "./fixture/model-server.ts";

const key = "sk-ant-api03-the-real-key-of-the-host";
const setupToken = "sk-ant-oat01-the-real-setup-token";

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
});

afterEach(() => world.close());

describe("the credential", () => {
  it("of the host replaces whatever the client sends", async () => {
    await world.secret("anthropic_api_key", key);
    await world.gateway.prepare(caller, ["claude"]);
    const { status } = await world.ask({
      ...messages,
      headers: {
        authorization: "Bearer attacker",
        "x-api-key": "attacker",
        "api-key": "attacker",
        cookie: "session=attacker",
        "proxy-authorization": "Basic attacker",
        "chatgpt-account-id": "attacker",
        "openai-organization": "attacker",
        "x-goog-api-key": "attacker",
        "x-auth-token": "attacker",
        "x-forwarded-for": "attacker",
        "anthropic-version": "2023-06-01",
        "user-agent": "claude-cli/2.1.197",
        "x-claude-code-session-id": "s-1",
      },
    });
    expect(status).toBe(200);
    const { url, headers, body } = world.model.last;
    expect(url).toBe("/api/v1/messages?beta=true");
    expect(headers["x-api-key"]).toBe(key);
    expect(JSON.stringify(headers)).not.toContain("attacker");
    expect(headers).toMatchObject({
      "anthropic-version": "2023-06-01",
      "user-agent": "claude-cli/2.1.197",
      "x-claude-code-session-id": "s-1",
      "accept-encoding": "identity",
      host: new URL(world.model.url).host,
    });
    expect(body).toBe('{"model":"m"}');
  });

  it("that is a Claude token goes as a bearer, with the beta that it needs", async () => {
    await world.secret("claude_setup_token", `${setupToken}\n`);
    await world.secret("anthropic_api_key", key);
    await world.gateway.prepare(caller, ["claude"]);
    await world.ask({ ...messages, headers: { authorization: "Bearer x", "anthropic-beta": "a-1, b-2" } });
    expect(world.model.last.headers).toMatchObject({
      authorization: `Bearer ${setupToken}`,
      "anthropic-beta": "a-1,b-2,oauth-2025-04-20",
    });
    expect(world.model.last.headers["x-api-key"]).toBeUndefined();
  });

  it("that is an API key goes to a client that sends one, without the beta of the others", async () => {
    await world.secret("claude_setup_token", setupToken);
    await world.secret("anthropic_api_key", key);
    await world.gateway.prepare(caller, ["opencode"]);
    await world.ask({
      ...messages,
      headers: { "x-api-key": "placeholder", "anthropic-beta": "oauth-2025-04-20,a-1" },
    });
    expect(world.model.last.headers).toMatchObject({ "x-api-key": key, "anthropic-beta": "a-1" });
    expect(world.model.last.headers.authorization).toBeUndefined();
  });

  it("is given to no sandbox that was not granted any", async () => {
    await world.secret("anthropic_api_key", key);
    await world.gateway.prepare(caller, ["claude"]);
    const { status, body } = await world.ask(messages, { sandboxId: "sandbox-2", sandboxName: "two" });
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({
      type: "error",
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining("sandbox two was given no credentials"),
      },
    });
    expect(world.model.asked).toEqual([]);
  });

  it("that is missing is asked for, in the words of the API (contract A13)", async () => {
    await world.gateway.prepare(caller, ["claude", "codex"]);
    const anthropic = await world.ask(messages);
    expect(anthropic.status).toBe(400);
    expect(JSON.parse(anthropic.body).error.message).toMatch(
      /^openTiger: Authentication required.*claude setup-token/,
    );
    const openai = await world.ask(responses);
    expect(JSON.parse(openai.body).error).toMatchObject({
      type: "invalid_request_error",
      code: "no_credential",
      message: expect.stringContaining("openai_api_key"),
    });
    expect(JSON.parse((await world.ask(codexResponses)).body).error.message).toContain("codex login");
  });

  it("comes from the environment where the vault has none (contract A12)", async () => {
    world.env["ANTHROPIC_API_KEY"] = key;
    world.env["CODEX_API_KEY"] = "sk-openai-of-the-environment";
    await world.gateway.prepare(caller, ["claude", "codex"]);
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(key);
    await world.ask(responses);
    expect(world.model.last.headers.authorization).toBe("Bearer sk-openai-of-the-environment");
  });

  it("is nowhere in what is kept, shown or told", async () => {
    await world.secret("claude_setup_token", setupToken);
    world.model.answer = (_asked, response) => json(response, 401, { error: setupToken });
    const prepared = await world.gateway.prepare(caller, ["claude", "codex", "opencode"]);
    const answer = await world.ask(messages);
    const shown = [
      prepared,
      answer,
      world.events,
      await world.gateway.status(caller.sandboxId),
      world.gateway.requests({ kind: "sandbox", id: caller.sandboxId }),
      world.kept(),
    ];
    expect(world.model.last.headers.authorization).toContain(setupToken);
    expect(JSON.stringify(shown)).not.toContain(setupToken);
  });
});

describe("a lease", () => {
  beforeEach(async () => {
    await world.secret("claude_setup_token", setupToken);
    await world.secret("anthropic_api_key", key);
    await world.gateway.prepare(caller, ["claude"]);
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("that is revoked between two requests ends the second, and no other credential takes its place", async () => {
    const [lease] = await world.vault.leases();
    expect(lease).toMatchObject({ name: "claude_setup_token", holder: { sandbox: "one" } });
    await world.vault.revoke(lease?.id ?? "");
    const { status, body } = await world.ask(messages);
    expect(status).toBe(400);
    expect(JSON.parse(body).error.message).toContain("The lease of claude_setup_token was revoked.");
    await world.gateway.prepare(caller, ["claude"]);
    await world.restart();
    expect((await world.ask(messages)).status).toBe(400);
    expect(world.model.asked).toHaveLength(1);
    await world.gateway.grant(caller);
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("that was not used for too long has expired", async () => {
    world.time += 25 * 3_600_000;
    const { status, body } = await world.ask(messages);
    expect(status).toBe(400);
    expect(JSON.parse(body).error.message).toContain("has expired");
  });

  it("that is used lives on, and is one lease all the time", async () => {
    for (let hours = 0; hours < 72; hours += 13) {
      world.time += 13 * 3_600_000;
      expect((await world.ask(messages)).status).toBe(200);
      await expect
        .poll(async () => Date.parse((await world.vault.leases())[0]?.expiresAt ?? ""))
        .toBe(world.time + 86_400_000);
    }
    expect(await world.vault.leases()).toHaveLength(1);
  });

  it("ends with its sandbox", async () => {
    await world.gateway.revoke(caller.sandboxId);
    expect(await world.vault.leases()).toEqual([]);
    expect((await world.ask(messages)).status).toBe(400);
  });

  it("is redeemed under the sandbox and the run that asked", async () => {
    const { events } = await world.vault.audit(10);
    expect(events.at(-1)).toMatchObject({
      action: "redeem",
      sandbox: "one",
      run: "run-1",
      secret: "claude_setup_token",
    });
  });
});

describe("what the gateway carries", () => {
  beforeEach(async () => {
    world.env["ANTHROPIC_API_KEY"] = key;
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
    expect(JSON.stringify(world.model.last)).not.toContain(key);
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

describe("an answer", () => {
  beforeEach(async () => {
    world.env["ANTHROPIC_API_KEY"] = key;
    await world.gateway.prepare(caller, ["claude"]);
  });

  it("that reflects the credential is without it, in headers and body, however it is cut (attack 24)", async () => {
    world.model.answer = async ({ headers }, response) => {
      const text = JSON.stringify(headers);
      response.writeHead(200, {
        "x-reflected": text,
        "set-cookie": "a=b",
        "content-type": "application/json",
      });
      for (const letter of text) response.write(letter);
      response.end();
    };
    const { headers, body } = await world.ask(messages);
    expect(headers["x-reflected"]).toContain(`"x-api-key":"${"*".repeat(key.length)}"`);
    expect(body).toContain(`"x-api-key":"${"*".repeat(key.length)}"`);
    expect(JSON.stringify(headers) + body).not.toContain(key);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("that is compressed all the same is read, and has no credential either", async () => {
    world.model.answer = (_asked, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(`before ${key} after`));
    };
    const { headers, body } = await world.ask(messages);
    expect(body).toBe(`before ${"*".repeat(key.length)} after`);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("passes byte for byte, each piece as soon as it comes", async () => {
    let goOn = () => {};
    const text = eventText(anthropicEvents);
    const half = Math.floor(text.length / 2);
    world.model.answer = async (_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text.slice(0, half));
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      response.end(text.slice(half));
    };
    const response = await world.open(messages);
    let body = "";
    response.on("data", (chunk) => {
      body += chunk;
    });
    // The upstream waits for us to have seen the first half: a gateway that gathers would wait for ever.
    await expect.poll(() => body).toBe(text.slice(0, half));
    goOn();
    await expect.poll(() => body).toBe(text);
  });

  it("of many megabytes waits for a slow reader and comes whole", async () => {
    const piece = Buffer.alloc(1024 * 1024, "0123456789abcdef");
    let written = 0;
    world.model.answer = async (_asked, response) => {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      for (let count = 0; count < 32; count += 1) {
        written += 1;
        if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
      }
      response.end();
    };
    const response = await world.open(messages);
    // Nobody reads yet: what is written comes to a stand when the buffers on the way are full.
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(24);
    const hash = createHash("sha256");
    for await (const chunk of response) hash.update(chunk);
    const expected = createHash("sha256");
    for (let count = 0; count < 32; count += 1) expected.update(piece);
    expect(hash.digest("hex")).toBe(expected.digest("hex"));
  });

  it("is not waited for once the client has gone: the upstream's request ends", async () => {
    let ended = false;
    world.model.answer = (_asked, response) => {
      response.once("close", () => {
        ended = true;
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(eventText(anthropicEvents.slice(0, 2)));
    };
    const response = await world.open(messages);
    await once(response, "data");
    response.destroy();
    await expect.poll(() => ended).toBe(true);
    const scope = { kind: "sandbox", id: caller.sandboxId } as const;
    await expect.poll(() => world.gateway.usage(scope).requests).toBe(1);
    expect(world.gateway.usage(scope)).toMatchObject({ estimated: 1, tokens: { input: 10, output: 2 } });
  });

  it("that the upstream cuts is cut for the client, not ended", async () => {
    world.model.answer = (_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n", () => response.destroy());
    };
    await expect(world.ask(messages)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  it("of an upstream that is away is a 502, on which a CLI tries again", async () => {
    world.env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1";
    const { status, body } = await world.ask(messages);
    expect(status).toBe(502);
    expect(JSON.parse(body).error.message).toBe("openTiger: Anthropic cannot be reached (ECONNREFUSED).");
  });

  it("comes although the idle connection to the upstream was closed meanwhile", async () => {
    expect((await world.ask(messages)).status).toBe(200);
    world.model.answer = (_asked, response, request) => {
      // The first request on the old connection finds it closed.
      if (world.model.asked.length === 2) request.socket.destroy();
      else response.end("{}");
    };
    expect((await world.ask(messages)).status).toBe(200);
    expect(world.model.asked).toHaveLength(3);
  });
});

it("large requests are passed on as they come, and too large ones are refused", async () => {
  world.env["ANTHROPIC_API_KEY"] = key;
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
  world.env["ANTHROPIC_API_KEY"] = key;
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

it("hosts whose credential is brokered are named, and only those", async () => {
  await world.secret("claude_setup_token", setupToken);
  await world.gateway.prepare(caller, ["claude"]);
  expect(world.gateway.brokeredHosts(caller.sandboxId)).toEqual(["api.anthropic.com"]);
  world.env["ANTHROPIC_BASE_URL"] = "https://models.example.test/v1";
  expect(world.gateway.brokeredHosts(caller.sandboxId)).toEqual(["api.anthropic.com", "models.example.test"]);
  expect(world.gateway.brokeredHosts("sandbox-2")).toEqual([]);
});

it("a vault that cannot be opened is said to be so, and nothing else is used instead", async () => {
  await world.secret("claude_setup_token", setupToken);
  world.env["ANTHROPIC_API_KEY"] = key;
  rmSync(world.vaultKey);
  await world.restart();
  const { trouble, env } = await world.gateway.prepare(caller, ["claude"]);
  expect(trouble).toContain(world.vaultKey);
  expect(env).toEqual({});
  const { status, body } = await world.ask(messages);
  expect(status).toBe(400);
  expect(JSON.parse(body).error.message).toContain(world.vaultKey);
  expect(world.model.asked).toEqual([]);
});

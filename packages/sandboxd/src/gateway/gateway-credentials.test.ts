import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  caller,
  codexResponses,
  GatewayWorld,
  messages,
  realKey,
  responses,
} from "./fixture/gateway-world.ts";
import { json } from "./fixture/model-server.ts";

const setupToken = "sk-ant-oat01-the-real-setup-token";

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
});

afterEach(() => world.close());

describe("the credential", () => {
  it("of the host replaces whatever the client sends", async () => {
    await world.secret("anthropic_api_key", realKey);
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
    expect(headers["x-api-key"]).toBe(realKey);
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
    await world.secret("anthropic_api_key", realKey);
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
    await world.secret("anthropic_api_key", realKey);
    await world.gateway.prepare(caller, ["opencode"]);
    await world.ask({
      ...messages,
      headers: { "x-api-key": "placeholder", "anthropic-beta": "oauth-2025-04-20,a-1" },
    });
    expect(world.model.last.headers).toMatchObject({ "x-api-key": realKey, "anthropic-beta": "a-1" });
    expect(world.model.last.headers.authorization).toBeUndefined();
  });

  it("is given to no sandbox that was not granted any", async () => {
    await world.secret("anthropic_api_key", realKey);
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
    world.env["ANTHROPIC_API_KEY"] = realKey;
    world.env["CODEX_API_KEY"] = "sk-openai-of-the-environment";
    await world.gateway.prepare(caller, ["claude", "codex"]);
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(realKey);
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
    await world.secret("anthropic_api_key", realKey);
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
  world.env["ANTHROPIC_API_KEY"] = realKey;
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

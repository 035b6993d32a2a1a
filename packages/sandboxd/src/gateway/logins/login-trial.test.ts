import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, GatewayWorld, messages } from "../fixture/gateway-world.ts";
import { json } from "../fixture/model-server.ts";
import type { LoginCandidate } from "./proof.ts";

const goodKey = "sk-ant-api03-good-0123456789";
const goodToken = "sk-ant-oat01-good-0123456789";
const models = { data: [{ id: "m" }] };
let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
  // Only what is good is answered, as the APIs do.
  world.model.answer = ({ headers, url }, response) => {
    const told = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
    const good = [goodKey, goodToken].includes(String(told));
    if (!good) return json(response, 401, { error: { type: "authentication_error" } });
    return json(response, 200, url.includes("/models") ? models : { model: "m" });
  };
});

afterEach(() => world.close());

const prove = (...candidates: LoginCandidate[]) =>
  world.gateway.prove({ groups: [candidates] }, new AbortController().signal);
const anthropic = { from: "gateway", provider: "anthropic" } as const;
const key = (value: string): LoginCandidate => ({
  from: "value",
  kind: "anthropic_api_key",
  origin: "variable ANTHROPIC_API_KEY",
  value,
});

/** A login of Claude Code's that ends so many minutes from now. */
function claudeLogin(minutes: number, refreshToken: string | null, accessToken = goodToken): string {
  const expiresAt = world.time + minutes * 60_000;
  return JSON.stringify({ claudeAiOauth: { accessToken, refreshToken, expiresAt, scopes: [] } });
}

describe("A7 a login is proved by what its API says to it", () => {
  it("with a question that costs no tokens, asked with the real credential", async () => {
    await world.secret("claude_setup_token", goodToken);
    expect(await prove(anthropic)).toMatchObject({
      outcome: "proved",
      kind: "claude_setup_token",
      origin: "secret claude_setup_token",
    });
    expect(world.model.asked).toHaveLength(1);
    expect(world.model.last).toMatchObject({ method: "GET", url: "/api/v1/models?limit=1", body: "" });
    expect(world.model.last.headers).toMatchObject({
      authorization: `Bearer ${goodToken}`,
      "anthropic-beta": "oauth-2025-04-20",
      "anthropic-version": "2023-06-01",
    });
  });

  it("and is not asked about again for hours, also where it was an agent that was answered", async () => {
    world.env["ANTHROPIC_API_KEY"] = goodKey;
    await world.gateway.prepare(caller, ["claude"]);
    expect((await world.ask(messages)).status).toBe(200);
    const asked = world.model.asked.length;
    const at = new Date(world.time).toISOString();
    world.time += 3 * 3_600_000;
    expect(await prove(anthropic)).toMatchObject({ outcome: "proved", at });
    expect(world.model.asked).toHaveLength(asked);
    world.time += 2 * 3_600_000;
    expect(await prove(anthropic)).toMatchObject({
      outcome: "proved",
      at: new Date(world.time).toISOString(),
    });
    expect(world.model.asked).toHaveLength(asked + 1);
  });

  it("and another value in the same place is another login", async () => {
    expect((await prove(key(goodKey))).outcome).toBe("proved");
    const refused = await prove(key("sk-ant-api03-garbage-0123456789"));
    expect(refused).toMatchObject({ outcome: "rejected", origin: "variable ANTHROPIC_API_KEY" });
    expect(refused.message).toContain("Anthropic refused");
    expect(refused.remedy).toContain("ANTHROPIC_API_KEY");
  });

  it("and a proof ends when an agent is refused", async () => {
    world.env["ANTHROPIC_API_KEY"] = goodKey;
    await world.gateway.prepare(caller, ["claude"]);
    expect((await prove(anthropic)).outcome).toBe("proved");
    world.model.answer = (_asked, response) => json(response, 401, {});
    await world.ask(messages);
    expect((await prove(anthropic)).outcome).toBe("rejected");
  });

  it.each([
    ["a page that greets everybody", 200, "<html>Welcome to the hotel", "unverified"],
    ["an answer that is said of many things", 403, "{}", "unverified"],
    ["no such path", 404, "{}", "unverified"],
    ["a limit", 429, "{}", "unverified"],
    ["a server in trouble", 529, "{}", "unreachable"],
  ])("and %s proves nothing", async (_what, status, body, outcome) => {
    world.model.answer = (_asked, response) => {
      response.writeHead(status, { "content-type": "text/html" });
      response.end(body);
    };
    expect((await prove(key(goodKey))).outcome).toBe(outcome);
  });

  it("and an API that cannot be reached is said to be so", async () => {
    const { url } = world.model;
    await world.model.close();
    const proof = await prove(key(goodKey));
    expect(proof).toMatchObject({ outcome: "unreachable", remedy: null });
    expect(proof.message).toBe(`Anthropic (${new URL(url).host}) cannot be reached: ECONNREFUSED.`);
    expect(JSON.stringify(proof)).not.toContain(goodKey);
  });
});

describe("what there is to log in with", () => {
  it("may be nothing, or nothing that could be one", async () => {
    expect(await prove(anthropic)).toMatchObject({ outcome: "absent", kind: null, origin: null });
    expect(await prove(key("short"))).toMatchObject({ outcome: "rejected" });
    expect(world.model.asked).toEqual([]);
  });

  it("is the first of a list that is there, and of several lists one that is proved", async () => {
    await world.secret("openai_api_key", "sk-garbage-0123456789");
    const groups: LoginCandidate[][] = [
      [{ from: "vault", secret: "openai_api_key" }],
      [{ from: "vault", secret: "anthropic_api_key" }, key(goodKey)],
    ];
    expect(await world.gateway.prove({ groups }, new AbortController().signal)).toMatchObject({
      outcome: "proved",
      kind: "anthropic_api_key",
    });
  });

  it("may be a login that has run out and is renewed, in its own file", async () => {
    const path = world.homeFile(
      ".claude/.credentials.json",
      claudeLogin(-5, "refresh-0123456789", "sk-old-0123456789"),
    );
    const { answer } = world.model;
    world.model.answer = (asked, response, request) =>
      asked.url === "/claude-token"
        ? json(response, 200, { access_token: goodToken, expires_in: 3600 })
        : answer(asked, response, request);
    expect(await prove({ from: "claude-login", path })).toMatchObject({ outcome: "proved", origin: path });
  });

  it.each([
    ["cannot be renewed", null, 0],
    ["is refused a renewal", "refresh-0123456789", 400],
  ])("may be a login that has run out and %s", async (_what, refresh, status) => {
    const path = world.homeFile(".claude/.credentials.json", claudeLogin(-5, refresh));
    world.model.answer = (_asked, response) => json(response, status, {});
    const proof = await prove(anthropic);
    expect(proof).toMatchObject({ outcome: "expired", remedy: expect.stringContaining("claude /login") });
    expect(proof.message).toContain(path);
    expect(world.model.asked.map(({ url }) => url)).toEqual(refresh ? ["/claude-token"] : []);
  });

  it("may be a login whose renewal could not be asked for", async () => {
    world.homeFile(".claude/.credentials.json", claudeLogin(-5, "refresh-0123456789"));
    world.model.answer = (_asked, response) => json(response, 503, {});
    expect((await prove(anthropic)).outcome).toBe("unreachable");
  });

  it("is unknown where the vault cannot be opened", async () => {
    await world.secret("claude_setup_token", goodToken);
    rmSync(world.vaultKey);
    await world.restart();
    expect((await prove(anthropic)).outcome).toBe("unreadable");
  });
});

it("a look leaves no lease and no value behind", async () => {
  await world.secret("claude_setup_token", goodToken);
  await prove(anthropic);
  expect(await world.vault.leases()).toEqual([]);
  expect(world.kept()).not.toContain(goodToken);
  expect(world.gateway.knownSandboxes()).toEqual([]);
});

it("what the asker has goes where its agent would send it, and the gateway's own where the gateway does", async () => {
  const other = `${world.model.url}/other`;
  world.env["ANTHROPIC_API_KEY"] = goodKey;
  const ask = (candidate: LoginCandidate) =>
    world.gateway.prove(
      { groups: [[candidate]], upstreams: { anthropic: other } },
      new AbortController().signal,
    );
  await ask(key(goodKey));
  expect(world.model.last.url).toBe("/other/v1/models?limit=1");
  await ask(anthropic);
  expect(world.model.last.url).toBe("/api/v1/models?limit=1");
  await world.secret("claude_setup_token", goodToken);
  await ask({ from: "vault", secret: "claude_setup_token" });
  expect(world.model.last).toMatchObject({
    url: "/api/v1/models?limit=1",
    headers: { authorization: `Bearer ${goodToken}` },
  });
  const elsewhere = { anthropic: "http://models.example.test" };
  const refused = await world.gateway.prove(
    { groups: [[key(goodKey)]], upstreams: elsewhere },
    new AbortController().signal,
  );
  expect(refused).toMatchObject({
    outcome: "unverified",
    message: expect.stringContaining("neither https nor"),
  });
});

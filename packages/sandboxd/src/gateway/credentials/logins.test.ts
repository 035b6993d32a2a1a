import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, codexResponses, GatewayWorld, messages, responses } from "../fixture/gateway-world.ts";
import { type Asked, json } from "../fixture/model-server.ts";

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
});

afterEach(() => world.close());

interface Renewal {
  access_token: string;
}

/** One access token is good at a time, and each refresh token works once, as with the real ones. */
function tokenServer(good: { access: string; refresh: string }, renewal: (number: string) => Renewal) {
  let renewals = 0;
  world.model.answer = async ({ url, headers, body }: Asked, response) => {
    if (!url.endsWith("-token"))
      return json(response, headers.authorization === `Bearer ${good.access}` ? 200 : 401, { model: "m" });
    if (JSON.parse(body).refresh_token !== good.refresh)
      return json(response, 400, { error: "invalid_grant" });
    renewals += 1;
    const renewed = renewal(String(renewals));
    good.access = renewed.access_token;
    good.refresh = `refresh-token-${renewals}`;
    // Long enough for all the others to find the old one.
    await new Promise((resolve) => setTimeout(resolve, 30));
    return json(response, 200, { ...renewed, refresh_token: good.refresh });
  };
  return () => renewals;
}

const renewalsAsked = () => world.model.asked.filter(({ url }) => url.endsWith("-token"));

describe("the host's Claude login", () => {
  const hour = 3_600_000;
  let path: string;
  const login = (fields: object) => ({
    claudeAiOauth: {
      accessToken: "sk-ant-oat01-old-access",
      refreshToken: "refresh-token-0",
      expiresAt: world.time + hour,
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
      ...fields,
    },
    mcpOAuth: { kept: true },
  });
  const write = (fields: object, mode = 0o640) => {
    path = world.homeFile(".claude/.credentials.json", JSON.stringify(login(fields)));
    chmodSync(path, mode);
  };
  const kept = () => JSON.parse(readFileSync(path, "utf8"));
  const serve = (good = { access: "sk-ant-oat01-old-access", refresh: "refresh-token-0" }) =>
    tokenServer(good, (number) => ({
      access_token: `sk-ant-oat01-new-access-${number}`,
      expires_in: 28_800,
    }));

  it("is used before an API key, and left alone while it is good", async () => {
    write({});
    world.env["ANTHROPIC_API_KEY"] = "sk-ant-api-key-of-env";
    const before = readFileSync(path);
    serve();
    const { credentials } = await world.gateway.prepare(caller, ["claude"]);
    expect(credentials).toEqual([{ provider: "anthropic", kind: "claude_login", origin: path }]);
    expect((await world.ask(messages)).status).toBe(200);
    expect(world.model.last.headers).toMatchObject({
      authorization: "Bearer sk-ant-oat01-old-access",
      "anthropic-beta": "oauth-2025-04-20",
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("is renewed once for twenty requests of many sandboxes that find it over", async () => {
    write({ expiresAt: world.time - 1 });
    const renewals = serve({ access: "", refresh: "refresh-token-0" });
    const from = Array.from({ length: 20 }, (_, number) => ({
      sandboxId: `s-${number}`,
      sandboxName: `n-${number}`,
    }));
    for (const each of from) await world.gateway.prepare(each, ["claude"]);
    const answers = await Promise.all(from.map((each) => world.ask(messages, each)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(renewals()).toBe(1);
    expect(renewalsAsked()).toHaveLength(1);
    expect(JSON.parse(renewalsAsked()[0]?.body ?? "")).toEqual({
      grant_type: "refresh_token",
      refresh_token: "refresh-token-0",
      client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
      scope: "user:inference user:profile",
    });
  });

  it("is renewed once for twenty requests that are refused with it, and each is sent again", async () => {
    write({});
    const renewals = serve({ access: "revoked early", refresh: "refresh-token-0" });
    await world.gateway.prepare(caller, ["claude"]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.ask(messages)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(renewals()).toBe(1);
  });

  it("is written back whole: its mode, its other fields, and the lock given back", async () => {
    write({ expiresAt: world.time + 60_000 });
    serve();
    await world.gateway.prepare(caller, ["claude"]);
    await world.ask(messages);
    expect(kept()).toEqual(
      login({
        accessToken: "sk-ant-oat01-new-access-1",
        refreshToken: "refresh-token-1",
        expiresAt: world.time + 28_800_000,
      }),
    );
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(existsSync(join(path, "..", ".oauth_refresh.lock"))).toBe(false);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "renewed", origin: path }));
  });

  it("stays where it is when the path is a link", async () => {
    write({ expiresAt: world.time - 1 });
    const real = join(world.folder, "elsewhere.json");
    writeFileSync(real, readFileSync(path));
    rmSync(path);
    symlinkSync(real, path);
    serve({ access: "", refresh: "refresh-token-0" });
    await world.gateway.prepare(caller, ["claude"]);
    expect((await world.ask(messages)).status).toBe(200);
    expect(JSON.parse(readFileSync(real, "utf8")).claudeAiOauth.refreshToken).toBe("refresh-token-1");
    expect(readFileSync(path, "utf8")).toBe(readFileSync(real, "utf8"));
  });

  it("that the user's own CLI renews meanwhile is not renewed again", async () => {
    write({ expiresAt: world.time - 1 });
    const renewals = serve({ access: "sk-ant-oat01-by-the-cli", refresh: "refresh-token-9" });
    await world.gateway.prepare(caller, ["claude"]);
    const lock = join(path, "..", ".oauth_refresh.lock");
    mkdirSync(lock);
    const answer = world.ask(messages);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(renewalsAsked()).toEqual([]);
    write({ accessToken: "sk-ant-oat01-by-the-cli", refreshToken: "refresh-token-9" });
    rmSync(lock, { recursive: true });
    expect((await answer).status).toBe(200);
    expect(renewals()).toBe(0);
  });

  it("is renewed although somebody died with the lock", async () => {
    write({ expiresAt: world.time - 1 });
    serve({ access: "", refresh: "refresh-token-0" });
    const lock = join(path, "..", ".oauth_refresh.lock");
    mkdirSync(lock);
    utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    await world.gateway.prepare(caller, ["claude"]);
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("whose renewal is refused is not tried again until it has changed", async () => {
    write({ expiresAt: world.time - 1, refreshToken: "refresh-token-dead" });
    serve({ access: "sk-ant-oat01-logged-in-anew", refresh: "refresh-token-0" });
    await world.gateway.prepare(caller, ["claude"]);
    for (const _ of [1, 2, 3]) {
      const { status, body } = await world.ask(messages);
      expect(status).toBe(400);
      expect(JSON.parse(body).error.message).toMatch(/renewal was refused \(400\).*claude \/login/);
    }
    expect(renewalsAsked()).toHaveLength(1);
    write({ accessToken: "sk-ant-oat01-logged-in-anew", refreshToken: "refresh-token-0" });
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("is used for its last minutes when it cannot be renewed at present", async () => {
    write({ expiresAt: world.time + 60_000 });
    world.env["OPENTIGER_CLAUDE_TOKEN_URL"] = "http://127.0.0.1:1/token";
    await world.gateway.prepare(caller, ["claude"]);
    expect((await world.ask(messages)).status).toBe(200);
    world.time += 60_000;
    expect(JSON.parse((await world.ask(messages)).body).error.message).toContain(
      "127.0.0.1:1 cannot be reached",
    );
  });

  it("is found where CLAUDE_AUTH_DIR says (contract A11)", async () => {
    const folder = join(world.folder, "claude-auth");
    mkdirSync(folder);
    writeFileSync(
      join(folder, ".credentials.json"),
      JSON.stringify(login({ accessToken: "sk-ant-oat01-from-there" })),
    );
    world.env["CLAUDE_AUTH_DIR"] = folder;
    await world.restart();
    await world.gateway.prepare(caller, ["claude"]);
    await world.ask(messages);
    expect(world.model.last.headers.authorization).toBe("Bearer sk-ant-oat01-from-there");
  });
});

describe("a ChatGPT login", () => {
  const jwt = (exp: number, name: string) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${part({ alg: "RS256" })}.${part({ exp, name })}.signature`;
  };
  const seconds = () => Math.floor(world.time / 1000);
  const login = (access: string, refresh = "refresh-token-0") => ({
    auth_mode: "chatgpt",
    OPENAI_API_KEY: null,
    tokens: {
      id_token: "id.old.x",
      access_token: access,
      refresh_token: refresh,
      account_id: "account-0001",
    },
    last_refresh: "2026-05-01T00:00:00Z",
    later_field: [1, 2],
  });
  const serve = (access: string) =>
    tokenServer({ access, refresh: "refresh-token-0" }, (number) => ({
      access_token: jwt(seconds() + 864_000, number),
      id_token: `id.new.${number}`,
    }));

  it("of the host goes out with its account, and neither comes back", async () => {
    const access = jwt(seconds() + 9000, "good");
    world.homeFile(".codex/auth.json", JSON.stringify(login(access)));
    world.model.answer = ({ headers }, response) => json(response, 200, { headers });
    await world.gateway.prepare(caller, ["codex"]);
    const { status, body } = await world.ask({
      ...codexResponses,
      headers: {
        authorization: "Bearer placeholder",
        "chatgpt-account-id": "placeholder",
        originator: "codex_exec",
      },
    });
    expect(status).toBe(200);
    expect(world.model.last.url).toBe("/api/responses");
    expect(world.model.last.headers).toMatchObject({
      authorization: `Bearer ${access}`,
      "chatgpt-account-id": "account-0001",
      originator: "codex_exec",
    });
    expect(body).not.toContain(access);
    expect(body).not.toContain("account-0001");
  });

  it("of the vault is renewed once for twenty requests, and kept there", async () => {
    const access = jwt(seconds() - 1, "over");
    await world.secret("codex_auth_json", JSON.stringify(login(access)));
    const renewals = serve("");
    const from = Array.from({ length: 20 }, (_, number) => ({
      sandboxId: `s-${number}`,
      sandboxName: `n-${number}`,
    }));
    for (const each of from) await world.gateway.prepare(each, ["codex"]);
    const answers = await Promise.all(from.map((each) => world.ask(codexResponses, each)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(renewals()).toBe(1);
    expect(JSON.parse(renewalsAsked()[0]?.body ?? "")).toEqual({
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      grant_type: "refresh_token",
      refresh_token: "refresh-token-0",
    });
    const { value } = await world.vault.value("codex_auth_json", {
      ttlMs: 1000,
      holder: { who: "test" },
      purpose: "test",
    });
    expect(JSON.parse(value.toString())).toEqual({
      ...login(jwt(seconds() + 864_000, "1"), "refresh-token-1"),
      tokens: { ...login(jwt(seconds() + 864_000, "1"), "refresh-token-1").tokens, id_token: "id.new.1" },
      last_refresh: new Date(world.time).toISOString(),
    });
  });

  it("of the vault that was revoked for one sandbox still serves the others", async () => {
    await world.secret("codex_auth_json", JSON.stringify(login(jwt(seconds() + 9000, "good"))));
    const other = { sandboxId: "sandbox-2", sandboxName: "two" };
    for (const each of [caller, other]) {
      await world.gateway.prepare(each, ["codex"]);
      expect((await world.ask(codexResponses, each)).status).toBe(200);
    }
    const [lease] = (await world.vault.leases()).filter(({ holder }) => holder.sandbox === "one");
    await world.vault.revoke(lease?.id ?? "");
    const refused = await world.ask(codexResponses);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body).error).toMatchObject({ code: "lease_ended" });
    expect((await world.ask(codexResponses, other)).status).toBe(200);
  });

  it("that was renewed but could not be kept at once is used, and kept with the next request", async () => {
    await world.secret("codex_auth_json", JSON.stringify(login(jwt(seconds() - 1, "over"))));
    const renewals = serve("");
    await world.gateway.prepare(caller, ["codex"]);
    const { update } = world.vault;
    world.vault.update = () => Promise.reject(new Error("the disk is full"));
    expect((await world.ask(codexResponses)).status).toBe(200);
    expect(world.events).toContainEqual(expect.objectContaining({ type: "trouble" }));
    world.vault.update = update;
    expect((await world.ask(codexResponses)).status).toBe(200);
    await world.restart();
    expect((await world.ask(codexResponses)).status).toBe(200);
    expect(renewals()).toBe(1);
  });

  it("that is refused is renewed, and the request sent again", async () => {
    const path = world.homeFile(".codex/auth.json", JSON.stringify(login(jwt(seconds() + 9000, "revoked"))));
    const renewals = serve("another");
    await world.gateway.prepare(caller, ["codex"]);
    expect((await world.ask(codexResponses)).status).toBe(200);
    expect(renewals()).toBe(1);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      later_field: [1, 2],
      tokens: { id_token: "id.new.1" },
    });
  });

  it("that is an API key is used as one", async () => {
    world.homeFile(
      ".codex/auth.json",
      JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: "sk-openai-of-codex" }),
    );
    const { credentials } = await world.gateway.prepare(caller, ["codex"]);
    expect(credentials).toMatchObject([{ provider: "openai", kind: "openai_api_key" }]);
    await world.ask(responses);
    expect(world.model.last.headers.authorization).toBe("Bearer sk-openai-of-codex");
  });
});

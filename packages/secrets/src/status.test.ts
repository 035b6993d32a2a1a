import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  credentialFor,
  credentialOrder,
  wellKnownSecret,
  wellKnownSecrets,
} from "./credentials/well-known.ts";
import { type TemporaryVault, temporaryVault } from "./temporary-vault.ts";

const day = 86_400_000;

let place: TemporaryVault;

beforeEach(() => {
  place = temporaryVault();
});

afterEach(() => place.remove());

async function ofSecret(name: string) {
  const { secrets, warnings } = await place.vault.status();
  return {
    secret: secrets.find((each) => each.name === name),
    warning: warnings.find((each) => each.secret === name),
  };
}

describe("B5 the Claude setup token", () => {
  beforeEach(() => place.vault.add("claude_setup_token", Buffer.from("sk-ant-oat01-x")));

  it("lives one year from when it was put in", async () => {
    expect((await ofSecret("claude_setup_token")).secret).toMatchObject({
      expiresAt: "2027-01-01T00:00:00.000Z",
      state: "ok",
    });
    place.pass(335 * day - 1);
    expect((await ofSecret("claude_setup_token")).warning).toBeUndefined();
  });

  it("is warned about 30 days ahead, with the commands that renew it", async () => {
    place.pass(335 * day);
    const { secret, warning } = await ofSecret("claude_setup_token");
    expect(secret).toMatchObject({ state: "expiring", ageSeconds: 335 * 86_400 });
    expect(warning).toEqual({
      secret: "claude_setup_token",
      state: "expiring",
      message: "claude_setup_token expires on 2027-01-01, in 30 days",
      remedy: ["claude setup-token", "opentiger secrets update claude_setup_token"],
    });
    place.pass(30 * day);
    expect((await ofSecret("claude_setup_token")).warning).toMatchObject({
      state: "expired",
      message: "claude_setup_token expired on 2027-01-01",
    });
  });

  it("starts a new year with an update", async () => {
    place.pass(350 * day);
    await place.vault.update("claude_setup_token", Buffer.from("sk-ant-oat01-y"));
    const { secret, warning } = await ofSecret("claude_setup_token");
    expect(secret).toMatchObject({ expiresAt: "2027-12-17T00:00:00.000Z", ageSeconds: 0, state: "ok" });
    expect(warning).toBeUndefined();
  });
});

describe("B5 the Codex file", () => {
  const jwt = (exp: number) =>
    `${base64url({ alg: "RS256" })}.${base64url({ exp, email: "a@example.com" })}.signature`;
  const file = (exp: Date) =>
    Buffer.from(
      JSON.stringify({
        auth_mode: "chatgpt",
        tokens: { access_token: jwt(exp.getTime() / 1000), refresh_token: "r" },
        last_refresh: "2025-12-28T10:00:00.123456Z",
      }),
    );

  it("has no end of its own, but says when it was refreshed and when its access token ends", async () => {
    await place.vault.add("codex_auth_json", file(new Date("2026-01-08T00:00:00Z")));
    const { secret, warning } = await ofSecret("codex_auth_json");
    expect(secret).toMatchObject({
      kind: "subscription",
      expiresAt: null,
      state: "ok",
      login: { lastRefresh: "2025-12-28T10:00:00.123Z", accessTokenExpiresAt: "2026-01-08T00:00:00.000Z" },
    });
    expect(warning).toBeUndefined();
  });

  it("is warned about when its access token has ended, with the commands that renew it", async () => {
    await place.vault.add("codex_auth_json", file(new Date("2026-01-08T00:00:00Z")));
    place.pass(7 * day);
    const { warning } = await ofSecret("codex_auth_json");
    expect(warning?.message).toContain("expired on 2026-01-08");
    expect(warning?.remedy).toEqual([
      "codex login",
      "opentiger secrets update codex_auth_json < ~/.codex/auth.json",
    ]);
  });

  it("that holds an API key or a token that is no JWT has unknown times", async () => {
    for (const content of [
      { OPENAI_API_KEY: "sk-x" },
      { tokens: { access_token: "opaque" }, last_refresh: "?" },
    ]) {
      await place.vault.add("codex_auth_json", Buffer.from(JSON.stringify(content)));
      expect((await ofSecret("codex_auth_json")).secret).toMatchObject({
        login: { lastRefresh: null, accessTokenExpiresAt: null },
      });
      await place.vault.delete("codex_auth_json");
    }
  });
});

describe("status", () => {
  it("says what is missing and the commands that put it in", async () => {
    const { secrets, providers, warnings } = await place.vault.status();
    expect(secrets.map(({ name, state }) => [name, state])).toEqual(
      wellKnownSecrets.map(({ name }) => [name, "missing"]),
    );
    expect(providers[0]).toEqual({
      provider: "anthropic",
      uses: null,
      remedy: ["claude setup-token", "opentiger secrets add claude_setup_token"],
    });
    expect(warnings).toEqual([]);
  });

  it("warns of an expiry that the user has set, and forgets it when the value is updated", async () => {
    await place.vault.add("mine", Buffer.from("x"), { expiresAt: new Date("2026-01-10T00:00:00Z") });
    expect((await ofSecret("mine")).warning).toMatchObject({
      state: "expiring",
      message: "mine expires on 2026-01-10, in 9 days",
      remedy: ["opentiger secrets update mine"],
    });
    await place.vault.update("mine", Buffer.from("y"));
    expect((await ofSecret("mine")).secret).toMatchObject({ expiresAt: null, state: "ok" });
  });

  it("A12 uses a subscription before an API key", async () => {
    await place.vault.add("anthropic_api_key", Buffer.from("sk-ant-api"));
    await place.vault.add("openai_api_key", Buffer.from("sk-x"));
    expect((await place.vault.status()).providers.map(({ uses }) => uses)).toEqual([
      "anthropic_api_key",
      "openai_api_key",
    ]);
    await place.vault.add("claude_setup_token", Buffer.from("sk-ant-oat01-x"));
    place.pass(400 * day);
    expect((await place.vault.status()).providers[0]?.uses).toBe("claude_setup_token");
  });
});

describe("the table of well-known secrets", () => {
  it("puts every subscription before every other credential of its provider", () => {
    for (const names of Object.values(credentialOrder)) {
      const kinds = names.map((name) => wellKnownSecret(name)?.kind);
      expect(kinds.lastIndexOf("subscription")).toBeLessThan(
        kinds.findIndex((kind) => kind !== "subscription") + 1,
      );
    }
    // No agent gets a GitHub token by itself, so no provider is said to use it.
    expect([...Object.values(credentialOrder).flat(), "github_token"].toSorted()).toEqual(
      wellKnownSecrets.map(({ name }) => name).toSorted(),
    );
    expect(credentialFor("openai", [])).toBeUndefined();
  });

  it("A12 knows the variables of the CLIs", () => {
    expect(Object.fromEntries(wellKnownSecrets.map(({ name, variables }) => [name, variables]))).toEqual({
      claude_setup_token: ["CLAUDE_CODE_OAUTH_TOKEN"],
      codex_auth_json: [],
      anthropic_api_key: ["ANTHROPIC_API_KEY"],
      openai_api_key: ["OPENAI_API_KEY", "CODEX_API_KEY"],
      github_token: ["GITHUB_TOKEN"],
    });
  });
});

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

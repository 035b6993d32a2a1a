import { afterEach, describe, expect, it } from "vitest";
import { caller, GatewayWorld, messages } from "../fixture/gateway-world.ts";
import type { Keys } from "./given-keys.ts";

const key = "sk-ant-canary-of-the-maker";
const other = { sandboxId: "sandbox-2", sandboxName: "two" };

let world: GatewayWorld;
afterEach(() => world.close());

async function given(keys: Keys, env: NodeJS.ProcessEnv = {}) {
  world = await GatewayWorld.make(env);
  world.gateway.keepKeys(caller.sandboxId, keys);
  return world.gateway.prepare(caller, ["claude"]);
}

describe("A12 an API key of whoever made a sandbox", () => {
  it("is used for that sandbox, and for no other", async () => {
    const { credentials, env } = await given({ ANTHROPIC_API_KEY: key });
    expect(credentials).toEqual([
      {
        provider: "anthropic",
        kind: "anthropic_api_key",
        origin: "variable ANTHROPIC_API_KEY, given with one",
      },
    ]);
    expect(JSON.stringify(env)).not.toContain("canary");
    expect((await world.ask(messages)).status).toBe(200);
    expect(world.model.last.headers["x-api-key"]).toBe(key);
    expect((await world.gateway.prepare(other, ["claude"])).credentials).toEqual([]);
    expect((await world.ask(messages, other)).status).not.toBe(200);
  });

  it("goes before the one of sandboxd's environment, and after the vault's", async () => {
    await given({ ANTHROPIC_API_KEY: key }, { ANTHROPIC_API_KEY: "sk-ant-of-sandboxd" });
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(key);
    await world.secret("anthropic_api_key", "sk-ant-of-the-vault");
    await world.gateway.grant(caller);
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe("sk-ant-of-the-vault");
  });

  it("attack 23 is in nothing that is kept, told or shown", async () => {
    await given({ ANTHROPIC_API_KEY: key });
    await world.ask(messages);
    const shown = [await world.gateway.status(caller.sandboxId), world.events];
    await world.gateway.close();
    expect(world.kept() + JSON.stringify(shown)).not.toContain("canary");
    expect(world.kept()).toContain("given with one");
  });

  it("ends with sandboxd: the next request is refused with the way to give it again, and nothing else is used", async () => {
    await given({ ANTHROPIC_API_KEY: key });
    await world.ask(messages);
    await world.restart();
    await world.secret("anthropic_api_key", "sk-ant-of-the-vault");
    const { status, body } = await world.ask(messages);
    expect(status).toBe(400);
    expect(body).toMatch(/sandboxd was started anew.*sandbox auth one --grant/s);
    expect((await world.gateway.status(caller.sandboxId)).trouble).toContain("auth one --grant");
    world.gateway.keepKeys(caller.sandboxId, { ANTHROPIC_API_KEY: key });
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("that sandboxd has as well lives on in the next one", async () => {
    await given({ ANTHROPIC_API_KEY: key }, { ANTHROPIC_API_KEY: key });
    await world.ask(messages);
    await world.restart();
    expect((await world.ask(messages)).status).toBe(200);
  });

  it("stays when another one is given, and gives way to a newer one of its own variable", async () => {
    await given({ ANTHROPIC_API_KEY: key });
    world.gateway.keepKeys(caller.sandboxId, { OPENAI_API_KEY: "sk-of-another-api" });
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(key);
    world.gateway.keepKeys(caller.sandboxId, { ANTHROPIC_API_KEY: `${key}-2` });
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(`${key}-2`);
  });

  it("gives way to sandboxd's own when that is given in its place", async () => {
    const own = "sk-ant-of-sandboxd";
    await given({ ANTHROPIC_API_KEY: key }, { ANTHROPIC_API_KEY: own });
    world.gateway.keepKeys(caller.sandboxId, { ANTHROPIC_API_KEY: own });
    await world.ask(messages);
    expect(world.model.last.headers["x-api-key"]).toBe(own);
  });

  it("is gone when it is taken away", async () => {
    await given({ ANTHROPIC_API_KEY: key });
    await world.gateway.revoke(caller.sandboxId);
    await world.gateway.grant(caller);
    expect((await world.ask(messages)).status).not.toBe(200);
  });
});

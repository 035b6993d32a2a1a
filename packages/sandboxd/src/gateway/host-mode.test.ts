import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, GatewayWorld } from "./fixture/gateway-world.ts";
import { json } from "./fixture/model-server.ts";

let world: GatewayWorld;
let base: string;

beforeEach(async () => {
  world = await GatewayWorld.make({
    ANTHROPIC_API_KEY: "sk-ant-the-real-key",
    OPENAI_API_KEY: "sk-openai-the-real-key",
  });
  world.model.answer = (_asked, response) =>
    json(response, 200, { model: "m", usage: { input_tokens: 1, output_tokens: 1 } });
  await world.gateway.grant(caller);
  base = `http://127.0.0.1:${(await world.gateway.listenLoopback()).port}`;
});

afterEach(() => world.close());

const ask = (headers: Record<string, string>, path = "/anthropic/v1/messages") =>
  fetch(`${base}${path}`, { method: "POST", headers, body: "{}" });

describe("a run on the host", () => {
  it("is known by its token, as a key, as a bearer and as the end of a JWT, and counted for itself", async () => {
    const token = world.gateway.tokenFor({ ...caller, run: "run-host" });
    expect((await ask({ "x-api-key": token })).status).toBe(200);
    expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await ask({ authorization: `Bearer e30.e30.${token}` }, "/openai/v1/responses")).status).toBe(
      200,
    );
    expect(world.gateway.usage({ kind: "run", id: "run-host" }).requests).toBe(3);
    expect(JSON.stringify(world.model.asked)).not.toContain(token);
    expect(world.kept()).not.toContain(token);
  });

  it("is refused without one, with another's form of it, and after its end", async () => {
    const token = world.gateway.tokenFor(caller);
    for (const told of ["", "opentiger-placeholder-key", `otk-${"A".repeat(43)}`, token.slice(0, -1)])
      expect((await ask({ "x-api-key": told })).status).toBe(401);
    world.gateway.endRun(caller.sandboxId, "run-1");
    const { status, ...answer } = await ask({ "x-api-key": token });
    expect({ status, answer }).toMatchObject({ status: 401 });
    expect(world.model.asked).toEqual([]);
  });

  it("goes on after a restart of sandboxd: same port, same token", async () => {
    const token = world.gateway.tokenFor(caller);
    await world.restart();
    expect(`http://127.0.0.1:${(await world.gateway.listenLoopback()).port}`).toBe(base);
    expect((await ask({ "x-api-key": token })).status).toBe(200);
  });

  it("finds a gateway on another port where the old one was taken", async () => {
    const { port } = JSON.parse(readFileSync(join(world.folder, "gateway", "callers.json"), "utf8"));
    const old = world.gateway;
    world.killed();
    const { port: other } = await world.gateway.listenLoopback();
    expect(other).not.toBe(port);
    await old.close();
  });

  it("has its token in the placeholders of every agent", async () => {
    const token = world.gateway.tokenFor(caller);
    const { env, files } = await world.gateway.prepare(
      { ...caller, token },
      ["claude", "codex", "opencode"],
      base,
    );
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: `${base}/anthropic`,
      ANTHROPIC_API_KEY: token,
      CODEX_API_KEY: token,
    });
    expect(files.filter(({ content }) => content.includes(token)).map(({ path }) => path)).toEqual([
      ".codex/auth.json",
      ".config/opencode/opencode.json",
    ]);
  });
});

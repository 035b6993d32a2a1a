import { createHash } from "node:crypto";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { caller, GatewayWorld, messages, realKey } from "./fixture/gateway-world.ts";
import { anthropicEvents, eventText } from "./fixture/model-server.ts";

let world: GatewayWorld;

beforeEach(async () => {
  world = await GatewayWorld.make();
});

afterEach(() => world.close());

describe("an answer", () => {
  beforeEach(async () => {
    world.env["ANTHROPIC_API_KEY"] = realKey;
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
    expect(headers["x-reflected"]).toContain(`"x-api-key":"${"*".repeat(realKey.length)}"`);
    expect(body).toContain(`"x-api-key":"${"*".repeat(realKey.length)}"`);
    expect(JSON.stringify(headers) + body).not.toContain(realKey);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("that is compressed all the same is read, and has no credential either", async () => {
    world.model.answer = (_asked, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(`before ${realKey} after`));
    };
    const { headers, body } = await world.ask(messages);
    expect(body).toBe(`before ${"*".repeat(realKey.length)} after`);
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

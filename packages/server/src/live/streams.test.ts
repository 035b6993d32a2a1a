import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { Streams, writeEvent } from "./streams.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(
  streams: Streams,
  chunks: (signal: AbortSignal) => AsyncIterable<string>,
): Promise<number> {
  const listener = getRequestListener((_, bindings) =>
    // Plain HTTP, so that the response is Node's own.
    streams.answer(chunks, (bindings as HttpBindings).outgoing, { "content-type": "text/plain" }),
  );
  const server = createServer((request, response) => void listener(request, response));
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

async function ask(port: number): Promise<IncomingMessage> {
  const request = get({ port, host: "127.0.0.1" });
  request.on("error", () => {});
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  answer.on("error", () => {});
  return answer;
}

describe("a stream", () => {
  it("asks for nothing more while its client takes nothing", async () => {
    let made = 0;
    const chunk = "x".repeat(64 * 1024);
    const streams = new Streams(new AbortController().signal);
    const port = await serve(streams, async function* (signal) {
      while (!signal.aborted) {
        made += 1;
        yield chunk;
        await turn();
      }
    });
    const answer = await ask(port);
    let before = -1;
    await until("it stands still", async () => {
      const stands = before === made;
      before = made;
      for (let turns = 0; turns < 200; turns += 1) await turn();
      return stands;
    });
    // What the kernel holds for both ends is a few megabytes; what we hold is a chunk or two.
    expect(made).toBeLessThan(200);
    answer.destroy();
    await until("it is closed", () => streams.open === 0);
  });

  it("ends when its client is gone, although it waits for something that never comes", async () => {
    let ended = false;
    const streams = new Streams(new AbortController().signal);
    const port = await serve(streams, async function* (signal) {
      yield "hello";
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      ended = true;
    });
    const answer = await ask(port);
    await once(answer, "data");
    expect(streams.open).toBe(1);
    answer.destroy();
    await until("it has ended", () => ended && streams.open === 0);
  });

  it("ends with the server", async () => {
    const ending = new AbortController();
    const streams = new Streams(ending.signal);
    const port = await serve(streams, async function* (signal) {
      yield "hello";
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    });
    const answer = await ask(port);
    await once(answer, "data");
    ending.abort();
    await once(answer.resume(), "end");
    expect(streams.open).toBe(0);
  });
});

it("nothing in the data of an event can look like another event", () => {
  const text = writeEvent({
    id: "1.2",
    event: "task.note",
    data: { title: "a\n\nid: 9.9\nevent: x\r\ndata: y" },
  });
  expect(text.split("\n").filter((line) => line.startsWith("id:"))).toEqual(["id: 1.2"]);
  expect(text.match(/\n\n/g)).toHaveLength(1);
  expect(text).not.toContain("\r");
});

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { connect, createServer as createSocketServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeFrame, frameType } from "../protocol/frames.ts";
import { Mux } from "../protocol/mux.ts";
import type { TakeEgress } from "./listen.ts";
import { egressOverStdio } from "./over-stdio.ts";

let inside: Socket;
let outside: Socket;
let mux: Mux;

beforeEach(async () => {
  [inside, outside] = await socketPair();
  mux = new Mux(inside);
});

afterEach(() => {
  mux.close();
  outside.destroy();
});

const proxy = JSON.stringify({ kind: "proxy" });
const take = (handle: TakeEgress) => egressOverStdio(outside, handle);

describe("connections that share one stream", () => {
  it("carry large amounts both ways at once, intact", async () => {
    take((_opening, stream) => stream.pipe(stream));
    const streams = Array.from({ length: 8 }, () => mux.open(proxy));
    await Promise.all(
      streams.map(async (stream, index) => {
        const sent = createHash("sha256");
        const got = digest(stream);
        for (let round = 0; round < 40; round += 1) {
          const piece = Buffer.alloc(100_000 + index, `${index}-${round}`);
          sent.update(piece);
          if (!stream.write(piece)) await new Promise((resolve) => stream.once("drain", resolve));
        }
        stream.end();
        expect(await got).toBe(sent.digest("hex"));
      }),
    );
  });

  it("do not wait for one that nobody reads, which holds a bounded amount", async () => {
    let sent = 0;
    take((opening, stream) => {
      if (opening.kind !== "proxy") return void stream.end("quick");
      const pour = (): void => {
        sent += 65_536;
        if (stream.write(Buffer.alloc(65_536))) setImmediate(pour);
        else stream.once("drain", pour);
      };
      pour();
    });
    const stuck = mux.open(proxy);
    stuck.on("error", () => {});
    const other = mux.open(JSON.stringify({ kind: "socks" }));
    expect(await text(other)).toBe("quick");
    await sleep(50);
    expect(sent).toBeLessThan(1024 * 1024);
    stuck.destroy();
  });

  it("end each direction by itself", async () => {
    take((_opening, stream) => {
      stream.end("first");
      void text(stream).then((got) => saw.push(got));
    });
    const saw: string[] = [];
    const stream = mux.open(proxy);
    expect(await text(stream)).toBe("first");
    stream.end("later");
    await expect.poll(() => saw).toEqual(["later"]);
  });

  it.each(["inside", "outside"])(
    "that are cut %s fail on the other side, and never just end",
    async (side) => {
      const outcomes: string[] = [];
      const watch = (stream: Duplex): void => {
        stream.resume();
        stream.on("error", () => outcomes.push("cut"));
        stream.on("end", () => outcomes.push("end"));
      };
      take((_opening, stream) => {
        if (side === "inside") watch(stream);
        stream.write("something");
        stream.once("data", () => side === "outside" && stream.destroy());
      });
      const stream = mux.open(proxy);
      stream.on("error", () => {});
      if (side === "outside") watch(stream);
      stream.write("something");
      if (side === "inside") stream.once("data", () => stream.destroy());
      await expect.poll(() => outcomes).toEqual(["cut"]);
    },
  );

  it("are all cut when the stream they share ends", async () => {
    const { closed } = take((_opening, stream) => void stream.resume());
    const stream = mux.open(proxy);
    const cut = new Promise((resolve) => stream.once("error", resolve));
    await new Promise((resolve) => stream.write("x", resolve));
    outside.destroy();
    expect(await cut).toMatchObject({ message: "the connection was cut" });
    await closed;
    expect(mux.isOpen).toBe(false);
  });

  it("can be served by Node's HTTP server", async () => {
    const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
    take((_opening, stream) => void server.emit("connection", stream));
    const stream = mux.open(proxy);
    stream.end("GET /path HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    expect(await text(stream)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*GET \/path$/);
  });

  it("with an opening that is none are cut", async () => {
    take(() => {});
    const stream = mux.open('{"kind":"everything"}');
    await expect(new Promise((resolve) => stream.once("error", resolve))).resolves.toBeInstanceOf(Error);
  });
});

describe("what is not of the protocol", () => {
  it.each([
    ["other bytes", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    [
      "more than was allowed",
      Buffer.concat([...encodeFrame(frameType.muxOpen, Buffer.from(proxy), 1), ...flood()]),
    ],
    [
      "a number twice",
      Buffer.concat([1, 1].flatMap((id) => encodeFrame(frameType.muxOpen, Buffer.from(proxy), id))),
    ],
  ])("%s ends everything", async (_what, bytes) => {
    const { closed } = take((_opening, stream) => void stream.on("error", () => {}));
    inside.write(bytes);
    await closed;
  });
});

function flood(): Buffer[] {
  return Array.from({ length: 9 }, () => encodeFrame(frameType.muxData, Buffer.alloc(64 * 1024), 1)).flat();
}

function text(stream: Duplex): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    stream.on("data", (chunk: Buffer) => {
      got += chunk.toString();
    });
    stream.once("end", () => resolve(got));
  });
}

function digest(stream: Duplex): Promise<string> {
  const hash = createHash("sha256");
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => void hash.update(chunk));
    stream.once("end", () => resolve(hash.digest("hex")));
  });
}

function socketPair(): Promise<[Socket, Socket]> {
  return new Promise((resolve) => {
    const server = createSocketServer((accepted) => {
      server.close();
      resolve([dialled, accepted]);
    });
    let dialled: Socket;
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      dialled = connect(typeof address === "object" && address ? address.port : 0, "127.0.0.1");
    });
  });
}

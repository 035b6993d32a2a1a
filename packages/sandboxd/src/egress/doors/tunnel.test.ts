import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { certificate } from "../fixture/certificate.ts";
import { EgressWorld, portOf } from "../fixture/egress-world.ts";
import { received, streamPair } from "../fixture/stream-pair.ts";

const publicAddress = "203.0.113.10";
const names = ["good.test", "other.test", "www.good.test"];
let pem: { key: Buffer; cert: Buffer };
let world: EgressWorld;

beforeAll(() => {
  pem = certificate(...names);
});

beforeEach(async () => {
  world = await EgressWorld.begin((name) => (names.includes(name) ? [publicAddress] : undefined));
});

afterEach(() => world.end());

/** A TLS server behind the public address, which says what name it was called by. */
async function serveTls(port = 443): Promise<void> {
  const server = createTlsServer({ ...pem }, (socket) => {
    socket.on("error", () => {});
    socket.end(`hello from ${socket.servername || "nobody"}`);
  });
  server.on("tlsClientError", () => {});
  world.route(publicAddress, port, await world.serve(server));
}

async function connectThrough(target: string): Promise<{ socket: Socket; head: string }> {
  const socket = await world.enter({ kind: "proxy" });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  return { socket, head: await received(socket, /\r\n\r\n/) };
}

/** The answer of the server over TLS, or the error that the client shows. */
function overTls(socket: Socket, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const tls: TLSSocket = connectTls({ socket, servername, rejectUnauthorized: false });
    let text = "";
    tls.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    tls.on("end", () => resolve(text));
    tls.on("error", (error) => resolve(`error: ${error.message}`));
  });
}

describe("a CONNECT tunnel", () => {
  test("carries TLS to the host that the hello names", async () => {
    await serveTls();
    const { socket, head } = await connectThrough("GOOD.test.:443");
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(await overTls(socket, "good.test")).toBe("hello from good.test");
    expect(world.dialled).toEqual([`${publicAddress} 443`]);
    expect(world.row("good.test")).toMatchObject({ port: 443, allowed: 1, blocked: 0, rule: "policy allow" });
    world.egress.count();
    expect(world.row("good.test")?.bytesIn).toBeGreaterThan(500);
  });

  test("is cut when the hello names another host, whatever the rules say of either", async () => {
    await serveTls();
    world.settings.allowHosts = ["good.test:443", "other.test:443"];
    const { socket } = await connectThrough("good.test:443");
    expect(await overTls(socket, "other.test")).toMatch(/^error/);
    expect(world.row("good.test")).toMatchObject({ allowed: 0, blocked: 1, rule: "sni-mismatch" });
  });

  test("says access denied to a TLS client that it cuts", async () => {
    await serveTls();
    const { socket } = await connectThrough("good.test:443");
    expect(await overTls(socket, "other.test")).toMatch(/access denied/);
  });

  test("without a server name needs a rule that names host and port", async () => {
    await serveTls();
    const first = await connectThrough("good.test:443");
    expect(await overTls(first.socket, "")).toMatch(/access denied/);
    expect(world.row("good.test")).toMatchObject({ blocked: 1, rule: "no-sni" });
    world.settings.allowHosts = ["good.test:443"];
    const second = await connectThrough("good.test:443");
    expect(await overTls(second.socket, "")).toBe("hello from nobody");
  });

  test("to an address takes a hello without a name where a rule names the address, and never a forged one", async () => {
    await serveTls();
    const target = `${publicAddress}:443`;
    expect(await overTls((await connectThrough(target)).socket, "")).toMatch(/access denied/);
    expect(world.row(publicAddress)).toMatchObject({ allowed: 0, blocked: 1, rule: "no-sni" });
    world.settings.allowCidrs = ["203.0.113.0/24"];
    expect(await overTls((await connectThrough(target)).socket, "")).toBe("hello from nobody");
    expect(await overTls((await connectThrough(target)).socket, "good.test")).toMatch(/access denied/);
    expect(world.row(publicAddress)).toMatchObject({ allowed: 1, blocked: 2, rule: "sni-mismatch" });
  });

  test("reads a hello that comes byte by byte", async () => {
    await serveTls();
    const { socket } = await connectThrough("good.test:443");
    const { inside, outside } = await streamPair();
    outside.on("data", (chunk: Buffer) => {
      for (const byte of chunk) socket.write(Buffer.from([byte]));
    });
    socket.pipe(outside);
    expect(await overTls(inside, "good.test")).toBe("hello from good.test");
  });

  test("cuts a hello that is begun and not finished", async () => {
    await serveTls();
    const { socket } = await connectThrough("good.test:443");
    socket.write(Buffer.from([22, 3, 1, 2, 0, 1]));
    await received(socket);
    expect(world.row("good.test")).toMatchObject({ blocked: 1, rule: "sni-mismatch" });
  });

  test("lets ssh through where a rule names host and port, and nowhere else", async () => {
    const server = await world.serveBytes((socket) => {
      socket.write("SSH-2.0-test\r\n");
      socket.on("data", (chunk: Buffer) => socket.end(`you said ${chunk.toString()}`));
    });
    world.route(publicAddress, 22, server);
    const blocked = await connectThrough("good.test:22");
    blocked.socket.write("SSH-2.0-client\r\n");
    expect(await received(blocked.socket)).toBe("");
    expect(world.row("good.test")).toMatchObject({ blocked: 1, rule: "not-tls" });

    world.settings.allowHosts = ["good.test:22"];
    const open = await connectThrough("good.test:22");
    // The server may speak first: nobody waits for the client.
    const greeting = open.head.split("\r\n\r\n")[1] || (await received(open.socket, /SSH/));
    expect(greeting).toBe("SSH-2.0-test\r\n");
    open.socket.write("SSH-2.0-client\r\n");
    expect(await received(open.socket)).toBe("you said SSH-2.0-client\r\n");
    expect(world.row("good.test")).toMatchObject({ allowed: 1, rule: "allow-host good.test:22" });
  });

  test("cuts a client that waits for the server to speak, without having passed a byte", async () => {
    world.route(publicAddress, 25, await world.serveBytes((socket) => void socket.write("220 mail\r\n")));
    const { socket, head } = await connectThrough("good.test:25");
    expect(head).toMatch(/\r\n\r\n$/);
    expect(await received(socket)).toBe("");
    expect(world.row("good.test")).toMatchObject({ blocked: 1, rule: "not-tls" });
  });

  test("passes each side's end on and keeps the other way open", async () => {
    world.settings.allowHosts = ["good.test:9000"];
    const server = await world.serveBytes((socket) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on("end", () => socket.end(text.toUpperCase()));
    });
    world.route(publicAddress, 9000, server);
    const { socket } = await connectThrough("good.test:9000");
    socket.end("to the end");
    expect(await received(socket)).toBe("TO THE END");
  });

  test("stops the sender when the receiver does not read", async () => {
    world.settings.allowHosts = ["good.test:9000"];
    let sent = 0;
    const server = await world.serveBytes((socket) => {
      const piece = Buffer.alloc(64 * 1024);
      const send = () => {
        while (sent < 64 * 1024 * 1024 && !socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once("drain", send);
        }
      };
      send();
    });
    world.route(publicAddress, 9000, server);
    const { socket } = await connectThrough("good.test:9000");
    socket.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const still = before === sent && sent > 0;
          before = sent;
          return still;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test("works over a stream of HTTP/2 too", async () => {
    await serveTls();
    const server = createHttp2Server();
    server.on("stream", (stream) => {
      stream.respond({ ":status": 200 });
      world.egress.accept(world.sandbox, { kind: "proxy" }, stream);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const client = connectHttp2(`http://127.0.0.1:${portOf(server)}`);
    world.onEnd(() => {
      client.destroy();
      server.close();
    });
    const refused = client.request({ ":method": "POST" });
    refused.end("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n");
    let text = "";
    for await (const chunk of refused) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);

    const tunnelled = client.request({ ":method": "POST" });
    tunnelled.write("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n");
    const head = await new Promise<Buffer>((resolve) => tunnelled.once("data", resolve));
    expect(String(head)).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    const answer = await new Promise<string>((resolve) => {
      const tls = connectTls({ socket: tunnelled, servername: "good.test", rejectUnauthorized: false });
      tls.once("data", (chunk: Buffer) => resolve(chunk.toString()));
      tls.on("error", (error) => resolve(error.message));
    });
    expect(answer).toBe("hello from good.test");
  });
});

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EgressWorld } from "../../fixture/egress-world.ts";
import { received } from "../../fixture/stream-pair.ts";

const publicAddress = "203.0.113.10";
let world: EgressWorld;

beforeEach(async () => {
  world = await EgressWorld.begin((name) => (name.endsWith("good.test") ? [publicAddress] : undefined));
});

afterEach(() => world.end());

async function serveHttp(listener: RequestListener, port = 80): Promise<void> {
  world.route(publicAddress, port, await world.serve(createServer(listener)));
}

/** What comes back for these bytes on the proxy's port, to the end of the connection or to a match. */
async function proxied(bytes: string, until?: RegExp): Promise<string> {
  const socket = await world.enter({ kind: "proxy" });
  socket.write(bytes, "latin1");
  return await received(socket, until);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

describe("a request to the proxy", () => {
  test("reaches the host in origin form, with what concerns the connection left out", async () => {
    const seen: { url: string | undefined; headers: string[] }[] = [];
    await serveHttp((request, response) => {
      seen.push({ url: request.url, headers: request.rawHeaders });
      response
        .setHeader("X-Answer", "yes")
        .setHeader("Connection", "keep-alive, X-Hop")
        .setHeader("X-Hop", "1");
      response.end("body");
    });
    const answer = await proxied(
      [
        "GET http://GOOD.test:80/a?b=%20c HTTP/1.1",
        "Host: good.test",
        "Proxy-Authorization: Basic c2VjcmV0",
        "Proxy-Connection: keep-alive",
        "Connection: close, X-Private, Host",
        "X-Private: 1",
        "X-Kept: 1",
        "",
        "",
      ].join("\r\n"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/X-Answer: yes/);
    expect(answer).not.toMatch(/X-Hop/);
    expect(answer).toMatch(/body/);
    expect(seen).toEqual([
      { url: "/a?b=%20c", headers: ["Host", "good.test", "X-Kept", "1", "Connection", "close"] },
    ]);
    expect(world.row("good.test")).toMatchObject({ port: 80, allowed: 1, rule: "policy allow" });
  });

  test.each([
    ["with a length", "Content-Length: 5\r\n\r\nhello"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"],
  ])("carries a body %s, for any method", async (_how, rest) => {
    await serveHttp((request, response) => {
      void bodyOf(request).then((body) => response.end(`${request.method} ${body}`));
    });
    for (const method of ["POST", "GET", "DELETE"]) {
      const answer = await proxied(
        `${method} http://good.test/ HTTP/1.1\r\nHost: good.test\r\nConnection: close, Content-Length, Host\r\n${rest}`,
      );
      expect(answer).toMatch(new RegExp(`${method} hello`));
    }
  });

  test("is decided on by itself, also on a connection that was good before", async () => {
    await serveHttp((_request, response) => response.end("ok"));
    world.settings.policy = "deny";
    world.settings.allowHosts = ["good.test"];
    const socket = await world.enter({ kind: "proxy" });
    socket.write("GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n");
    expect(await received(socket, /ok/)).toMatch(/^HTTP\/1\.1 200/);
    socket.write("GET http://www.good.test/ HTTP/1.1\r\nHost: www.good.test\r\n\r\n");
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 403/);
  });

  test("that is blocked gets a 403 with host, port, rule and the command that allows it", async () => {
    world.settings.policy = "deny";
    const answer = await proxied("GET http://good.test:8080/secret HTTP/1.1\r\nHost: good.test:8080\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(/X-OpenTiger-Blocked: 1/i);
    expect(answer).toMatch(/host: good\.test\nport: 8080\nrule: policy deny\n/);
    expect(answer).toMatch(/ docker sandbox network proxy box --allow-host good\.test:8080\n/);
    expect(answer).not.toMatch(/secret/);
    expect(world.asked).toEqual([]);
    expect(world.row("good.test")).toMatchObject({ port: 8080, allowed: 0, blocked: 1, rule: "policy deny" });
  });

  test("to a host that does not exist or does not answer gets a 502 with the reason", async () => {
    expect(await proxied("GET http://gone.test/ HTTP/1.1\r\nHost: gone.test\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 502 .*could not reach gone\.test port 80: the name does not exist/s,
    );
    expect(world.row("gone.test")).toMatchObject({ allowed: 0, blocked: 0, failed: 1 });
    world.route(publicAddress, 80, 1);
    expect(await proxied("CONNECT good.test:80 HTTP/1.1\r\nHost: good.test:80\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 502 .*the connection was refused/s,
    );
  });

  test.each([
    ["another Host", "GET http://good.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", 403],
    ["another port in Host", "GET http://good.test/ HTTP/1.1\r\nHost: good.test:81\r\n\r\n", 403],
    ["two Hosts", "GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nHost: good.test\r\n\r\n", 400],
    ["no Host", "GET http://good.test/ HTTP/1.1\r\n\r\n", 400],
    ["userinfo", "GET http://good.test@evil.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["https", "GET https://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["origin form", "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["a fragment", "GET http://good.test/#x HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["an octal address", "GET http://0177.0.0.1/ HTTP/1.1\r\nHost: 0177.0.0.1\r\n\r\n", 400],
    ["a decimal address", "CONNECT 2130706433:80 HTTP/1.1\r\nHost: 2130706433:80\r\n\r\n", 400],
    ["a NUL", "CONNECT good.test\0.evil.test:443 HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["a name in UTF-8", "CONNECT b\xc3\xbccher.test:443 HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["no port", "CONNECT good.test HTTP/1.1\r\nHost: good.test\r\n\r\n", 400],
    ["another Host at CONNECT", "CONNECT good.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", 403],
    [
      "two lengths",
      "POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      400,
    ],
    [
      "a length and chunks",
      "POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "an unknown encoding",
      "POST http://good.test/ HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a folded header", "GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nA: 1\r\n b\r\n\r\n", 400],
    ["a bare line feed", "GET http://good.test/ HTTP/1.1\nHost: good.test\n\n", 400],
    [
      "a head that is too long",
      `GET http://good.test/${"a".repeat(40_000)} HTTP/1.1\r\nHost: good.test\r\n\r\n`,
      400,
    ],
  ])("with %s is refused and dials nothing", async (_what, bytes, status) => {
    await serveHttp((_request, response) => response.end("reached"));
    const answer = await proxied(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toMatch(/reached/);
    expect(world.dialled).toEqual([]);
  });

  test("carries a websocket once the host agrees, and an answer that is no agreement as an answer", async () => {
    const server = createServer((_request, response) => response.writeHead(426).end("not here"));
    server.on("upgrade", (request, socket) => {
      if (request.url !== "/ws") return socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone");
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      socket.on("data", (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`));
    });
    world.route(publicAddress, 80, await world.serve(server));
    const head =
      "Host: good.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    const socket = await world.enter({ kind: "proxy" });
    socket.write(`GET http://good.test/ws HTTP/1.1\r\n${head}`);
    expect(await received(socket, /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 101 /);
    socket.write("frame");
    expect(await received(socket)).toBe("echo frame");
    expect(await proxied(`GET http://good.test/no HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 404 .*none$/s);
  });

  test("passes a request on without its offer of another protocol", async () => {
    await serveHttp((request, response) => response.end(`upgrade ${request.headers.upgrade ?? "none"}`));
    const answer = await proxied(
      "GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
        "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*upgrade none/s);
  });

  test("answers many requests that were sent ahead, in their order", async () => {
    await serveHttp((request, response) => {
      setTimeout(() => response.end(`<${request.url}>`), request.url === "/0" ? 50 : 0);
    });
    const requests = [0, 1, 2].map((n) => `GET http://good.test/${n} HTTP/1.1\r\nHost: good.test\r\n\r\n`);
    const answer = await proxied(requests.join(""), /<\/2>/);
    expect(answer.match(/<[^>]*>/g)).toEqual(["</0>", "</1>", "</2>"]);
  });

  test("ends when its host ends in the middle of an answer", async () => {
    await serveHttp((_request, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const answer = await proxied("GET http://good.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n");
    expect(answer).toMatch(/half$/);
  });
});

describe("plain HTTP in a tunnel", () => {
  test("is passed on request by request, as long as Host is the host of the tunnel", async () => {
    let connections = 0;
    const server = createServer((request, response) =>
      response.end(`<${request.headers.host}${request.url}>`),
    );
    server.on("connection", () => {
      connections += 1;
    });
    world.route(publicAddress, 8080, await world.serve(server));
    const socket = await world.enter({ kind: "proxy" });
    socket.write("CONNECT good.test:8080 HTTP/1.1\r\nHost: good.test\r\n\r\n");
    await received(socket, /\r\n\r\n/);
    socket.write("GET /a HTTP/1.1\r\nHost: good.test:8080\r\n\r\n");
    expect(await received(socket, />/)).toMatch(/<good\.test:8080\/a>/);
    // The connection that CONNECT had made was the one that was used.
    expect(connections).toBe(1);
    socket.write("GET /b HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 403 /);
    expect(world.row("good.test")).toMatchObject({ allowed: 1, blocked: 1, rule: "host-mismatch" });
  });
});

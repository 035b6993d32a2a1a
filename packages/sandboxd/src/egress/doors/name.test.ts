import { createServer } from "node:http";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { certificate } from "../fixture/certificate.ts";
import { EgressWorld } from "../fixture/egress-world.ts";
import { received } from "../fixture/stream-pair.ts";

const publicAddress = "203.0.113.10";
let world: EgressWorld;

beforeEach(async () => {
  world = await EgressWorld.begin((name) => (name.endsWith("good.test") ? [publicAddress] : undefined));
});

afterEach(() => world.end());

async function tlsTo(host: string, servername: string): Promise<string> {
  const socket = await world.enter({ kind: "name", host, port: 443 });
  return await new Promise((resolve) => {
    const tls = connectTls({ socket, servername, rejectUnauthorized: false });
    tls.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    tls.once("error", (error) => resolve(error.message));
  });
}

describe("a program that knows of no proxy", () => {
  test("reaches a host by TLS when its hello names it", async () => {
    const server = createTlsServer(certificate("good.test"), (socket) => socket.end("hello"));
    server.on("tlsClientError", () => {});
    world.route(publicAddress, 443, await world.serve(server));
    expect(await tlsTo("good.test", "good.test")).toBe("hello");
    expect(await tlsTo("good.test", "evil.test")).toMatch(/access denied/);
  });

  test("is told by TLS itself that it is blocked", async () => {
    world.settings.policy = "deny";
    expect(await tlsTo("good.test", "good.test")).toMatch(/access denied/);
    expect(world.row("good.test")).toMatchObject({ port: 443, blocked: 1, rule: "policy deny" });
    expect(world.asked).toEqual([]);
  });

  test("reaches a host by HTTP when Host names it, and gets a 403 else", async () => {
    const server = createServer((request, response) => response.end(`<${request.url}>`));
    world.route(publicAddress, 80, await world.serve(server));
    const socket = await world.enter({ kind: "name", host: "GOOD.test.", port: 80 });
    socket.write("GET /a HTTP/1.1\r\nHost: good.test\r\n\r\n");
    expect(await received(socket, />/)).toMatch(/<\/a>/);
    socket.write("GET /b HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 403 /);
    world.settings.blockHosts = ["good.test"];
    const blocked = await world.enter({ kind: "name", host: "good.test", port: 80 });
    blocked.write("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n");
    expect(await received(blocked)).toMatch(/^HTTP\/1\.1 403 .*rule: block-host good\.test/s);
  });

  test("cannot use the connection as a proxy", async () => {
    const socket = await world.enter({ kind: "name", host: "good.test", port: 80 });
    socket.write("CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n");
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 400 /);
    const other = await world.enter({ kind: "name", host: "good.test", port: 80 });
    other.write("GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n");
    expect(await received(other)).toMatch(/^HTTP\/1\.1 403 /);
    expect(world.dialled).toEqual([]);
  });

  test.each(["127.1", "a b", "good.test\0", "", "x".repeat(300)])(
    "reaches nothing by the name %j",
    async (host) => {
      const socket = await world.enter({ kind: "name", host, port: 443 });
      expect(await received(socket)).toBe("");
      expect(world.row("(invalid)")).toMatchObject({ blocked: 1, rule: "invalid" });
      expect(world.dialled).toEqual([]);
    },
  );
});

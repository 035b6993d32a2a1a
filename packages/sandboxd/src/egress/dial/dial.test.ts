import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import type { Answers } from "../fixture/dns-server.ts";
import { EgressWorld, portOf } from "../fixture/egress-world.ts";
import { received } from "../fixture/stream-pair.ts";

let world: EgressWorld;

afterEach(() => world.end());

/** The status line and body of a CONNECT, or what a GET through the proxy brings. */
async function asked(request: string, until?: RegExp): Promise<string> {
  const socket = await world.enter({ kind: "proxy" });
  socket.write(request);
  return await received(socket, until);
}

function connectTo(target: string): Promise<string> {
  return asked(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`, /\r\n\r\n/);
}

function getFrom(host: string): Promise<string> {
  return asked(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

describe("dialling", () => {
  test("goes to the address that was checked, and the name is resolved once", async () => {
    let times = 0;
    // First public, from then on the host's loopback: DNS rebinding.
    const rebinding: Answers = () => {
      times += 1;
      return times <= 2 ? ["203.0.113.10"] : ["127.0.0.1"];
    };
    world = await EgressWorld.begin(rebinding);
    const server = await world.serve(createServer((_request, response) => response.end("public")));
    world.route("203.0.113.10", 80, server);
    expect(await getFrom("rebind.test")).toMatch(/public/);
    expect(world.asked).toEqual(["rebind.test"]);
    expect(world.dialled).toEqual(["203.0.113.10 80"]);
    expect(await getFrom("rebind.test")).toMatch(/403 .*rule: private range 127\.0\.0\.0\/8/s);
    expect(world.dialled).toEqual(["203.0.113.10 80"]);
  });

  test("leaves out the answers that are blocked, and tries the others in turn", async () => {
    world = await EgressWorld.begin(() => ["10.0.0.1", "203.0.113.1", "203.0.113.2", "fd00::1", "::1"]);
    const server = await world.serveBytes((socket) => void socket.end());
    world.route("203.0.113.1", 443, 1);
    world.route("203.0.113.2", 443, server);
    expect(await connectTo("many.test:443")).toMatch(/ 200 /);
    expect(world.dialled).toEqual(["203.0.113.1 443", "203.0.113.2 443"]);
  });

  test.each([
    "169.254.169.254",
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "::ffff:a00:1",
    "fe80::1",
    "64:ff9b::a00:1",
  ])("never reaches %s by a name or an address that no rule opens", async (address) => {
    world = await EgressWorld.begin(() => [address]);
    world.settings.allowHosts = ["*.inside.test", "*"];
    const literal = address.includes(":") ? `[${address}]` : address;
    expect(await connectTo("a.inside.test:443")).toMatch(/ 403 /);
    expect(await connectTo(`${literal}:443`)).toMatch(/ 403 /);
    expect(world.dialled).toEqual([]);
  });

  test("reaches a private address by an exact rule, link-local not even then", async () => {
    world = await EgressWorld.begin((name) => (name === "db.test" ? ["10.0.0.1"] : ["169.254.169.254"]));
    world.settings.allowHosts = ["db.test", "metadata.test", "169.254.169.254"];
    world.route("10.0.0.1", 443, await world.serveBytes((socket) => void socket.end()));
    expect(await connectTo("db.test:443")).toMatch(/ 200 /);
    for (const host of ["metadata.test", "169.254.169.254"]) {
      const answer = await asked(`CONNECT ${host}:80 HTTP/1.1\r\nHost: ${host}:80\r\n\r\n`);
      expect(answer).toMatch(/ 403 .*rule: never 169\.254\.0\.0\/16/s);
      expect(answer).not.toMatch(/--allow-host/);
    }
    expect(world.dialled).toEqual(["10.0.0.1 443"]);
  });

  test("does not reach this machine by one of its own addresses", async () => {
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    world = await EgressWorld.begin();
    for (const { address, family } of own.filter((entry) => !entry.address.startsWith("fe80"))) {
      const literal = family === "IPv6" ? `[${address}]` : address;
      expect(await connectTo(`${literal}:443`)).toMatch(/ 403 /);
    }
    expect(own.length).toBeGreaterThan(0);
    expect(world.dialled).toEqual([]);
  });
});

describe("a proxy of the host", () => {
  interface Seen {
    connects: { url: string | undefined; authorization: string | undefined }[];
    requests: { url: string | undefined; authorization: string | undefined }[];
  }

  /** A proxy that tunnels everything to one server, as a company's would. */
  async function corporateProxy(
    to: () => number,
  ): Promise<{ server: ReturnType<typeof createServer>; seen: Seen }> {
    const seen: Seen = { connects: [], requests: [] };
    const note = ({ url, headers }: IncomingMessage) => ({
      url,
      authorization: headers["proxy-authorization"],
    });
    const server = createServer((request, response) => {
      seen.requests.push(note(request));
      response.end("by the proxy");
    });
    server.on("connect", (request, socket) => {
      seen.connects.push(note(request));
      if (request.url?.startsWith("forbidden"))
        return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const onwards = connect(to(), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(onwards).pipe(socket);
      });
      onwards.on("error", () => socket.destroy());
      socket.on("error", () => onwards.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { server, seen };
  }

  async function beginBehindProxy(answers: Answers, noProxy = ""): Promise<Seen> {
    let echoPort = 0;
    const { server, seen } = await corporateProxy(() => echoPort);
    const url = `http://user:p%40ss@127.0.0.1:${portOf(server)}`;
    world = await EgressWorld.begin(answers, { HTTPS_PROXY: url, http_proxy: url, NO_PROXY: noProxy });
    world.onEnd(() => server.close());
    echoPort = portOf(await world.serveBytes((socket) => void socket.pipe(socket)));
    return seen;
  }

  const authorization = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;

  test("carries tunnels and requests, with the name as it is and the credentials of its URL", async () => {
    const seen = await beginBehindProxy(() => ["203.0.113.10"]);
    world.settings.allowHosts = ["git.test:22"];
    const socket = await world.enter({ kind: "proxy" });
    socket.write("CONNECT git.test:22 HTTP/1.1\r\nHost: git.test:22\r\n\r\nSSH-2.0-x");
    expect(await received(socket, /SSH/)).toMatch(/ 200 .*SSH-2\.0-x$/s);
    expect(await getFrom("web.test")).toMatch(/by the proxy/);
    expect(seen.connects).toEqual([{ url: "git.test:22", authorization }]);
    expect(seen.requests).toEqual([{ url: "http://web.test:80/", authorization }]);
  });

  test("is used for a name that this machine cannot resolve, after the policy allowed it", async () => {
    const seen = await beginBehindProxy(() => undefined);
    world.settings.blockHosts = ["blocked.test"];
    expect(await getFrom("unknown.test")).toMatch(/by the proxy/);
    expect(await getFrom("blocked.test")).toMatch(/ 403 /);
    expect(seen.requests).toHaveLength(1);
  });

  test("does not open private addresses: not by a name that has one here, not by the address", async () => {
    const seen = await beginBehindProxy(() => ["203.0.113.10", "10.0.0.1"]);
    expect(await getFrom("half.test")).toMatch(/ 403 /);
    expect(await getFrom("10.0.0.1")).toMatch(/ 403 /);
    expect(await connectTo("169.254.169.254:80")).toMatch(/ 403 /);
    expect(seen).toEqual({ connects: [], requests: [] });
  });

  test("is left out for what NO_PROXY names, and for ports of this machine", async () => {
    const seen = await beginBehindProxy(() => ["203.0.113.10"], "near.test, 203.0.113.0/24, *.wild.test");
    const server = await world.serve(createServer((_request, response) => response.end("direct")));
    world.route("203.0.113.10", 80, server);
    world.settings.hostPorts = [portOf(server)];
    for (const host of ["near.test", "a.near.test", "a.wild.test", "203.0.113.10"]) {
      expect(await getFrom(host)).toMatch(/direct/);
    }
    expect(await getFrom(`host.docker.internal:${portOf(server)}`)).toMatch(/direct/);
    expect(seen.requests).toEqual([]);
    expect(await getFrom("notnear.test")).toMatch(/by the proxy/);
  });

  test("that refuses is named in the answer", async () => {
    await beginBehindProxy(() => ["203.0.113.10"]);
    const answer = await asked("CONNECT forbidden.test:443 HTTP/1.1\r\nHost: forbidden.test:443\r\n\r\n");
    expect(answer).toMatch(/ 502 .*the host's proxy answered 407/s);
  });

  test("that cannot be used is not walked around", async () => {
    world = await EgressWorld.begin(() => ["203.0.113.10"], { https_proxy: "socks5://127.0.0.1:1" });
    const answer = await asked("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n");
    expect(answer).toMatch(/ 502 .*not an http:\/\/ URL/s);
    expect(world.dialled).toEqual([]);
  });
});

import { createServer } from "node:http";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EgressWorld, portOf } from "./fixture/egress-world.ts";
import { received } from "./fixture/stream-pair.ts";

const publicAddress = "203.0.113.10";
let world: EgressWorld;

beforeEach(async () => {
  world = await EgressWorld.begin(() => [publicAddress]);
});

afterEach(() => world.end());

async function openTunnel(target: string): Promise<Socket> {
  const socket = await world.enter({ kind: "proxy" });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\nhello`);
  expect(await received(socket, /hello/)).toMatch(/ 200 /);
  return socket;
}

async function refusedTunnel(target: string): Promise<string> {
  const socket = await world.enter({ kind: "proxy" });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  return await received(socket);
}

async function serveEcho(port: number): Promise<void> {
  world.route(publicAddress, port, await world.serveBytes((socket) => void socket.pipe(socket)));
}

describe("when the rules change", () => {
  test("connections that they no longer allow end at once, and the others stay", async () => {
    await serveEcho(22);
    world.settings.allowHosts = ["a.test:22", "b.test:22"];
    const first = await openTunnel("a.test:22");
    const second = await openTunnel("b.test:22");
    expect(world.egress.connections("sandbox1")).toHaveLength(2);
    world.settings.blockHosts = ["a.test:22"];
    world.settings.allowHosts = ["b.test:22"];
    world.egress.recheck("sandbox1");
    expect(await received(first)).toBe("");
    second.write("still here");
    expect(await received(second, /here/)).toBe("still here");
    expect(world.row("a.test")).toMatchObject({ allowed: 1, blocked: 1, rule: "block-host a.test:22" });
    expect(world.egress.connections("sandbox1")).toMatchObject([{ host: "b.test", port: 22 }]);
  });

  test("what passed because a rule named host and port ends with that rule, although the host stays allowed", async () => {
    await serveEcho(22);
    world.settings.allowHosts = ["a.test:22"];
    const socket = await openTunnel("a.test:22");
    world.settings.allowHosts = ["a.test"];
    world.egress.recheck("sandbox1");
    expect(await received(socket)).toBe("");
    expect(world.row("a.test")?.rule).toBe("no rule names it closely enough");
  });

  test("a range that is now blocked ends what no exact rule opens", async () => {
    await serveEcho(22);
    world.route(
      publicAddress,
      80,
      await world.serve(createServer((_request, answer) => void answer.write("part"))),
    );
    world.settings.allowHosts = ["exact.test:22"];
    const exact = await openTunnel("exact.test:22");
    const other = await world.enter({ kind: "proxy" });
    other.write("GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n");
    await received(other, /part/);
    world.settings.blockCidrs = ["203.0.113.0/24"];
    world.egress.recheck("sandbox1");
    expect(await received(other)).toBe("");
    expect(world.row("other.test")?.rule).toBe("block-cidr 203.0.113.0/24");
    exact.write("still here");
    expect(await received(exact, /here/)).toBe("still here");
  });

  test("a credential that is now brokered ends the tunnels to its host", async () => {
    await serveEcho(22);
    world.settings.allowHosts = ["a.test:22"];
    const socket = await openTunnel("a.test:22");
    world.brokered.set("a.test", "http://gateway");
    world.egress.recheck("sandbox1");
    expect(await received(socket)).toBe("");
    expect(world.row("a.test")?.rule).toBe("brokered");
  });

  test("an answer that is on its way is cut in the middle", async () => {
    const server = createServer((_request, response) => void response.write("first half"));
    world.route(publicAddress, 80, await world.serve(server));
    const socket = await world.enter({ kind: "proxy" });
    socket.write("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await received(socket, /first half/);
    world.settings.policy = "deny";
    world.egress.recheck("sandbox1");
    expect(await received(socket)).toBe("");
  });

  test("of one sandbox, the others notice nothing; closing one closes only it", async () => {
    await serveEcho(22);
    world.settings.allowHosts = ["a.test:22"];
    const mine = await openTunnel("a.test:22");
    const other = await world.enter({ kind: "proxy" }, { ...world.sandbox, id: "sandbox2", name: "other" });
    other.write("CONNECT a.test:22 HTTP/1.1\r\nHost: a.test:22\r\n\r\nhello");
    await received(other, /hello/);
    world.egress.closeSandbox("sandbox1");
    expect(await received(mine)).toBe("");
    other.write("still here");
    expect(await received(other, /here/)).toBe("still here");
    await expect.poll(() => world.egress.connections("sandbox1")).toEqual([]);
  });
});

describe("a host with a brokered credential", () => {
  beforeEach(() => world.brokered.set("api.model.test", "http://127.0.0.1:3129/model"));

  test("is reached through the gateway only, which the refusal names", async () => {
    world.settings.policy = "deny";
    for (const allowHosts of [[], ["api.model.test"], ["*"], ["api.model.test:443"]]) {
      world.settings.allowHosts = allowHosts;
      const answer = await refusedTunnel("API.model.test:443");
      expect(answer).toMatch(/^HTTP\/1\.1 403 .*rule: brokered.*http:\/\/127\.0\.0\.1:3129\/model/s);
      expect(answer).toMatch(/network proxy box --bypass-host api\.model\.test:443/);
    }
    expect(world.dialled).toEqual([]);
    expect(world.row("api.model.test")).toMatchObject({ blocked: 4, rule: "brokered" });
  });

  test("is a tunnel like any other after --bypass-host, and the refusal says what that loses", async () => {
    await serveEcho(443);
    expect(await refusedTunnel("api.model.test:443")).toMatch(/What is lost: /);
    world.settings.bypassHosts = ["api.model.test:443"];
    await openTunnel("api.model.test:443");
    expect(world.row("api.model.test")?.rule).toBe("bypass-host api.model.test:443");
  });

  test("that a rule blocks is blocked by that rule", async () => {
    world.settings.blockHosts = ["*.model.test"];
    expect(await refusedTunnel("api.model.test:443")).toMatch(/rule: block-host \*\.model\.test/);
  });
});

describe("the host's own services (A14)", () => {
  test("are reached at declared ports, by the host's door and by its name, and at no other", async () => {
    const declared = portOf(await world.serveBytes((socket) => void socket.end("declared")));
    const secret = portOf(await world.serveBytes((socket) => void socket.end("secret")));
    world.settings.policy = "deny";
    world.settings.hostPorts = [declared];
    world.settings.allowHosts = ["*"];
    const door = await world.enter({ kind: "host", port: declared });
    expect(await received(door)).toBe("declared");
    const closed = await world.enter({ kind: "host", port: secret });
    expect(await received(closed)).toBe("");
    for (const host of [
      "host.docker.internal",
      "localhost",
      "127.0.0.1",
      "[::1]",
      "0.0.0.0",
      "[::ffff:127.0.0.1]",
    ]) {
      expect(await refusedTunnel(`${host}:${secret}`)).toMatch(/^HTTP\/1\.1 403 /);
    }
    const answer = await refusedTunnel(`host.docker.internal:${secret}`);
    expect(answer).toMatch(new RegExp(`--allow-host localhost:${secret}\n`));
    const named = await world.enter({ kind: "proxy" });
    named.write(`CONNECT host.docker.internal:${declared} HTTP/1.1\r\nHost: host.docker.internal\r\n\r\n`);
    expect(await received(named)).toMatch(/ 200 .*declared$/s);
    expect(world.dialled).toEqual([`127.0.0.1 ${declared}`, `127.0.0.1 ${declared}`]);
    expect(world.asked).toEqual([]);
  });
});

describe("a sandbox with too many connections", () => {
  test("gets no more, and one whose connections ended gets new ones", async () => {
    world.settings.policy = "deny";
    const sockets = await Promise.all(Array.from({ length: 512 }, () => world.enter({ kind: "socks" })));
    const oneMore = await world.enter({ kind: "socks" });
    expect(await received(oneMore)).toBe("");
    const others = await world.enter({ kind: "proxy" }, { ...world.sandbox, id: "sandbox2" });
    others.write("GET / HTTP/1.1\r\n\r\n");
    expect(await received(others)).toMatch(/ 400 /);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => {
        const again = await world.enter({ kind: "proxy" });
        again.write("GET / HTTP/1.1\r\n\r\n");
        return await received(again);
      })
      .toMatch(/ 400 /);
  });
});

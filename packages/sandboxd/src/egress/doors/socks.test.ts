import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EgressWorld } from "../fixture/egress-world.ts";
import { received } from "../fixture/stream-pair.ts";

const publicAddress = "203.0.113.10";
let world: EgressWorld;

beforeEach(async () => {
  world = await EgressWorld.begin((name) =>
    name === "good.test" ? [publicAddress, "2001:db8::1"] : undefined,
  );
  const echo = await world.serveBytes((socket) => void socket.pipe(socket));
  for (const address of [publicAddress, "2001:db8::1"]) world.route(address, 22, echo);
});

afterEach(() => world.end());

async function greeted(): Promise<Socket> {
  const socket = await world.enter({ kind: "socks" });
  socket.write(Buffer.from([5, 2, 1, 0]));
  expect(await received(socket, /../s)).toBe("\x05\x00");
  return socket;
}

function request(command: number, host: string | number[], port: number): Buffer {
  const length = typeof host === "string" ? Buffer.byteLength(host) : host.length;
  const address =
    typeof host === "string"
      ? Buffer.from([3, length, ...Buffer.from(host)])
      : Buffer.from([length === 4 ? 1 : 4, ...host]);
  return Buffer.concat([Buffer.from([5, command, 0]), address, Buffer.from([port >> 8, port & 255])]);
}

/** The code of the reply to a request. */
async function replyTo(bytes: Buffer): Promise<{ code: number; socket: Socket }> {
  const socket = await greeted();
  socket.write(bytes);
  const reply = await received(socket, /^.{10}/s);
  expect(reply[0]).toBe("\x05");
  return { code: reply.charCodeAt(1), socket };
}

describe("SOCKS5", () => {
  test.each([
    ["a name", "good.test"],
    ["an IPv4 address", [203, 0, 113, 10]],
    ["an IPv6 address", [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ])("connects to %s and carries bytes both ways", async (_what, host) => {
    world.settings.allowHosts = ["good.test:22", `${publicAddress}:22`, "[2001:db8::1]:22"];
    const { code, socket } = await replyTo(request(1, host, 22));
    expect(code).toBe(0);
    socket.end("SSH-2.0-client");
    expect(await received(socket)).toBe("SSH-2.0-client");
  });

  test("says that a rule does not allow it, or that the host cannot be reached", async () => {
    world.settings.blockHosts = ["good.test"];
    expect((await replyTo(request(1, "good.test", 443))).code).toBe(2);
    expect((await replyTo(request(1, [127, 0, 0, 1], 22))).code).toBe(2);
    expect((await replyTo(request(1, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1], 22))).code).toBe(
      2,
    );
    expect((await replyTo(request(1, "gone.test", 443))).code).toBe(4);
    expect(world.row("127.0.0.1")).toMatchObject({ blocked: 2, rule: "private range 127.0.0.0/8" });
    expect(world.dialled).toEqual([]);
  });

  test.each(["good.test\0", "good test", "0177.0.0.1", "", "good.test\r\n"])(
    "refuses the name %j",
    async (host) => {
      expect((await replyTo(request(1, host, 443))).code).toBe(2);
      expect(world.dialled).toEqual([]);
    },
  );

  test("can do nothing but CONNECT: no BIND, no UDP", async () => {
    expect((await replyTo(request(2, "good.test", 22))).code).toBe(7);
    expect((await replyTo(request(3, "good.test", 22))).code).toBe(7);
    expect((await replyTo(Buffer.from([5, 1, 0, 9, 0, 0, 0]))).code).toBe(8);
  });

  test("does not take a client that wants a password, or an older protocol", async () => {
    const password = await world.enter({ kind: "socks" });
    password.write(Buffer.from([5, 1, 2]));
    expect(await received(password)).toBe("\x05\xff");
    const old = await world.enter({ kind: "socks" });
    old.write(Buffer.from([4, 1, 0, 80, 203, 0, 113, 10, 0]));
    expect(await received(old)).toBe("\x05\xff");
    expect(world.dialled).toEqual([]);
  });

  test("takes a request that comes byte by byte, with bytes sent ahead behind it", async () => {
    world.settings.allowHosts = ["good.test:22"];
    const socket = await world.enter({ kind: "socks" });
    const bytes = Buffer.concat([
      Buffer.from([5, 1, 0]),
      request(1, "good.test", 22),
      Buffer.from("SSH-2.0-x"),
    ]);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await received(socket, /SSH-2\.0-x/)).toBe(`\x05\x00\x05\x00\x00\x01${"\0".repeat(6)}SSH-2.0-x`);
  });
});

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { hostName, isLoopback } from "./addresses.ts";
import { peerOf, plainAddress, readAddress } from "./peer.ts";
import { checkHost, checkOrigin } from "./request-origin.ts";
import { hashOf, newToken, readToken, sameHash, tokenKinds, writeToken } from "./token.ts";

const here = { loopbackOnly: true, names: [] };
const everywhere = { loopbackOnly: false, names: ["tiger.example"] };

describe("the Host of a request", () => {
  it.each([
    "localhost",
    "localhost:4301",
    "opentiger.localhost:80",
    "127.0.0.1:4301",
    "[::1]:4301",
    "LOCALHOST",
  ])("%s is this machine", (host) => {
    expect(() => checkHost({ host }, here)).not.toThrow();
  });

  it.each([
    undefined,
    "",
    "evil.test",
    "evil.test:4301",
    "localhost.evil.test",
    "localhost:4301@evil.test",
    "localhost, evil.test",
    "127.0.0.1.evil.test",
    "10.0.0.5:4301",
    "0.0.0.0:4301",
    "[::ffff:10.0.0.5]:4301",
    "tiger.example",
  ])("%s is not", (host) => {
    expect(() => checkHost({ host }, here)).toThrow("not reached under that name");
  });

  it("beyond this machine an address is good, and a name that was listed", () => {
    for (const host of ["10.0.0.5:4301", "[2001:db8::1]:4301", "tiger.example", "TIGER.example:4301"])
      expect(() => checkHost({ host }, everywhere)).not.toThrow();
    for (const host of ["evil.test", "tiger.example.evil.test", "eviltiger.example"])
      expect(() => checkHost({ host }, everywhere)).toThrow();
  });
});

describe("the origin of a request", () => {
  const host = "localhost:4301";
  const asked = (headers: Record<string, string>, method = "POST") => ({
    method,
    headers: { host, ...headers },
  });

  it("is the server's own, or nobody says", () => {
    for (const headers of [
      {},
      { origin: "http://localhost:4301" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ])
      expect(() => checkOrigin(asked(headers), "data")).not.toThrow();
  });

  it.each([
    { origin: "http://evil.test" },
    { origin: "null" },
    { origin: "http://localhost:3000" },
    { origin: "http://127.0.0.1:4301" },
    { origin: "http://localhost:4301.evil.test" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://localhost:4301", "sec-fetch-site": "cross-site" },
  ])("is refused as %j", (headers) => {
    expect(() => checkOrigin(asked(headers), "data")).toThrow("another origin");
    expect(() => checkOrigin(asked(headers, "GET"), "data")).toThrow("another origin");
  });

  it("of a link that somebody follows is good for a page, and not for data", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(() => checkOrigin(asked(link, "GET"), "page")).not.toThrow();
    expect(() => checkOrigin(asked(link, "GET"), "data")).toThrow();
    expect(() => checkOrigin(asked(link, "POST"), "page")).toThrow();
  });
});

describe("the other end of a connection", () => {
  it.each(["127.0.0.1", "::1"])("over %s belongs to the user of the process", async (address) => {
    const server = createServer();
    server.listen(0, address);
    await once(server, "listening");
    const bound = server.address();
    const port = typeof bound === "object" && bound ? bound.port : 0;
    const client = connect(port, address);
    const [taken] = (await once(server, "connection")) as [Socket];
    const found = await peerOf(taken);
    expect(found).toMatchObject({ uid: process.getuid?.(), inode: expect.stringMatching(/^[1-9]\d*$/) });
    client.destroy();
    taken.destroy();
    server.close();
  });

  it("is absent when no socket of this machine is there", async () => {
    const nobody = { remoteAddress: "127.0.0.1", remotePort: 1, localAddress: "127.0.0.1", localPort: 2 };
    // Only these four are looked at.
    expect(await peerOf(nobody as unknown as Socket)).toBe("absent");
  });

  it("is read as the kernel writes it", () => {
    expect(readAddress("0100007F")).toBe("127.0.0.1");
    expect(readAddress("0000000000000000FFFF00000100007F")).toBe("127.0.0.1");
    expect(readAddress("00000000000000000000000001000000")).toBe(plainAddress("::1"));
    expect(readAddress("B80D0120000000000000000001000000")).toBe(plainAddress("2001:db8::1"));
  });
});

describe("an address", () => {
  it("is of this machine alone, or not", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
      expect(isLoopback(address)).toBe(true);
    for (const address of [
      undefined,
      "",
      "10.0.0.1",
      "::",
      "0.0.0.0",
      "::ffff:10.0.0.1",
      "127.evil.test",
      "127.0.0.1.evil.test",
    ])
      expect(isLoopback(address)).toBe(false);
  });

  it("is taken out of a Host", () => {
    expect(hostName("[::1]:80")).toBe("::1");
    expect(hostName("a b")).toBeUndefined();
  });
});

describe("a token", () => {
  it.each(tokenKinds)("of the kind %s is read as it was written", (kind) => {
    const token = newToken(kind);
    expect(readToken(writeToken(token))).toEqual(token);
    expect(token.secret).toHaveLength(43);
  });

  it("is nothing else", () => {
    for (const text of ["", "otk_", "otk_abc_def", `otx_${"a".repeat(12)}_${"b".repeat(43)}`])
      expect(readToken(text)).toBeUndefined();
  });

  it("has a hash that another has not", () => {
    expect(sameHash(hashOf("a"), hashOf("a"))).toBe(true);
    expect(sameHash(hashOf("a"), hashOf("b"))).toBe(false);
    expect(sameHash(hashOf("a"), Buffer.alloc(3))).toBe(false);
  });
});

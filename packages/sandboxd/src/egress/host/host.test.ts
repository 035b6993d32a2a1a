import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseHost } from "./host.ts";
import { referenceHost } from "./host-reference.ts";
import { hostileHost } from "./hostile-hosts.ts";
import { parseTarget } from "./target.ts";

/** A few seconds' worth; OPENTIGER_FUZZ_RUNS asks for more. */
const runs = Number(process.env["OPENTIGER_FUZZ_RUNS"] ?? 5000);

function hostOf(text: string): string | undefined {
  const host = parseHost(text);
  return host.ok ? host.value.text : undefined;
}

describe("a host", () => {
  test.each([
    ["GitHub.COM", "github.com"],
    ["github.com.", "github.com"],
    ["my_db", "my_db"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["GITHUB。com", "github.com"],
    ["git\u00adhub.com", "github.com"],
    ["10.0.0.1", "10.0.0.1"],
    ["[::1]", "::1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["[::FFFF:a00:1]", "10.0.0.1"],
  ])("%j is %s", (text, host) => {
    expect(hostOf(text)).toBe(host);
  });

  test.each([
    "",
    ".",
    "github.com..",
    ".github.com",
    "git hub.com",
    "github.com\0.evil.test",
    "github.com\r\nHost: evil.test",
    "user@github.com",
    "github.com@evil.test",
    "github%2ecom",
    "github.com/evil",
    "github.com#evil",
    "github.com\\evil",
    "-a.test",
    "a-.test",
    "a".repeat(64),
    `${"a.".repeat(127)}aa`,
    "xn--a.bücher",
    // Every spelling of 127.0.0.1 that inet_aton takes.
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "127.0.0.01",
    "127.0.0.1.",
    "１２７.0.0.1",
    "①②⑦.0.0.1",
    "[::1%lo]",
    "fe80::1%eth0",
    "[127.0.0.1]",
    "[::1",
    "::1]",
    "1::2::3",
    "[]",
  ])("%j is refused", (text) => {
    expect(hostOf(text)).toBeUndefined();
  });

  test("is read the same by an independent reader, whatever the text", () => {
    fc.assert(
      fc.property(hostileHost, (text) => {
        expect({ text, host: hostOf(text) }).toEqual({ text, host: referenceHost(text) });
      }),
      { numRuns: 2 * runs },
    );
  });

  test("stays itself when it is parsed again, and has no other character than a host has", () => {
    fc.assert(
      fc.property(hostileHost, (text) => {
        const host = hostOf(text);
        if (host === undefined) return;
        expect(hostOf(host)).toBe(host);
        expect(host).toMatch(/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:]+)$/);
      }),
      { numRuns: runs },
    );
  });
});

describe("a host and port", () => {
  test.each([
    ["example.com:443", "example.com", 443],
    ["[2001:db8::1]:22", "2001:db8::1", 22],
  ])("%j is read", (text, host, port) => {
    expect(parseTarget(text)).toMatchObject({ ok: true, value: { host: { text: host }, port } });
  });

  test.each([
    "example.com",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:0443",
    "example.com:+443",
    "example.com:443 ",
    "example.com:443:443",
    "2001:db8::1:22",
    "[::1]443",
    "a@example.com:443",
    "example.com:443\n",
  ])("%j is refused", (text) => {
    expect(parseTarget(text)).toMatchObject({ ok: false });
  });
});

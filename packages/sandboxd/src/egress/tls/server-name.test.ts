import { describe, expect, test } from "vitest";
import { parseTarget, type Target } from "../host/target.ts";
import { naming } from "../policy/decide.ts";
import { checkServerName } from "./server-name.ts";
import type { Sniffed } from "./sniff.ts";

const good = target("good.test:443");
const address = target("203.0.113.10:443");

function target(text: string): Target {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.value;
}

function tls(serverName: string | undefined, encrypted = false): Sniffed & { kind: "tls" } {
  return { kind: "tls", hello: { serverName, encrypted } };
}

describe("what a client begins a tunnel with", () => {
  test.each([
    ["the host", good, tls("good.test")],
    ["the host in other letters", good, tls("GOOD.test.")],
  ])("passes with %s", (_what, to, sniffed) => {
    expect(checkServerName("box", to, sniffed, naming.none)).toEqual({ passed: true, needed: naming.none });
  });

  test.each([
    ["no name", tls(undefined)],
    ["the address", tls("203.0.113.10")],
  ])("passes with %s to an address that a rule names", (_what, sniffed) => {
    expect(checkServerName("box", address, sniffed, naming.host)).toMatchObject({ passed: true });
    expect(checkServerName("box", address, sniffed, naming.none)).toMatchObject({
      passed: false,
      refusal: { rule: "no-sni", remedy: expect.stringContaining("--allow-host 203.0.113.10:443") },
    });
  });

  test.each([
    ["no name", good, tls(undefined), "no-sni"],
    ["an encrypted hello, whose name cannot be seen", good, tls("good.test", true), "ech"],
    ["another protocol", good, { kind: "other" } as const, "not-tls"],
    ["silence", good, { kind: "silent" } as const, "not-tls"],
  ])("passes with %s only where a rule names host and port", (_what, to, sniffed, rule) => {
    expect(checkServerName("box", to, sniffed, naming.hostAndPort)).toMatchObject({ passed: true });
    expect(checkServerName("box", to, sniffed, naming.host)).toMatchObject({
      passed: false,
      refusal: {
        rule,
        remedy: expect.stringContaining("docker sandbox network proxy box --allow-host good.test:443"),
      },
    });
  });

  test.each([
    ["another name", good, tls("evil.test")],
    ["a name below", good, tls("a.good.test")],
    ["a name with a NUL", good, tls("good.test\0")],
    ["a name that becomes it only when it is mapped", good, tls("good\u00ad.test")],
    ["a name, to an address", address, tls("good.test")],
    ["a hello that cannot be read", good, { kind: "broken-tls" } as const],
  ])("never passes with %s", (_what, to, sniffed) => {
    for (const named of Object.values(naming)) {
      expect(checkServerName("box", to, sniffed, named)).toMatchObject({
        passed: false,
        refusal: { rule: "sni-mismatch", remedy: undefined },
      });
    }
  });

  test("says of an encrypted hello that it is one", () => {
    const check = checkServerName("box", good, tls("front.test", true), naming.none);
    expect(check).toMatchObject({ passed: false, refusal: { why: expect.stringMatching(/ECH/) } });
  });
});

import { defaultNetworkSettings, type NetworkSettings } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { parseTarget } from "../host/target.ts";
import { balanced } from "./balanced.ts";
import { type Decision, decide, naming } from "./decide.ts";

function decided(settings: Partial<NetworkSettings>, text: string): Decision {
  const target = parseTarget(text);
  if (!target.ok) throw new Error(text);
  return decide({ ...defaultNetworkSettings, ...settings }, target.value);
}

function ruling(settings: Partial<NetworkSettings>, text: string): string {
  const { verdict, rule } = decided(settings, text);
  return `${verdict} by ${rule}`;
}

describe("network policy (B11)", () => {
  test("an empty list means nothing under deny, and everything public under allow", () => {
    expect(ruling({ policy: "deny" }, "example.com:443")).toBe("blocked by policy deny");
    expect(ruling({}, "example.com:443")).toBe("allowed by policy allow");
  });

  test.each([
    ["example.com:443", "allowed by allow-host example.com:443"],
    ["example.com:80", "blocked by block-host example.com"],
    ["www.example.com:443", "allowed by allow-host *.example.com"],
    ["a.b.example.com:443", "blocked by block-host *.b.example.com"],
    ["evilexample.com:443", "blocked by block-host *"],
    ["example.com.evil.test:443", "blocked by block-host *"],
  ])("the most specific rule wins for %s", (target, expected) => {
    const settings = {
      allowHosts: ["*.example.com", "example.com:443"],
      blockHosts: ["*", "example.com", "*.b.example.com"],
    };
    expect(ruling(settings, target)).toBe(expected);
  });

  test("block wins where both say the same thing", () => {
    const settings = {
      allowHosts: ["example.com"],
      blockHosts: ["example.com"],
      bypassHosts: ["example.com"],
    };
    expect(ruling(settings, "example.com:443")).toBe("blocked by block-host example.com");
  });

  test("a wildcard is for any depth below a domain and not for the domain", () => {
    const settings = { policy: "deny" as const, allowHosts: ["*.example.com"] };
    expect(decided(settings, "a.b.c.example.com:1").verdict).toBe("allowed");
    expect(decided(settings, "example.com:1").verdict).toBe("blocked");
  });

  test("only an exact rule of the user's skips the ranges, never a wildcard or the preset", () => {
    const settings = { policy: "balanced" as const, allowHosts: ["a.test", "*.b.test", "c.test:443"] };
    expect(decided(settings, "a.test:443").skipsRanges).toBe(true);
    expect(decided(settings, "c.test:443").skipsRanges).toBe(true);
    expect(decided(settings, "x.b.test:443").skipsRanges).toBe(false);
    expect(decided(settings, "github.com:22")).toMatchObject({ verdict: "allowed", skipsRanges: false });
  });

  test("a rule for public addresses names its host, and opens no address that is not public", () => {
    const settings = { policy: "deny" as const, allowHosts: ["public:a.test", "public:b.test:22"] };
    expect(decided(settings, "a.test:443")).toMatchObject({ verdict: "allowed", skipsRanges: false });
    expect(decided(settings, "b.test:22")).toMatchObject({
      verdict: "allowed",
      skipsRanges: false,
      naming: naming.hostAndPort,
    });
    expect(decided(settings, "b.test:443").verdict).toBe("blocked");
    const both = { ...settings, allowHosts: ["public:a.test", "a.test"] };
    expect(decided(both, "a.test:443").skipsRanges).toBe(true);
    expect(decided({ ...both, blockHosts: ["a.test"] }, "a.test:443").verdict).toBe("blocked");
  });

  test("what is not TLS needs a rule that names host and port", () => {
    const settings = { allowHosts: ["a.test", "b.test:22", "*.c.test:22"] };
    expect(decided(settings, "a.test:22").naming).toBeLessThan(naming.hostAndPort);
    expect(decided(settings, "b.test:22").naming).toBe(naming.hostAndPort);
    expect(decided(settings, "x.c.test:22").naming).toBeLessThan(naming.hostAndPort);
  });

  test("git over ssh to the well-known hosts is open under allow and balanced, not under deny", () => {
    expect(decided({}, "github.com:22")).toMatchObject({ verdict: "allowed", naming: naming.hostAndPort });
    expect(decided({ policy: "balanced" }, "github.com:22")).toMatchObject({
      verdict: "allowed",
      naming: naming.hostAndPort,
    });
    expect(decided({ policy: "deny" }, "github.com:22").verdict).toBe("blocked");
    expect(decided({ blockHosts: ["github.com"] }, "github.com:22").verdict).toBe("blocked");
  });

  test("balanced opens its preset and nothing else", () => {
    expect(ruling({ policy: "balanced" }, "static.crates.io:443")).toBe("allowed by balanced *.crates.io");
    expect(ruling({ policy: "balanced" }, "example.com:443")).toBe("blocked by policy balanced");
    expect(ruling({ policy: "balanced", blockHosts: ["*.io"] }, "static.crates.io:443")).toBe(
      "blocked by block-host *.io",
    );
    expect(balanced.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test("an address that no host rule names is decided by the ranges, also under deny", () => {
    const settings = { policy: "deny" as const, allowCidrs: ["10.0.0.0/8"], blockCidrs: ["10.1.0.0/16"] };
    expect(ruling(settings, "10.0.0.1:443")).toBe("allowed by allow-cidr 10.0.0.0/8");
    expect(ruling(settings, "10.1.0.1:443")).toBe("blocked by block-cidr 10.1.0.0/16");
    expect(ruling(settings, "203.0.113.1:443")).toBe("blocked by policy deny");
    // A name is not resolved to find out: it could carry data to a resolver.
    expect(ruling(settings, "db.internal:443")).toBe("blocked by policy deny");
  });

  test("a rule that cannot be read blocks everything", () => {
    expect(ruling({ blockHosts: ["exa mple.com"] }, "example.com:443")).toBe(
      "blocked by unreadable rule block-host",
    );
  });
});

describe("ports of the host (A14)", () => {
  test.each(["open", "allow", "balanced", "deny"] as const)("are the declared ones, under %s", (policy) => {
    const settings = { policy, hostPorts: [5432], allowHosts: ["localhost:8080", "*", "*.docker.internal"] };
    for (const host of ["host.docker.internal", "localhost", "LOCALHOST."]) {
      expect(ruling(settings, `${host}:5432`)).toBe("allowed by host port 5432");
      expect(ruling(settings, `${host}:8080`)).toBe("allowed by allow-host localhost:8080");
      expect(decided(settings, `${host}:8081`).verdict).toBe("blocked");
    }
  });

  test("a declared port can be blocked", () => {
    const settings = { ...defaultNetworkSettings, hostPorts: [5432], blockHosts: ["localhost:5432"] };
    expect(decided(settings, "host.docker.internal:5432").verdict).toBe("blocked");
  });
});

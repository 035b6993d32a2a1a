import { defaultNetworkSettings, type NetworkSettings } from "@opentiger/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { soak } from "../../../../../tests/setup/soak.ts";
import { parseHost } from "../host/host.ts";
import { hostileHost } from "../host/hostile-hosts.ts";
import { blockedAddress } from "./address-check.ts";
import { cidrText, parseCidr } from "./cidr.ts";
import { decide } from "./decide.ts";
import { referenceVerdict } from "./policy-reference.ts";
import { parseRule, ruleText } from "./rule.ts";

/** A second's worth; a soak has more, and OPENTIGER_FUZZ_RUNS asks for any number. */
const runs = Number(process.env["OPENTIGER_FUZZ_RUNS"] ?? (soak ? 20_000 : 1500));

const name = fc.constantFrom(
  "a.test",
  "b.a.test",
  "c.b.a.test",
  "evila.test",
  "test",
  "github.com",
  "evilgithub.com",
  "github.com.evil.test",
  "static.crates.io",
);
const address = fc.constantFrom(
  "10.0.0.1",
  "10.1.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "0.0.0.0",
  "169.254.169.254",
  "172.31.0.1",
  "172.32.0.1",
  "192.0.0.8",
  "192.168.1.1",
  "198.19.0.1",
  "198.20.0.1",
  "203.0.113.5",
  "224.0.0.1",
  "240.0.0.1",
  "::",
  "::1",
  "2001:db8::1",
  "2002:a00:1::",
  "2002:a9fe:a9fe::",
  "64:ff9b::a00:1",
  "64:ff9b::a9fe:a9fe",
  "fd00::1",
  "fe80::1",
  "ff02::1",
);
const port = fc.constantFrom(22, 80, 443, 8080);
const withPort = (host: string, at: number | undefined) =>
  at === undefined ? host : `${host.includes(":") ? `[${host}]` : host}:${at}`;
const rule = fc
  .tuple(
    fc.oneof(
      name,
      address,
      name.map((host) => `*.${host}`),
      fc.constant("*"),
      hostileHost,
    ),
    fc.option(port, { nil: undefined }),
  )
  .map(([host, at]) => withPort(host, at))
  .map((text) => parseRule(text))
  .filter((parsed) => parsed.ok)
  .map((parsed) => (parsed.ok ? ruleText(parsed.value) : ""));
const cidr = fc
  .tuple(address, fc.nat(128))
  .map(([text, prefix]) => parseCidr(`${text}/${prefix}`))
  .filter((parsed) => parsed.ok)
  .map((parsed) => (parsed.ok ? cidrText(parsed.value) : ""));
const hosts = fc.array(rule, { maxLength: 4 });
const cidrs = fc.array(cidr, { maxLength: 2 });
const settings: fc.Arbitrary<NetworkSettings> = fc
  .record({
    policy: fc.constantFrom("allow" as const, "balanced" as const, "deny" as const),
    allowHosts: hosts,
    blockHosts: hosts,
    bypassHosts: hosts,
    allowCidrs: cidrs,
    blockCidrs: cidrs,
    bypassCidrs: cidrs,
  })
  .map((rules) => ({ ...defaultNetworkSettings, ...rules }));

test("an independent reading of the policy comes to the same verdict, whatever the rules and the host", () => {
  fc.assert(
    fc.property(
      settings,
      fc.oneof(name, address, hostileHost),
      port,
      address,
      (rules, text, at, resolved) => {
        const host = parseHost(text);
        if (!host.ok) return;
        const reached = host.value.kind === "name" ? resolved : host.value.text;
        const decision = decide(rules, { host: host.value, port: at });
        const isOpen = decision.verdict === "allowed" && !blockedAddress(rules, decision, reached, () => []);
        expect({ rules, text, at, reached, verdict: isOpen ? "allowed" : "blocked" }).toEqual({
          rules,
          text,
          at,
          reached,
          verdict: referenceVerdict(rules, host.value.text, at, reached),
        });
      },
    ),
    { numRuns: runs },
  );
});

test("no rule whatever leads to a link-local address", () => {
  fc.assert(
    fc.property(settings, name, port, (rules, text, at) => {
      const host = parseHost(text);
      if (!host.ok) return;
      const decision = decide(rules, { host: host.value, port: at });
      for (const metadata of ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"]) {
        expect(blockedAddress(rules, decision, metadata, () => [])).toMatchObject({ final: true });
      }
    }),
    { numRuns: runs / 5 },
  );
});

import { expect, it } from "vitest";
import { publicRule, type RuleReach, ruleReach } from "./rule-reach.ts";

it.each<[string, RuleReach | undefined]>([
  ["localhost:2375", "machine"],
  ["LOCALHOST.:2375", "machine"],
  ["host.docker.internal:22", "machine"],
  ["127.0.0.1:2375", "private"],
  ["10.1.2.3", "private"],
  ["[::1]:80", "private"],
  ["[::ffff:192.168.0.1]", "private"],
  ["169.254.169.254", "private"],
  ["*", "everything"],
  ["*:443", "everything"],
  ["*.com", "everything"],
  ["*.example.com", "host"],
  ["registry.example.com:443", "host"],
  ["1.1.1.1", "host"],
  ["no host", undefined],
])("the rule %s opens: %s", (rule, reach) => {
  expect(ruleReach(rule)).toBe(reach);
});

it.each([
  ["Example.com", "public:example.com"],
  ["example.com:443", "public:example.com:443"],
  ["[2001:db8::1]", "public:2001:db8::1"],
  ["public:example.com", "public:example.com"],
  ["*.example.com", "*.example.com"],
])("%s that opens public addresses only is %s", (rule, expected) => {
  expect(publicRule(rule)).toBe(expected);
});

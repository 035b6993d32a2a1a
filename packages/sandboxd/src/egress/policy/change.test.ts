import { defaultNetworkSettings } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { applyChange } from "./change.ts";

describe("a change of the network settings (B11)", () => {
  test("is stored in canonical form, once", () => {
    const settings = applyChange(defaultNetworkSettings, {
      policy: "deny",
      allowHost: [
        "API.Anthropic.com",
        "api.anthropic.com.",
        "*.Example.com:443",
        "[2001:DB8::1]",
        "bücher.example",
      ],
      allowCidr: ["10.1.2.3/8", "::ffff:192.168.0.0/112"],
      bypassHost: ["Host.Docker.Internal:8080"],
    });
    expect(settings).toMatchObject({
      policy: "deny",
      allowHosts: ["api.anthropic.com", "*.example.com:443", "2001:db8::1", "xn--bcher-kva.example"],
      allowCidrs: ["10.0.0.0/8", "192.168.0.0/16"],
      bypassHosts: ["localhost:8080"],
    });
  });

  test("takes a rule out of the two other lists", () => {
    const blocked = applyChange(defaultNetworkSettings, { blockHost: ["a.test"], blockCidr: ["10.0.0.0/8"] });
    const allowed = applyChange(blocked, { allowHost: ["a.test"], allowCidr: ["10.0.0.0/8"] });
    expect(allowed).toMatchObject({
      allowHosts: ["a.test"],
      blockHosts: [],
      allowCidrs: ["10.0.0.0/8"],
      blockCidrs: [],
    });
    const bypassed = applyChange(allowed, { bypassHost: ["a.test"] });
    expect(bypassed).toMatchObject({ allowHosts: [], bypassHosts: ["a.test"] });
  });

  test.each([
    [{ policy: "everything" }, /not a network policy/],
    [{ allowHost: ["https://example.com"] }, /--allow-host/],
    [{ allowHost: ["exam*ple.com"] }, /a \* elsewhere/],
    [{ allowHost: ["*.10.0.0.1"] }, /in front of an address/],
    [{ allowHost: ["0177.0.0.1"] }, /ends in a number/],
    [{ allowHost: ["localhost"] }, /needs a port/],
    [{ allowHost: ["public:localhost:80"] }, /of this machine/],
    [{ allowHost: ["public:*.example.com"] }, /where a \* never/],
    [{ blockHost: ["example.com:99999"] }, /port/],
    [{ allowCidr: ["10.0.0.0/33"] }, /prefix/],
    [{ blockCidr: ["10.0.0/8"] }, /address range/],
  ])("%j is refused with a sentence, and changes nothing", (change, message) => {
    const before = structuredClone(defaultNetworkSettings);
    expect(() => applyChange(defaultNetworkSettings, change)).toThrowError(
      expect.objectContaining({
        code: "usage",
        message: expect.stringMatching(message),
        remedy: expect.any(String),
      }),
    );
    expect(defaultNetworkSettings).toEqual(before);
  });
});

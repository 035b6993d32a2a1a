import { defaultNetworkSettings } from "@opentiger/schema";
import { describe, expect, it, vi } from "vitest";
import { readFacts } from "../engine/facts.ts";
import { decideCarrier, decideRuntime, refuseImpossible } from "./carrier.ts";
import { decideLimits } from "./limits.ts";
import { decideNetwork } from "./network.ts";
import { weaknessOf } from "./weakness.ts";

const facts = {
  ...readFacts(
    { NCPU: 2, MemTotal: 2 ** 34, Runtimes: { runc: {}, runsc: {} } },
    { kind: "socket", path: "/x" },
  ),
  location: "local" as const,
};
const network = defaultNetworkSettings;
const tools = { node: "/usr/bin/node", nodeVersion: "v20.0.0", setpriv: "/usr/bin/setpriv" };

describe("the carrier", () => {
  it("is a socket on a local engine, and exec's stdio where none can be shared", () => {
    expect(decideCarrier("direct", facts, null, tools)).toBe("socket");
    expect(decideCarrier("direct", facts, "runc", tools)).toBe("socket");
    expect(decideCarrier("direct", facts, "runsc", tools)).toBe("exec-stdio");
    expect(decideCarrier("direct", { ...facts, location: "desktop" }, null, tools)).toBe("exec-stdio");
    expect(decideCarrier("clone", { ...facts, selinux: true }, null, tools)).toBe("exec-stdio");
  });

  it("is the engine's own exec for an image without node or setpriv, and that is said", () => {
    expect(decideCarrier("direct", facts, null, { ...tools, node: null })).toBe("engine-exec");
    expect(decideCarrier("direct", facts, null, { ...tools, setpriv: null })).toBe("engine-exec");
    expect(weaknessOf({ carrier: "engine-exec", isolation: "separate-uid", network })).toMatch(
      /node.* no network/,
    );
    const open = { ...network, policy: "open" as const };
    expect(weaknessOf({ carrier: "engine-exec", isolation: "separate-uid", network: open })).not.toMatch(
      /no network/,
    );
    expect(weaknessOf({ carrier: "socket", isolation: "separate-uid", network: open })).toMatch(
      /policy is open.* neither checked nor logged/,
    );
    expect(weaknessOf({ carrier: "socket", isolation: "agent-root", network })).toMatch(/no evidence/);
    expect(weaknessOf({ carrier: "socket", isolation: "separate-uid", network })).toBeUndefined();
  });
});

describe("the runtime", () => {
  it("is what SANDBOX_DOCKER_RUNTIME says, if the engine has it", () => {
    expect(decideRuntime({}, facts)).toBeNull();
    expect(decideRuntime({ SANDBOX_DOCKER_RUNTIME: "runsc" }, facts)).toBe("runsc");
    expect(() => decideRuntime({ SANDBOX_DOCKER_RUNTIME: "nope" }, facts)).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
  });
});

describe("a direct workspace", () => {
  it.each([
    ["remote", { ...facts, location: "remote" as const }],
    ["userns-remap", { ...facts, usernsRemap: true }],
  ])("is refused on a %s engine with the way that works", (_name, engine) => {
    expect(() => refuseImpossible("direct", engine)).toThrow(
      expect.objectContaining({ code: "unsupported", remedy: expect.stringContaining("--clone") }),
    );
    expect(() => refuseImpossible("clone", engine)).not.toThrow();
  });
});

describe("A10 the network", () => {
  it("is none unless it is opened, and setting the variable opens nothing but is said once", () => {
    const warn = vi.fn();
    const env = { SANDBOX_DOCKER_NETWORK: "mine" };
    expect(decideNetwork("allow", {}, warn)).toBe("none");
    expect(warn).not.toHaveBeenCalled();
    expect(decideNetwork("deny", env, warn)).toBe("none");
    expect(decideNetwork("balanced", env, warn)).toBe("none");
    expect(warn).toHaveBeenCalledTimes(1);
    expect(decideNetwork("open", env, warn)).toBe("mine");
    expect(decideNetwork("open", {}, warn)).toBe("bridge");
  });

  it.each(["host", "container:abc"])("%s is refused: it is somebody else's", (network) => {
    expect(() => decideNetwork("open", { SANDBOX_DOCKER_NETWORK: network }, () => {})).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
  });
});

describe("limits", () => {
  it("are the usual within what the machine has, and what was asked for", () => {
    expect(decideLimits({}, facts)).toMatchObject({ cpus: 2, memoryBytes: 4 * 2 ** 30 });
    expect(decideLimits({}, { ...facts, memoryBytes: 2 ** 30 }).memoryBytes).toBe(0.75 * 2 ** 30);
    expect(decideLimits({ pids: 100, cpus: undefined }, facts)).toMatchObject({ pids: 100, cpus: 2 });
  });

  it.each([{ memoryBytes: 1 }, { cpus: 0 }, { pids: 1 }, { cpus: 99 }, { memoryBytes: Number.NaN }])(
    "%o is refused",
    (wanted) => {
      expect(() => decideLimits(wanted, facts)).toThrow(expect.objectContaining({ code: "usage" }));
    },
  );
});
